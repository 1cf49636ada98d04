# SPDX-License-Identifier: Apache-2.0
"""How much of the timeline is filled while a live session runs.

live_fill.py LANESCOPE [ARGUMENT ...]: runs it at 120x40 in tmux and takes what the terminal shows ten times a second, at most
100 times, of which those count that show a run in progress. A column of the timeline is filled if a cell of any track row has a block or a ground
of its own. Prints the median and the worst, and of how many frames; those before the first operation of a run has ended have
no rows and count as 0.
"""

import os
import re
import statistics
import subprocess
import sys
import time

WIDTH, HEIGHT, LABEL, FRAMES = 120, 40, 26, 100  # LABEL: cells of a row's label at this width (view_timeline.c)
EMPTY = ("", "5,17", "5,232", "5,233", "5,234")  # grounds of rows in 256 colours, dark
SOCKET = f"live_fill_{os.getpid()}"


def tmux(*words):
    return subprocess.run(["tmux", "-L", SOCKET, *words], check=False, capture_output=True, text=True).stdout


def cells(line):
    """The letter and the ground of each cell."""
    row, ground, reverse = [], "", False
    for match in re.finditer(r"\x1b\[([0-9;:]*)m|\x1b\][^\x1b\x07]*(?:\x07|\x1b\\)|(.)", line):
        if match[2]:
            row.append((match[2], "reverse" if reverse else ground))
        elif match[1] is not None:
            codes = re.split("[;:]", match[1] or "0")
            while codes:
                code = codes.pop(0) or "0"
                if code in ("38", "48"):
                    rest = [codes.pop(0) for _ in range(2 if codes[0] == "5" else 4)]
                    ground = ",".join(rest) if code == "48" else ground
                elif code in ("0", "49"):
                    ground, reverse = "", reverse and code != "0"
                elif code == "7":
                    reverse = True
                elif re.fullmatch("4[0-7]|10[0-7]", code):
                    ground = code
    return row


def texts_of(picture):
    return "\n".join("".join(letter for letter, _ in cells(line)) for line in picture.split("\n"))


def filled(picture):
    """The share of filled columns; None: there is no timeline. An empty one counts as 0."""
    lines = [cells(line) for line in picture.split("\n")]
    texts = ["".join(letter for letter, _ in line) for line in lines]
    top = next((i for i, text in enumerate(texts) if "Timeline" in text), None)
    if top is None:
        return None
    rows, below_axis = [], False
    for text, line in zip(texts[top + 1:], lines[top + 1:]):
        if re.match(r"[\u2514+]| (whole run|following)|. (whole run|following)", text):
            break
        if not below_axis:
            below_axis = "\u252c" in text
            continue
        rows.append(line)
    columns = {k for line in rows for k, (letter, ground) in enumerate(line[1 + LABEL:WIDTH - 1])
               if "\u2580" <= letter <= "\u259f" or ground not in EMPTY}
    return 100 * len(columns) / (WIDTH - 2 - LABEL)


def main():
    tmux("new-session", "-d", "-x", str(WIDTH), "-y", str(HEIGHT), "-e", "NCURSES_NO_UTF8_ACS=1", "--", *sys.argv[1:])
    shares = []
    try:
        for _ in range(FRAMES):
            begun = time.monotonic()
            picture = tmux("capture-pane", "-peN")
            if not picture.strip() and shares:
                break
            share = filled(picture)
            if share is not None and "of modelled time, following" in texts_of(picture):
                shares.append(share)
            time.sleep(max(0, 0.1 - (time.monotonic() - begun)))
    finally:
        tmux("kill-server")
    if not shares:
        sys.exit("No frame showed a run in progress.")
    rows = [share for share in shares if share > 0]
    print(f"filled: median {statistics.median(shares):.0f} %, worst {min(shares):.0f} %, {len(shares)} frames; "
          f"{len(shares) - len(rows)} without an operation, worst of the others {min(rows, default=0):.0f} %")


if __name__ == "__main__":
    main()
