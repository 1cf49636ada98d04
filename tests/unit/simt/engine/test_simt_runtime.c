/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kernels print, allocate, free and assert, and the calls of the device runtime. The kernels are those
 * of tests/gpu/programs/kernel_runtime.cu, which prints the same lines on a GPU.
 */
#include "simt/device/device.h"
#include "simt/memory/heap.h"
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct error error;

TestSuite(simt_runtime, .init = model_open, .fini = model_close);

Test(simt_runtime, formats)
{
    uint8_t *text;
    uint64_t address = model_allocate(32, &text);
    memcpy(text, "from global memory", 19);
    model_load("tests/data/programs/kernel_runtime");
    model_launch("_Z13print_formatsPKc", SHAPE(1, 1, 1), SHAPE(1, 1, 1), 0, &address, NULL);
    cr_assert_str_eq(model_printed.bytes,
                     "no arguments, 100%\n"
                     "[42|   42|42   |00042|+42| 42]\n"
                     "[4294967295|10|ff|FF|0xff|010|-1]\n"
                     "[-3|-7|65535|-5000000000|-1|18446744073709551615|123456789abcdef]\n"
                     "[1.500000|3.14|     2.718|9.8       |1.234568e+04|1.200000E-04|1e+20|1E-07|0x1p+0]\n"
                     "[x|    y|abc|     right|left  |cut]\n"
                     "[from global memory|from constant memory]\n"
                     "[     7|8   |%.*f]\n"
                     "[0x1234]\n"
                     "1 2\n"
                     "returns 2\n");
}

/* By blocks, however many workers ran them. */
Test(simt_runtime, lines_come_by_block)
{
    char wanted[4096];
    size_t size = 0;
    for (int i = 0; i < 200; i++)
        size += (size_t)snprintf(wanted + size, sizeof wanted - size, "block %d\n", i);
    model_load("tests/data/programs/kernel_runtime");
    model_launch("_Z12print_blocksv", SHAPE(200, 1, 1), SHAPE(64, 1, 1), 0, NULL, NULL);
    cr_assert_str_eq(model_printed.bytes, wanted);
}

/* Memory of a host for the formats below: an address is an offset, 0 is nowhere. */
static uint8_t own[256];

static bool own_read(void *owner, uint64_t address, void *bytes, uint32_t size_bytes)
{
    (void)owner;
    if (address == 0 || address + size_bytes > sizeof own)
        return false;
    memcpy(bytes, own + address, size_bytes);
    return true;
}

Test(simt_runtime, what_is_no_format_is_printed)
{
    static const struct {
        const char *format, *printed;
        int32_t result;
    } cases[] = {
        {"%", "%", 0},
        {"%y %5", "%y %5", 0},
        {"%n%d", "%n1", 1},
        {"%%%d%%", "%1%", 1},
        {"a%s", "a(null)", 1},
        {"%.*d|%d", "%.*d|1", 1},
        {"%*d|%d", " 2|3", 3},
        {"%q%", "%q%", 0},
        {"%-+ #0 '-+ #0 '-+ #0 '-+ #0 '-+ #0 '-+ #0 '-+ #0 '-+ #0 '-+ #0 'd",
         "%-+ #0 '-+ #0 '-+ #0 '-+ #0 '-+ #0 '-+ #0 '-+ #0 '-+ #0 '-+ #0 'd", 0},
    };
    const struct print_memory memory = {.read = own_read};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct print_text text = {0};
        int32_t result;
        memset(own, 0, sizeof own);
        for (uint32_t k = 0; i != 4 && k < 8; k++)
            own[128 + 4 * k] = (uint8_t)(k + 1 + (i == 6 && k == 0));
        strcpy((char *)own + 8, cases[i].format);
        cr_assert_eq(print_format(&memory, 8, 128, &text, &result), PRINT_DONE);
        cr_assert_str_eq(text.bytes, cases[i].printed);
        cr_assert_eq(result, cases[i].result, "%s: %d", cases[i].format, result);
        free(text.bytes);
    }
    struct print_text text = {0};
    int32_t result;
    cr_assert_eq(print_format(&memory, 0, 128, &text, &result), PRINT_DONE);
    cr_assert_eq(result, -1);
    strcpy((char *)own + 8, "%d");
    cr_assert_eq(print_format(&memory, 8, 254, &text, &result), PRINT_UNREADABLE);
    free(text.bytes);
}

Test(simt_runtime, malloc_and_free)
{
    uint8_t *bytes;
    uint64_t arguments[] = {model_allocate(128 * 4, &bytes), 5};
    const uint32_t *words = (const void *)bytes;
    model_load("tests/data/programs/kernel_runtime");
    cr_assert_eq(heap_create(&model_machine.heap, model_memory, HEAP_BYTES_DEFAULT, &error), STATUS_OK);
    model_launch("_Z8allocatePii", SHAPE(2, 1, 1), SHAPE(64, 1, 1), 0, arguments, NULL);
    for (uint32_t i = 0; i < 128; i++)
        cr_assert_eq(words[i], 5 * (i % 64) + 10, "%u: %u", i, words[i]);
    model_launch("_Z7exhaustPi", SHAPE(1, 1, 1), SHAPE(1, 1, 1), 0, arguments, NULL);
    cr_assert(words[0] == 1 && words[1] == 1 && words[2] == 1);
    heap_destroy(model_machine.heap);
}

/* Blocks of random sizes that come and go never overlap, and when all are free the whole heap is one again.
 */
Test(simt_runtime, heap_blocks_are_apart)
{
    enum { BYTES = 1 << 16, BLOCKS = 300 };
    static uint64_t address[BLOCKS], size[BLOCKS];
    struct heap *heap;
    uint32_t state = 1, full = 0;
    cr_assert_eq(heap_create(&heap, model_memory, BYTES, &error), STATUS_OK);
    for (int step = 0; step < 20000; step++) {
        uint32_t i = (state = state * 1664525 + 1013904223) >> 8 & 0xffff;
        i %= BLOCKS;
        if (address[i]) {
            cr_assert(heap_free(heap, address[i]));
            cr_assert_not(heap_free(heap, address[i]), "freed twice");
            address[i] = 0;
            continue;
        }
        size[i] = state >> 20 & 1023;
        address[i] = heap_alloc(heap, size[i]);
        full += address[i] == 0;
        for (int k = 0; k < BLOCKS && address[i]; k++)
            cr_assert(k == (int)i || !address[k] || address[k] + size[k] <= address[i] ||
                      address[i] + size[i] <= address[k]);
    }
    cr_assert_gt(full, 0);
    for (int i = 0; i < BLOCKS; i++)
        cr_assert(!address[i] || heap_free(heap, address[i]));
    uint64_t all = heap_alloc(heap, BYTES);
    cr_assert_neq(all, 0);
    cr_assert_eq(heap_alloc(heap, 1), 0);
    cr_assert_not(heap_free(heap, all + 16));
    cr_assert_not(heap_free(heap, all - 16));
    cr_assert_not(heap_free(heap, all + BYTES));
    heap_destroy(heap);
}

static const char frees[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n.extern .func free (.param .b64 a);\n"
    ".entry k(.param .u64 p) { .reg .b64 %rd<2>; ld.param.u64 %rd1, [p];\n"
    "{ .param .b64 a; st.param.b64 [a], %rd1; call.uni free, (a); } ret; }\n";

Test(simt_runtime, free_of_something_else)
{
    uint64_t address = model_allocate(16, NULL);
    model_load_text("frees.ptx", frees, sizeof frees - 1);
    cr_assert_eq(model_stopped("k", SHAPE(1, 1, 1), SHAPE(1, 1, 1), &address, &error), CHECK_FREE);
    cr_assert_not_null(strstr(error.text, "frees 0x"), "%s", error.text);
    address = 0;
    model_launch("k", SHAPE(1, 1, 1), SHAPE(1, 1, 1), 0, &address, NULL);
}

Test(simt_runtime, assert_stops_with_its_own_kind)
{
    uint64_t limit = 60;
    model_load("tests/data/programs/kernel_runtime");
    cr_assert_eq(model_stopped("_Z12assert_smalli", SHAPE(2, 1, 1), SHAPE(32, 1, 1), &limit, &error),
                 CHECK_ASSERT);
    cr_assert_eq(check_cuda_error(CHECK_ASSERT), 710);
    cr_assert_not_null(strstr(error.text, "thread (28,0,0) of block (1,0,0): `i < limit` is false"), "%s",
                       error.text);
    char wanted[1024] = "";
    for (int lane = 28; lane < 32; lane++)
        snprintf(
            wanted + strlen(wanted), sizeof wanted - strlen(wanted),
            "kernel_runtime.cu:%d: void assert_small(int): block: [1,0,0], thread: [%d,0,0] Assertion `i "
            "< limit` failed.\n",
            71, lane);
    cr_assert_str_eq(model_asserted.bytes, wanted);
    limit = 64;
    model_launch("_Z12assert_smalli", SHAPE(2, 1, 1), SHAPE(32, 1, 1), 0, &limit, NULL);
    cr_assert_eq(model_asserted.size_bytes, 0);
}

/* ---- through the device ---- */
static char printed[256], asserted[512];

static void take_printed(void *owner, bool is_assert, const char *text, size_t size_bytes)
{
    (void)owner;
    snprintf(is_assert ? asserted : printed, is_assert ? sizeof asserted : sizeof printed, "%.*s",
             (int)size_bytes, text);
}

static char ptx[1 << 16];

static const char *ptx_of(const char *image, size_t *size_bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/programs/%s.ptx", TEST_SOURCE_DIR, image);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    *size_bytes = fread(ptx, 1, sizeof ptx, file);
    fclose(file);
    return ptx;
}

Test(simt_runtime_device, sink_and_limits)
{
    struct simt_options options = {.workers = 1, .ptx = ptx_of, .sink = {.printed = take_printed}};
    struct device *device;
    uint64_t out;
    int length = 1, limit = 0;
    struct device_launch launch = {
        .image = "kernel_runtime", .kernel = "_Z12print_blocksv", .grid = {2, 1, 1}, .block = {32, 1, 1}};
    cr_assert_eq(simt_device_open(&options, &device, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(device->ops->launch(device, &launch, &error), STATUS_OK, "%s", error.text);
    cr_assert_str_eq(printed, "block 0\nblock 1\n");

    cr_assert_eq(simt_device_limit(device, SIMT_LIMIT_HEAP), 8u << 20);
    cr_assert_eq(simt_device_limit_set(device, SIMT_LIMIT_HEAP, 1u << 20, &error), STATUS_OK);
    cr_assert_eq(simt_device_limit_set(device, SIMT_LIMIT_STACK, 1u << 30, &error), STATUS_USAGE);
    cr_assert_eq(device->ops->memory_alloc(device, 256, &out, &error), STATUS_OK);
    launch.kernel = "_Z8allocatePii";
    launch.arguments = (void *[]){&out, &length};
    cr_assert_eq(device->ops->launch(device, &launch, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(simt_device_limit_set(device, SIMT_LIMIT_HEAP, 2u << 20, &error), STATUS_STATE);
    cr_assert_eq(simt_device_limit(device, SIMT_LIMIT_HEAP), 1u << 20);

    launch.kernel = "_Z12assert_smalli";
    launch.arguments = (void *[]){&limit};
    cr_assert_eq(device->ops->launch(device, &launch, &error), STATUS_CHECK);
    cr_assert_not_null(strstr(asserted, "thread: [0,0,0] Assertion `i < limit` failed.\n"), "%s", asserted);
    device->ops->close(device);
}
