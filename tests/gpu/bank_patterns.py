#!/usr/bin/env python3
"""bank_patterns.py LANESCOPE PROGRAM OUT.csv: what the hardware makes of single shared-memory instructions.

Runs PROGRAM (programs/bank_patterns.cu) under lanescope's counters and writes a line per launch: operation, bytes per lane, mask, 32 offsets,
wavefronts. The unit test of core/bank reads the kept copy, tests/data/bank_h200.csv.
"""
import os
import sqlite3
import subprocess
import sys
import tempfile

COUNTER = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"


def main():
    lanescope, program, out = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "patterns.lsr")
        command = [lanescope, "--record", recording, "--launches", "0", "--counters",
                   f"{COUNTER}ld.sum,{COUNTER}st.sum", "--", program]
        lines = [line for line in subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
                 if line.startswith(("load ", "store "))]
        rows = sqlite3.connect(recording).execute(
            "SELECT measurement.id, string.text, value.number FROM value JOIN measurement ON measurement.id = value.measurement "
            "JOIN string ON string.id = value.counter ORDER BY measurement.id")
        measured = {}
        for measurement, counter, number in rows:
            measured.setdefault(measurement, {})[counter] = number
    measured = [measured[key] for key in sorted(measured)]
    if len(measured) != len(lines):
        sys.exit(f"bank_patterns.py: {len(lines)} launches and {len(measured)} measurements")
    with open(out, "w", encoding="ascii") as file:
        for line, values in zip(lines, measured):
            operation = "ld" if line.startswith("load") else "st"
            file.write(f"{line} {values[COUNTER + operation + '.sum']:.0f}\n")
    print(f"{len(lines)} patterns")


main()
