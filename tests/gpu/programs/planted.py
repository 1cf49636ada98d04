# planted.py [FAULT [fixed]]: PyTorch programs with one thing wrong with the run as a whole, or the same work
# without; without arguments it lists the faults, each named by the advice that must come first and, behind a
# "/", by a word where several programs plant the same.
# planted.py step eager|graph|compiled: the training step of launch_bound, as it is usually written, captured into
# a CUDA graph, and compiled.
import sys
import time

import torch

fixed = "fixed" in sys.argv[2:]


def blocks(count, width, heads, dtype):
    layer = lambda: torch.nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True)
    return torch.nn.Sequential(*[layer() for _ in range(count)]).cuda().to(dtype)


# way: "eager", "graph" or "compiled"; copies: None, or what memory 128 MiB come from in every step: "pageable",
# in the step's stream, or "pinned", beside it.
def training(batch, length, width, steps, way="eager", load_ms=0, copies=None):
    model = blocks(6, width, 8, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    data = torch.randn(batch, length, width, device="cuda", dtype=torch.bfloat16)
    host = torch.ones(64 << 20 if copies else 0, dtype=torch.bfloat16, pin_memory=copies == "pinned")
    beside = torch.cuda.Stream()
    forward = torch.compile(model) if way == "compiled" else model

    def step():
        optimizer.zero_grad(set_to_none=way != "graph")
        loss = forward(data).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    if way == "graph":
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            step()
    for i in range(steps):
        torch.cuda.nvtx.range_push(f"step {i}")
        if load_ms:
            with torch.cuda.nvtx.range("load data"):
                until = time.perf_counter() + load_ms / 1e3
                while time.perf_counter() < until:
                    pass
        if copies:
            with torch.cuda.stream(torch.cuda.current_stream() if copies == "pageable" else beside):
                host.to("cuda", non_blocking=copies == "pinned")
        captured.replay() if way == "graph" else step()
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()


def launch_bound():
    training(4, 64, 256, 40, way="graph" if fixed else "eager")


def host_waits():
    model = torch.nn.Linear(4096, 4096, device="cuda", dtype=torch.bfloat16)
    data = torch.randn(512, 4096, device="cuda", dtype=torch.bfloat16)
    for _ in range(2000):
        out = model(data)
        if not fixed:
            torch.cuda.synchronize()
    torch.cuda.synchronize()


def host_bound():
    training(16, 256, 512, 30, way="graph", load_ms=0 if fixed else 40)


def pageable_copies():
    training(32, 512, 512, 30, way="graph", copies="pinned" if fixed else "pageable")


# A loop that looks at a number of each step.
def looked_at():
    model = torch.nn.Linear(4096, 4096, device="cuda", dtype=torch.bfloat16)
    data = torch.randn(512, 4096, device="cuda", dtype=torch.bfloat16)
    for _ in range(1000):
        loss = model(data).amax()
        if not fixed:
            loss.item()


def float_products():
    torch.backends.cuda.matmul.allow_tf32 = fixed
    a = torch.randn(8192, 8192, device="cuda")
    for _ in range(40):
        a = torch.nn.functional.relu(a @ a).clamp(max=1e-3)


# A chain of operations on a large array, or as much arithmetic on a small one.
def dram_bound():
    a = torch.randn(1 << 12 if fixed else 1 << 28, device="cuda")
    work = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
    for _ in range(60):
        a = torch.relu(a * 2 + 1)
        if fixed:
            work @ work


def allocations():
    a = torch.randn(1 << 24, device="cuda")
    for _ in range(200):
        b = a * 2
        del b
        if not fixed:
            torch.cuda.empty_cache()


faults = {f.__name__: f for f in (launch_bound, host_waits, host_bound, pageable_copies, float_products, dram_bound,
                                  allocations)}
faults["host_waits/looked-at"] = looked_at
if len(sys.argv) < 2:
    print("\n".join(faults))
elif sys.argv[1] == "step":
    training(4, 64, 256, 40, way=sys.argv[2])
else:
    faults[sys.argv[1]]()
    torch.cuda.synchronize()
# SPDX-License-Identifier: Apache-2.0
