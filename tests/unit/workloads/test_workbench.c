/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a bench's host memory is: as the case wants it, but nothing pinned where launches are replayed; and
 * that all goes back as what it was.
 */
#include "workloads/frame/workbench.h"

#include "tests/shared/fixture/fixture_device.h"

#include <criterion/criterion.h>

static struct test_device d;

static void start(struct workbench *bench, bool replayed)
{
    test_device_init(&d);
    workbench_init(bench, &d.device, 1, 1);
    bench->replayed = replayed;
}

/* A buffer of each kind, the second and larger request of each, the pattern and a fetch. */
static void take_all(struct workbench *bench)
{
    const float *words;
    device_pointer output;
    void *buffer;

    for (int kind = 0; kind < HOST_MEMORY_COUNT; kind++) {
        for (size_t bytes = 100; bytes <= 200; bytes += 100)
            cr_assert_eq(workbench_host_buffer(bench, 0, (enum host_memory)kind, bytes, &buffer, NULL),
                         STATUS_OK);
    }
    cr_assert_eq(workbench_pattern(bench, 64, &words, NULL), STATUS_OK);
    for (size_t i = 0; i < 64; i++)
        cr_assert_float_eq(words[i], workbench_pattern_at(i), 0);
    cr_assert_eq(workbench_output(bench, 1, 16, &output, NULL), STATUS_OK);
    cr_assert_eq(workbench_fetch(bench, 1, 16, &words, NULL), STATUS_OK);
    cr_assert_eq(((const uint32_t *)words)[15], WORKBENCH_POISON_WORD);
}

static void check_live(int pageable, int pinned, int mapped, int registered)
{
    const int wanted[HOST_MEMORY_COUNT] = {[HOST_PAGEABLE] = pageable,
                                           [HOST_PINNED] = pinned,
                                           [HOST_MAPPED] = mapped,
                                           [HOST_REGISTERED] = registered};

    for (int kind = 0; kind < HOST_MEMORY_COUNT; kind++)
        cr_assert_eq(d.host_live[kind], wanted[kind], "kind %d: %d, wanted %d", kind, d.host_live[kind],
                     wanted[kind]);
}

Test(workbench, memory_is_of_the_kind_that_was_wanted_and_stays)
{
    struct workbench bench;

    start(&bench, false);
    for (int turn = 0; turn < 2; turn++) {
        take_all(&bench);
        check_live(1, 3, 1, 1);
        workbench_case_ended(&bench);
        check_live(1, 3, 1, 1);
    }
    workbench_fini(&bench);
    check_live(0, 0, 0, 0);
    cr_assert_eq(d.live, 0);
}

Test(workbench, replayed_launches_find_nothing_pinned_but_what_they_read)
{
    struct workbench bench;

    start(&bench, true);
    for (int turn = 0; turn < 2; turn++) {
        take_all(&bench);
        check_live(5, 0, 1, 0);
        workbench_case_ended(&bench);
        check_live(5, 0, 0, 0);
    }
    take_all(&bench);
    workbench_fini(&bench);
    check_live(0, 0, 0, 0);
    cr_assert_eq(d.live, 0);
    cr_assert(d.host_most[HOST_PINNED] == 0 && d.host_most[HOST_REGISTERED] == 0);
}
