#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""latency.py LANESCOPE PROGRAM [LIMIT_MS]: how long after its end a kernel is on the live screen.

Runs PROGRAM (programs/paced.cu) under the live screen in tmux, reads the screen every few ms, and compares the moments at which its count of
events grew for the last time before the next kernel with the moments the program wrote down. tmux and the reading are part of what is measured.
Exit status 1: over the limit.
"""
import re
import subprocess
import sys
import tempfile
import time


def main():
    lanescope, program = sys.argv[1:3]
    limit_ms = float(sys.argv[3]) if len(sys.argv) > 3 else 100
    seen = []  # (when, count of events), a row per change
    with tempfile.NamedTemporaryFile("r") as output:
        tmux = ["tmux", "-L", "latency"]
        subprocess.run([*tmux, "new-session", "-d", "-s", "s", "-x", "120", "-y", "40",
                        f"{lanescope} -- {program} 20 {output.name}"], check=True)
        end = time.time() + 20
        screen = ""
        while time.time() < end:
            screen = subprocess.run([*tmux, "capture-pane", "-p", "-t", "s"], stdout=subprocess.PIPE, text=True).stdout
            now = time.time()
            match = re.search(r"([0-9,]+) events", screen)
            count = int(match.group(1).replace(",", "")) if match else 0
            if count and (not seen or count != seen[-1][1]):
                seen.append((now, count))
            if " ended  " in screen:
                break
            time.sleep(0.004)
        subprocess.run([*tmux, "send-keys", "-t", "s", "Q"], check=False)
        time.sleep(1)
        subprocess.run([*tmux, "kill-server"], check=False, stderr=subprocess.DEVNULL)
        ended = [float(word) for word in re.findall(r"ended ([0-9.]+)", open(output.name, encoding="utf-8").read())]
    late = []
    for number, moment in enumerate(ended, 1):
        shown = [when for when, _ in seen if moment - 0.002 <= when < moment + 0.29]
        if not shown:
            sys.exit(f"latency.py: kernel {number} never came to the screen:\n{screen}")
        late.append((shown[-1] - moment) * 1000)
    late.sort()
    if not late:
        sys.exit(f"latency.py: the program wrote nothing; the screen was\n{screen}")
    print(f"{len(late)} kernels on the screen after: median {late[len(late) // 2]:.0f} ms, longest {late[-1]:.0f} ms")
    sys.exit(late[-1] > limit_ms)


main()
