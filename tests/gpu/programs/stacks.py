"""stacks.py torch|driver DEPTH TIMES: launches DEPTH functions deep, in groups with a wait between them; writes the ns of a
launch of each group to the file TIMES and prints what the kernels computed. For call paths (--stacks): torch launches by
PyTorch, driver by the CUDA driver through ctypes, which needs no package."""
import ctypes
import sys
import time

GROUPS, LAUNCHES = 50, 400
PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry count_up(.param .u64 counter)
{
    .reg .u64 %rd<3>;
    ld.param.u64 %rd1, [counter];
    cvta.to.global.u64 %rd2, %rd1;
    red.global.add.u32 [%rd2], 1;
    ret;
}
"""


class Driver:
    """A counter on the GPU; CDLL releases the GIL during a call, as PyTorch does before a launch."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
        self.function, self.counter = ctypes.c_void_p(), ctypes.c_uint64()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuModuleLoadData", ctypes.byref(module), PTX)
        self.call("cuModuleGetFunction", ctypes.byref(self.function), module, b"count_up")
        self.call("cuMemAlloc_v2", ctypes.byref(self.counter), ctypes.c_size_t(4))
        self.call("cuMemsetD32_v2", self.counter, 0, ctypes.c_size_t(1))
        self.arguments = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(self.counter), ctypes.c_void_p))
        self.launch_kernel = self.cuda.cuLaunchKernel

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            sys.exit(f"{name}: {status}")

    def launch(self):
        self.launch_kernel(self.function, 1, 1, 1, 1, 1, 1, 0, None, self.arguments, None)  # driver launches here

    def wait(self):
        self.call("cuCtxSynchronize")

    def result(self):
        value = ctypes.c_uint32()
        self.call("cuMemcpyDtoH_v2", ctypes.byref(value), self.counter, ctypes.c_size_t(4))
        return value.value


class Torch:
    def __init__(self):
        import torch

        self.torch, self.counter = torch, torch.zeros(1, device="cuda")

    def launch(self):
        self.counter.add_(1)  # torch launches here

    def wait(self):
        self.torch.cuda.synchronize()

    def result(self):
        return int(self.counter.item())


class Block:
    def __init__(self, device):
        self.device = device

    def forward(self, depth):
        if depth > 0:
            self.forward(depth - 1)
        else:
            self.device.launch()


def main(kind, depth, times):
    block = Block(Driver() if kind == "driver" else Torch())
    with open(times, "w") as file:
        for _ in range(GROUPS):
            start = time.perf_counter_ns()
            for _ in range(LAUNCHES):
                block.forward(depth)
            end = time.perf_counter_ns()
            block.device.wait()
            print((end - start) // LAUNCHES, file=file)
    print("counter", block.device.result())


main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
# SPDX-License-Identifier: Apache-2.0
