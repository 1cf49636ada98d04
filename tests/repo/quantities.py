# SPDX-License-Identifier: Apache-2.0
"""A length of a run has one name and one function (core/analysis/run_times.h): `quantities.py ROOT` fails where a view or a report writes the name itself, or
takes the length from elsewhere. The files that may are listed with the reason. A planted copy of each must be seen."""

import pathlib
import re
import sys

ALLOWED = {
    # file: why
    "cli/diff/diff_sheets.c": "meanings and heads of columns whose values are compare_runs",
    "tui/views/view_compare.c": "the same sentence on the screen",
    "tui/views/chart/chart.h": "the title of a row of the chart's table, whose value is run_times_of",
    "tui/timeline/timeline_draw.c": "the label of the overview, a picture and no length",
    "tui/widgets/brief.c": "a shorter form of the name",
    "tui/widgets/action.h": "the help of a key",
    "tui/views/view_overlap.c": "the lengths of a range; named as the run's only if it has the whole run",
    "cli/report/report_sheets_runs.c": "heads of columns whose values are run_times_of, and the overlap of a run",
    "cli/report/summary/report_findings.c": "the run's overlap without its set-up",
    "cli/exercise/hand_in.c": "the overlap of a hand-in's run",
}
PATTERNS = (
    # what, pattern, a planted copy
    ("the name of a length of a run", r'"[^"\n]*\b(device time|first to last|whole run)\b[^"\n]*"', 'SAY(label, "device time");'),
    ("a length of an overlap", r"(overlap|all|one)(\.|->)(any_busy_ns|span_ns)\b", "number_time(overlap->any_busy_ns)"),
    ("a length of a run's row", r"\brun(_row)?(->|\.)end_ns - \w+(->|\.)start_ns", "int64_t whole_ns = run->end_ns - run->start_ns;"),
)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def findings_in(text):
    code = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    return [(code[: found.start()].count("\n") + 1, what) for what, pattern, _ in PATTERNS for found in re.finditer(pattern, code)]


def main():
    root = pathlib.Path(sys.argv[1])
    failures, used = [], set()
    for what, _, copy in PATTERNS:
        if [what] != [found for _, found in findings_in(f"/* a comment: \"device time\" */\nvoid f(void)\n{{\n    {copy}\n}}\n")]:
            failures.append(f"a planted copy of {what} is not seen")
    paths = sorted(path for room in ("tui", "cli") for end in "ch" for path in (root / room).rglob(f"*.{end}"))
    for path in paths:
        name = str(path.relative_to(root))
        for line, what in findings_in(path.read_text()):
            used.add(name)
            if name not in ALLOWED:
                failures.append(f"{name}:{line}: {what}: take it from core/analysis/run_times.h, or say in tests/repo/quantities.py why not")
    failures += [f"{name} is allowed in tests/repo/quantities.py, and needs it no more" for name in ALLOWED if name not in used]
    print("\n".join(failures) or f"{len(paths)} files take the lengths of a run from one place")
    return 1 if failures or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
