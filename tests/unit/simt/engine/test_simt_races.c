/* SPDX-License-Identifier: Apache-2.0 */
/* tests/data/kernels/races.cu and checks.cu: kernels whose names say whether something is wrong with them,
 * and what. Each runs with its blocks and warps in ascending and in descending order. */
#include "simt/check/undefined.h"
#include "simt/memory/heap.h"
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS 4
#define THREADS 64
#define WORDS 1024

TestSuite(simt_races, .init = model_open, .fini = model_close);

/* The second word of a racy kernel's name. */
static const struct {
    const char *word;
    enum check_kind kind; /* CHECK_KIND_COUNT: a race, in which `missing` is missing */
    enum check_missing missing;
} labels[] = {
    {"barrier", CHECK_KIND_COUNT, MISSING_BARRIER},
    {"warp", CHECK_KIND_COUNT, MISSING_WARP_BARRIER},
    {"order", CHECK_KIND_COUNT, MISSING_ORDER},
    {"release", CHECK_KIND_COUNT, MISSING_RELEASE},
    {"acquire", CHECK_KIND_COUNT, MISSING_ACQUIRE},
    {"scope", CHECK_KIND_COUNT, MISSING_FENCE_SCOPE},
    {"atomic", CHECK_KIND_COUNT, MISSING_ATOMIC_SCOPE},
    {"await", CHECK_EARLY_READ, MISSING_BARRIER},
    {"misuse", CHECK_DIVERGENT_BARRIER, MISSING_BARRIER},
    {"misuse", CHECK_NOT_A_MEMBER, MISSING_BARRIER},
    {"misuse", CHECK_SPLIT_BARRIER, MISSING_BARRIER},
    {"lane", CHECK_KIND_COUNT, MISSING_LANE},
    {"undefined", CHECK_UNINITIALISED, MISSING_BARRIER},
    {"ended", CHECK_RETURNED_LANE, MISSING_BARRIER},
    {"heap", CHECK_HEAP, MISSING_BARRIER},
    {"proxy", CHECK_PROXY, MISSING_BARRIER},
};

static bool is_race(enum check_kind kind)
{
    return kind == CHECK_RACE || kind == CHECK_GLOBAL_RACE;
}

static bool is_found(const struct check_report *report)
{
    return is_race(report->kind) || report->kind == CHECK_EARLY_READ ||
           report->kind == CHECK_DIVERGENT_BARRIER || report->kind == CHECK_SPLIT_BARRIER ||
           report->kind == CHECK_NOT_A_MEMBER || report->kind == CHECK_UNINITIALISED ||
           report->kind == CHECK_RETURNED_LANE || report->kind == CHECK_HEAP || report->kind == CHECK_PROXY;
}

/* Returns whether the report says what the kernel's name says. */
static bool names_label(const char *kernel, const struct check_report *report)
{
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        size_t length = strlen(labels[i].word);
        bool named = strncmp(kernel + 5, labels[i].word, length) == 0 && kernel[5 + length] == '_';
        if (named &&
            (labels[i].kind == report->kind || (labels[i].kind == CHECK_KIND_COUNT && is_race(report->kind) &&
                                                labels[i].missing == report->missing)))
            return true;
    }
    return false;
}

/* Blocks that wait for each other are all on the device. */
static bool waits_for_blocks(const char *kernel)
{
    static const char *const words[] = {"grid", "chain", "first_thread_waits", "other_warp_does_not_wait"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(kernel, words[i]))
            return true;
    return false;
}

struct outcome {
    uint64_t found, notes;
    bool named, lines; /* what is missing is named; every race has the lines of both accesses */
    char text[600];    /* of the first report */
};

static void note_report(void *owner, const struct program *program, const struct check_report *report)
{
    struct outcome *outcome = owner;
    char text[600];
    if (!is_found(report))
        return;
    outcome->notes += check_is_note(report);
    check_text(program, report, text, sizeof text);
    if (outcome->found++ == outcome->notes)
        memcpy(outcome->text, text, sizeof text);
    outcome->named |= names_label(program->entry->name, report);
    if (is_race(report->kind) || report->kind == CHECK_SPLIT_BARRIER)
        outcome->lines &= strstr(text, " at line ") && strstr(text, "(tests/data/kernels/");
}

/* What the launch reports, and what is reported when `out` is copied to the host. */
static void note_reports(const struct program *program, const struct grid_result *result, uint64_t out,
                         struct outcome *outcome)
{
    const struct memory_range *range = memory_find(model_memory, out);
    for (uint32_t i = 0; i < result->checks.report_count; i++)
        note_report(outcome, program, &result->checks.reports[i]);
    undefined_to_host(grid_pool_undefined(model_machine.pool), range, 0, range->size_bytes, note_report,
                      outcome);
}

/* `unwritten`: the third argument's memory is written by nobody. */
static void run_kernel(const char *kernel, bool reverse, bool unwritten, struct outcome *outcome)
{
    static const uint32_t zeros[WORDS];
    const uint64_t bytes = sizeof zeros;
    uint64_t arguments[3];
    struct grid_launch launch = {.module = model_module,
                                 .grid = {BLOCKS, 1, 1},
                                 .block = {THREADS, 1, 1},
                                 .cooperative = waits_for_blocks(kernel),
                                 .parameters = (const uint8_t *)arguments};
    struct grid_result result;
    struct error error;
    for (int i = 0; i < 3; i++) {
        uint8_t *host;
        if (i == 2 && unwritten) {
            cr_assert_eq(memory_alloc(model_memory, bytes, &arguments[i], NULL), STATUS_OK);
            continue;
        }
        arguments[i] = model_allocate(bytes, &host);
        memcpy(host, zeros, bytes);
    }
    cr_assert_eq(module_program(model_module, kernel, true, &launch.program, &error), STATUS_OK, "%s",
                 error.text);
    model_machine.reverse = reverse;
    enum status status = grid_run(&model_machine, &launch, &result, &error);
    cr_assert_eq(status, STATUS_OK, "%s: %s", kernel, error.text);
    cr_assert_eq(result.checks.unwatched, 0);
    cr_assert(!result.checks.widened);
    note_reports(launch.program, &result, arguments[1], outcome);
    grid_result_fini(&result);
    for (int i = 0; i < 3; i++) {
        undefined_forget(grid_pool_undefined(model_machine.pool), arguments[i], bytes);
        memory_free(model_memory, arguments[i], NULL);
    }
}

/* The next kernel's name in the text; NULL: none is left. */
static const char *next_kernel(const char *text, char *name, size_t size_bytes)
{
    static const char entry[] = ".visible .entry ";
    const char *at = strstr(text, entry);
    if (!at)
        return NULL;
    at += sizeof entry - 1;
    size_t length = strcspn(at, "(");
    cr_assert_lt(length, size_bytes);
    memcpy(name, at, length);
    name[length] = '\0';
    return at + length;
}

struct tally {
    unsigned wrong, fine, notes, found, first, false_alarms, named;
};

static void judge_kernel(const char *kernel, bool unwritten, struct tally *tally)
{
    struct outcome outcome = {.lines = true};
    bool label = strncmp(kernel, "racy_", 5) == 0, note = strncmp(kernel, "note_", 5) == 0;
    cr_assert(label || note || strncmp(kernel, "fine_", 5) == 0, "%s", kernel);
    run_kernel(kernel, false, unwritten, &outcome);
    tally->first += label && outcome.found > 0;
    run_kernel(kernel, true, unwritten, &outcome);
    bool wrong = outcome.found > outcome.notes;
    tally->wrong += label;
    tally->notes += note;
    tally->fine += !label && !note;
    tally->found += label && wrong;
    tally->false_alarms += !label && (wrong || (!note && outcome.found));
    tally->named += label && outcome.named;
    if (strncmp(kernel, "racy_missed_", 12) == 0) {
        cr_expect_not(wrong, "%s is found now: docs/model.md says that it is not", kernel);
        return;
    }
    cr_expect_eq(label, wrong, "%s: %s", kernel, outcome.text);
    cr_expect_eq(label || note, outcome.found > 0, "%s: %s", kernel, outcome.text);
    cr_expect(!label || outcome.named, "%s: %s", kernel, outcome.text);
    cr_expect(outcome.lines, "%s: a line is missing: %s", kernel, outcome.text);
}

static void judge_file(const char *name, bool unwritten, unsigned least)
{
    static char ptx[1 << 20];
    struct tally tally = {0};
    struct heap *heap;
    char kernel[100], path[300];
    snprintf(path, sizeof path, TEST_SOURCE_DIR "/tests/data/ptx/%s.ptx", name);
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    size_t size = fread(ptx, 1, sizeof ptx - 1, file);
    cr_assert_gt(size, 0);
    ptx[size] = '\0';
    fclose(file);
    snprintf(path, sizeof path, "tests/data/ptx/%s", name);
    model_load(path);
    cr_assert_eq(heap_create(&heap, model_memory, 1 << 16, NULL), STATUS_OK);
    model_machine.heap = heap;
    for (const char *at = ptx; (at = next_kernel(at, kernel, sizeof kernel));)
        judge_kernel(kernel, unwritten, &tally);
    heap_destroy(heap);
    if (getenv("LANESCOPE_RACES_TABLE"))
        printf("%s: kernels %u; wrong %u, found %u, in ascending order alone %u, cause named %u; right %u, "
               "false "
               "alarms %u; notes %u\n",
               name, tally.wrong + tally.fine + tally.notes, tally.wrong, tally.found, tally.first,
               tally.named, tally.fine, tally.false_alarms, tally.notes);
    cr_assert_geq(tally.wrong + tally.fine, least);
}

Test(simt_races, every_kernel_does_what_its_name_says, .timeout = 120)
{
    judge_file("races", false, 150);
}

Test(simt_races, every_other_check_finds_what_the_name_says, .timeout = 120)
{
    judge_file("checks", true, 90);
}

/* ns::k<float>, ns::k<double>, ns::k2<float>; the same without lines. */
static const char instantiations[] =
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".entry _ZN2ns1kIfEEvv() { .loc 1 9 3\n ret; }\n.entry _ZN2ns1kIdEEvv() { .loc 1 9 3\n ret; }\n"
    ".entry _ZN2ns2k2IfEEvv() { .loc 1 9 3\n ret; }\n.file 1 \"kernel.cu\"\n"
    ".entry _Z1mIfEvv() { ret; }\n.entry _Z1mIdEvv() { ret; }\n";

Test(simt_races, a_template_is_told_once_for_a_line)
{
    static const struct {
        const char *kernel;
        bool news;
    } cases[] = {{"_ZN2ns1kIfEEvv", true},
                 {"_ZN2ns1kIdEEvv", false},
                 {"_ZN2ns2k2IfEEvv", true},
                 {"_Z1mIfEvv", true},
                 {"_Z1mIdEvv", true}};
    static struct check_seen seen;
    const struct program *program;
    struct error error;

    model_load_text("instantiations.ptx", instantiations, sizeof instantiations - 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct check_report report = {.kind = CHECK_OUT_OF_BOUNDS, .count = 1};
        cr_assert_eq(module_program(model_module, cases[i].kernel, true, &program, &error), STATUS_OK);
        cr_assert_eq(check_see(&seen, program, &report), cases[i].news, "%s", cases[i].kernel);
    }
}
