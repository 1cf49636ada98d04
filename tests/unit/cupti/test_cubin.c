/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent reads from a cubin, and what it makes of CUPTI's records: pure functions. */
#include "tests/shared/made/made_cubin.h"
#if LANESCOPE_CUDA
#include "cupti/agent/lines/source.h"
#include "cupti/profiler/pc.h"
#include "cupti/profiler/sass.h"
#endif

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if !LANESCOPE_CUDA
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no CUPTI headers");
    fflush(stdout);
    _exit(77);
}
#else

static const struct made_function functions[] = {{"add", .size_bytes = 0x40},
                                                 {"_Z4copyPf", .size_bytes = 0x1230},
                                                 {"empty", .size_bytes = 0},
                                                 {"large", .size_bytes = 1u << 30}};

Test(cubin, functions_have_their_bytes)
{
    uint8_t bytes[MADE_CUBIN_BYTES];
    size_t size = made_cubin(bytes, functions, 4);
    cr_assert_eq(cubin_function_bytes(bytes, size, "add"), 0x40);
    cr_assert_eq(cubin_function_bytes(bytes, size, "_Z4copyPf"), 0x1230);
    cr_assert_eq(cubin_function_bytes(bytes, size, "_Z4copyP"), 0);
    cr_assert_eq(cubin_function_bytes(bytes, size, "empty"), 0);
    cr_assert_eq(cubin_function_bytes(bytes, size, "large"), 0);
    cr_assert_eq(cubin_function_bytes(bytes, size, ""), 0);
    for (size_t cut = 0; cut < size;
         cut++) { /* the last string is "large", the others are whole before that */
        uint8_t *part = malloc(cut ? cut : 1);
        memcpy(part, bytes, cut);
        uint32_t found = cubin_function_bytes(part, cut, "add");
        cr_assert(found == 0 || found == 0x40);
        free(part);
    }
}

/* Damaged anywhere, also where it says how much there is: an answer, within bounds (the sanitizer's to say).
 */
Test(cubin, of_any_bytes)
{
    uint8_t whole[MADE_CUBIN_BYTES];
    size_t size = made_cubin(whole, functions, 4);
    uint8_t *bytes = malloc(size);
    srand(5);
    for (int round = 0; round < 50000; round++) {
        memcpy(bytes, whole, size);
        for (int i = 1 + rand() % 3; i > 0; i--) {
            size_t at = (size_t)rand() % size;
            uint64_t value = rand() % 3 ? (uint64_t)rand() : UINT64_MAX - (uint64_t)(rand() % 64);
            memcpy(bytes + at, &value, size - at < 8 ? size - at : 8);
        }
        cr_assert_leq(cubin_function_bytes(bytes, size, "_Z4copyPf"), CUBIN_FUNCTION_MAX);
    }
    free(bytes);
}

/* ---- samples ---- */

Test(cubin, samples_are_told_by_the_reasons_index)
{
    const struct pc_reason reasons[] = {{28, 101}, {0, 102}, {14, 103}};
    CUpti_PCSamplingStallReason stalls[] = {{14, 7}, {28, 0}, {5, 9}, {0, 2}};
    CUpti_PCSamplingPCData record = {
        .pcOffset = 0x120, .correlationId = 42, .stallReasonCount = 3, .stallReason = stalls};
    struct event events[3];
    cr_assert_eq(pc_events(&record, reasons, 3, 9, events), 1); /* one has no samples, one is not known */
    cr_assert(events[0].kind == EVENT_STALLS && events[0].stalls.reason == 103 &&
              events[0].stalls.samples == 7);
    cr_assert(events[0].stalls.pc_offset == 0x120 && events[0].stalls.correlation == 42 &&
              events[0].stalls.period_cycles == 512);
    record.stallReasonCount = 1000; /* more than there are */
    cr_assert_eq(pc_events(&record, reasons, 3, 9, events), 1);
    record.pcOffset = 1ull << 32;
    cr_assert_eq(pc_events(&record, reasons, 3, 9, events), 0);
    record.stallReason = NULL;
    cr_assert_eq(pc_events(&record, reasons, 3, 9, events), 0);
}

/* Random reasons and records: each sample of a known reason comes once, and nothing else. */
Test(cubin, samples_are_neither_lost_nor_made)
{
    srand(9);
    for (int round = 0; round < 2000; round++) {
        struct pc_reason reasons[40];
        CUpti_PCSamplingStallReason stalls[40];
        struct event events[40];
        uint64_t expected = 0, sum = 0;
        size_t count = 1 + (size_t)rand() % 40, used = (size_t)rand() % (count + 1);
        for (size_t i = 0; i < count; i++)
            reasons[i] = (struct pc_reason){(uint32_t)(count - i) * 3, 1000 + (uint32_t)(count - i) * 3};
        for (size_t i = 0; i < used; i++) {
            stalls[i] = (CUpti_PCSamplingStallReason){1 + (uint32_t)rand() % 120, (uint32_t)rand() % 4};
            bool known = stalls[i].pcSamplingStallReasonIndex % 3 == 0 &&
                         stalls[i].pcSamplingStallReasonIndex <= count * 3;
            expected += known ? stalls[i].samples * (uint64_t)stalls[i].pcSamplingStallReasonIndex : 0;
        }
        CUpti_PCSamplingPCData record = {.stallReasonCount = used, .stallReason = stalls};
        size_t made = pc_events(&record, reasons, count, 5, events);
        for (size_t i = 0; i < made; i++)
            sum += events[i].stalls.samples * (events[i].stalls.reason - 1000);
        cr_assert(sum == expected && made <= used);
    }
}

/* ---- counts ---- */

Test(cubin, instances_of_a_metric_add_up)
{
    const struct sass_metric metrics[] = {{1000, 11}, {1001, 12}, {1002, 13}};
    CUpti_SassMetrics_InstanceValue values[] = {{1001, 5}, {1000, 1ull << 40}, {1001, 6}, {77, 9}, {1002, 0}};
    CUpti_SassMetrics_Data record = {.pcOffset = 0x30, .pInstanceValues = values};
    struct event events[3];
    cr_assert_eq(sass_events(&record, 5, metrics, 3, events), 2);
    cr_assert(events[0].instruction_count.counter == 11 && events[0].instruction_count.number == 1ull << 40);
    cr_assert(events[1].instruction_count.counter == 12 && events[1].instruction_count.number == 11);
    cr_assert(events[1].kind == EVENT_INSTRUCTION_COUNT && events[1].instruction_count.pc_offset == 0x30);
    cr_assert_eq(sass_events(&record, 1, metrics, 3, events), 1);
}
#endif
