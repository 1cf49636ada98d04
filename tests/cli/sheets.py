"""Every sheet of every recording in its five forms: `sheets.py LANESCOPE FOLDER`. What CSV and JSON hold is the same, row by row; the JSON is as the schema
says; Markdown has as many cells in each row as in its head; text fits the width and has as many rows as CSV."""
import csv
import io
import json
import pathlib
import subprocess
import sys

import jsonschema

WIDTH = 100  # of a line that goes to no terminal
MOST = 100   # rows of a sheet that are compared: --top


def printed(lanescope, recording, sheet, form):
    return subprocess.run([lanescope, "report", recording, "--table", sheet, "--format", form, "--top", str(MOST)], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout


def same(text, value):
    if value is None:
        return text == ""
    if isinstance(value, bool):
        return text == str(value).lower()
    if isinstance(value, str):  # CSV makes control characters visible
        return text == value or (text != "" and (not value.isprintable() or "\ufffd" in value))
    return text != "" and abs(float(text) - value) <= 1e-12 * abs(value)


def check_sheet(lanescope, recording, sheet, complain):
    forms = {form: printed(lanescope, recording, sheet, form) for form in ("text", "csv", "json", "markdown", "schema")}
    document = json.loads(forms["json"])
    for error in jsonschema.Draft202012Validator(json.loads(forms["schema"])).iter_errors(document):
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
    return len(rows)


def main():
    lanescope, folder = sys.argv[1:3]
    failures, count, names = [], 0, set()
    for recording in sorted(pathlib.Path(folder).glob("*.lsr")):
        listed = subprocess.run([lanescope, "report", recording, "--table", "list"], check=True, stdout=subprocess.PIPE, text=True).stdout
        for sheet in (line.split()[0] for line in listed.splitlines()):
            names.add(sheet)
            count += check_sheet(lanescope, recording, sheet, lambda text, where=f"{recording.name}, {sheet}": failures.append(f"{where}: {text}"))
    for failure in failures[:40]:
        print(failure)
    print(f"{len(names)} sheets, {count} rows, {len(failures)} differences")
    return 1 if failures or len(names) < 20 or count < 1000 else 0


sys.exit(main())
