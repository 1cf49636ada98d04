# SPDX-License-Identifier: Apache-2.0
# Phases of GPU work before, inside and after torch.profiler; prints what the injected agent had seen after each.
# Argument "late": the profiler starts before the first CUDA call, so before the agent is injected.
import os, struct, sys, time
import torch
from torch.profiler import ProfilerActivity, profile

OUT = os.environ.get("PROBE_OUT")


def seen():
    time.sleep(0.2)
    try:
        with open(OUT, "rb") as f:
            v = struct.unpack("19Q", f.read(19 * 8))
        return "agent: kernels %d runtime %d driver %d buffers %d rearms %d" % (v[0], v[3], v[4], v[7], v[18])
    except (OSError, struct.error, TypeError):
        return "agent: none"


def work(n=200):
    a = torch.ones(512, 512, device="cuda")
    for _ in range(n):
        a = a * 1.0001
    torch.cuda.synchronize()


def profiled(label):
    try:
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
            work()
        kernels = sum(e.count for e in p.key_averages() if str(e.device_type).endswith("CUDA"))
        print("P:", label, "torch.profiler saw", kernels, "device events;", seen(), flush=True)
    except Exception as e:  # the point is what error comes back
        print("P:", label, "torch.profiler failed:", repr(e), flush=True)


if len(sys.argv) > 1 and sys.argv[1] == "late":
    profiled("profiler first,")
else:
    work()
    print("P: before,", seen(), flush=True)
    profiled("inside,")
work()
print("P: after,", seen(), flush=True)
profiled("second time,")
work()
print("P: after second,", seen(), flush=True)
