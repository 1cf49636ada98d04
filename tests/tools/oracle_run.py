#!/usr/bin/env python3
"""oracle_run.py PROGRAM... [-o FILE] [-j N] [-t SECONDS] [--only TEXT] [-- COMMAND...]

Runs each case of the oracle's programs in a process of its own, with its variable of the environment, and writes one
text: "[case]", the lines that it printed, and "exit CODE", "signal N" or "time limit". COMMAND is put before each
program; {} in it becomes a name that no other case has. The cases stand in the order of the programs' lists."""

import argparse
import concurrent.futures
import os
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


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("programs", nargs="+")
    options.add_argument("-o", "--output")
    options.add_argument("-j", "--jobs", type=int, default=16)
    options.add_argument("-t", "--time-limit", type=float, default=20)
    options.add_argument("--only", default="", help="the cases whose names hold this text")
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
