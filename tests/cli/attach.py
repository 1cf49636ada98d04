#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lanescope attach: a program on the device model that waits (--dormant) is captured, as often as wanted; what cannot be
captured is said. Usage: attach.py LANESCOPE PROGRAM CAPTURES"""

import atexit
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

lanescope, program, cycles = sys.argv[1], sys.argv[2], int(sys.argv[3])
temporary = tempfile.TemporaryDirectory()
folder = temporary.name
# a sentence is one line here, whatever the terminal
environment = dict(os.environ, COLUMNS="400")


started = []


def run(*command, **more):
    process = subprocess.Popen(command, env=environment, **more)
    started.append(process)
    return process


@atexit.register
def clear():
    for process in started:
        if process.poll() is None:
            process.kill()


def check(what, right, seen=""):
    if not right:
        sys.exit(f"FAILED: {what}\n{seen}")


def start(seconds):
    process = run(lanescope, "--dormant", "--device", "simt", "--", program, "2", "10", str(seconds),
                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    sockets = f"{os.environ.get('XDG_RUNTIME_DIR') or os.environ.get('TMPDIR') or '/tmp'}/lanescope-dormant-{os.geteuid()}"
    for _ in range(2000):
        if os.path.exists(f"{sockets}/{process.pid}"):
            return process, sockets
        time.sleep(0.01)
    process.kill()
    sys.exit(f"FAILED: no socket {sockets}/{process.pid}: {process.communicate()[0]}")


def attach(pid, *more):
    return subprocess.run([lanescope, "attach", str(pid), *more], capture_output=True, text=True, timeout=60,
                          env=environment)


def recorded(path):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as file:
        return file.execute("select s.text, count(*), min(l.start_ns) from launch l join kernel k on k.id = l.kernel "
                            "join shape h on h.id = k.shape join string s on s.id = h.name group by 1 order by 1").fetchall()


def refused(what, pid, sentence):
    path = f"{folder}/refused.lsr"
    seen = attach(pid, "--record", path, "--for", "1s")
    check(what, seen.returncode == 125 and re.search(sentence, seen.stderr) and seen.stdout == "",
          f"{seen.returncode} {seen.stdout} {seen.stderr}")


waiting, sockets = start(300)
check("only the user enters the folder", os.stat(sockets).st_mode & 0o777 == 0o700)

# ---- what cannot be captured ----
refused("a number of no process", 4194303, "There is no process 4194303")
refused("a process that was not started so", os.getpid(), "was not started for attaching: start it as lanescope --dormant")
if os.geteuid() == 0:
    other = run("sleep", "100", user=65534)
    refused("another user's", other.pid, "is not yours: only its user may attach")
    other.kill()
else:
    refused("another user's", 1, "is not yours: only its user may attach")
shell = run(lanescope, "--dormant", "--device", "simt", "--", "sleep", "100")
time.sleep(0.5)
refused("no CUDA so far", shell.pid, r"has not called CUDA so far.*" + str(waiting.pid))
shell.kill()
seen = attach("x1")
check("no number", seen.returncode == 2 and "is no number of a process" in seen.stderr, seen.stderr)

# ---- captures, one after the other ----
firsts = []
for cycle in range(cycles):
    path, events = f"{folder}/cycle.lsr", f"{folder}/events"
    if os.path.exists(events):
        os.unlink(events)
    os.mkfifo(events)
    begun = time.monotonic()
    process = run(lanescope, "attach", str(waiting.pid), "--record", path, "--events", events, "--for", "100ms",
                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    with open(events, encoding="utf-8") as lines:
        line = lines.readline()
        firsts.append(time.monotonic() - begun)
        rest = lines.read()
    said = process.communicate()[1]
    check("an event comes as it happens", line and json.loads(line), said)
    check("attach ends well", process.returncode == 0, said)
    names = {name.split("(")[0].split("<")[0]: count for name, count, _ in recorded(path)}
    check(f"cycle {cycle}: both kernels have their names", len(names) == 2 and all(names.values()) and
          any("churn" in name for name in names) and "fill" in names, f"{names} {rest[:300]}")
    check("the model's time begins with the capture", min(row[2] for row in recorded(path)) < 1000000, recorded(path))
check("the first event comes within a second", sorted(firsts)[len(firsts) // 2] < 1, firsts)

# ---- two at a time; kill -9 of either side ----
first = run(lanescope, "attach", str(waiting.pid), "--record", f"{folder}/first.lsr", "--events", events,
            stdout=subprocess.DEVNULL)
with open(events, encoding="utf-8") as lines:
    check("it captures", lines.readline())
    refused("one at a time", waiting.pid, "Somebody else captures this process")
    first.send_signal(signal.SIGKILL)
first.wait()
time.sleep(0.3)
seen = attach(waiting.pid, "--record", f"{folder}/after.lsr", "--for", "200ms")
check("after a lanescope that was killed", seen.returncode == 0 and len(recorded(f"{folder}/after.lsr")) == 2, seen.stderr)
check("the program goes on", waiting.poll() is None)
last = run(lanescope, "attach", str(waiting.pid), "--record", f"{folder}/last.lsr", stdout=subprocess.PIPE,
           stderr=subprocess.STDOUT, text=True)
time.sleep(0.7)
waiting.kill()
said = last.communicate(timeout=30)[0]
check("a program that is killed ends the capture", last.returncode == 0 and len(recorded(f"{folder}/last.lsr")) == 2, said)
refused("it is gone", waiting.pid, "There is no process|has not called CUDA")

# ---- to the end of the process; what the killed one left is removed by the next ----
left = f"{sockets}/{waiting.pid}"
waiting.communicate()
check("kill -9 leaves a socket", os.path.exists(left))
ending, _ = start(3)
check("the next program removes it", not os.path.exists(left))
seen = attach(ending.pid, "--record", f"{folder}/end.lsr")
check("to its end", seen.returncode == 0 and "Fidelity" in str(sqlite3.connect(f"{folder}/end.lsr").execute(
    "select text from string").fetchall()), seen.stderr)
said = ending.communicate()[0]
check("the program's own status and words", ending.returncode == 0 and "rounds, ends" in said, said)
check("an ended program leaves nothing", not os.path.exists(f"{sockets}/{ending.pid}"))
print(f"{cycles} captures; first event after {min(firsts):.3f} to {max(firsts):.3f} s")
