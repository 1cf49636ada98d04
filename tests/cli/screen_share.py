# SPDX-License-Identifier: Apache-2.0
"""Larger terminals show more: of each of six screens the cells with a character grow with the size, and at least half of the cells are used (a character, or a
ground that is not the terminal's). `screen_share.py LANESCOPE DATA` prints the table. It also fails where a row of a list does not say what it should.
"""

import re
import subprocess
import sys

SIZES = ((80, 24), (120, 40), (200, 60), (300, 80))
BLANKS = " \u2800"
SCREENS = (
    # name, file, keys
    ("workloads", None, ""),
    ("lane map", None, "/ t r a n s p o s e ENTER e k l l A"),
    ("lab", None, "/ t r a n s p o s e ENTER e k l l"),
    ("lines", "lines_h200.lsr", ""),
    ("h200", "h200.lsr", ""),
    ("run", "h200.lsr", "k"),
)
ROWS = (  # file, size, keys, a part of a row of the list
    ("curriculum_h200.lsr", "80x24", "s", "histogram_global "),
    ("h200.lsr", "80x24", "", "copy_offset 0..32"),
    ("bursts_h200.lsr", "80x24", "", "bank_stride_32 32"),
    # sweeps of few runs are folded in a long list, and their names differ
    ("curriculum_h200.lsr", "80x24", "", "▁▁▄▇▇    compaction_atomic"),
    ("h200.lsr", "80x24", "", "chunk …nned 1..16"),
    ("h200.lsr", "80x24", "", "chunk …able 1..16"),
    # names of one family and a variant that says the kernel: no numbers in their place
    ("prefetch_h200.lsr", "80x24", "", "N✓   13.1 ───────  …olling-pad 1..16"),
    ("prefetch_h200.lsr", "80x24", "", "h✓   12.8 ▇▇▇▇▇▇▇  scalar-rol… 1..16"),
    ("prefetch_h200.lsr", "80x60", "", "R✓    4.9 ▇▄▃▃▃▃▃  scalar-bat… 1..16"),
    ("prefetch_blocks_h200.lsr", "120x40", "", "smem-rolling-columns 2, 280"),
    # a share that is not 0, a bound that says nothing, one that is not quite all; a curve has no room
    ("cublas_h200.lsr", "80x24", "", "A·   <0.1 41.0 us"),
    ("cublas_h200.lsr", "120x40", "", "m    33.6        -       -  idle"),
    ("atomics_h200.lsr", "120x40", "", "65.3   99.9 % 12.3 ms"),
    ("h200.lsr", "77x30", "", "P✓   22.4  chunk"),
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


def cells_of(lanescope, file, keys, width, height):
    command = [lanescope] + (["view"] if file else [])
    command += ["--transparent", "--snapshot", "ansi", "--size", f"{width}x{height}", "--keys", keys]
    command += [file] if file else []
    return used_cells(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    lanescope, data = sys.argv[1:3]
    wrong = 0
    print(f"{'% of cells used':16}", *(f"{width}x{height}".rjust(8) for width, height in SIZES))
    for name, file, keys in SCREENS:
        cells = [cells_of(lanescope, file and f"{data}/{file}", keys, *size) for size in SIZES]
        shares = [100 * used / (width * height) for (used, _), (width, height) in zip(cells, SIZES)]
        print(f"{name:16}", *(f"{share:8.1f}" for share in shares))
        print(f"{'  characters':16}", *(f"{lettered:8}" for _, lettered in cells))
        for (width, height), share in zip(SIZES, shares):
            if share < 50:
                print(f"{name} at {width}x{height}: {share:.1f} % of the cells are used, expected half of them")
                wrong += 1
        if sorted({lettered for _, lettered in cells}) != [lettered for _, lettered in cells]:
            print(f"{name}: a larger terminal has fewer characters")
            wrong += 1
    for file, size, keys, row in ROWS:
        command = [lanescope, "view", "--snapshot", "text", "--size", size, "--keys", keys, f"{data}/{file}"]
        if row not in subprocess.run(command, check=True, capture_output=True, text=True).stdout:
            print(f"{file} at {size}, keys '{keys}': no '{row}'")
            wrong += 1
    return 1 if wrong else 0


sys.exit(main())
