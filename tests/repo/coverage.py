# SPDX-License-Identifier: Apache-2.0
"""coverage.py ROOT LANESCOPE: docs/coverage.md has a row for each of the documents' 201 points, and what a row names exists.

A row links the lessons of the workloads that its commands name. A command of a row that names workloads runs on the device model at the small size and must be verified. Where its row says "on a
GPU" or "refused", it may be one that does not run there. Other commands must name a command and options of the help."""
import collections
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools'))
import report_runs  # noqa: E402

root, lanescope = sys.argv[1:3]
POINTS = {"A": 20, "B": 9, "C": 28, "D": 19, "E": 25, "F": 28, "G": 20, "H": 14, "I": 12, "J": 17, "K": 9}  # 201
STATES = re.compile(r"works|(?:partly|not here): \S.{11,}")
failures = []


def fail(point, text):
    failures.append(f"docs/coverage.md, {point}: {text}")


def run(*words):
    return subprocess.run([lanescope, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, XDG_STATE_HOME=scratch, COLUMNS="200"))


def rows():
    with open(root + "/docs/coverage.md", encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if re.fullmatch(r"[A-K]\d+", cells[0] if cells else ""):
                yield cells


def names_check(point, where, state):
    """Pages and rules that the row names."""
    for link in re.findall(r"\]\(([^)#]+)", where + state):
        if not os.path.exists(f"{root}/docs/{link}"):
            fail(point, f"docs/{link} does not exist")
    for rule in re.findall(r"rule `(\w+)`", where + state):
        if f"\n## `{rule}`\n" not in advice:
            fail(point, f"docs/advice.md has no rule {rule}")


def words_split(point, words):
    """(options, texts) of a command; an option of the help takes a value if the help names one."""
    options, texts, i = [], [], 0
    while i < len(words) and words[i] != "--":
        if not words[i].startswith("--"):
            texts.append(words[i])
        elif words[i] not in option_values:
            fail(point, f"the help has no option {words[i]}")
        else:
            options.append(words[i])
            if option_values[words[i]]:
                i += 1
                options.append(words[i])
        i += 1
    return options, texts


def command_add(point, command, may_not_run):
    words = shlex.split(command.replace("\\|", "|"))[1:]
    options, texts = words_split(point, words)
    if not texts or texts[0] not in commands:
        for text in texts:
            cases[tuple(options)].append((point, text, may_not_run))
    elif texts[0] in ("device", "list") and run(*words).returncode != 0:
        fail(point, f"{command}: {run(*words).stderr}")


def lessons_check(point, command, links):
    """The row links the lesson of each workload that its command names."""
    for word in command.partition(" -- ")[0].split()[1:]:
        name = re.split("[:,]", word.strip("'"))[0]
        if os.path.exists(f"{root}/docs/lessons/{name}.md") and f"](lessons/{name}.md" not in links:
            fail(point, f"names the workload {name} and does not link its lesson: [{name}](lessons/{name}.md)")


def cases_run(options, group):
    """The workloads of all commands with these options, in one recording."""
    path = os.path.join(scratch, "coverage.lsr")
    texts = list(dict.fromkeys(text for _, text, _ in group))
    if os.path.exists(path):
        os.remove(path)
    done = run("--record", path, "--device", "simt", "--size", "small", *options, *texts)
    found = run("report", path, "--json")
    if found.returncode != 0:
        fail(group[0][0], f"{' '.join(options)} {' '.join(texts)}: {done.stderr}")
        return
    for one in report_runs.nested(json.loads(found.stdout))["runs"]:
        named = [(point, may_not_run) for point, text, may_not_run in group
                 if re.split(r"[:,]", text)[0] == one["workload"] and (":" not in text or f":{one['variant']}" in text)]
        if one["verified"] is False or (one["verified"] is None and not any(may_not_run for _, may_not_run in named)):
            fail(named[0][0], f"{' '.join(options)} {one['workload']}:{one['variant']} {one['params']}: "
                              + ("not run" if one["verified"] is None else "not verified"))


with tempfile.TemporaryDirectory() as scratch:
    help_text = run("--help").stdout
    commands = set(re.findall(r"^  lanescope ([a-z]+)", help_text, re.M))
    option_values = {name: bool(value) for name, value in re.findall(r"^  (--[a-z-]+)( [A-Z0-9'a-z|]\S*)?", help_text, re.M)}
    with open(root + "/docs/advice.md", encoding="utf-8") as file:
        advice = file.read()
    cases, seen, states = collections.defaultdict(list), [], collections.Counter()
    for point, _, says, where, state in rows():
        seen.append(point)
        states[state.partition(":")[0]] += 1
        if not STATES.fullmatch(state):
            fail(point, f"state {state!r} is none of: works; partly: REASON; not here: REASON")
        if where == "-" and not state.startswith("not here"):
            fail(point, "names no place to see it")
        names_check(point, where, state)
        for command in re.findall(r"`(lanescope [^`]+)`", where):
            lessons_check(point, command, where + state)
            command_add(point, command, re.search(r"on a GPU|refused", where + state) is not None)
    wanted = [f"{section}{number}" for section, count in POINTS.items() for number in range(1, count + 1)]
    if seen != wanted:
        failures.append(f"docs/coverage.md: points missing {sorted(set(wanted) - set(seen))}, unknown, twice or out of order "
                        f"{sorted(set(seen) - set(wanted))} ({len(seen)} rows of {len(wanted)})")
    for options, group in cases.items():
        cases_run(options, group)
print(f"{len(seen)} points: " + ", ".join(f"{count} {state}" for state, count in states.most_common()))
for line in failures:
    print(line)
sys.exit(bool(failures))
