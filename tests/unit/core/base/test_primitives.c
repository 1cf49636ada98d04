/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parallel primitives on the device model: what their lessons say of kernels whose accesses depend on the
 * data, which no rule expects. model_log_run also verifies every result.
 */
#include "core/metric/metric.h"
#include "tests/shared/made/model_log.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct model_log done; /* the newest run */

static void setup(void)
{
    memset(&done, 0, sizeof done);
}

static void teardown(void)
{
    model_log_fini(&done);
}

TestSuite(primitives, .init = setup, .fini = teardown);

static void run(const char *text)
{
    struct device *device;

    teardown();
    setup();
    device = model_log_device(&done, &(struct simt_options){.workers = 1});
    model_log_run(device, NULL, text, true);
    device->ops->close(device);
}

static const char *text_of(uint32_t id)
{
    return done.strings[id - 1];
}

/* A metric of the last launch of a kernel; NaN: it was not launched. */
static double value_of(const char *kernel, enum metric metric)
{
    char wanted[96];
    uint32_t shape = 0, measurement = 0;
    double found = NAN;

    snprintf(wanted, sizeof wanted, "%s%s", METRIC_MODEL_PREFIX, metric_info(metric)->id);
    for (size_t i = 0; i < done.count; i++) {
        const struct event *e = &done.events[i];

        if (e->kind == EVENT_SHAPE && strcmp(text_of(e->shape.name), kernel) == 0)
            shape = e->shape.id;
        else if (e->kind == EVENT_MEASUREMENT && shape && e->measurement.shape == shape)
            measurement = e->measurement.id;
        else if (e->kind == EVENT_VALUE && measurement && e->value.measurement == measurement &&
                 strcmp(text_of(e->value.counter), wanted) == 0)
            found = e->value.number;
    }
    return found;
}

static double store_sectors_per_request(const char *kernel)
{
    return value_of(kernel, METRIC_global_store_sectors) / value_of(kernel, METRIC_global_store_requests);
}

/* Of a block's eight warps, eight in five steps, then 4, 2 and 1 part for an addition; where the first
 * threads add, one warp in five steps. All then part once for the block's sum. */
Test(primitives, additions_of_every_second_lane_part_the_warps)
{
    static const struct {
        const char *text, *kernel;
        double parted, active_least, active_most;
    } rows[] = {
        {"reduction:divergent", "reduction_divergent", 5 * 8 + 4 + 2 + 1 + 1, 10, 20},
        {"reduction:conflicts", "reduction_conflicts", 5 + 1, 27, 30},
        {"reduction:sequential", "reduction_sequential", 5 + 1, 27, 30},
        {"reduction:first-add", "reduction_first_add", 5 + 1, 27, 30},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run(rows[i].text);
        double parted = value_of(rows[i].kernel, METRIC_divergent_branch),
               active = value_of(rows[i].kernel, METRIC_active_threads_per_warp);
        cr_assert_eq(parted / value_of(rows[i].kernel, METRIC_global_store_requests), rows[i].parted,
                     "%s: %g", rows[i].text, parted);
        cr_assert(active > rows[i].active_least && active < rows[i].active_most, "%s: %g", rows[i].text,
                  active);
    }
}

Test(primitives, scattered_digits_cost_what_the_lesson_says)
{
    run("radix-sort:split,bits=4");
    double split = store_sectors_per_request("radix_sort_split");
    run("radix-sort:scatter,bits=4");
    double scatter = store_sectors_per_request("radix_sort_scatter");
    run("radix-sort:local-sort,bits=4");
    double local = store_sectors_per_request("radix_sort_local");

    cr_assert(split > 5 && split < 7, "%g", split);
    cr_assert(scatter > 14 && scatter < 18, "%g", scatter);
    cr_assert(local > 4 && local < 6, "%g", local);
}

/* Odd and even numbers of passes end in different arrays; blocks with one and with many tiles. */
Test(primitives, keys_are_sorted_by_the_bits_that_were_asked_for)
{
    static const char *const texts[] = {"radix-sort,n=2048,bits=4", "radix-sort,n=2048,bits=12",
                                        "radix-sort,n=2048,bits=20", "radix-sort:local-sort,n=16384,bits=8",
                                        "radix-sort:scatter,n=16384,bits=12"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        run(texts[i]);
}

/* Nothing, everything and something between; one block, and more blocks than scan_sums takes at a time. */
Test(primitives, words_are_picked)
{
    static const char *const texts[] = {"compaction,n=512,keep=0|3|100", "compaction:scan,n=263168,keep=40"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        run(texts[i]);
}

/* Each thread asks, one lane of 32 does, one thread of 512 does. */
Test(primitives, the_fewer_ask_where_to_put_their_words_the_faster)
{
    run("compaction:atomic,n=1048576");
    double each = done.last_ns;
    run("compaction:warp,n=1048576");
    double warp = done.last_ns;
    run("compaction:block,n=1048576");

    cr_assert(each > 1.5 * warp && warp > done.last_ns, "%g, %g and %g ns", each, warp, done.last_ns);
}

Test(primitives, sums_of_many_blocks)
{
    run("scan:blocks,n=512");
    run("scan:blocks,n=263168"); /* 514 blocks: scan_sums goes round twice */
}

/* One bin for all, two sets of bins that differ in size, and more bins than threads. */
Test(primitives, bins_hold_what_was_counted)
{
    static const char *const texts[] = {"histogram,skew=100,bins=2", "histogram,skew=37,bins=64",
                                        "histogram,bins=1024"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        run(texts[i]);
}

/* In which order the variants come where all values are one. */
Test(primitives, shared_bins_do_not_mind_skew)
{
    double even[3], skewed[3];
    static const char *const variants[] = {"global", "shared", "warps"};

    for (size_t i = 0; i < 3; i++) {
        char text[64];

        snprintf(text, sizeof text, "histogram:%s,skew=0", variants[i]);
        run(text);
        even[i] = done.last_ns;
        snprintf(text, sizeof text, "histogram:%s,skew=100", variants[i]);
        run(text);
        skewed[i] = done.last_ns;
    }
    cr_assert_gt(skewed[0], 1.2 * even[0], "%g and %g ns", skewed[0], even[0]);
    for (size_t i = 1; i < 3; i++) {
        cr_assert_lt(skewed[i], 1.1 * even[i], "%s: %g and %g ns", variants[i], skewed[i], even[i]);
        cr_assert_lt(skewed[i], skewed[0]);
    }
}
