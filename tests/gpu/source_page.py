# SPDX-License-Identifier: Apache-2.0
"""source_page.py LANESCOPE FOLDER: the source page on a GPU, in a terminal with real keys: without samples it says which key takes
some, the key does, and the page then shows what was measured. The screens lie in FOLDER as the terminal got them. About 15 s."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

program, folder = sys.argv[1], sys.argv[2]
failures = 0


def expect(right, what):
    global failures
    failures += not right
    print("ok     " if right else "FAILED ", what, flush=True)


class Screen:
    def __init__(self, *command):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execvp(command[0], command)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 170, 0, 0))

    def read(self, seconds):
        text, end = b"", time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.master], [], [], 0.05)[0]:
                try:
                    text += os.read(self.master, 65536)
                except OSError:
                    break
        return text

    def press(self, keys):
        os.write(self.master, keys.encode())

    def shows(self, words, seconds):
        """The screen is asked to draw itself anew until it holds the words."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.press("\x0c")
            drawn = re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9])", "", self.read(0.4).decode("utf-8", "replace"))
            if words in drawn:
                return drawn
        print(drawn)
        return ""

    def leave(self):
        self.press("Q")
        self.read(3)
        os.waitpid(self.pid, 0)


screen = Screen(program, "--device", "cuda", "transpose:tile")
expect(screen.shows(" ended", 15), "the case runs")
screen.press("v")
expect(screen.shows("D runs the case again", 10), "the page says which key takes samples")
screen.press("D")
shown = screen.shows("transpose.cu    measured on", 40)
expect(shown, "the key has samples taken, and the page shows them")
expect("costs most" in shown, "a line costs most")
with open(os.path.join(folder, "page.txt"), "w") as file:
    file.write(shown)
time.sleep(4)  # the kernel's instructions are counted in a further process
screen.press("S")
shown = screen.shows("wavefronts above the ideal", 10)
expect("line 40 costs most" in shown, "most wavefronts beyond the ideal at line 40, which reads the tile by columns")
screen.leave()

recording = os.path.join(folder, "page.lsr")
subprocess.run([program, "--record", recording, "--device", "cuda", "--runs", "trace,lines", "transpose:tile"],
               check=False, timeout=60, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for name, keys in ("lines", "v"), ("both", "v Tab"), ("instructions", "v Tab Tab"):
    with open(os.path.join(folder, name + ".txt"), "w") as file:
        subprocess.run([program, "view", recording, "--snapshot", "text", "--size", "170x48", "--keys", keys],
                       check=False, timeout=20, stdout=file)
report = subprocess.run([program, "report", recording, "--lines"], check=False, timeout=20, capture_output=True,
                        text=True).stdout
expect("transpose_tile, measured" in report and "transpose.cu:40" in report, "report --lines names line 40")
print(report[report.find("\nlines:"):])
sys.exit(failures > 0)
