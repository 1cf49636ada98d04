// NVTX, header code in the program: what the calls return, and ranges of each kind. Each is around launches
// of its own number.
#include "case.h"

#include <nvtx3/nvToolsExt.h>
#include <thread>

__global__ void add_one(int *value)
{
    atomicAdd(value, int(__expf(0.0f * float(threadIdx.x))));
}

static int *value;

static void launch(int times)
{
    for (int i = 0; i < times; i++)
        add_one<<<1, 32>>>(value);
}

static nvtxEventAttributes_t attributes(nvtxMessageType_t type)
{
    nvtxEventAttributes_t event = {};

    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = type;
    event.category = 7;
    event.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    event.payload.llValue = -5;
    return event;
}

static void ranges()
{
    CALL(cudaMalloc(&value, sizeof *value));
    CALL(cudaMemset(value, 0, sizeof *value));
    nvtxDomainHandle_t domain = nvtxDomainCreateA("ours"), other = nvtxDomainCreateW(L"theirs");
    MUST(domain && other && domain != other);
    nvtxDomainNameCategoryA(domain, 7, "a category");
    // Each domain has levels of its own.
    MUST(nvtxRangePushA("outer") == 0);
    MUST(nvtxRangePushW(L"inn\u00e9r") == 1);
    launch(1);
    nvtxEventAttributes_t event = attributes(NVTX_MESSAGE_TYPE_REGISTERED);
    event.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    MUST(event.message.registered);
    MUST(nvtxDomainRangePushEx(domain, &event) == 0);
    launch(2);
    MUST(nvtxRangePop() == 1);
    MUST(nvtxDomainRangePop(domain) == 0);
    MUST(nvtxDomainRangePop(domain) < 0);
    MUST(nvtxRangePop() == 0);
    MUST(nvtxRangePop() < 0);
    // Begun by one thread, ended by another.
    event = attributes(NVTX_MESSAGE_TYPE_ASCII);
    event.message.ascii = "across";
    nvtxRangeId_t across = nvtxDomainRangeStartEx(other, &event);
    nvtxRangeId_t plain = nvtxRangeStartA("started");
    MUST(across && plain && across != plain);
    launch(4);
    nvtxRangeEnd(plain);
    std::thread([=] {
        nvtxRangePushA("thread");
        launch(8);
        nvtxRangePop();
        nvtxDomainRangeEnd(other, across);
        nvtxRangePushA("never popped");
    }).join();
    nvtxMarkA("a mark");
    event.message.ascii = "a mark of a domain";
    nvtxDomainMarkEx(domain, &event);
    nvtxDomainDestroy(domain);
    CALL(cudaDeviceSynchronize());
    CALL(cudaFree(value));
}

int main(int argc, char **argv)
{
    static const struct test_case cases[] = {{"ranges", ranges}};

    return run_cases(cases, argc, argv);
}
// SPDX-License-Identifier: Apache-2.0
