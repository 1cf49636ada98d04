#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tidy.py ROOT BUILD [BASE|all]: names what clang-tidy (.clang-tidy) finds in the lines that differ from BASE, to be looked at: the analyzer's
findings are guesses, and lines that only moved count as new. So the exit status is 0. Without BASE: the commit at which this branch left
main; on main itself the commit before. Files with most changed lines come first; none is begun after BUDGET seconds, or ends later than
SECONDS after that. `all`: every line of every file, however long that takes. BUILD has the compile commands. New lines that test a pointer
by `== NULL` are named, too."""
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

ROOMS = ("core/", "cupti/", "simt/", "standin/", "workloads/", "cli/", "tui/")
BUDGET = 40      # seconds
SECONDS = 20     # of one file after those


def git(root, *words):
    answer = subprocess.run(["git", "-C", root, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8", errors="replace")
    return answer.stdout if answer.returncode == 0 else None


def default_base(root):
    head = git(root, "rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        base = git(root, "merge-base", "HEAD", main)
        if base and base != head:
            return base.strip()
    return "HEAD" if git(root, "status", "--porcelain", "--untracked-files=no") else "HEAD~1"


def changed_lines(root, base):
    """{file: [[first, last], ...]} of what is new since `base`, uncommitted changes included; None without git or its commit."""
    text = git(root, "diff", "-U0", "--no-color", "--no-ext-diff", base, "--", *ROOMS)
    if text is None:
        return None
    lines, name = {}, None
    for line in text.splitlines():
        if line.startswith("+++ "):
            name = line[6:] if line.startswith("+++ b/") else None
        hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk and name:
            first, count = int(hunk[1]), int(hunk[2] or 1)
            if count:
                lines.setdefault(name, []).append([first, first + count - 1])
    return lines


def name_null_tests(root, lines):
    """CONTRIBUTING.md, Style: a pointer is tested as `!p` and `p`. Rooms that are older than this have the other form."""
    for path, spans in sorted(lines.items()):
        if path.endswith((".c", ".h")) and os.path.exists(os.path.join(root, path)):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read().splitlines()
            count = sum(bool(re.search("[!=]= NULL", text[line - 1])) for first, last in spans for line in range(first, last + 1))
            if count:
                print(f"look: {path}: {count} new lines test a pointer by == NULL or != NULL; write !p or p")


def check_file(root, build, path, lines, end):
    """The findings, a line each; None: not checked."""
    left = end - time.monotonic()
    if left < 0:
        return None
    # The compiler's own warnings are the build's matter.
    command = ["clang-tidy", "-p", build, "--quiet", "--extra-arg=-w"]
    if lines is not None:
        command.append("--line-filter=" + json.dumps([{"name": os.path.join(root, name), "lines": spans} for name, spans in lines.items()]))
    try:
        answer = subprocess.run([*command, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", timeout=None if lines is None else left + SECONDS)
    except subprocess.TimeoutExpired:
        return None
    text = answer.stdout + (answer.stderr if answer.returncode else "")
    return [line.replace(root + "/", "") for line in text.splitlines() if re.search("(warning|error): ", line)]


def main():
    root, build = (os.path.realpath(path) for path in sys.argv[1:3])
    base = sys.argv[3] if len(sys.argv) > 3 else default_base(root)
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        compiled = {os.path.relpath(os.path.join(row["directory"], row["file"]), root) for row in json.load(file)}
    compiled = {path for path in compiled if path.startswith(ROOMS) and path.endswith(".c")}
    lines, files, end = None, sorted(compiled), float("inf")
    if base != "all":
        lines = changed_lines(root, base)
        if lines is None:
            print(f"there is no commit {base} to compare with (a shallow clone?): no changed line is checked")
            return
        name_null_tests(root, lines)
        amount = {path: sum(last - first + 1 for first, last in spans) for path, spans in lines.items()}
        files = sorted(compiled & set(lines), key=lambda path: (-amount[path], path))
        end = time.monotonic() + BUDGET
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        findings = list(pool.map(lambda path: check_file(root, build, os.path.join(root, path), lines, end), files))
    for line in sorted({line for found in findings for line in found or []}):
        print(f"look: {line}")
    print(f"clang-tidy: {len(files)} files, {findings.count(None)} of them not reached")


main()
