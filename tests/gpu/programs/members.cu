// What lanes do together when they name different members, on a GPU: the kernels of
// tests/data/kernels/members.cu, which the device model's test runs too, over labels at random. A line per
// operation: lanes whose result is wrong, of how many. Exit status 0: none anywhere. A kernel that has not
// ended after 10 s is named, and ends the program with status 1.
#include "program.h"

#include "../../data/kernels/members.cu"

#include <string.h>
#include <unistd.h>

#define BLOCKS 1024
#define RESULTS 9

struct kernel {
    const char *name;
    void (*run)(const unsigned *, unsigned *);
    unsigned threads;
    const char *results[RESULTS];
};

static const struct kernel kernels[] = {
    {"members",
     members,
     32,
     {"ballot", "any", "all", "shfl", "match_any", "reduce_add", "reduce_min", "reduce_or", "syncwarp"}},
    {"members_apart", members_apart, 32, {"ballot in both arms"}},
    {"members_in_turn", members_in_turn, 32, {"ballots of odd lanes behind the if"}},
    {"members_in_pairs", members_in_pairs, 32, {"ballots of lane 0 and each other"}},
    {"members_that_end", members_that_end, 32, {"ballot past which others end"}},
    // Last: the context is lost with it.
    {"members_at_barriers", members_at_barriers, 64, {"refused: an illegal instruction"}},
};

static cudaError_t wait_for(const char *name)
{
    cudaError_t status = cudaErrorNotReady;
    for (int tenths = 0; tenths < 100 && status == cudaErrorNotReady; tenths++) {
        usleep(100000);
        status = cudaStreamQuery(0);
    }
    if (status == cudaErrorNotReady) {
        printf("%-20s has not ended after 10 s\n", name);
        fflush(stdout);
        _exit(1);
    }
    return status;
}

int main(int argc, char **argv)
{
    static unsigned labels[BLOCKS * 32];
    unsigned *device_labels, *device_wrong, bad = 0;
    srand(1);
    for (unsigned i = 0; i < BLOCKS * 32; i++)
        labels[i] = (unsigned)rand() % (2 + i / 32 % 7); // in blocks of 2 to 8 labels
    CHECK(cudaMalloc(&device_labels, sizeof labels));
    CHECK(cudaMalloc(&device_wrong, RESULTS * sizeof *device_wrong));
    CHECK(cudaMemcpy(device_labels, labels, sizeof labels, cudaMemcpyHostToDevice));
    for (const struct kernel &kernel : kernels) {
        unsigned wrong[RESULTS];
        if (argc > 1 && strcmp(argv[1], kernel.name) != 0)
            continue;
        CHECK(cudaMemset(device_wrong, 0, sizeof wrong));
        kernel.run<<<BLOCKS, kernel.threads>>>(device_labels, device_wrong);
        CHECK(cudaGetLastError());
        cudaError_t ended = wait_for(kernel.name);
        if (kernel.run == members_at_barriers) {
            printf("%-20s %-36s %s\n", kernel.name, kernel.results[0], cudaGetErrorString(ended));
            bad += ended != cudaErrorIllegalInstruction;
            break;
        }
        CHECK(ended);
        CHECK(cudaMemcpy(wrong, device_wrong, sizeof wrong, cudaMemcpyDeviceToHost));
        for (int i = 0; i < RESULTS && kernel.results[i]; i++) {
            printf("%-20s %-36s %6u of %u lanes wrong\n", kernel.name, kernel.results[i], wrong[i],
                   BLOCKS * kernel.threads);
            bad += wrong[i];
        }
    }
    return bad != 0;
}
// SPDX-License-Identifier: Apache-2.0
