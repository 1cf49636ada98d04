#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""hunt.py LIST.json OUT [options]: builds and runs programs of strangers, natively and on the device model, and keeps what --check finds.
hunt.py OUT: what was found, by program, kernel and pair of lines.

LIST.json: a list of {"name", "folder" (from the list's own; programs are built in it), "build", "run", "arguments"}. build is a line of shell in
which {flags} stands for nvcc's (-O3 -lineinfo, then -G): "nvcc {flags} -arch=sm_90 -o p a.cu", "make -B CC='nvcc {flags}'". arguments: one line,
or several, of which the first that ends natively with status 0 is taken.

OUT/results.jsonl gets a line for each program; one that stands there is not run again, so a hunt that was stopped goes on. It has build, native,
model (unchecked), check, reverse (where the sources have atomics), g_build and g: status, seconds and both outputs; of --check also findings, the
rows of `report --table checks`. 124: lanescope stopped the program at its limit; "time": a native run was stopped.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

KEPT = 6000  # bytes of an output, half of them of its end
LOCK = threading.Lock()
GPU = threading.Semaphore(3)  # programs that run natively at a time


def cut(text):
    return text if len(text) <= KEPT else text[:KEPT // 2] + "\n[...]\n" + text[-KEPT // 2:]


def run(command, folder, limit):
    """Runs a line of shell, or a list, in a process group of its own, which is ended after limit seconds."""
    start = time.time()
    process = subprocess.Popen(command, shell=isinstance(command, str), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True, errors="replace")
    try:
        out, err = process.communicate(timeout=limit)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err, status = "", "", "time"
    return {"status": status, "seconds": round(time.time() - start, 2), "out": cut(out), "err": cut(err)}


def run_model(options, job, arguments, cpu, extra):
    """One run on the device model, which ends the program itself at the limit: a killed lanescope would leave it running."""
    with tempfile.TemporaryDirectory() as place:
        recording, sheet = os.path.join(place, "r.lsr"), os.path.join(place, "checks.json")
        result = run(["taskset", "-c", str(cpu), options.lanescope, "--device", "simt", *extra, "--time-limit", str(options.limit),
                      "--record", recording, "--", "sh", "-c", "exec %s %s" % (job["run"], arguments)], job["folder"], options.limit + 60)
        if "--check" in extra:
            run("%s report --table checks --format json %s >%s" % (options.lanescope, recording, sheet), job["folder"], 60)
            result["findings"] = json.load(open(sheet))["rows"] if os.path.getsize(sheet) else []
        return result


def has_atomics(folder):
    return run(["grep", "-rqE", r"\batomic[A-Z]", "--include=*.cu", "--include=*.cuh", "--include=*.h", "--include=*.hpp", "."], folder, 60)["status"] == 0


def hunt(options, job, cpu):
    folder, result = job["folder"], {"name": job["name"]}
    result["build"] = run(job["build"].replace("{flags}", "-O3 -lineinfo"), folder, 300)
    if result["build"]["status"] != 0:
        return result
    tries = job["arguments"] if isinstance(job.get("arguments"), list) else [job.get("arguments", "")]
    result["arguments"] = tries[0]
    for arguments in tries if not options.no_gpu else ():
        with GPU:
            native = run("%s %s" % (job["run"], arguments), folder, options.native_limit)
        if "native" not in result or native["status"] == 0:
            result.update(native=native, arguments=arguments)
        if native["status"] == 0:
            break
    arguments = result["arguments"]
    result["model"] = run_model(options, job, arguments, cpu, [])
    if result["model"]["status"] == 125:  # refused with a sentence
        return result
    result["check"] = run_model(options, job, arguments, cpu, ["--check"])
    if result["check"]["status"] != 124 and has_atomics(folder):
        result["reverse"] = run_model(options, job, arguments, cpu, ["--check", "--reverse"])
    result["g_build"] = run(job["build"].replace("{flags}", "-G"), folder, 300)
    if result["g_build"]["status"] == 0:
        result["g"] = run_model(options, job, arguments, cpu, ["--check"])
    return result


def place_of(row):
    """Kind, kernel without its template arguments, and the one or two places, so that instantiations and both builds agree."""
    other = re.search(r"(?:writes|reads) at (?:line |(\S+?):)(\d+)", row["text"])
    own = os.path.basename(row["file"] or "?")
    places = {"%s:%s" % (own, row["line"])} | ({"%s:%s" % (os.path.basename(other.group(1) or own), other.group(2))} if other else set())
    return row["kind"], re.sub(r"<.*", "", row["kernel"] or ""), " / ".join(sorted(places))


def show(path):
    for result in map(json.loads, open(path)):
        found = {}
        for run_name in ("check", "reverse", "g"):
            for row in result.get(run_name, {}).get("findings", []):
                found.setdefault(place_of(row), []).append(run_name)
        steps = ("build", "native", "model", "check", "reverse", "g_build", "g")
        print(result["name"], result.get("arguments", ""), *("%s %s" % (step, result[step]["status"]) for step in steps if step in result))
        for (kind, kernel, places), runs in found.items():
            print("   %s: %s, %s (%s)" % (kind, kernel, places, " ".join(sorted(set(runs)))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", nargs="?")
    parser.add_argument("out")
    parser.add_argument("--lanescope", default="lanescope")
    parser.add_argument("--no-gpu", action="store_true", help="no native runs")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time, one core each")
    parser.add_argument("--limit", type=int, default=60, help="seconds of a run on the model")
    parser.add_argument("--native-limit", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1e9, help="no program is begun after so long")
    options = parser.parse_args()
    path = os.path.join(options.out, "results.jsonl")
    if not options.list:
        return show(path)
    os.makedirs(options.out, exist_ok=True)
    done = {json.loads(line)["name"] for line in open(path)} if os.path.exists(path) else set()
    jobs = [job for job in json.load(open(options.list)) if job["name"] not in done]
    end = time.time() + options.seconds

    def work(cpu):
        while True:
            with LOCK:
                if time.time() > end or not jobs:
                    return
                job = jobs.pop(0)
            job["folder"] = os.path.join(os.path.dirname(os.path.abspath(options.list)), job["folder"])
            result = hunt(options, job, cpu)
            with LOCK, open(path, "a") as results:
                results.write(json.dumps(result) + "\n")

    workers = [threading.Thread(target=work, args=(cpu,)) for cpu in sorted(os.sched_getaffinity(0))[:options.jobs]]
    for step in (threading.Thread.start, threading.Thread.join):
        for worker in workers:
            step(worker)
    return "%d programs are left" % len(jobs) if jobs else None


if __name__ == "__main__":
    sys.exit(main())
