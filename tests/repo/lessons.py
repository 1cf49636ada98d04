# SPDX-License-Identifier: Apache-2.0
"""lessons.py ROOT LANESCOPE [all]: every lesson has the form of lesson_form.py, its picture's commands run (all: each of its commands), and its figures are those of a recording
in tests/data or of a run of the device model (lesson_figures.py).

A figure is a number with a unit, or one in a table. Each is either in a row of `figures`, and then the paragraph says "H200" or
"model" as the row's source does, or in a row of `said`, with the reason why no run can bear it out."""
import glob
import os
import re
import shlex
import subprocess
import sys
import tempfile

import lesson_form
import lesson_runs

root, lanescope = sys.argv[1:3]
from lesson_figures import figures, said  # noqa: E402  they read the arguments

failures = 0


def fail(name, text):
    global failures
    failures += 1
    print(f"docs/lessons/{name}.md: {text}")


def label_of(text, at):
    """The paragraph of a place, and for a table the one before it."""
    begin = text.rfind("\n\n", 0, at)
    if text[begin + 2:begin + 3] == "|":
        begin = text.rfind("\n\n", 0, begin)
    end = text.find("\n\n", at)
    return text[max(begin, 0):end if end >= 0 else len(text)]


def compare(name, text, place, spans, values, origin, covered):
    """Compares the numbers at these places, rounded as the lesson has them, and marks the places as covered."""
    told = [text[begin:end] for begin, end in spans]
    wanted = [f"{value:.{len(number.partition('.')[2])}f}" for number, value in zip(told, values)]
    if [number.replace(",", "") for number in told] != wanted or len(told) != len(values):
        fail(name, f"{place!r}: it says {told}, and the runs {wanted if len(told) == len(values) else values}")
    covered.update(begin for begin, end in spans)
    if spans and origin not in label_of(text, spans[0][0]):
        fail(name, f"{place!r}: the paragraph does not say that its figures are of the {origin}")


def check_sentence(name, text, sentence, values, origin, covered):
    pattern = "({})".format(lesson_form.NUMBER).join(re.escape(part) for part in sentence.split("{}"))
    found = re.search(pattern, text)
    if found is None:
        fail(name, f"it does not say {sentence!r}")
        return
    compare(name, text, sentence, [found.span(i + 1) for i in range(found.re.groups)], values, origin, covered)


def check_table(name, text, head, rows, origin, covered, untold):
    at = text.find("\n" + head)
    lines = []
    for line in text[at + 1:].splitlines(keepends=True) if at >= 0 else []:
        if not line.startswith("|"):
            break
        lines.append(line)
    if len(lines) != len(rows) + 2:
        fail(name, f"it has no table of {len(rows)} rows that begins with {head!r}")
        return
    at += 1 + sum(map(len, lines[:2]))
    for line, values in zip(lines[2:], rows):
        cells = [(cell.start() + 1, cell.end()) for cell in re.finditer(r"\|[^|\n]*(?=\|)", line)][1:]
        if len(cells) != len(values):
            fail(name, f"{line.strip()!r} has {len(cells)} cells after the first, and its row {len(values)} values")
        for (begin, end), value in zip(cells, values):  # []: the cell has no number
            numbers = [(at + begin + number.start(), at + begin + number.end()) for number in re.finditer(lesson_form.NUMBER, line[begin:end])]
            if value is None:
                untold.update(place for place, _ in numbers)
            else:
                compare(name, text, line.strip(), numbers, value if isinstance(value, list) else [value], origin, covered)
        at += len(line)


def check_row(name, text, where, values, origin, covered, untold):
    if isinstance(where, tuple):
        check_table(name, text, where[1], values, origin, covered, untold)
    else:
        check_sentence(name, text, where, values, origin, covered)


def check_figures(name, text):
    """How many figures runs bear out, and how many not."""
    covered, untold, fragments = set(), set(), set()
    for lesson, where, values, origin in figures:
        if lesson == name:
            check_row(name, text, where, values, origin, covered, untold)
    for lesson, fragment, reason in said:
        if lesson == name and fragment not in text:
            fail(name, f"{fragment!r}, which is said because {reason}, is not in it")
        if lesson == name and fragment in text:
            fragments.update(range(text.find(fragment), text.find(fragment) + len(fragment)))
    places = [begin for begin, _ in lesson_form.figures(text)]
    for begin, end in lesson_form.figures(text):
        if begin not in covered | untold | fragments:
            fail(name, f"no run bears out the figure {text[begin:end]!r} in '...{text[max(0, begin - 40):end + 25]}...'".replace("\n", " "))
    return len(covered), len([place for place in places if place in (untold | fragments) - covered])


def check_commands(name, parts):
    """Each command runs on the device model and draws a screen."""
    run = parts if sys.argv[3:] == ["all"] else {"Picture": parts["Picture"]}
    typed = [command for part in run.values() for command in lesson_form.commands(part) + lesson_form.commands_in_text(part)]
    for command in {command: 0 for command in typed if command.startswith("lanescope ")}:
        words = shlex.split(command)[1:]
        screen = not words or words[0] not in ("--record", "kernel", "report", "diff", "export", "list", "device", "doctor", "gate", "coverage", "generations", "glossary", "mcp")
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run([lanescope, *(["--snapshot", "text"] if screen else []), *words], cwd=folder if "--record" in words else root, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                    env=dict(os.environ, XDG_STATE_HOME=folder, CUDA_VISIBLE_DEVICES=""))
        if result.returncode not in (0, 1):
            fail(name, f"'{command}' ends with {result.returncode}: {result.stderr.strip()}")


names = sorted(os.path.basename(path)[:-3] for path in glob.glob(f"{root}/docs/lessons/*.md"))
checked = exempt = 0
for name in names:
    with open(f"{root}/docs/lessons/{name}.md", encoding="utf-8") as file:
        text = file.read()
    for fault in lesson_form.faults(name, text):
        fail(name, fault)
    parts = lesson_form.read_parts(text)
    if isinstance(parts, str):
        continue
    check_commands(name, parts[1])
    counts = check_figures(name, lesson_form.flat(text))
    checked, exempt = checked + counts[0], exempt + counts[1]
for lesson in {row[0] for row in figures} | {row[0] for row in said}:
    if lesson not in names:
        fail(lesson, "there is no such lesson")
print(f"{len(names)} lessons, {checked} figures of a recording or of the model, {exempt} said by a document or not kept")
sys.exit(failures != 0)
