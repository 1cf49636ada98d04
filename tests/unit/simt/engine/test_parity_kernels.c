/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of tests/gpu/parity on the device model, beside what an H200 counted and left in memory
 * (tests/data/parity/kernels_h200.csv, kept by tests/gpu/parity/run.sh; until there is one, that they run and
 * the model's checks find nothing). docs/parity.md tells of those that differ;
 * tests/data/parity/kernels_known.txt lists them.
 */
#include "core/metric/metric.h"
#include "core/metric/metric_counters.h"
#include "tests/gpu/parity/cases.h"
#include "tests/shared/fixture/golden.h"
#include "tests/shared/made/run_model.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA TEST_SOURCE_DIR "/tests/data/parity"
#define SHEET "docs/parity-kernels.md"
#define INSTRUCTIONS "smsp__inst_executed.sum"
#define THREADS "smsp__thread_inst_executed.sum"
#define DIVERGENT "smsp__sass_branch_targets_threads_divergent.sum"
#define COLUMNS_MAX 48
#define KNOWN_MAX 64
#define DIGEST "digest"
enum { CASE, KERNEL, OUTPUT, COUNTERS }; /* the columns; CUPTI's counters from COUNTERS on */

TestSuite(parity_kernels, .init = model_open, .fini = model_close);

/* ---- what the model counts, in CUPTI's terms ---- */
static struct counts {
    struct count_totals all;
    struct count_instruction copies;     /* global loads of cp.async */
    struct count_instruction atomics[2]; /* global: [0] nobody reads the result */
} counts;

static void add(struct count_instruction *to, const struct count_instruction *from)
{
    to->requests += from->requests;
    to->transfers += from->transfers;
}

static bool is_read(const struct program *program, uint32_t name)
{
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_names names = program_names_at(program, i);
        for (uint32_t s = 0; s < PROGRAM_SOURCES; s++)
            if (name != PROGRAM_NO_SLOT && names.source[s] == name)
                return true;
    }
    return false;
}

static void take_counts(const struct program *program, const struct counter *counter)
{
    counts = (struct counts){.copies = {0}};
    count_totals(counter, &counts.all);
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        const struct program_instruction *at = &program->instructions[i];
        if (at->op == PROGRAM_CP_ASYNC)
            add(&counts.copies, &counter->instructions[i]);
        else if (at->op == PROGRAM_ATOM && at->space == PTX_GLOBAL)
            add(&counts.atomics[is_read(program, program_names_at(program, i).destination[0])],
                &counter->instructions[i]);
    }
}

/* False: the counter is not compared. */
static bool count_of(const char *counter, uint64_t *count)
{
    const struct count_totals *all = &counts.all;
    const struct {
        const char *counter;
        uint64_t count;
    } rows[] = {
        {COUNTER_GLOBAL_REQUESTS(ld), all->global[0].requests},
        {COUNTER_GLOBAL_REQUESTS(st), all->global[1].requests},
        {COUNTER_GLOBAL_REQUESTS(red), counts.atomics[0].requests},
        {COUNTER_GLOBAL_REQUESTS(atom), counts.atomics[1].requests},
        {COUNTER_GLOBAL_SECTORS(ld), all->global[0].transfers - counts.copies.transfers},
        {COUNTER_GLOBAL_SECTORS(ldgsts), counts.copies.transfers},
        {COUNTER_GLOBAL_SECTORS(st), all->global[1].transfers},
        {COUNTER_GLOBAL_SECTORS(red), counts.atomics[0].transfers},
        {COUNTER_GLOBAL_SECTORS(atom), counts.atomics[1].transfers},
        {COUNTER_LOCAL_SECTORS(ld), all->local[0].transfers},
        {COUNTER_LOCAL_SECTORS(st), all->local[1].transfers},
        {COUNTER_SHARED_INSTRUCTIONS(ld), all->shared[0].requests},
        {COUNTER_SHARED_INSTRUCTIONS(st), all->shared[1].requests},
        {COUNTER_SHARED_INSTRUCTIONS(atom), all->shared_atomics.requests},
        {COUNTER_SHARED_WAVEFRONTS(ld), all->shared[0].transfers},
        {COUNTER_SHARED_WAVEFRONTS(st), all->shared[1].transfers},
        {COUNTER_SHARED_WAVEFRONTS(atom), all->shared_atomics.transfers},
        {COUNTER_SHARED_WAVEFRONTS(ldgsts), all->shared_fills.transfers},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].counter, counter) == 0) {
            *count = rows[i].count;
            return true;
        }
    }
    return false;
}

/* ---- what is known to differ ---- */
static struct known {
    char kernel[64], column[96];
    uint32_t n;
    bool needed;
} known[KNOWN_MAX];
static uint32_t known_count, differences, compared, bounded;

static void read_known(void)
{
    char text[512];
    FILE *file = fopen(DATA "/kernels_known.txt", "r");
    cr_assert_not_null(file);
    while (fgets(text, sizeof text, file)) {
        if (text[0] != '#') {
            cr_assert_lt(known_count, KNOWN_MAX);
            struct known *k = &known[known_count++];
            cr_assert_eq(sscanf(text, "%63s %" SCNu32 " %95s", k->kernel, &k->n, k->column), 3, "%s", text);
        }
    }
    fclose(file);
}

static void differs(const struct parity_case *c, const char *column, const char *gpu, const char *model)
{
    for (uint32_t i = 0; i < known_count; i++) {
        if (strcmp(known[i].kernel, c->kernel) == 0 && known[i].n == c->n &&
            (strcmp(known[i].column, column) == 0 || strcmp(known[i].column, "*") == 0)) {
            known[i].needed = true;
            return;
        }
    }
    printf("%s, n %u, %u threads: %s is %s on the GPU, %s on the model\n", c->kernel, c->n, c->block[0],
           column, gpu[0] ? gpu : "not there", model);
    differences++;
}

/* ---- what is shown: the model counts PTX instructions, a GPU those that ptxas makes of them ---- */
static char *sheet;
static size_t sheet_bytes;
static FILE *sheet_file;

static void sheet_begin(void)
{
    sheet_file = open_memstream(&sheet, &sheet_bytes);
    cr_assert_not_null(sheet_file);
    fprintf(sheet_file,
            "# Instructions of the parity kernels\n\nMade by test_parity_kernels with "
            "UPDATE_GOLDEN=1; docs/parity.md explains the table. H200 / model.\n\n"
            "| kernel | n | threads | warp instructions | threads per instruction | divergent branches |\n"
            "|---|---|---|---|---|---|\n");
}

static double number_of(const struct counter_sample *samples, size_t count, const char *counter)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(samples[i].counter, counter) == 0)
            return samples[i].number;
    return 0; /* not counted: differs() has said so */
}

static void sheet_add(const struct parity_case *c, const struct counter_sample *samples, size_t count)
{
    const struct count_totals *all = &counts.all;
    double instructions = number_of(samples, count, INSTRUCTIONS);
    fprintf(sheet_file, "| %s | %u | %u | %.0f / %" PRIu64 " | %.2f / %.2f | %.0f / %" PRIu64 " |\n",
            c->kernel, c->n, c->block[0] * c->block[1], instructions, all->warp_instructions,
            instructions > 0 ? number_of(samples, count, THREADS) / instructions : 0,
            (double)all->thread_instructions / (double)all->warp_instructions,
            number_of(samples, count, DIVERGENT), all->divergent_branches);
}

static void sheet_end(void)
{
    fclose(sheet_file);
    cr_assert(golden_equals("../../" SHEET, sheet, NULL));
    free(sheet);
}

/* ---- a case ---- */
static void compare_ideals(const struct parity_case *c, const struct counter_sample *samples, size_t count)
{
    static const enum metric ideals[] = {METRIC_global_load_ideal_sectors, METRIC_global_store_ideal_sectors,
                                         METRIC_shared_load_ideal_wavefronts,
                                         METRIC_shared_store_ideal_wavefronts};
    const struct metric_facts facts = {.arch = arch_find(90)};
    for (size_t i = 0; i < sizeof ideals / sizeof *ideals; i++) {
        struct value gpu = metric_evaluate(ideals[i], samples, count, &facts);
        struct value model = count_value(&counts.all, ideals[i]);
        char texts[2][32] = {""};
        enum value_agreement agreement =
            gpu.available && model.available ? value_compare(&gpu, &model) : VALUE_DIFFERENT;
        compared++;
        bounded += agreement == VALUE_WITHIN;
        if (agreement == VALUE_DIFFERENT) {
            metric_format(ideals[i], &gpu, texts[0], sizeof texts[0]);
            metric_format(ideals[i], &model, texts[1], sizeof texts[1]);
            differs(c, metric_info(ideals[i])->id, texts[0], texts[1]);
        }
    }
}

static void compare(const struct parity_case *c, uint64_t digest, char *const *columns, char *const *fields,
                    uint32_t count)
{
    struct counter_sample samples[COLUMNS_MAX];
    size_t sample_count = 0;
    char text[32];
    cr_assert_str_eq(fields[KERNEL], c->kernel, "the table of cases changed: measure again");
    snprintf(text, sizeof text, "%016" PRIx64, digest);
    compared++;
    if (strcmp(fields[OUTPUT], text) != 0)
        differs(c, DIGEST, fields[OUTPUT], text);
    for (uint32_t i = COUNTERS; i < count; i++) {
        uint64_t model;
        if (fields[i][0]) {
            samples[sample_count++] =
                (struct counter_sample){.counter = columns[i], .number = strtod(fields[i], NULL)};
        }
        if (count_of(columns[i], &model)) {
            snprintf(text, sizeof text, "%" PRIu64, model);
            compared++;
            if (strcmp(fields[i], text) != 0)
                differs(c, columns[i], fields[i], text);
        }
    }
    compare_ideals(c, samples, sample_count);
    sheet_add(c, samples, sample_count);
}

/* Cuts a line into its fields, which may be empty. */
static uint32_t split(char *line, char *fields[COLUMNS_MAX])
{
    uint32_t count = 0;
    line[strcspn(line, "\n")] = '\0';
    while (line && count < COLUMNS_MAX)
        fields[count++] = strsep(&line, ",");
    return count;
}

static uint64_t run(const struct parity_case *c, const uint64_t arguments[4], uint8_t *out)
{
    static const char *loaded = "";
    if (strcmp(loaded, c->file) != 0) {
        char path[128];
        snprintf(path, sizeof path, "tests/gpu/parity/ptx/%s", c->file);
        model_load(path);
        loaded = c->file;
    }
    memset(out, 0xff, PARITY_WORDS * sizeof(uint32_t));
    model_launch_counted(c->kernel, true, c->grid, c->block, c->dynamic_shared_bytes, arguments, take_counts);
    return parity_digest((const uint32_t *)(const void *)out);
}

Test(parity_kernels, the_model_counts_and_computes_what_an_h200_does)
{
    char head[4096], line[4096], *columns[COLUMNS_MAX], *fields[COLUMNS_MAX];
    uint8_t *words[3];
    uint64_t arguments[4];
    uint32_t column_count = 0;
    for (int i = 0; i < 3; i++)
        arguments[i] = model_allocate(PARITY_WORDS * sizeof(uint32_t), &words[i]);
    for (uint32_t i = 0; i < PARITY_WORDS; i++) {
        const uint32_t in = parity_in(i), index = parity_index(i);
        memcpy(words[1] + i * sizeof in, &in, sizeof in);
        memcpy(words[2] + i * sizeof index, &index, sizeof index);
    }
    FILE *file = fopen(DATA "/kernels_h200.csv", "r");
    if (file) {
        read_known();
        sheet_begin();
        cr_assert_not_null(fgets(head, sizeof head, file));
        column_count = split(head, columns);
    }
    for (size_t i = 0; parity_case_at(i); i++) {
        const struct parity_case *c = parity_case_at(i);
        arguments[3] = c->n;
        uint64_t digest = run(c, arguments, words[0]);
        if (file) {
            cr_assert_not_null(fgets(line, sizeof line, file), "%s was not measured: run run.sh on an H200",
                               c->kernel);
            cr_assert_eq(split(line, fields), column_count, "%s", c->kernel);
            compare(c, digest, columns, fields, column_count);
        }
    }
    if (file) {
        cr_assert_null(fgets(line, sizeof line, file), "more was measured than there are cases");
        fclose(file);
        sheet_end();
    }
    for (uint32_t i = 0; i < known_count; i++) {
        if (!known[i].needed) {
            printf("%s %u %s no longer differs\n", known[i].kernel, known[i].n, known[i].column);
            differences++;
        }
    }
    printf("%u counts and outputs compared, %u of them with a bound\n", compared, bounded);
    cr_assert_eq(differences, 0, "%u differences, above", differences);
}
