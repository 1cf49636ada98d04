#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ranks whose recordings begin at different collectives, as those of lanescope attach do: with the numbers that NCCL's
plug-in gives, they are joined all the same, and the late rank is found. Usage: nccl_numbers.py LANESCOPE"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile

lanescope = sys.argv[1]
COLLECTIVES, LATE_RANK = 40, 1


def run(*words):
    done = subprocess.run([lanescope, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED: {words}: {done.stderr}")
    return done.stdout


def trace(rank):
    """A product and an all-reduce each ms; rank 1's product takes 600 us, rank 0's 200."""
    events = []
    for i in range(COLLECTIVES):
        work = 600 if rank == LATE_RANK else 200
        for j, (name, start, end) in enumerate([("gemm", 0, work), ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", work, 700)]):
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": i * 1000 + start, "dur": end - start,
                           "args": {"device": 0, "context": 1, "stream": 7 + j, "correlation": 2 * i + j + 1, "grid": [64, 1, 1],
                                    "block": [128, 1, 1], **({"Process Group Name": "0", "Process Group Ranks": "[0, 1]",
                                    "Group size": 2, "dtype": "Float", "In msg nelems": 250} if j else {})}})
    return {"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": events,
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}}


def judged(numbered):
    names = []
    for rank in range(2):
        with open(f"{rank}.json", "w", encoding="utf-8") as file:
            json.dump(trace(rank), file)
        name = f"{rank}.lsr"
        if os.path.exists(name):
            os.unlink(name)
        run("export", f"{rank}.json", "--lsr", "--out", name)
        file = sqlite3.connect(name)
        assert file.execute("select count(*) from collective").fetchone()[0] == COLLECTIVES
        if numbered:  # NCCL's, from the start of the communicator
            file.execute("insert into string (id, text) select max(id) + 1, 'AllReduce' from string")
            file.execute("update collective set function = (select max(id) from string), sequence = 1000 + id")
        if rank == 0:  # attached three collectives later
            file.execute("delete from launch where start_ns < (select min(start_ns) from launch) + 3000000")
            file.execute("delete from collective where id < 3")
        file.commit()
        file.close()
        names.append(name)
    run("gather", *names, "--out", "job.lsj")
    return json.loads(run("report", "job.lsj", "--json")), run("report", "job.lsj")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for numbered in (False, True):
        job, text = judged(numbered)
        numbers = job["sheets"]["collectives"]["rows"]
        both = [row for row in numbers if row["ranks"] == 2]
        said = "matched by the numbers that NCCL gave" in text
        if said != numbered:
            sys.exit(f"FAILED: which numbers are used is said\n{text}")
        if numbered and (len(both) != COLLECTIVES - 3 or min(row["sequence"] for row in both) != 1003):
            sys.exit(f"FAILED: the collectives of both are joined by their numbers\n{both[:3]}")
        if numbered and "Rank 1 (GPU 0) holds the others up" not in text:
            sys.exit(f"FAILED: the late rank is named\n{text}")
        if not numbered and min(row["sequence"] for row in both) != 0:
            sys.exit("FAILED: without numbers they are counted from the first of each")
