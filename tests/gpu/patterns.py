#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""patterns.py LANESCOPE PROGRAM OUT.csv: what the hardware makes of single memory instructions.

Runs PROGRAM (programs/bank_patterns.cu, programs/atomic_patterns.cu) under lanescope's counters and writes a line per launch: operation, bytes per
lane, mask, 32 offsets, and what was counted: wavefronts on shared memory, sectors on global memory. The unit tests of core/hardware/bank read a kept copy,
tests/data/bank_h200.csv.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile

WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
SECTORS = "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_"
COUNTERS = {
    "load": f"{WAVEFRONTS}ld.sum",
    "store": f"{WAVEFRONTS}st.sum",
    "shared_atom": f"{WAVEFRONTS}atom.sum",
    "shared_cas": f"{WAVEFRONTS}atom.sum",
    "red": f"{SECTORS}red.sum",
    "atom": f"{SECTORS}atom.sum",
    "cas": f"{SECTORS}atom.sum",
}


def main():
    lanescope, program, out = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "patterns.lsr")
        command = [lanescope, "--record", recording, "--launches", "0", "--counters", ",".join(sorted(set(COUNTERS.values()))), "--", program]
        lines = [line for line in subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
                 if line.split(" ")[0] in COUNTERS]
        rows = sqlite3.connect(recording).execute(
            "SELECT measurement.id, string.text, value.number FROM value JOIN measurement ON measurement.id = value.measurement "
            "JOIN string ON string.id = value.counter ORDER BY measurement.id")
        measured = {}
        for measurement, counter, number in rows:
            measured.setdefault(measurement, {})[counter] = number
    measured = [measured[key] for key in sorted(measured)]
    if len(measured) != len(lines):
        sys.exit(f"patterns.py: {len(lines)} launches and {len(measured)} measurements")
    with open(out, "w", encoding="ascii") as file:
        for line, values in zip(lines, measured):
            file.write(f"{line} {values[COUNTERS[line.split(' ')[0]]]:.0f}\n")
    print(f"{len(lines)} patterns")


main()
