/* SPDX-License-Identifier: Apache-2.0 */
/* A program of CUDA 12's runtime API, without its headers: its structures as bytes, its functions with the
 * arguments that CUDA 13 changed. It prints what is wrong, or "older: fine". */
#include "older.h"

#include <stdio.h>
#include <string.h>

#define MUST(condition)                                       \
    do {                                                      \
        if (!(condition)) {                                   \
            printf("older.c:%d: %s\n", __LINE__, #condition); \
            return 1;                                         \
        }                                                     \
    } while (0)

/* Offsets of members of cudaDeviceProp in the headers of CUDA 12.9. */
#define CLOCK_RATE 348
#define MULTIPROCESSORS 388
#define MEMORY_BUS_WIDTH 612
#define HOST_REGISTER_SUPPORTED 728 /* CUDA 11's structure ends before it */
#define PROPERTIES_BYTES 1032
#define ATTRIBUTES_BYTES 24 /* cudaPointerAttributes */

static int number_at(const unsigned char *bytes, int offset)
{
    int number;
    memcpy(&number, bytes + offset, sizeof number);
    return number;
}

int main(void)
{
    unsigned char properties[PROPERTIES_BYTES + 8], attributes[ATTRIBUTES_BYTES + 8];
    int there[4] = {1, 2, 3, 4}, back[4] = {0}, status = -1;
    void *memory, *managed, *graph, *nodes[2], *stream;

    memset(properties, 0xaa, sizeof properties);
    MUST(cudaGetDeviceProperties_v2(properties, 0) == 0);
    MUST(strncmp((const char *)properties, "NVIDIA H200", 11) == 0 && properties[PROPERTIES_BYTES] == 0xaa);
    MUST(number_at(properties, MULTIPROCESSORS) == 132 && number_at(properties, MEMORY_BUS_WIDTH) == 6016);
    MUST(number_at(properties, CLOCK_RATE) == 1980000);
    memset(properties, 0xaa, sizeof properties);
    MUST(cudaGetDeviceProperties(properties, 0) == 0);
    MUST(number_at(properties, MULTIPROCESSORS) == 132 && properties[HOST_REGISTER_SUPPORTED] == 0xaa);
    MUST(cudaMalloc(&memory, sizeof there) == 0 && cudaMallocManaged(&managed, sizeof there, 1) == 0);
    MUST(cudaMemcpy(memory, there, sizeof there, 1) == 0 && cudaMemcpy(back, memory, sizeof back, 2) == 0);
    MUST(memcmp(there, back, sizeof back) == 0);
    memset(attributes, 0xaa, sizeof attributes);
    MUST(cudaPointerGetAttributes(attributes, memory) == 0);
    MUST(number_at(attributes, 0) == 2 && attributes[ATTRIBUTES_BYTES] == 0xaa);
    MUST(cudaStreamCreate(&stream) == 0 && cudaMemAdvise(managed, sizeof there, 1, 0) == 0);
    MUST(cudaMemPrefetchAsync(managed, sizeof there, 0, stream) == 0);
    MUST(cudaStreamGetCaptureInfo(stream, &status, NULL) == 0 && status == 0);
    MUST(cudaGraphCreate(&graph, 0) == 0);
    MUST(cudaGraphAddEmptyNode(&nodes[0], graph, NULL, 0) == 0);
    MUST(cudaGraphAddEmptyNode(&nodes[1], graph, NULL, 0) == 0);
    MUST(cudaGraphAddDependencies(graph, (const void *const *)&nodes[0], (const void *const *)&nodes[1], 1) ==
         0);
    MUST(cudaGraphDestroy(graph) == 0);
    MUST(cudaThreadSynchronize() == 0);
    printf("older: fine\n");
    return 0;
}
