# SPDX-License-Identifier: Apache-2.0
"""The moving picture of README: real runs on the device model, as a terminal shows them, as an SVG that plays in a browser.

    film.py LANESCOPE VT_SCREENS >screenshots/film.svg

A line of the terminal is drawn once for each content that it has; CSS shows it at its times.
"""

import sys
import tempfile

import terminal

SIZE = (110, 32)
DEPTH = "16 M"
COMMAND = ["--device", "simt"]

# What is typed, and how many seconds the screen after it stands. Names are those of the frames.
STORY = (
    (["wait Workloads"], 3.0),
    (["type /n-way"], 1.2),
    (["type \\r", "type \\r"], 0.4),  # it runs: what the terminal shows every 0.2 s
    *[(["sleep 200"], 0.4)] * 12,
    (["wait  ended"], 2.0),
    (["type G"], 3.0),  # n-way:serial: what is wrong with its run
    (["type w", "type \\e", "type /transp\\r"], 2.0),
    (["type e", "type k", "type l", "type l"], 2.5),  # transpose:tile, before it has run
    (["type A"], 2.5),
    (["type b"], 3.0),  # pad beside it
    *[(["type \\x20"], 0.5)] * 8,
    (["type \\e"], 3.0),
)


def take_frames(lanescope, vt_screens):
    steps = []
    for number, (commands, _) in enumerate(STORY):
        steps += [command.replace("\\x20", " ") for command in commands] + [f"print {number}"]
    with tempfile.TemporaryDirectory() as folder:
        terminal.describe_types(folder)
        return terminal.run(vt_screens, SIZE, DEPTH, [lanescope, *COMMAND], steps)


def play(frames, seconds):
    """The SVG: a group for each content of each line, shown while frames have it."""
    ground = terminal.common_ground(frames[0], terminal.DARK)
    starts = [sum(seconds[:i]) for i in range(len(seconds) + 1)]
    styles, groups = [], []
    for y in range(SIZE[1]):
        spans = {}  # content: the frames that have it
        for i, frame in enumerate(frames):
            content = terminal.row_svg(frame.rows[y], y, terminal.DARK, ground)
            spans.setdefault(content, []).append(i)
        for content, numbers in spans.items():
            if not content:
                continue
            if len(numbers) == len(frames):
                groups.append(f"<g>{content}</g>")
                continue
            name = f"k{len(styles)}"
            steps = ["0%{visibility:hidden}"] if numbers[0] > 0 else []
            for i in numbers:
                steps.append(f"{100 * starts[i] / starts[-1]:.3f}%{{visibility:visible}}")
                if i + 1 not in numbers and i + 1 < len(frames):
                    steps.append(f"{100 * starts[i + 1] / starts[-1]:.3f}%{{visibility:hidden}}")
            styles.append(f"@keyframes {name}{{{''.join(steps)}}}.{name}{{animation:{name} {starts[-1]:.1f}s step-end infinite}}")
            hidden = "" if numbers[0] == 0 else ' visibility="hidden"'
            groups.append(f'<g class="{name}"{hidden}>{content}</g>')
    return terminal.svg_head(*SIZE, ground, "".join(styles)) + "\n".join(groups) + "\n</svg>\n"


def main():
    frames = take_frames(*sys.argv[1:3])
    sys.stdout.write(play(frames, [seconds for _, seconds in STORY]))


if __name__ == "__main__":
    main()
