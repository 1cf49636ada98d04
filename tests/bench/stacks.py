# SPDX-License-Identifier: Apache-2.0
"""ns that one capture of a call path costs, in Python: stacks.py BUILD. With STACKS_PUBLIC_API in the environment by the public
C API alone.

"warm": launched again and again from the same frames. "new frames": each launch from frames that were just called, as a
training step does; the public API of 3.11 and later makes an object for each of them. Median of five, each the least of
twenty groups: what else the machine does then counts little. All loops are in the module, so that frames are as many as said.
"""
import ctypes
import functools
import os
import statistics
import sys
import time

library = ctypes.PyDLL(sys.argv[1] + "/tests/stacks_double.so")
library.stacks_double_cost.restype = ctypes.c_double
library.stacks_double_text.restype = ctypes.c_char_p
HOW = "public API" if "STACKS_PUBLIC_API" in os.environ else "layout"
GROUP = 200


def descend(depth, call):
    return call() if depth == 0 else descend(depth - 1, call)


for depth in 5, 30:
    inner = depth - 2  # beside the module and the innermost
    assert len(library.stacks_double_text(descend(inner, library.stacks_double_capture)).splitlines()) == depth
    warm, new, without = [], [], []  # without: a call through ctypes that captures nothing
    for _ in range(5):
        warm.append(min(descend(inner, functools.partial(library.stacks_double_cost, 500)) for _ in range(20)))
        for ns, call in (new, library.stacks_double_capture), (without, library.stacks_double_announced):
            least = float("inf")
            for _ in range(20):
                start = time.perf_counter_ns()
                for _ in range(GROUP):
                    descend(inner, call)
                least = min(least, (time.perf_counter_ns() - start) / GROUP)
            ns.append(least)
    print(f"| Python {sys.version.split()[0]}, {HOW} | {depth} | {statistics.median(warm):.0f} "
          f"| {statistics.median(new) - statistics.median(without):.0f} |")
