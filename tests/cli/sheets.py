# SPDX-License-Identifier: Apache-2.0
"""Every sheet of every command in its five forms, those of reports of recordings that have rows of them, of which each sheet needs one (loop_model.lsr:
tests/data/programs/loop.cu on the model with --check; stacks_double.lsr: tests/doubles/program.c with --stacks): `sheets.py LANESCOPE FOLDER`. What CSV and JSON hold is the same, row by row; the JSON is as the schema
says; Markdown has as many cells in each row as in its head; text fits the width and has as many rows as CSV. The screen's table has the same numbers,
row by row. TEST_EVERY, in the environment: of the recordings that are drawn on the screen, only one in so many for each sheet."""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

WIDTH = 100  # of a line that goes to no terminal
ON_SCREEN = ["h200", "lines_h200", "small", "loop_model", "stacks_double"]
EVERY = int(os.environ.get("TEST_EVERY", "1"))
MOST = 100   # rows of a sheet that are compared: --top
RECORDINGS = 2  # with rows of a sheet, in which it is compared beside those on the screen; each sheet begins at another one


def printed(command, *more):
    ended = subprocess.run([*command, "--table", *more], stdout=subprocess.PIPE, encoding="utf-8")
    assert ended.returncode == (command[1] == "gate"), f"{command} {more} ended with {ended.returncode}"
    return ended.stdout


def sheets_of(command):
    return [line.split()[0] for line in printed(command, "list").splitlines()]


def same(text, value):
    if value is None:
        return text == ""
    if isinstance(value, bool):
        return text == str(value).lower()
    if isinstance(value, str):  # CSV makes control characters visible
        return text == value or (text != "" and (not value.isprintable() or "\ufffd" in value))
    return text != "" and abs(float(text) - value) <= 1e-12 * abs(value)


SCHEMAS = {}


def check_sheet(command, sheet, complain):
    """The number of rows, and the sheet as Markdown."""
    forms = {form: printed(command, sheet, "--format", form, "--top", str(MOST)) for form in ("text", "csv", "json", "markdown")}
    document = json.loads(forms["json"])
    if (command[1], sheet) not in SCHEMAS:  # it does not depend on the recording
        SCHEMAS[command[1], sheet] = jsonschema.Draft202012Validator(json.loads(printed(command, sheet, "--format", "schema")))
    for error in SCHEMAS[command[1], sheet].iter_errors(document):
        complain(f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    head, *rows = list(csv.reader(io.StringIO(forms["csv"])))
    if len(rows) != len(document["rows"]):
        complain(f"{len(rows)} rows in CSV, {len(document['rows'])} in JSON")
    for row, kept in zip(rows, document["rows"]):
        if list(kept) != head:
            complain(f"CSV has {head}, JSON {list(kept)}")
            break
        for name, text in zip(head, row):
            if not same(text, kept[name]):
                complain(f"{name} is {text!r} in CSV and {kept[name]!r} in JSON")
    lines = [line for line in forms["markdown"].splitlines() if line.startswith("| ")]
    cells = {line.replace("\\|", "").count("|") for line in lines}
    if len(cells) > 1:
        complain(f"Markdown has rows of {sorted(cells)} bars")
    tables = sum(line.startswith("| ---") for line in lines)
    if len(lines) - 2 * tables != len(rows):
        complain(f"{len(lines) - 2 * tables} rows in Markdown, {len(rows)} in CSV")
    wide = [line for line in forms["text"].splitlines() if len(line) > WIDTH]
    if wide:
        complain(f"a line of {len(wide[0])} cells: {wide[0]}")
    return len(rows), forms["markdown"]


def check_screen(lanescope, recording, sheet, markdown, complain):
    """The rows before the second group, as far as they are on the screen: the same numbers in the same order."""
    keys = f": t a b l e SPACE {' '.join(sheet)} ENTER"
    screen = subprocess.run([lanescope, "view", recording, "--snapshot", "text", "--size", "300x70", "--keys", keys], check=True,
                            stdout=subprocess.PIPE, encoding="utf-8").stdout.splitlines()
    table = [line for line in markdown.splitlines() if line.startswith("| ")]
    if not table:
        if " 0 rows" not in screen[1]:
            complain("the screen has rows, Markdown has none")
        return
    said = [False] * table[0].count(" | ") + [False]  # the screen leaves out what says nothing in any row
    for row in [line for line in table[2:] if not line.startswith(("| ---", table[0]))]:
        said = [before or cell.strip("| ") != "-" for before, cell in zip(said, row.split(" | "))]
    numbers = [kind.strip() == "---:" and some for kind, some in zip(table[1].split(" | "), said)]
    heads = [head.strip("| ") for head, some in zip(table[0].split(" | "), said) if some]
    at = next((i for i, line in enumerate(screen) if i > 2 and all(head in line for head in heads)), None)
    if at is None:
        complain(f"the screen has not the heads {heads}")
        return
    shown = [line[2:] for line in screen[at + 1:] if line.startswith("│")]
    headings = [" ".join(line.split()) for line in markdown.splitlines() if line and not line.startswith("|")]
    for row in [line for line in table[2:] if not line.startswith(("| ---", table[0]))][:50]:
        while shown and (not shown[0][:-1].strip() or " ".join(shown[0].rstrip("│ ").split()) in headings):
            shown.pop(0)
        line = shown.pop(0) if shown else ""
        place = 0
        for text in (cell.strip("| ") for cell, number in zip(row.split(" | "), numbers) if number):
            place = line.find(text, place)
            if place < 0:
                complain(f"{text!r} of {row} is not in {line!r}")
                return
            place += len(text)


def main():
    lanescope, folder = sys.argv[1:3]
    failures, count = [], 0
    recordings = sorted(pathlib.Path(folder).glob("*.lsr"))
    names = set(sheets_of([lanescope, "report", recordings[0]]))
    for first, sheet in enumerate(sorted(names)):
        filled = empty = 0
        for recording in recordings[first % len(recordings):] + recordings[:first % len(recordings)]:
            command = [lanescope, "report", recording]
            drawn = recording.stem in ON_SCREEN and (first + ON_SCREEN.index(recording.stem)) % EVERY == 0
            if not drawn:
                if filled >= RECORDINGS or (empty and printed(command, sheet, "--format", "csv", "--top", "1").count("\n") < 2):
                    continue
            complain = lambda text, where=f"{recording.name}, {sheet}": failures.append(f"{where}: {text}")
            rows, markdown = check_sheet(command, sheet, complain)
            count += rows
            filled += rows > 0
            empty += rows == 0
            if drawn:
                check_screen(lanescope, recording, sheet, markdown.replace("\\", ""), complain)
        if filled == 0:
            failures.append(f"{sheet}: no recording has rows of it")
    with tempfile.TemporaryDirectory() as place:
        gate = [lanescope, "gate", f"{place}/counts", "transpose:naive,n=64"]
        subprocess.run(gate, check=True, stdout=subprocess.DEVNULL)
        gate[-1] = "transpose:naive,n=128"  # so that the counts differ
        for command in ([lanescope, "list"], [lanescope, "exercise"], [lanescope, "device", "--device", "simt"], gate,
                        [lanescope, "what-if", f"{folder}/two_programs_h200.lsr"],
                        [lanescope, "diff", f"{folder}/h200.lsr:copy-offset", f"{folder}/curriculum_h200.lsr:copy-offset", "--fail-on", "time_ns > 9x"]):
            for sheet in sheets_of(command):
                names.add(f"{command[1]} {sheet}")
                rows, _ = check_sheet(command, sheet, lambda text, where=f"{command[1]}, {sheet}": failures.append(f"{where}: {text}"))
                count += rows
                if rows == 0 and sheet not in ("health", "processes", "only", "sums"):
                    failures.append(f"{command[1]}, {sheet}: no rows")
    for failure in failures[:40]:
        print(failure)
    print(f"{len(names)} sheets, {count} rows, {len(failures)} differences")
    return 1 if failures or len(names) < 40 or count < 1000 else 0


sys.exit(main())
