# SPDX-License-Identifier: Apache-2.0
"""A terminal's cells: how the program's bytes are made to cells, their colours, contrast, and pictures of them.

The bytes are those that a terminal gets: the program runs in a pseudo-terminal and build/dev/tests/vt_screens, the terminal of
the tests, says what they leave on the screen. Nothing here knows how the program draws.
"""

import json
import math
import os
import subprocess
from html import escape

OWN, DIRECT = -1, 0x1000000  # as in tests/pty/vt.h
BOLD, UNDERLINED, REVERSE = 1, 2, 4

# ---- terminals: types that Debian's own descriptions lack, and what others show ----

TYPES = {"8": "xterm", "16": "lanescope-16", "256": "xterm-256color", "16 M": "xterm-direct"}
DESCRIPTIONS = r"""lanescope-16|xterm with 16 colours,
	colors#16, pairs#256, initc@, oc@, ccc@,
	setab=\E[%?%p1%{8}%<%t%p1%{40}%+%e%p1%{92}%+%;%dm,
	setaf=\E[%?%p1%{8}%<%t%p1%{30}%+%e%p1%{82}%+%;%dm, use=xterm-256color,
xterm-direct|xterm with direct colours,
	RGB, colors#0x1000000, pairs#0x7FFF, initc@, oc@, ccc@,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e48\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
	setaf=\E[%?%p1%{8}%<%t3%p1%d%e38\:2\:\:%p1%{65536}%/%d\:%p1%{256}%/%{255}%&%d\:%p1%{255}%&%d%;m,
	use=xterm-256color,
"""
XTERM = (0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
         0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF)
VGA = (0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA,
       0x555555, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF)


class Terminal:
    """Its own two colours, its first 16, and whether bold ones of the first eight are bright."""

    def __init__(self, letters, ground, palette, brightens=False):
        self.letters, self.ground, self.palette, self.brightens = letters, ground, palette, brightens

    def rgb(self, color, bold, own):
        if color == OWN:
            return own
        if color >= DIRECT:
            return color & 0xFFFFFF
        if color >= 232:
            return (8 + 10 * (color - 232)) * 0x010101
        if color >= 16:
            level, cube = (0, 95, 135, 175, 215, 255), color - 16
            return level[cube // 36] << 16 | level[cube // 6 % 6] << 8 | level[cube % 6]
        return self.palette[color + 8 if bold and self.brightens and color < 8 else color]

    def look(self, foreground, background, flags):
        """Colours of the letter and of the ground."""
        letter = self.rgb(foreground, flags & BOLD, self.letters)
        ground = self.rgb(background, False, self.ground)
        return (ground, letter) if flags & REVERSE else (letter, ground)


DARK = Terminal(0xE5E5E5, 0x000000, XTERM)
LIGHT = Terminal(0x000000, 0xFFFFFF, XTERM)
SHOWERS = {"dark": (DARK, Terminal(0xE5E5E5, 0, XTERM, True), Terminal(0xAAAAAA, 0, VGA, True)),
           "light": (LIGHT, Terminal(0, 0xFFFFFF, XTERM, True))}


def describe_types(folder):
    """Makes the types of TYPES known to the programs that are started from here on."""
    path = os.path.join(folder, "terminals")
    with open(path, "w", encoding="ascii") as out:
        out.write(DESCRIPTIONS)
    subprocess.run(["tic", "-x", "-o", os.path.join(folder, "terminfo"), path], check=True, capture_output=True)
    os.environ["TERMINFO"] = os.path.join(folder, "terminfo")


# ---- screens ----

class Screen:
    """Cells: rows of (foreground, background, flags, character)."""

    def __init__(self, parsed):
        self.name, self.bytes = parsed["name"], parsed["bytes"]
        self.rows = [[(run[0], run[1], run[2], c) for run in row for c in run[3]] for row in parsed["rows"]]
        self.width, self.height = max(map(len, self.rows)), len(self.rows)

    def text(self):
        return "\n".join("".join(cell[3] for cell in row).rstrip() for row in self.rows)


def run(vt_screens, size, depth, command, steps):
    """The screens that the steps print ("wait TEXT", "type KEYS", "print NAME", "sleep MS")."""
    done = subprocess.run([vt_screens, f"{size[0]}x{size[1]}", TYPES[depth], *command],
                          input="".join(step + "\n" for step in steps), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} at {size}, {depth} colours: {done.stderr}")
    return [Screen(json.loads(line)) for line in done.stdout.splitlines()]


# ---- contrast: W3C, Web Content Accessibility Guidelines 2.1 ----

def linear(rgb):
    def channel(value):
        value /= 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
    return tuple(channel(rgb >> shift & 255) for shift in (16, 8, 0))


def luminance(rgb):
    red, green, blue = linear(rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def is_shape(c):
    return "\u2500" <= c <= "\u259f" or "\u2800" <= c <= "\u28ff"


def looks(screen, shapes):
    """Every look of a letter (or of a shape) that is on the screen, with one of its characters and places. Shapes on a ground
    that is not the screen's are left out: there two bars meet."""
    grounds = {}
    for row in screen.rows:
        for _, background, flags, _ in row:
            if not flags & REVERSE:
                grounds[background] = grounds.get(background, 0) + 1
    common = max(grounds, key=grounds.get)
    found = {}
    for y, row in enumerate(screen.rows):
        for x, (foreground, background, flags, c) in enumerate(row):
            if c in " \u2800" or is_shape(c) != shapes or (shapes and background != common):
                continue
            found.setdefault((foreground, background, flags), (c, x, y))
    return found


def least_contrast(screen, terminals, shapes=False):
    """The least ratio of all its letters, on the worst of the terminals, with what and where it is."""
    least = (99.0, "")
    for (foreground, background, flags), (c, x, y) in looks(screen, shapes).items():
        for terminal in terminals:
            letter, ground = terminal.look(foreground, background, flags)
            ratio = contrast(letter, ground)
            if ratio < least[0]:
                least = (ratio, f"{c!r} at {x},{y}: {letter:06x} on {ground:06x}")
    return least


# ---- pictures ----

FONT, WIDTH, HEIGHT, BASELINE, MARGIN = 16, 9.632, 20, 15, 12
LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
LINES = {"─": LEFT | RIGHT, "│": UP | DOWN, "┌": RIGHT | DOWN, "┐": LEFT | DOWN, "└": RIGHT | UP, "┘": LEFT | UP,
         "┬": LEFT | RIGHT | DOWN, "┴": LEFT | RIGHT | UP, "├": UP | DOWN | RIGHT, "┤": UP | DOWN | LEFT,
         "┼": LEFT | RIGHT | UP | DOWN}


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def box(x, y, width, height):
    return f"M{number(x)} {number(y)}h{number(width)}v{number(height)}h{number(-width)}z"


def shape(c, x, y):
    """The outline of a glyph that is a shape; None: it is a letter."""
    code = ord(c)
    if 0x2581 <= code <= 0x2588:
        height = HEIGHT * (code - 0x2580) / 8
        return box(x, y + HEIGHT - height, WIDTH + 0.1, height)
    if 0x2589 <= code <= 0x258F:
        return box(x, y, WIDTH * (0x2590 - code) / 8, HEIGHT)
    if code == 0x2591:
        return "".join(box(x + (5.6 if i % 2 else 1.6), y + 2 + 6.2 * (i // 2), 2, 2) for i in range(6))
    if 0x2800 <= code <= 0x28FF:
        column, row = (0, 0, 0, 1, 1, 1, 0, 1), (0, 1, 2, 0, 1, 2, 3, 3)
        return "".join(box(x + 1.6 + 4.6 * column[bit], y + 1.5 + 4.8 * row[bit], 2.6, 2.6)
                       for bit in range(8) if code >> bit & 1)
    arms = LINES.get(c)
    if arms is None:
        return None
    middle_x, middle_y, path = x + WIDTH / 2, y + HEIGHT / 2, ""
    if arms & (LEFT | RIGHT):
        start = x if arms & LEFT else middle_x - 0.6
        end = x + WIDTH + 0.1 if arms & RIGHT else middle_x + 0.6
        path += box(start, middle_y - 0.6, end - start, 1.2)
    if arms & (UP | DOWN):
        start = y if arms & UP else middle_y - 0.6
        end = y + HEIGHT + 0.1 if arms & DOWN else middle_y + 0.6
        path += box(middle_x - 0.6, start, 1.2, end - start)
    return path


def row_svg(row, y, terminal, ground, recolor=lambda rgb: rgb):
    """A row of cells: grounds, then shapes, one path a colour, then letters."""
    grounds, shapes, letters, top = {}, {}, [], y * HEIGHT
    cells = [(*map(recolor, terminal.look(f, b, flags)), flags, c) for f, b, flags, c in row]
    x = 0
    while x < len(cells):
        end, under = x, cells[x][1]
        while end < len(cells) and cells[end][1] == under:
            end += 1
        if under != ground:
            grounds.setdefault(under, []).append(box(x * WIDTH, top, (end - x) * WIDTH + 0.1, HEIGHT + 0.1))
        x = end
    x = 0
    while x < len(cells):
        letter, _, flags, c = cells[x]
        path = None if c == " " else shape(c, x * WIDTH, top)
        if flags & UNDERLINED:
            shapes.setdefault(letter, []).append(box(x * WIDTH, top + HEIGHT - 2.5, WIDTH + 0.1, 1))
        if c == " " or path is not None:
            shapes.setdefault(letter, []).append(path or "")
            x += 1
            continue
        end = x
        while end < len(cells) and cells[end][3] != " " and cells[end][:1] == (letter,) and \
                (cells[end][2] ^ flags) & BOLD == 0 and shape(cells[end][3], 0, 0) is None:
            end += 1
        text = escape("".join(cell[3] for cell in cells[x:end]), quote=False)
        bold = ' class="b"' if flags & BOLD else ""
        letters.append(f'<text x="{number(x * WIDTH)}" y="{top + BASELINE}" fill="#{letter:06x}"{bold}>{text}</text>')
        x = end
    paths = [f'<path fill="#{color:06x}" d="{"".join(parts)}"/>' for group in (grounds, shapes)
             for color, parts in group.items() if any(parts)]
    return "".join(paths + letters)


def svg_head(width, height, ground, style=""):
    wide, high = width * WIDTH + 2 * MARGIN, height * HEIGHT + 2 * MARGIN
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{high:.0f}" '
            f'viewBox="{-MARGIN} {-MARGIN} {number(wide)} {number(high)}" '
            'font-family="DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace" '
            f'font-size="{FONT}" shape-rendering="crispEdges" xml:space="preserve">'
            f"<style>.b{{font-weight:bold}}{style}</style>"
            f'<rect x="{-MARGIN}" y="{-MARGIN}" width="{number(wide)}" height="{number(high)}" fill="#{ground:06x}"/>\n')


def common_ground(screen, terminal):
    counts = {}
    for row in screen.rows:
        for foreground, background, flags, _ in row:
            ground = terminal.look(foreground, background, flags)[1]
            counts[ground] = counts.get(ground, 0) + 1
    return max(counts, key=counts.get)


def picture(screen, terminal, recolor=lambda rgb: rgb):
    ground = recolor(common_ground(screen, terminal))
    rows = "\n".join(row_svg(row, y, terminal, ground, recolor) for y, row in enumerate(screen.rows))
    return svg_head(screen.width, screen.height, ground) + rows + "\n</svg>\n"


# ---- colour blindness: Machado, Oliveira, Fernandes, 2009, severity 1, on linear RGB; distances: CIE76 ----

VISIONS = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def seen(rgb, vision):
    """The colour as readers with this vision see it."""
    light = linear(rgb)
    result = 0
    for row in VISIONS[vision]:
        value = min(max(sum(weight * channel for weight, channel in zip(row, light)), 0), 1)
        value = 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
        result = result << 8 | round(255 * value)
    return result


def lab(rgb):
    red, green, blue = linear(rgb)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    f = [t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z)]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def distance(a, b):
    return sum((p - q) ** 2 for p, q in zip(lab(a), lab(b))) ** 0.5


def neighbours(screen, terminal):
    """The pairs of different hues that meet on the screen: of the grounds of cells beside and above each other, without
    the screen's own and those of selections, which are grey or dark blue. Shades of one hue differ in brightness on
    purpose: they are levels."""
    ground = common_ground(screen, terminal)
    on_dark = lab(ground)[0] < 50

    def is_color(rgb):
        lightness, *chroma = lab(rgb)
        return rgb != ground and max(map(abs, chroma)) > 12 and not (on_dark and chroma[1] < -12 and lightness < 25)

    def hues_differ(one, other):
        angles = [math.degrees(math.atan2(lab(rgb)[2], lab(rgb)[1])) for rgb in (one, other)]
        return 20 <= abs(angles[0] - angles[1]) <= 340
    colors = [[terminal.look(f, b, flags)[1] for f, b, flags, _ in row] for row in screen.rows]
    pairs = set()
    for y, row in enumerate(colors):
        for x, color in enumerate(row):
            others = row[x + 1:x + 2] + (colors[y + 1][x:x + 1] if y + 1 < len(colors) else [])
            pairs.update(tuple(sorted((color, other))) for other in others
                         if is_color(color) and is_color(other) and hues_differ(color, other))
    return pairs
