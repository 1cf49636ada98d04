#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""oracle_run.py PROGRAM... [-o FILE] [-j N] [-t SECONDS] [--only TEXT] [--expect FILE --differences FILE... [--table]] [-- COMMAND...]

Runs each case of the oracle's programs in a process of its own, with its variable of the environment, and writes one
text: "[case]", the lines that it printed, and "exit CODE", "signal N" or "time limit". COMMAND is put before each
program; {} in it becomes a name that no other case has. The cases stand in the order of the programs' lists.

--expect: such a text of a GPU, with which the answers are compared line by line. --differences: the cases that may
differ, a line each: a pattern of names, a colon and the reason. Each of them has to differ still. A second file has those
of another modelled GPU; then only its rows have to differ. --table prints these cases with the answers of both, as a
table for a document. Status 1: not so."""

import argparse
import concurrent.futures
import difflib
import fnmatch
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile


def list_cases(program):
    """[(program, case, environment)] of a program's --list: a case, and perhaps NAME=VALUE, which may hold spaces."""
    lines = subprocess.run([program, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    cases = []
    for line in lines:
        name, _, setting = line.partition(" ")
        cases.append((program, name, dict([setting.split("=", 1)]) if setting else {}))
    return cases


def run_case(case, command, limit):
    program, name, environment = case
    line = [part.replace("{}", name) for part in command] + [program, name]
    with tempfile.TemporaryDirectory() as folder:
        answers = os.path.join(folder, "answers")
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, **environment, "ORACLE_ANSWERS": answers}, start_new_session=True)
        try:
            code = process.wait(limit)
            # A command that ran the program gives its signal as a shell does.
            number = -code if code < 0 else code - 128 if command and 128 < code < 160 else 0
            end = f"signal {number}" if number else f"exit {code}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            end = "time limit"
        text = ""
        if os.path.exists(answers):
            with open(answers, encoding="utf-8", errors="replace") as file:
                text = file.read()
    if text and not text.endswith("\n"):
        text += "\n"
    return f"[{name}]\n{text}{end}\n"


def parse_answers(text):
    """{case: lines}; lines before the first case are the head, and no answer."""
    answers, lines = {}, []
    for line in text.splitlines():
        named = re.fullmatch(r"\[(\w+)\]", line)
        if named:
            lines = answers[named[1]] = []
        else:
            lines.append(line)
    return answers


def lines_to_compare(lines):
    """A program whose kernel was stopped ends with status 1 on the stand-in where its own is 0 (docs/standin.md)."""
    stopped = any(re.search(r": (46|7(00|10|1[4-9]))\b", line) for line in lines)
    return lines[:-1] + ["exit 0"] if stopped and lines[-1] == "exit 1" else lines


def read_differences(path):
    with open(path, encoding="utf-8") as file:
        return [(path, *line.rstrip("\n").split(": ", 1)) for line in file if line.strip() and not line.startswith("#")]


def print_table(rows, found, expected, answers):
    print("| case | the GPU's answer | here | why |\n|---|---|---|---|")
    for _, pattern, reason in rows:
        for name in sorted(found[pattern]):
            pairs = itertools.zip_longest(expected[name], answers[name], fillvalue="")
            there, here = zip(*[pair for pair in pairs if pair[0] != pair[1] and not pair[0].startswith(("end", "exit"))])
            print(f"| {name} | {'<br>'.join(there)} | {'<br>'.join(here)} | {reason} |")


def compare_answers(answers, path, list_paths, table):
    """Prints what differs from the GPU's answers and is not on the list, and what of the list does not differ."""
    with open(path, encoding="utf-8") as file:
        expected = parse_answers(file.read())
    rows = [row for list_path in list_paths for row in read_differences(list_path)]
    wrong = [f"{row[0]}: {row[1]}: no reason is given; write PATTERN: REASON." for row in rows if len(row) != 3]
    found = {}
    different = {name for name, lines in answers.items()
                 if lines_to_compare(lines) != lines_to_compare(expected.get(name, ["not in the GPU's answers"]))}
    for list_path, pattern, *_ in rows:
        found[pattern] = set(fnmatch.filter(different, pattern))
        same = sorted(set(fnmatch.filter(answers, pattern)) - different)
        if list_path == list_paths[-1] and (not found[pattern] or same):
            wrong.append(f"{list_path}: {pattern}: as on the GPU: {', '.join(same) or 'every case'}. Remove it from the list.")
    listed = set().union(*found.values()) if found else set()
    for name in answers:
        if name in different - listed:
            lines = difflib.unified_diff(expected.get(name, []), answers[name], "the GPU", "the stand-in", lineterm="")
            wrong.append(f"[{name}] differs from the GPU:\n" + "\n".join(lines))
    wrong += [f"[{name}] is in {path}, and no program has it." for name in expected if name not in answers]
    if table:
        print_table([row for row in rows if row[0] == list_paths[-1]], found, expected, answers)
    print("\n".join(wrong + [f"{len(answers)} cases: {len(answers) - len(different)} as on the GPU, {len(listed)} differ "
                             f"as listed, {len(different - listed)} differ."]))
    return not wrong


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("programs", nargs="+")
    options.add_argument("-o", "--output")
    options.add_argument("-j", "--jobs", type=int, default=16)
    options.add_argument("-t", "--time-limit", type=float, default=20)
    options.add_argument("--only", default="", help="the cases whose names hold this text")
    options.add_argument("--expect")
    options.add_argument("--differences", nargs="+")
    options.add_argument("--table", action="store_true")
    arguments = sys.argv[1:]
    command = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, command = arguments[:at], arguments[at + 1:]
    chosen = options.parse_args(arguments)
    cases = [case for program in chosen.programs for case in list_cases(os.path.abspath(program))]
    cases = [case for case in cases if chosen.only in case[1]]
    names = [case[1] for case in cases]
    doubles = sorted({name for name in names if names.count(name) > 1})
    if doubles:
        sys.exit(f"{', '.join(doubles)}: two cases have one name; rename one of them.")
    with concurrent.futures.ThreadPoolExecutor(min(chosen.jobs, 16)) as pool:
        answers = list(pool.map(lambda case: run_case(case, command, chosen.time_limit), cases))
    text = "".join(answers)
    if chosen.expect:
        sys.exit(0 if compare_answers(parse_answers(text), chosen.expect, chosen.differences, chosen.table) else 1)
    if chosen.output:
        with open(chosen.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)
    ends = [answer.rstrip("\n").rsplit("\n", 1)[-1] for answer in answers]
    print(f"{len(answers)} cases: {sum(end == 'exit 0' for end in ends)} ended with 0, "
          f"{sum(end.startswith('signal') for end in ends)} by a signal, {ends.count('time limit')} at the limit",
          file=sys.stderr)


if __name__ == "__main__":
    main()
