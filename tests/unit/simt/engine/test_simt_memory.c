/* SPDX-License-Identifier: Apache-2.0 */
/* The modelled device's memory: addresses, gaps, finding, and the bits of what is initialised. */
#include "simt/memory/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct memory *make(uint64_t limit_bytes, bool checked)
{
    struct memory *memory;
    cr_assert_eq(memory_create(&memory, limit_bytes, checked, NULL), STATUS_OK);
    return memory;
}

static uint64_t allocate(struct memory *memory, uint64_t size_bytes)
{
    uint64_t address = 0;
    struct error error;
    cr_assert_eq(memory_alloc(memory, size_bytes, &address, &error), STATUS_OK, "%s", error.text);
    return address;
}

Test(simt_memory, an_address_is_found_from_its_first_byte_to_its_last)
{
    struct memory *memory = make(1 << 20, false);
    static const uint64_t sizes[] = {1, 511, 512, 513, 4096, 0};
    uint64_t addresses[6];
    for (int i = 0; i < 6; i++) {
        addresses[i] = allocate(memory, sizes[i]);
        cr_assert_eq(addresses[i] % 512, 0);
    }
    cr_assert_eq(addresses[0], MEMORY_GLOBAL_BASE);
    for (int i = 0; i < 6; i++) {
        if (sizes[i]) {
            const struct memory_range *range = memory_find(memory, addresses[i]);
            cr_assert_not_null(range);
            cr_assert_eq(range->address, addresses[i]);
            cr_assert_eq(range, memory_find(memory, addresses[i] + sizes[i] - 1));
            cr_assert_eq(range->bytes[sizes[i] - 1], 0, "fresh memory is zero");
            cr_assert_null(range->initialised);
        }
        for (uint64_t past = 0; past < 512; past++)
            cr_assert_null(memory_find(memory, addresses[i] + sizes[i] + past));
    }
    cr_assert_null(memory_find(memory, MEMORY_GLOBAL_BASE - 1));
    cr_assert_eq(memory_used_bytes(memory), 1 + 511 + 512 + 513 + 4096);
    memory_destroy(memory);
}

Test(simt_memory, memory_of_the_host_is_not_the_devices)
{
    struct memory *memory = make(1000, false);
    uint64_t host, device = allocate(memory, 600);
    struct error error;

    cr_assert_eq(memory_alloc_host(memory, 5000, &host, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(memory_free_bytes(memory), 400);
    cr_assert_eq(memory_find(memory, host + 4999)->gpu, MEMORY_EVERY_GPU);
    cr_assert_eq(memory_alloc_host(memory, UINT64_C(1) << 46, &host, &error), STATUS_MEMORY);
    cr_assert_not_null(strstr(error.text, "host memory for 70368744177664 bytes"), "%s", error.text);
    cr_assert_eq(memory_alloc(memory, 401, &device, &error), STATUS_MEMORY);
    cr_assert_not_null(strstr(error.text, "600 of its 1000"), "%s", error.text);
    cr_assert_eq(memory_free(memory, host, &error), STATUS_OK);
    cr_assert_eq(memory_free_bytes(memory), 400);
    memory_destroy(memory);
}

Test(simt_memory, the_same_calls_give_the_same_addresses)
{
    uint64_t first[200] = {0};
    for (int run = 0; run < 2; run++) {
        struct memory *memory = make(1 << 30, false);
        uint64_t live[200];
        int count = 0, step = 0;
        uint32_t random = 7;
        for (; step < 200; step++) {
            random = random * 1664525u + 1013904223u;
            if (count > 0 && random >> 30 == 0) {
                int at = (int)(random >> 8) % count;
                cr_assert_eq(memory_free(memory, live[at], NULL), STATUS_OK);
                live[at] = live[--count];
                continue;
            }
            live[count] = allocate(memory, random >> 12 & 0xffff);
            if (run == 0)
                first[step] = live[count];
            cr_assert_eq(first[step], live[count]);
            count++;
        }
        for (int i = 0; i < count; i++)
            for (int j = 0; j < i; j++)
                cr_assert_neq(live[i], live[j]);
        memory_destroy(memory);
    }
}

Test(simt_memory, a_freed_gap_is_taken_again_by_what_fits)
{
    struct memory *memory = make(1 << 20, false);
    uint64_t a = allocate(memory, 1000), b = allocate(memory, 1000);
    allocate(memory, 1000);
    cr_assert_eq(memory_free(memory, b, NULL), STATUS_OK);
    cr_assert_gt(allocate(memory, 1025), b);
    cr_assert_eq(allocate(memory, 1024), b);
    cr_assert_eq(memory_free(memory, a, NULL), STATUS_OK);
    cr_assert_eq(allocate(memory, 1), a);
    memory_destroy(memory);
}

/* The lowest gap with room, looked for from the first address each time. */
static uint64_t lowest_gap(uint64_t (*taken)[2], size_t count, uint64_t base, uint64_t size_bytes)
{
    uint64_t at = base, span = (size_bytes + 511) / 512 * 512 + 512;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < count; i++)
            if (taken[i][0] < at + span && at < taken[i][0] + taken[i][1]) {
                at = taken[i][0] + taken[i][1];
                moved = true;
            }
    }
    return at;
}

Test(simt_memory, the_lowest_gap_is_taken, .timeout = 60)
{
    static const uint64_t sizes[] = {1, 600, 1024, 1500, 5000, 70000};
    for (unsigned seed = 1; seed <= 6; seed++) {
        struct memory *memory = make(UINT64_C(1) << 30, false);
        uint64_t
            taken[2][400]
                 [2]; /* of what the host sees and of the rest: address, and bytes with the gap after them */
        size_t counts[2] = {0, 0};
        const bool unified = seed % 2 == 0;
        struct error error;
        if (unified)
            cr_assert_eq(memory_unify(memory, &error), STATUS_OK, "%s", error.text);
        uint64_t base[2] = {allocate(memory, 1), 0};
        cr_assert_eq(memory_alloc_open(memory, 1, &base[1], &error), STATUS_OK);
        cr_assert_eq(memory_free(memory, base[0], &error), STATUS_OK);
        cr_assert_eq(memory_free(memory, base[1], &error), STATUS_OK);
        srand(seed);
        for (int i = 0; i < 4000; i++) {
            const int open = rand() % 2, part = unified ? open : 0;
            size_t *count = &counts[part];
            if (*count == 400 || (*count > 0 && rand() % 5 < 2)) {
                size_t gone = (size_t)rand() % *count;
                cr_assert_eq(memory_free(memory, taken[part][gone][0], &error), STATUS_OK);
                memmove(taken[part][gone], taken[part][--*count], sizeof taken[part][gone]);
                continue;
            }
            uint64_t size_bytes = sizes[rand() % 6] + (uint64_t)(rand() % 3) * 512, address;
            uint64_t wanted = lowest_gap(taken[part], *count, base[part], size_bytes);
            cr_assert_eq((open ? memory_alloc_open : memory_alloc)(memory, size_bytes, &address, &error),
                         STATUS_OK);
            cr_assert_eq(address, wanted, "seed %u, allocation %d", seed, i);
            taken[part][*count][0] = address;
            taken[part][(*count)++][1] = (size_bytes + 511) / 512 * 512 + 512;
        }
        memory_destroy(memory);
    }
}

/* One more costs the same as the first: the limit of time is what fails. */
Test(simt_memory, many_allocations, .timeout = 20)
{
    struct memory *memory = make(UINT64_C(1) << 30, false);
    struct error error;
    cr_assert_eq(memory_unify(memory, &error), STATUS_OK, "%s", error.text);
    uint64_t first = allocate(memory, 1);
    for (uint64_t i = 1; i < 300000; i++)
        cr_assert_eq(allocate(memory, 1), first + i * 1024);
    memory_destroy(memory);
}

Test(simt_memory, what_can_not_be_done_is_said)
{
    struct memory *memory = make(4096, false);
    struct error error;
    uint64_t address = 0;
    uint8_t *bytes;
    cr_assert_eq(memory_alloc(memory, 4097, &address, &error), STATUS_MEMORY);
    address = allocate(memory, 4096);
    uint64_t other;
    cr_assert_eq(memory_alloc(memory, 1, &other, &error), STATUS_MEMORY);
    cr_assert_not_null(strstr(error.text, "4096"));
    cr_assert_eq(memory_free(memory, address + 512, &error), STATUS_CHECK);
    cr_assert_eq(memory_access(memory, address + 4090, 7, false, &bytes, &error), STATUS_CHECK);
    cr_assert_not_null(strstr(error.text, "1 past the end"), "%s", error.text);
    cr_assert_eq(memory_access(memory, address - 1, 1, false, &bytes, &error), STATUS_CHECK);
    cr_assert_eq(memory_access(memory, address + 4090, UINT64_MAX, false, &bytes, &error), STATUS_CHECK);
    cr_assert_eq(memory_access(memory, address + 4090, 6, true, &bytes, &error), STATUS_OK);
    bytes[5] = 3;
    cr_assert_eq(memory_find(memory, address)->bytes[4095], 3);
    memory_destroy(memory);
}

Test(simt_memory, the_nearest_allocation_is_named)
{
    struct memory *memory = make(1 << 20, false);
    cr_assert_null(memory_nearest(memory, 5));
    uint64_t a = allocate(memory, 512), b = allocate(memory, 512);
    cr_assert_eq(memory_nearest(memory, a - 1)->address, a);
    cr_assert_eq(memory_nearest(memory, a + 512)->address, a);
    cr_assert_eq(memory_nearest(memory, b - 1)->address, b);
    cr_assert_eq(memory_nearest(memory, b + 99999)->address, b);
    memory_destroy(memory);
}

Test(simt_memory, every_marked_byte_has_its_bit_and_no_other)
{
    struct memory *memory = make(1 << 20, true);
    uint32_t random = 11;
    for (int round = 0; round < 300; round++) {
        uint64_t address = allocate(memory, 100);
        const struct memory_range *range = memory_find(memory, address);
        bool want[100] = {false};
        for (int i = 0; i < 3; i++) {
            random = random * 1664525u + 1013904223u;
            uint64_t offset = (random >> 8) % 100, size_bytes = (random >> 20) % (101 - offset);
            memory_mark(range, offset, size_bytes);
            for (uint64_t at = offset; at < offset + size_bytes; at++)
                want[at] = true;
        }
        for (int at = 0; at < 100; at++)
            cr_assert_eq(range->initialised[at / 8] >> at % 8 & 1, want[at]);
        cr_assert_eq(memory_free(memory, address, NULL), STATUS_OK);
    }
    memory_destroy(memory);
}
