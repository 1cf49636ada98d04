#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""library_run.py ANSWERS COMMAND...: the answers of lanescope's own library beside those of NVIDIA's on a GPU.

ANSWERS has what a program of tests/standin (curand.cu, cufft.cu) printed on a GPU, and lines of "#" before it. COMMAND,
with "-" behind it, reads the names of the cases and prints the same for each. Compared are: codes and bits exactly;
floating-point numbers that approximate functions have part in, by a bound; the numbers of a Poisson distribution by
their mean, since only NVIDIA's tables give NVIDIA's numbers. Status 1: something differs."""

import re
import struct
import subprocess
import sys


def read_cases(lines):
    """{name: its lines}; a line that begins with a blank belongs to the case before it. Wrong calls are one case, and so is each fault."""
    cases, name = {}, None
    for line in lines:
        if line.startswith("#"):
            continue
        named = re.match(r"(\d+ .*|[crbCRB] \d[^:]*|fault \d+):", line)
        if named:
            name = line.rsplit(":", 1)[0] if line[0].isdigit() else named[1]
        elif not line.startswith(" ") and not (name or "").startswith("fault"):
            name = "wrong"
        cases.setdefault(name, []).append(line)
    return cases


def numbers_of(words):
    return [struct.unpack(">f", bytes.fromhex(word))[0] for word in words]


def differ(expected, got):
    """What is wrong with a line, or ''."""
    if expected == got:
        return ""
    word = expected.split(" = ")[0].strip()
    answers = [re.fullmatch(r"  \S+ = (\d+)((?: [0-9a-f]+)*) #\w+ (\S+)", line) for line in (expected, got)]
    if re.match(r"[nlp]\d", word) and all(answers):
        if answers[0][1] != answers[1][1]:
            return "the code"
        sums = [float(answer[3]) for answer in answers]
        count = int(re.match(r"\d+", word[1:])[0])
        if word[0] == "p":
            mean = float(word.split(":")[1])
            # 1.5 is the mean of the weights; 8 deviations of the sum.
            return "" if abs(sums[1] - 1.5 * mean * count) <= 8 * 1.6 * (mean * count) ** 0.5 + 8 else "the mean"
        pairs = zip(*(numbers_of(answer[2].split()) for answer in answers))
        if any(abs(a - b) > 4e-6 * max(1, abs(a)) for a, b in pairs):
            return "a number"
        return "" if abs(sums[0] - sums[1]) <= 2e-6 * max(sums[0], count) else "the sum"
    # cuFFT: codes, a result that is right, and that nothing else was written (which NVIDIA's does in one case).
    answers = [re.fullmatch(r"(.*) right \S+ kept (\d).*", line) for line in (expected, got)]
    if all(answers) and answers[0][1] == answers[1][1] and answers[1][2] == "1":
        return ""
    return "the answer"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        expected = read_cases(file.read().splitlines())
    run = subprocess.run(sys.argv[2:] + ["-"], input="".join(name + "\n" for name in expected), stdout=subprocess.PIPE,
                         text=True)
    got, wrong, lines = read_cases(run.stdout.splitlines()), 0, 0
    for name, answers in expected.items():
        there = got.get(name, [])
        for i, line in enumerate(answers):
            lines += 1
            other = there[i] if i < len(there) else "(nothing)"
            what = differ(line, other)
            if what:
                wrong += 1
                print(f"{name}: {what} differs\n  GPU   {line.strip()}\n  here  {other.strip()}")
    print(f"{lines - wrong} of {lines} lines are as the GPU's; status {run.returncode}")
    return 1 if wrong or run.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
