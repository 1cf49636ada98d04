/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host code of the first workloads on the device of fixture_device.h (the device model runs all of them):
 * the right result is verified, a wrong word, a missing word and a word too much are found, and every failing
 * call comes back as an error.
 */
#include "tests/shared/fixture/fixture_device.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static struct test_device d;

/* What is to overlap is long enough for that even when small; the fixture's device computes it word by word.
 */
static void shorten_schedule(struct workload_case *c)
{
    for (size_t i = 0; i < c->workload->param_count; i++) {
        if (strcmp(c->workload->params[i].name, "rounds") != 0)
            continue;
        for (size_t k = 0; k < c->workload->param_count; k++)
            if (strcmp(c->workload->params[k].name, "n") == 0)
                c->params.value[k] = 1 << 16;
        c->params.value[i] = 16;
    }
}

/* Every case of `text` at its small size, on one bench. */
static void run_all(const char *text,
                    void (*check)(const struct workload_case *c, enum status status,
                                  const struct workload_result *result, const struct error *error))
{
    struct workload_case *cases = NULL;
    struct workbench bench;
    struct error error = {0};
    size_t count = 0;

    cr_assert_eq(strcmp(text, "--all") == 0 ? workload_all(&cases, &count, &error)
                                            : workload_parse(text, &cases, &count, &error),
                 STATUS_OK, "%s", error.text);
    workbench_init(&bench, &d.device, 2, 2);
    for (size_t i = 0; i < count; i++) {
        struct workload_case *c = &cases[i];
        struct workload_result result = {.verified = -1};

        if (!test_device_runs(c->workload->name) || c->variant->library) /* test_library.c */
            continue;
        c->info = &d.info;
        c->small = true;
        bench.seed = workload_seed(c);
        shorten_schedule(c);
        cr_assert_eq(c->workload->resolve(c, &error), STATUS_OK, "%s", error.text);
        enum status status = c->workload->run(c, &bench, &result, &error);
        check(c, status, &result, &error);
    }
    test_device_drain(&d);
    workbench_fini(&bench);
    cr_assert_eq(d.live, 0, "%zu things were not given back", d.live);
    free(cases);
}

static void is_verified(const struct workload_case *c, enum status status,
                        const struct workload_result *result, const struct error *error)
{
    cr_assert_eq(status, STATUS_OK, "%s: %s", c->workload->name, error->text);
    cr_assert_eq(result->verified, 1, "%s:%s: %s", c->workload->name, c->variant->name, result->detail);
    d.event_count = 0; /* all of the case's were destroyed */
}

Test(workload_run, right_results_are_verified)
{
    test_device_init(&d);
    run_all("--all", is_verified);
    cr_assert_gt(d.launches, 174);
}

Test(workload_run, schedules_wait_for_what_they_need)
{
    for (int oldest_first = 0; oldest_first < 2; oldest_first++) {
        test_device_init(&d);
        d.oldest_first = oldest_first;
        run_all("n-way", is_verified);
        run_all("staged-overlap", is_verified);
    }
}

/* On one bench: what it has of one seed and size is not taken for another's. */
Test(workload_run, seeds_change_from_case_to_case)
{
    test_device_init(&d);
    run_all("copy-offset,n=4096|1024,seed=0|7|8", is_verified);
    run_all("transpose,n=32|64,seed=7|0", is_verified);
    run_all("matmul-ab:simple,m=64|32,n=32,seed=0|9", is_verified);
}

static const char *part; /* of the detail that is wanted */

static void is_refused(const struct workload_case *c, enum status status,
                       const struct workload_result *result, const struct error *error)
{
    cr_assert_eq(status, STATUS_OK, "%s: %s", c->workload->name, error->text);
    cr_assert_eq(result->verified, 0, "%s:%s is verified in spite of the damage", c->workload->name,
                 c->variant->name);
    cr_assert(strstr(result->detail, part), "%s:%s: %s", c->workload->name, c->variant->name, result->detail);
    d.event_count = 0;
}

Test(workload_run, a_wrong_word_is_found)
{
    static const char *const texts[] = {"copy-offset,offset=0..2",
                                        "copy-stride,stride=1|2|4",
                                        "bank-stride",
                                        "transpose",
                                        "matmul-ab",
                                        "n-way",
                                        "staged-overlap"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        test_device_init(&d);
        d.damage = DAMAGE_WRONG_WORD;
        part = "64] is ";
        run_all(texts[i], is_refused);
    }
}

Test(workload_run, a_missing_word_is_found)
{
    static const char *const texts[] = {"copy-offset,offset=0..2",
                                        "copy-stride,stride=1|2|4",
                                        "bank-stride",
                                        "transpose",
                                        "matmul-ab",
                                        "n-way",
                                        "staged-overlap"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        test_device_init(&d);
        d.damage = DAMAGE_MISSING_WORD;
        part = "64] was never written";
        run_all(texts[i], is_refused);
    }
}

Test(workload_run, a_word_too_much_is_found)
{
    test_device_init(&d);
    d.damage = DAMAGE_WORD_TOO_MUCH;
    part = "no thread should have written it";
    run_all("copy-offset,offset=1|32", is_refused);
}

static size_t failures;

static void may_fail(const struct workload_case *c, enum status status, const struct workload_result *result,
                     const struct error *error)
{
    if (status) {
        cr_assert_eq(result->verified, -1, "%s:%s", c->workload->name, c->variant->name);
        cr_assert(strncmp(error->text, "call ", 5) == 0, "%s:%s: %s", c->workload->name, c->variant->name,
                  error->text);
        failures++;
    } else {
        cr_assert_eq(result->verified, 1, "%s:%s: %s", c->workload->name, c->variant->name, result->detail);
    }
}

Test(workload_run, every_failing_call_is_an_error)
{
    static const char *const texts[] = {"copy-offset",
                                        "copy-stride",
                                        "bank-stride:8-bit",
                                        "transpose:pad",
                                        "matmul-ab:simple",
                                        "n-way:4-way+,n=65536,rounds=1",
                                        "n-way:2-way,n=65536,rounds=1",
                                        "staged-overlap:staged-pageable"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t calls = 1;
        for (size_t failing = 0; failing <= calls; failing++) {
            test_device_init(&d);
            d.failing_call = failing; /* 0: none, to see how many calls there are */
            failures = 0;
            run_all(texts[i], may_fail);
            cr_assert_eq(failures, failing ? 1 : 0, "%s: call %zu failed and nobody said so", texts[i],
                         failing);
            calls = failing ? calls : d.calls;
        }
    }
}
