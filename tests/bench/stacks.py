"""ns that one capture of a call path costs, in Python: stacks.py BUILD. Median of five.

"warm": launched again and again from the same frames. "new frames": each launch from frames that were just called, as a
training step does; Python 3.11 and later then make an object for each frame that was not looked at yet.
"""
import ctypes, statistics, sys, time

library = ctypes.PyDLL(sys.argv[1] + "/tests/stacks_double.so")
library.stacks_double_cost.restype = ctypes.c_double
capture, cost = library.stacks_double_capture, library.stacks_double_cost

def descend(depth, call):
    return call() if depth == 0 else descend(depth - 1, call)

def run_times(call, depth, times=2000):
    start = time.perf_counter_ns()
    for _ in range(times):
        descend(depth, call)
    return (time.perf_counter_ns() - start) / times

def nothing():
    pass

announced = library.stacks_double_announced  # a call through ctypes that captures nothing
for depth in 5, 30:
    inner = depth - 2  # beside this one and its caller
    warm = statistics.median(descend(inner, lambda: cost(20000)) for _ in range(5))
    run_times(capture, inner), run_times(announced, inner)
    new = statistics.median(run_times(capture, inner) - run_times(announced, inner) for _ in range(5))
    print(f"| Python {sys.version.split()[0]} | {depth} | {warm:.0f} | {new:.0f} |")
