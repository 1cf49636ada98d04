#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the memory instructions of machine code, per kernel and source line, as csv.

    sass_list.py --ptxas PTXAS --nvdisasm NVDISASM FILE.ptx... --out FOLDER

Each FILE.ptx is assembled for sm_90 as the build does it and disassembled; FOLDER/FILE.csv gets a row for each kernel,
line (the innermost, as .loc has it), kind of instruction and width of a lane's access in bits, with how many there are.
The first line names the ptxas and a hash of the PTX. tests/unit/cupti/test_sass.c compares what the device model makes of the same
PTX with it. nvdisasm is part of the toolkit, or alone in the Python wheel nvidia-cuda-nvdisasm.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

KINDS = ("LDG", "STG", "LDS", "STS", "LDL", "STL", "LD", "ST", "ATOMG", "ATOMS", "ATOM", "REDG", "RED", "LDGSTS")
WIDTHS = {"U8": 8, "S8": 8, "U16": 16, "S16": 16, "64": 64, "128": 128}


def run(*arguments):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: {done.stderr.strip() or 'failed'}")
    return done.stdout


def instruction(text):
    """Kind and bits of "LDS.U.128", or None when it is not a memory instruction."""
    opcode, *modifiers = text.split(".")
    if opcode not in KINDS:
        return None
    if opcode == "ATOMS" and modifiers[:2] == ["POPC", "INC"]:
        return "ATOMS.POPC.INC", 32
    if opcode == "ATOMS" and modifiers[:2] == ["CAST", "SPIN"]:
        opcode = "ATOMS.CAST.SPIN"
    bits = 32
    for modifier in modifiers:
        bits = WIDTHS.get(modifier, bits)
        if modifier == "F64":
            bits = 64
    return opcode, bits


def hash_of(path):
    """64-bit FNV-1a of a file."""
    value = 0xCBF29CE484222325
    with open(path, "rb") as file:
        for byte in file.read():
            value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def rows(listing):
    """Counts by kernel, line, kind and bits. What is never executed (@!PT, beside cp.async) is left out."""
    counts = collections.Counter()
    kernel, line = None, 0
    for text in listing.splitlines():
        if match := re.match(r"\.text\.(\S+):", text):
            kernel, line = match.group(1), 0
        elif match := re.match(r'\s*//## File "[^"]*", line (\d+)', text):
            line = int(match.group(1))
        elif match := re.match(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\d\s+)?([A-Z][A-Z0-9_.]*)", text):
            if found := instruction(match.group(1)):
                counts[(kernel, line, *found)] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    version = re.search(r"V[0-9.]+", run(options.ptxas, "--version")).group(0)[1:]
    for file in options.files:
        name = os.path.splitext(os.path.basename(file))[0]
        with tempfile.TemporaryDirectory() as folder:
            cubin = os.path.join(folder, "cubin")
            with open(file, encoding="utf-8") as ptx:  # one that calls what is linked to it later
                linked = ["-c"] if re.search(r"^\.extern \.func", ptx.read(), re.MULTILINE) else []
            run(options.ptxas, *linked, "-arch=sm_90", "-O3", "--fmad=false", "--generate-line-info", "-o", cubin, file)
            found = rows(run(options.nvdisasm, "-g", "-c", cubin))
        with open(os.path.join(options.out, name + ".csv"), "w", encoding="ascii") as out:
            out.write(f"# {name}.ptx {hash_of(file)} by ptxas {version} -arch=sm_90 -O3 --fmad=false; made by tests/tools/sass_list.py\n")
            out.write("kernel,line,instruction,bits,count\n")
            for (kernel, line, kind, bits), count in sorted(found.items()):
                out.write(f"{kernel},{line},{kind},{bits},{count}\n")


if __name__ == "__main__":
    main()
