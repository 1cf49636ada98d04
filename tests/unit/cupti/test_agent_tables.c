/* SPDX-License-Identifier: Apache-2.0 */
/* The agent's tables: shapes, launches under way, and the filter of a counter run. */
#if LANESCOPE_CUDA
#include "cupti/agent/activity.h"
#include "cupti/agent/agent.h"
#include "cupti/agent/filter.h"
#include "cupti/agent/launch_shape.h"
#endif

#include "tests/shared/made/made_cubin.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if !LANESCOPE_CUDA
__attribute__((constructor)) static void skip(void)
{
    puts("skipped: this build has no CUPTI headers");
    fflush(stdout);
    _exit(77);
}
#else

/* ---- shapes ---- */

static uint32_t announced[50000];
static bool refuse;

static bool remember(void *context, const struct event *shape)
{
    (void)context;
    if (refuse)
        return false;
    cr_assert_lt(shape->shape.id, sizeof announced / sizeof *announced);
    announced[shape->shape.id] = shape->shape.grid[0];
    return true;
}

static struct event shape_of(uint32_t grid, uint8_t flags)
{
    struct event shape = {.kind = EVENT_SHAPE, .flags = flags};
    shape.shape.grid[0] = grid;
    shape.shape.name = 7;
    return shape;
}

Test(shapes, every_shape_is_announced_once_and_keeps_its_id)
{
    struct shapes *shapes = shapes_create(remember, NULL);
    for (int round = 0; round < 2; round++) {
        for (uint32_t grid = 1; grid <= 20000; grid++) {
            struct event shape = shape_of(grid, 0);
            cr_assert_eq(shapes_id(shapes, &shape), grid);
            cr_assert_eq(announced[grid], grid);
        }
    }
    struct event other = shape_of(5, SHAPE_COOPERATIVE);
    cr_assert_eq(shapes_id(shapes, &other), 20001);
    shapes_destroy(shapes);
}

static uint8_t flags_announced[8];

static bool remember_flags(void *context, const struct event *shape)
{
    (void)context;
    flags_announced[shape->shape.name] = shape->flags;
    return true;
}

static const char *const kernels[] = {"plain", "divides", "allocates", "prints", "both"};

static uint32_t string_of(void *context, const char *text)
{
    (void)context;
    for (uint32_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i], text) == 0)
            return i + 1;
    cr_assert_fail("%s is no kernel", text);
    return 0;
}

/* As nvcc 13 makes it: the function that divides is in its kernel's section, malloc is outside. */
Test(shapes, what_the_code_calls_is_announced_with_the_shape)
{
    static const struct made_function functions[] = {
        {"malloc", .outside = true},
        {"vprintf", .outside = true},
        {"plain", .section = 11},
        {"divides", .section = 12},
        {"$__internal_0_$__cuda_sm20_rem_u64", .section = 12},
        {"allocates", .section = 13, .calls = 1},
        {"prints", .section = 14, .calls = 2},
        {"both", .section = 15, .calls = 1},
        {"$__internal_1_$__cuda_sm20_div_s64", .section = 15},
        {"$__internal_2_$__cuda_sm3x_div_rn_noftz_f32_slowpath", .section = 11}};
    static const uint8_t expected[] = {0, SHAPE_DIVIDES, SHAPE_ALLOCATES, SHAPE_PRINTS,
                                       SHAPE_DIVIDES | SHAPE_ALLOCATES};
    static uint8_t cubin[MADE_CUBIN_BYTES];
    struct shapes *shapes = shapes_create(remember_flags, NULL);
    const size_t size_bytes = made_cubin(cubin, functions, sizeof functions / sizeof *functions);
    shapes_module(shapes, cubin, size_bytes, string_of);
    for (uint32_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct event shape = shape_of(1, 0);
        shape.shape.name = i + 1;
        const uint32_t id = shapes_id(shapes, &shape);
        cr_expect(id > 0 && shapes_id(shapes, &shape) == id, "%s has one id", kernels[i]);
        cr_expect_eq(flags_announced[i + 1], expected[i], "%s: %u", kernels[i], flags_announced[i + 1]);
    }
    for (size_t cut = 0; cut < size_bytes; cut++) { /* nothing in it is trusted */
        uint8_t *part = malloc(cut + 1);
        memcpy(part, cubin, cut);
        shapes_module(shapes, part, cut, string_of);
        free(part);
    }
    shapes_destroy(shapes);
}

Test(shapes, what_could_not_be_announced_is_tried_again)
{
    struct shapes *shapes = shapes_create(remember, NULL);
    struct event shape = shape_of(3, 0);
    refuse = true;
    cr_assert_eq(shapes_id(shapes, &shape), 0);
    refuse = false;
    cr_assert_eq(shapes_id(shapes, &shape), 1);
    shapes_destroy(shapes);
}

/* ---- launches ---- */

static void enter(struct launches *launches, uint32_t correlation, int64_t start_ns)
{
    struct event call = {.kind = EVENT_CALL_BEGIN}, shape = shape_of(correlation, 0);
    call.call.correlation = correlation;
    call.call.start_ns = start_ns;
    launches_enter(launches, &call, &shape);
}

Test(launches, old_ones_are_taken_once_and_ended_ones_never)
{
    struct launches *launches = launches_create();
    struct event calls[8], shapes[8];
    int64_t oldest;
    for (uint32_t i = 1; i <= 6; i++)
        enter(launches, i, 100 * i);
    launches_end(launches, 2);
    launches_end(launches, 77);
    cr_assert_eq(launches_take_old(launches, 401, calls, shapes, 2, &oldest), 2);
    cr_assert_eq(oldest, 400);
    cr_assert(calls[0].call.correlation == 1 && calls[1].call.correlation == 3);
    cr_assert(shapes[0].shape.grid[0] == 1 && shapes[1].shape.grid[0] == 3);
    cr_assert_eq(launches_take_old(launches, 500, calls, shapes, 8, &oldest), 1);
    cr_assert_eq(calls[0].call.correlation, 4);
    cr_assert_eq(oldest, 500);
    launches_end(launches, 5);
    launches_end(launches, 6);
    cr_assert_eq(launches_take_old(launches, 1000, calls, shapes, 8, &oldest), 0);
    cr_assert_eq(oldest, INT64_MAX);
    launches_destroy(launches);
}

Test(launches, a_later_launch_takes_the_slot_over)
{
    struct launches *launches = launches_create();
    struct event call, shape;
    enter(launches, 1, 10);
    enter(launches, 1 + LAUNCHES_SLOTS, 20);
    cr_assert_not(launches_find(launches, 1, &call, &shape));
    launches_end(launches, 1); /* the record of the first one comes late */
    cr_assert(launches_find(launches, 1 + LAUNCHES_SLOTS, &call, &shape));
    cr_assert_eq(call.call.start_ns, 20);
    cr_assert_not(launches_find(launches, 0, &call, &shape));
    launches_destroy(launches);
}

static _Atomic bool over;
static _Atomic uint32_t newest, reads;

/* Launches that share a slot, each with a correlation of its own, as CUPTI gives them: none comes twice,
 * however long the reader sleeps. A busy machine may let neither run: it ends after a second or two, once the
 * reader has found one. */
static void *enter_one_after_the_other(void *launches)
{
    time_t end = time(NULL) + 2;
    for (uint32_t correlation = 1;
         correlation < UINT32_MAX - LAUNCHES_SLOTS && (reads == 0 || time(NULL) < end);
         correlation += LAUNCHES_SLOTS) {
        enter(launches, correlation, correlation);
        newest = correlation;
        sched_yield();
    }
    while (reads == 0)
        sched_yield();
    over = true;
    return NULL;
}

Test(launches, a_reader_never_sees_a_mixture)
{
    struct launches *launches = launches_create();
    pthread_t thread;
    size_t found = 0, mixed = 0;
    pthread_create(&thread, NULL, enter_one_after_the_other, launches);
    while (!over) {
        struct event call, shape;
        uint32_t correlation = newest;
        if (!launches_find(launches, correlation, &call, &shape))
            continue;
        found++;
        reads++;
        mixed += call.call.start_ns != correlation || shape.shape.grid[0] != correlation;
    }
    pthread_join(thread, NULL);
    launches_destroy(launches);
    cr_assert_eq(mixed, 0, "%zu of %zu", mixed, found);
    cr_assert_gt(found, 0);
}

/* ---- the filter ---- */

static enum filter_verdict ask(struct filter *filter, const char *name, uint32_t grid, bool cooperative)
{
    bool first;
    return filter_launch(
        filter,
        &(struct filter_launch){
            .name = name, .grid = {grid, 1, 1}, .block = {32, 1, 1}, .cooperative = cooperative},
        &first);
}

Test(filter, three_of_each_name_and_shape)
{
    struct filter *filter = filter_create("", 3);
    for (int i = 0; i < 5; i++) {
        enum filter_verdict verdict = i < 3 ? FILTER_MEASURE : FILTER_ENOUGH;
        cr_assert_eq(ask(filter, "_Z4unitPf", 64, false), verdict);
        cr_assert_eq(ask(filter, "_Z4unitPf", 65, false), verdict);
        cr_assert_eq(ask(filter, "_Z5otherPf", 64, false), verdict);
    }
    filter_return(filter,
                  &(struct filter_launch){.name = "_Z4unitPf", .grid = {64, 1, 1}, .block = {32, 1, 1}});
    cr_assert_eq(ask(filter, "_Z4unitPf", 64, false), FILTER_MEASURE);
    cr_assert_eq(ask(filter, "_Z4unitPf", 64, false), FILTER_ENOUGH);
    filter_destroy(filter);
}

Test(filter, a_new_limit_for_all)
{
    struct filter *filter = filter_create("", 2);
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 4; i++) {
            enum filter_verdict verdict = i < 2 ? FILTER_MEASURE : FILTER_ENOUGH;
            cr_assert_eq(ask(filter, "_Z4unitPf", 64, false), verdict);
            cr_assert_eq(ask(filter, "_Z5otherPf", 64, false), verdict);
        }
        filter_renew(filter);
    }
    filter_destroy(filter);
}

Test(filter, no_limit)
{
    struct filter *filter = filter_create("", 0);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(ask(filter, "k", 1, false), FILTER_MEASURE);
    filter_destroy(filter);
}

Test(filter, what_waits_for_others_is_skipped_and_told_once)
{
    struct filter *filter = filter_create("", 3);
    const struct filter_launch nccl = {.name = "_Z33ncclDevKernel_AllReduce_Sum_f32_LP20ncclDevKernelArgs"};
    bool first;
    cr_assert_eq(filter_launch(filter, &nccl, &first), FILTER_NCCL);
    cr_assert(first);
    cr_assert_eq(filter_launch(filter, &nccl, &first), FILTER_NCCL);
    cr_assert_not(first);
    cr_assert_eq(ask(filter, "_Z4unitPf", 1, true), FILTER_COOPERATIVE);
    cr_assert_eq(ask(filter, "_ZN4nccl5innerEPf", 1, false),
                 FILTER_MEASURE); /* its last part does not begin with nccl */
    filter_destroy(filter);
    filter = filter_create("nccl*", 3);
    cr_assert_eq(filter_launch(filter, &nccl, &first), FILTER_MEASURE);
    cr_assert_eq(ask(filter, "_Z4unitPf", 1, false), FILTER_NOT_NAMED);
    filter_destroy(filter);
}

Test(filter, globs_match_plain_and_mangled_names)
{
    static const struct {
        const char *glob, *name;
        enum filter_verdict verdict;
    } rows[] = {{"unit", "_Z4unitPKfPf", FILTER_MEASURE},
                {"un*", "_Z4unitPKfPf", FILTER_MEASURE},
                {"_Z4unit*", "_Z4unitPKfPf", FILTER_MEASURE},
                {"unit", "_Z5unit2PKfPf", FILTER_NOT_NAMED},
                {"ns::kernel", "_ZN2ns6kernelIfEEvPf", FILTER_MEASURE},
                {"*kernel", "_ZN2ns6kernelIfEEvPf", FILTER_MEASURE},
                {"plain_c", "plain_c", FILTER_MEASURE},
                {"[ab]*", "beta", FILTER_MEASURE},
                {"[ab]*", "gamma", FILTER_NOT_NAMED}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct filter *filter = filter_create(rows[i].glob, 3);
        cr_assert_eq(ask(filter, rows[i].name, 1, false), rows[i].verdict, "%s %s", rows[i].glob,
                     rows[i].name);
        filter_destroy(filter);
    }
}

Test(filter, plain_names_of_what_cannot_be_read)
{
    static const struct {
        const char *mangled, *plain;
    } rows[] = {{"_Z4unitPKfPf", "unit"},
                {"_ZN2ns6kernelIfEEvPf", "ns::kernel"},
                {"_Z99999999999999999999x", "_Z99999999999999999999x"},
                {"_Z9shortx", "_Z9shortx"},
                {"_Z", "_Z"},
                {"_ZN", "_ZN"},
                {"_Z0", "_Z0"},
                {"", ""},
                {"_ZN2ns99xE", "ns"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char plain[64];
        filter_plain_name(rows[i].mangled, plain, sizeof plain);
        cr_assert_str_eq(plain, rows[i].plain);
    }
    char tiny[5];
    filter_plain_name("_Z4unitPKfPf", tiny, sizeof tiny);
    cr_assert_lt(strlen(tiny), sizeof tiny);
}

/* ---- the self-check ---- */

Test(check, the_first_kernel_must_say_what_was_launched)
{
    struct event call = {.kind = EVENT_CALL_BEGIN}, shape = {.kind = EVENT_SHAPE};
    cupti_kernel_record k = {.gridX = 64,
                             .gridY = 2,
                             .gridZ = 1,
                             .blockX = 256,
                             .blockY = 1,
                             .blockZ = 1,
                             .start = 2000,
                             .end = 3000};
    struct error error;
    call.call.start_ns = 1000;
    shape.shape.name = 9;
    shape.shape.grid[0] = 64;
    shape.shape.grid[1] = 2;
    shape.shape.grid[2] = 1;
    shape.shape.block[0] = 256;
    shape.shape.block[1] = shape.shape.block[2] = 1;
    cr_assert_eq(check_compare(&k, 9, &call, &shape, "/lib/libcupti.so.13", &error), STATUS_OK);
    cr_assert_eq(check_compare(&k, 8, &call, &shape, "/lib/libcupti.so.13", &error), STATUS_CHECK);
    k.gridY = 3;
    cr_assert_eq(check_compare(&k, 9, &call, &shape, "/lib/libcupti.so.13", &error), STATUS_CHECK);
    cr_assert(strstr(error.text, "grid y") && strstr(error.text, "/lib/libcupti.so.13"));
    k.gridY = 2;
    k.end = 1999;
    cr_assert_eq(check_compare(&k, 9, &call, &shape, "/lib/libcupti.so.13", &error), STATUS_CHECK);
}
#endif
