# planted.py [FAULT [fixed]]: PyTorch programs with one thing wrong with the run as a whole, or the same work
# without; without arguments it lists the faults. Each is named by the advice that must come first, and by a
# word where several programs plant the same.
import sys
import time

import torch

fixed = "fixed" in sys.argv[2:]


def blocks(count, width, heads, dtype):
    layer = lambda: torch.nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, batch_first=True)
    return torch.nn.Sequential(*[layer() for _ in range(count)]).cuda().to(dtype)


def training(batch, length, width, steps, item=False, graph=False, load_ms=0, pageable=False):
    model = blocks(6, width, 8, torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    data = torch.randn(batch, length, width, device="cuda", dtype=torch.bfloat16)
    host = torch.randn(64 << 20, dtype=torch.bfloat16)
    if not pageable:
        host = host.pin_memory()
    beside = torch.cuda.Stream()

    def step():
        optimizer.zero_grad(set_to_none=not graph)
        loss = model(data).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    if graph:
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
        if pageable or item == "copies":
            with torch.cuda.stream(torch.cuda.current_stream() if pageable else beside):
                host.to("cuda", non_blocking=not pageable)
        loss = captured.replay() if graph else step()
        if item is True:
            loss.item()
        torch.cuda.nvtx.range_pop()
    torch.cuda.synchronize()


def launch_bound():
    training(4, 64, 256, 40, graph=fixed)


def host_waits():
    model = torch.nn.Linear(4096, 4096, device="cuda", dtype=torch.bfloat16)
    data = torch.randn(512, 4096, device="cuda", dtype=torch.bfloat16)
    for _ in range(2000):
        out = model(data)
        if not fixed:
            torch.cuda.synchronize()
    torch.cuda.synchronize()


def host_bound():
    training(16, 256, 512, 30, load_ms=0 if fixed else 40, graph=True)


def pageable_copies():
    training(32, 512, 512, 30, pageable=not fixed, item="copies", graph=True)


faults = {f.__name__: f for f in (launch_bound, host_waits, host_bound, pageable_copies)}
if len(sys.argv) < 2:
    print("\n".join(faults))
else:
    faults[sys.argv[1]]()
    torch.cuda.synchronize()
