# SPDX-License-Identifier: Apache-2.0
"""Pictures of what terminals show, and the contrast of all text on them.

    pictures.py LANESCOPE VT_SCREENS OUT [--only SCREEN] [--sizes 80x24,..] [--depths 256,..] [--themes standard,..]

runs the program in pseudo-terminals of four sizes, with four themes and 8, 16, 256 and 16 M colours, and writes what a terminal with
a dark and one with a light ground shows of each screen to the folder OUT, as SVG (and as PNG where rsvg-convert is there); then the
tables of docs/results/contrast.md: contrast, and how far apart colours are that meet, as colour-blind readers see them. It ends with status 1 where text has less contrast than its theme promises.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import terminal

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests/data"
SIZES = ((80, 24), (120, 40), (200, 60), (300, 80))
THEMES = {"standard": 4.5, "colorblind": 4.5, "projector": 7, "mono": 4.5}  # and the contrast that each promises

# A session: how the program is started, what is typed. A screen's name stands at the step that prints it.
SESSIONS = (
    (["--device", "simt"], ["wait Workloads", "print list",
                            "type /transpose\\r", "type e", "wait Lab", "type k", "type l", "type l", "print lab", "type A",
                            "type b", "print lanes"]),
    (["view", str(DATA / "h200.lsr")], ["wait  ended", "type j", "print main", "type k", "type k", "type k", "print run",
                                        "type j", "type R", "print roofline", "type q", "type C", "print occupancy",
                                        "type q", "type a", "print amdahl", "type q", "type o", "print overlap",
                                        "type q", "type d", "print device", "type q", "type T", "print statistics",
                                        "type q", "type p", "print chart", "type q", "type r", "print runs", "type q",
                                        "type m", "print notices", "type q", "type ?", "print help", "type q",
                                        "type :", "print palette", "type \\e",
                                        "type /pad\\r", "type X", "print comparison"]),
    (["view", str(DATA / "lines_h200.lsr")], ["wait  ended", "type j", "print lines", "type v", "print source"]),
    (["view", str(DATA / "stalls_h200.lsr")], ["wait  ended", "type j", "type \\r", "print panel"]),
)
SIGHTED = ("lanes", "main", "lines", "run", "list")  # whose colours are looked at as colour-blind readers see them
SCREENS = [step.split(" ", 1)[1] for _, steps in SESSIONS for step in steps if step.startswith("print ")]


def take_screens(tools, size, theme, depth):
    screens = []
    for arguments, steps in SESSIONS:
        screens += terminal.run(tools[1], size, depth, [tools[0], *arguments, "--theme", theme], steps)
    return screens


def write_picture(screen, shower, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(terminal.picture(screen, shower), encoding="utf-8")
    if shutil.which("rsvg-convert"):
        subprocess.run(["rsvg-convert", "-o", path.with_suffix(".png"), path], check=True)


def write_sights(screen, folder):
    for vision in terminal.VISIONS:
        path = folder / f"{screen.name}-{vision}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(terminal.picture(screen, terminal.DARK, lambda rgb, v=vision: terminal.seen(rgb, v)),
                        encoding="utf-8")
        if shutil.which("rsvg-convert"):
            subprocess.run(["rsvg-convert", "-o", path.with_suffix(".png"), path], check=True)


def print_table(rows):
    """The least ratio of each screen, over all sizes."""
    print("| theme | colours | ground |", *(f"{name} |" for name in SCREENS))
    print("|---" * (3 + len(SCREENS)) + "|")
    for (theme, depth, ground), least in rows.items():
        print(f"| {theme} | {depth} | {ground} |",
              *(f"{least[name][0]:.1f} |" if name in least else " |" for name in SCREENS))


def print_sight(sights):
    """The least distance of two colours that meet, by kind of vision."""
    print("\n| screen | theme | colours |", *(f"{vision} |" for vision in terminal.VISIONS))
    print("|---" * (3 + len(terminal.VISIONS)) + "|")
    for (name, theme, depth), pairs in sights.items():
        cells = []
        for vision in terminal.VISIONS:
            least = min(((terminal.distance(terminal.seen(a, vision), terminal.seen(b, vision)), a, b)
                         for a, b in pairs), default=None)
            cells.append(f"{least[0]:.0f} ({least[1]:06x}, {least[2]:06x}) |" if least else "none |")
        print(f"| {name} | {theme} | {depth} |", *cells)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("lanescope")
    options.add_argument("vt_screens")
    options.add_argument("out", type=Path)
    options.add_argument("--only", default="")
    options.add_argument("--sizes", default=",".join(f"{w}x{h}" for w, h in SIZES))
    options.add_argument("--depths", default=",".join(terminal.TYPES))
    options.add_argument("--themes", default=",".join(THEMES))
    options.add_argument("--no-pictures", action="store_true")
    asked = options.parse_args()
    sizes = [tuple(map(int, size.split("x"))) for size in asked.sizes.split(",")]
    cases = [(theme, depth, size) for theme in asked.themes.split(",") for depth in asked.depths.split(",")
             for size in sizes]
    rows, sights, wrong = {}, {}, []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        terminal.describe_types(folder)
        tools = (asked.lanescope, asked.vt_screens)
        taken = pool.map(lambda case: take_screens(tools, case[2], case[0], case[1]), cases)
        for (theme, depth, size), screens in zip(cases, taken):
            for screen in screens:
                if screen.name in SIGHTED and depth in ("256", "16 M") and theme != "mono":
                    pairs = sights.setdefault((screen.name, theme, depth), set())
                    pairs.update(terminal.neighbours(screen, terminal.DARK))
                    if theme == "standard" and depth == "16 M" and not asked.no_pictures:
                        write_sights(screen, asked.out / f"{size[0]}x{size[1]}")
            for ground, showers in terminal.SHOWERS.items():
                least = rows.setdefault((theme, depth, ground), {})
                for screen in screens:
                    if asked.only not in ("", screen.name):
                        continue
                    ratio, what = terminal.least_contrast(screen, showers)
                    least[screen.name] = min(least.get(screen.name, (99.0, "")), (ratio, what))
                    if ratio < THEMES[theme]:
                        wrong.append(f"{screen.name}, {theme}, {depth} colours, {ground}, {size}: {ratio:.2f}, {what}")
                    if not asked.no_pictures:
                        name = f"{screen.name}-{theme}-{depth.replace(' ', '')}-{ground}.svg"
                        write_picture(screen, showers[0], asked.out / f"{size[0]}x{size[1]}" / name)
    print_table(rows)
    print_sight(sights)
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
