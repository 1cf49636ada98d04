"""How much of the screen says something: the share of cells that are not blank, of six screens at four sizes.

A cell is used if it has a character, or a ground that is not the terminal's; the share with a character is printed, too. `screen_share.py LANESCOPE DATA` prints
the table, and fails where a screen has less than stands here: a large terminal is to show more, not more emptiness. It also fails where a name in a narrow list
is cut though parameters could make room for it.
"""

import re
import subprocess
import sys

SIZES = ((80, 24), (120, 40), (200, 60), (300, 80))
BLANKS = " \u2800"
SCREENS = (
    # name, file, keys, least share of each size; of the first and the third it depends on the length of a lesson
    ("workloads", None, "", (63, 63, 68, 65)),
    ("lane map", None, "/ t r a n s p o s e ENTER e k l l A", (87, 77, 74, 78)),
    ("lab", None, "/ t r a n s p o s e ENTER e k l l", (76, 69, 69, 73)),
    ("lines", "lines_h200.lsr", "", (78, 76, 78, 75)),
    ("h200", "h200.lsr", "", (72, 76, 77, 74)),
    ("run", "h200.lsr", "k", (74, 75, 73, 72)),
)
WHOLE = (  # file, keys, a row's name and run as the list shows them at 80x24
    ("curriculum_h200.lsr", "s", "histogram_global "),
    ("h200.lsr", "", "copy_offset 0..32"),
    ("bursts_h200.lsr", "", "bank_stride_32 32"),
)


def ground_after(parameters, ground):
    """Whether a ground is set, after one of the sequences that the snapshot uses."""
    codes = [int(code or 0) for code in parameters.split(";")]
    at = 0
    while at < len(codes):
        if codes[at] in (0, 49):
            ground = False
        elif codes[at] == 48 or 40 <= codes[at] <= 47 or 100 <= codes[at] <= 107:
            ground = True
        at += {2: 5, 5: 3}[codes[at + 1]] if codes[at] in (38, 48) else 1
    return ground


def used_cells(text):
    """The cells with a character or a ground, and those with a character."""
    used, lettered, ground = 0, 0, False
    for part in re.finditer(r"\x1b\[([0-9;]*)m|[^\n]", text):
        if part.group(1) is not None:
            ground = ground_after(part.group(1), ground)
        else:
            used += ground or part.group() not in BLANKS
            lettered += part.group() not in BLANKS
    return used, lettered


def share_of(lanescope, file, keys, width, height):
    command = [lanescope] + (["view"] if file else [])
    command += ["--transparent", "--snapshot", "ansi", "--size", f"{width}x{height}", "--keys", keys]
    command += [file] if file else []
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [100 * cells / (width * height) for cells in used_cells(text)]


def main():
    lanescope, data = sys.argv[1:3]
    wrong = 0
    print(f"{'% of cells used':16}", *(f"{width}x{height}".rjust(8) for width, height in SIZES))
    for name, file, keys, least in SCREENS:
        shares = [share_of(lanescope, file and f"{data}/{file}", keys, *size) for size in SIZES]
        print(f"{name:16}", *(f"{share:8.1f}" for share, _ in shares))
        print(f"{'  characters':16}", *(f"{letters:8.1f}" for _, letters in shares))
        for (width, height), (share, _), bound in zip(SIZES, shares, least):
            if share < bound:
                print(f"{name} at {width}x{height}: {share:.1f} % of the cells are used, expected {bound} %")
                wrong += 1
    for file, keys, row in WHOLE:
        command = [lanescope, "view", "--snapshot", "text", "--size", "80x24", "--keys", keys, f"{data}/{file}"]
        if row not in subprocess.run(command, check=True, capture_output=True, text=True).stdout:
            print(f"{file} at 80x24, keys '{keys}': no '{row}'")
            wrong += 1
    return 1 if wrong else 0


sys.exit(main())
