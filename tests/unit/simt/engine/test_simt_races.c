/* tests/data/kernels/races.cu: kernels whose names say whether they race, and what is missing. Each runs with
 * its blocks and warps in ascending and in descending order. */
#include "simt/check/check.h"
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
    {"barrier", CHECK_KIND_COUNT, MISSING_BARRIER},       {"warp", CHECK_KIND_COUNT, MISSING_WARP_BARRIER},
    {"order", CHECK_KIND_COUNT, MISSING_ORDER},           {"release", CHECK_KIND_COUNT, MISSING_RELEASE},
    {"acquire", CHECK_KIND_COUNT, MISSING_ACQUIRE},       {"scope", CHECK_KIND_COUNT, MISSING_FENCE_SCOPE},
    {"atomic", CHECK_KIND_COUNT, MISSING_ATOMIC_SCOPE},   {"await", CHECK_EARLY_READ, MISSING_BARRIER},
    {"misuse", CHECK_DIVERGENT_BARRIER, MISSING_BARRIER}, {"misuse", CHECK_NOT_A_MEMBER, MISSING_BARRIER},
    {"misuse", CHECK_SPLIT_BARRIER, MISSING_BARRIER},     {"lane", CHECK_KIND_COUNT, MISSING_LANE},
};

static bool is_race(enum check_kind kind)
{
    return kind == CHECK_RACE || kind == CHECK_GLOBAL_RACE;
}

static bool is_found(const struct check_report *report)
{
    return is_race(report->kind) || report->kind == CHECK_EARLY_READ ||
           report->kind == CHECK_DIVERGENT_BARRIER || report->kind == CHECK_SPLIT_BARRIER ||
           report->kind == CHECK_NOT_A_MEMBER;
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
    uint64_t found;
    bool named, lines; /* what is missing is named; every race has the lines of both accesses */
    char text[600];    /* of the first report */
};

static void note_reports(const char *kernel, const struct program *program, const struct grid_result *result,
                         struct outcome *outcome)
{
    for (uint32_t i = 0; i < result->checks.report_count; i++) {
        const struct check_report *report = &result->checks.reports[i];
        char text[600];
        if (!is_found(report))
            continue;
        check_text(program, report, text, sizeof text);
        if (outcome->found++ == 0)
            memcpy(outcome->text, text, sizeof text);
        outcome->named |= names_label(kernel, report);
        if (is_race(report->kind) || report->kind == CHECK_SPLIT_BARRIER)
            outcome->lines &= strstr(text, " at line ") && strstr(text, "(tests/data/kernels/races.cu:");
    }
}

static void run_kernel(const char *kernel, bool reverse, struct outcome *outcome)
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
    note_reports(kernel, launch.program, &result, outcome);
    grid_result_fini(&result);
    for (int i = 0; i < 3; i++)
        memory_free(model_memory, arguments[i], NULL);
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

Test(simt_races, every_kernel_does_what_its_name_says, .timeout = 120)
{
    static char ptx[1 << 20];
    unsigned racy = 0, fine = 0, found = 0, first = 0, false_alarms = 0, named = 0, missed = 0;
    struct heap *heap;
    char kernel[100];
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/data/ptx/races.ptx", "rb");
    cr_assert_not_null(file);
    cr_assert_gt(fread(ptx, 1, sizeof ptx - 1, file), 0);
    fclose(file);
    model_load("tests/data/ptx/races");
    cr_assert_eq(heap_create(&heap, model_memory, 1 << 16, NULL), STATUS_OK);
    model_machine.heap = heap;
    for (const char *at = ptx; (at = next_kernel(at, kernel, sizeof kernel));) {
        struct outcome outcome = {.lines = true};
        bool label = strncmp(kernel, "racy_", 5) == 0;
        cr_assert(label || strncmp(kernel, "fine_", 5) == 0, "%s", kernel);
        run_kernel(kernel, false, &outcome);
        first += label && outcome.found > 0;
        run_kernel(kernel, true, &outcome);
        racy += label;
        fine += !label;
        found += label && outcome.found > 0;
        false_alarms += !label && outcome.found > 0;
        named += label && outcome.named;
        if (strncmp(kernel, "racy_missed_", 12) == 0) {
            cr_expect_eq(outcome.found, 0, "%s is found now: docs/model.md says that it is not", kernel);
            missed++;
            continue;
        }
        cr_expect_eq(label, outcome.found > 0, "%s: %s", kernel, outcome.text);
        cr_expect(!label || outcome.named, "%s: %s", kernel, outcome.text);
        cr_expect(outcome.lines, "%s: a line is missing: %s", kernel, outcome.text);
    }
    heap_destroy(heap);
    if (getenv("LANESCOPE_RACES_TABLE"))
        printf(
            "kernels %u racy %u, found %u, in ascending order alone %u, cause named %u; race-free %u, false "
            "alarms %u\n",
            racy + fine, racy, found, first, named, fine, false_alarms);
    cr_assert_geq(racy + fine, 80);
}
