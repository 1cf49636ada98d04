# train.py [plain]: a few PyTorch training steps, with PyTorch's own profiler on unless "plain". Prints a checksum of
# the weights, which must not depend on who looks on.
import sys

import torch
from torch.profiler import ProfilerActivity, profile

torch.manual_seed(1)
torch.use_deterministic_algorithms(True, warn_only=True)
model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.randn(64, 256, device="cuda")
target = torch.randint(0, 10, (64,), device="cuda")


def steps(count):
    for _ in range(count):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
    torch.cuda.synchronize()
    return loss.item()


steps(5)
if "plain" in sys.argv[1:]:
    steps(20)
else:
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]):
        steps(20)
print("loss %.6f weights %.6f" % (steps(5), sum(p.double().abs().sum().item() for p in model.parameters())))
# SPDX-License-Identifier: Apache-2.0
