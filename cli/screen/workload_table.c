/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows, variants and parameters are three arrays of the whole size, made once; rows point into the other
 * two.
 */
#include "cli/screen/workload_table.h"

#include "cli/exercise/exercises.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the documents publish ---- */

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define BANDWIDTH "effective_bandwidth_bytes_per_second"
#define UTILISATION "global_load_bytes_wanted_per_byte_moved"
#define SECTORS "global_load_sectors_per_request"
#define CC_2 "CC 2.x"
#define CC_2_NO_L1 "CC 2.x, L1 off"

/* "About 130 GB/s at offsets 0 and 32, about 4/5 of it between." */
static const struct tui_figure_point offset_points[] = {
    {.x = 0, .y = 130e9}, {.x = 1, .y = 104e9}, {.x = 31, .y = 104e9}, {.x = 32, .y = 130e9}};
/* A line is four sectors, a segment one. */
static const struct tui_figure_point
    offset_lines[] = {{.x = 0, .y = 4}, {.x = 1, .y = 8}, {.x = 31, .y = 8}, {.x = 32, .y = 4}},
    offset_segments[] = {{.x = 0, .y = 4},  {.x = 1, .y = 5},  {.x = 7, .y = 5},  {.x = 8, .y = 4},
                         {.x = 9, .y = 5},  {.x = 15, .y = 5}, {.x = 16, .y = 4}, {.x = 17, .y = 5},
                         {.x = 23, .y = 5}, {.x = 24, .y = 4}, {.x = 25, .y = 5}, {.x = 31, .y = 5},
                         {.x = 32, .y = 4}};
static const struct tui_figure offset_figures[] = {
    {.name = "document",
     .gpu = "M2090 with ECC",
     .source = "CUDA C Best Practices Guide: about 130 GB/s at offsets 0 and 32, about 4/5 of it between",
     .param = "offset",
     .metric = BANDWIDTH,
     .points = offset_points,
     .point_count = COUNT(offset_points)},
    {.name = "document",
     .gpu = CC_2,
     .source = "CUDA C Best Practices Guide: one line of 128 bytes at offsets 0 and 32, two at all others",
     .param = "offset",
     .metric = SECTORS,
     .points = offset_lines,
     .point_count = COUNT(offset_lines)},
    {.name = "document",
     .gpu = CC_2_NO_L1,
     .source = "CUDA C Best Practices Guide: four segments of 32 bytes at multiples of 8, five at all others",
     .param = "offset",
     .metric = SECTORS,
     .points = offset_segments,
     .point_count = COUNT(offset_segments)},
};

static const struct tui_figure_point stride_points[] = {{.x = 2, .y = 0.5}},
                                     stride_lines[] = {{.x = 2, .y = 8}, {.x = 32, .y = 128}};
static const struct tui_figure stride_figures[] = {
    {.name = "document",
     .source = "CUDA C Best Practices Guide: bandwidth falls with the stride",
     .param = "stride",
     .metric = BANDWIDTH},
    {.name = "document",
     .gpu = CC_2,
     .source = "CUDA C Best Practices Guide: at a stride of 2 half of the bytes moved are used",
     .param = "stride",
     .metric = UTILISATION,
     .points = stride_points,
     .point_count = COUNT(stride_points)},
    {.name = "document",
     .gpu = CC_2,
     .source = "CUDA C Best Practices Guide: two lines of 128 bytes at a stride of 2, 32 at 32",
     .param = "stride",
     .metric = SECTORS,
     .points = stride_lines,
     .point_count = COUNT(stride_lines)},
};

/* Bus utilisation, cached in lines of 128 bytes and, past the L1, in segments of 32. */
static const struct tui_figure_point pattern_points[] = {
    {.variant = "aligned", .y = 1},         {.variant = "aligned-l2", .y = 1},
    {.variant = "permuted", .y = 1},        {.variant = "permuted-l2", .y = 1},
    {.variant = "misaligned", .y = 0.5},    {.variant = "misaligned-l2", .y = 0.8},
    {.variant = "one-word", .y = 0.03125},  {.variant = "one-word-l2", .y = 0.125},
    {.variant = "scattered", .y = 0.03125}, {.variant = "scattered-l2", .y = 0.125},
};
#define PART(n, of)                       \
    {                                     \
        .x = (n), .y = (of) / (double)(n) \
    }
static const struct tui_figure_point lines_points[] = {PART(1, 1),  PART(2, 1), PART(3, 1),  PART(4, 1),
                                                       PART(6, 1),  PART(8, 1), PART(12, 1), PART(16, 1),
                                                       PART(24, 1), PART(32, 1)},
                                     segments_points[] = {PART(4, 4),  PART(6, 4),  PART(8, 4), PART(12, 4),
                                                          PART(16, 4), PART(24, 4), PART(32, 4)};
static const struct tui_figure pattern_figures[] = {
    {.name = "document",
     .gpu = CC_2,
     .source =
         "course, bus utilisation: 100, 100, 50, 3.125, 128/(N x 128) % cached in L1; 100, 100, at least "
         "80, 12.5, 128/(N x 32) % not; N is 32 here",
     .metric = UTILISATION,
     .points = pattern_points,
     .point_count = COUNT(pattern_points)},
    {.name = "document",
     .gpu = CC_2,
     .source = "course, bus utilisation of scattered words in N lines: 128/(N x 128)",
     .param = "lines",
     .metric = UTILISATION,
     .points = lines_points,
     .point_count = COUNT(lines_points)},
    {.name = "document",
     .gpu = CC_2_NO_L1,
     .source = "course, bus utilisation of scattered words in N segments: 128/(N x 32)",
     .param = "lines",
     .metric = UTILISATION,
     .points = segments_points,
     .point_count = COUNT(segments_points)},
};

static const struct tui_figure_point matmul_points[] = {{.variant = "simple", .y = 6.6e9},
                                                        {.variant = "a-tile", .y = 7.8e9},
                                                        {.variant = "ab-tiles", .y = 14.9e9}};
static const struct tui_figure matmul_figures[] = {{
    .name = "document",
    .gpu = "K20X",
    .source = "CUDA C Best Practices Guide: 6.6, 7.8 and 14.9 GB/s effective",
    .metric = BANDWIDTH,
    .points = matmul_points,
    .point_count = COUNT(matmul_points),
}};

/* The guide describes the technique without numbers: this text says what to look at. */
static const struct tui_figure occupancy_figures[] = {{
    .name = "document",
    .source = "CUDA C Best Practices Guide, Effects of Shared Memory: more dynamic shared memory a block "
              "lowers the occupancy of the same kernel",
    .param = "kib",
    .metric = "achieved_occupancy_pct",
}};

/* The article's gains are relative to its loop without prefetching. */
#define ARTICLE "GPU memory prefetching (article): "
static const struct tui_figure_point async_points[] = {{.x = 6, .y = 1.6}},
                                     scalar_points[] = {{.x = NAN, .y = 0.4}},
                                     least_points[] = {{.x = NAN, .y = 1.2}},
                                     most_points[] = {{.x = NAN, .y = 1.3}};
static const struct tui_figure prefetch_figures[] = {
    {.name = "smem rolling async, padded",
     .gpu = "the article's A100",
     .source = ARTICLE "about 60 % faster at distance 6",
     .param = "distance",
     .metric = TUI_FIGURE_SPEEDUP,
     .points = async_points,
     .point_count = COUNT(async_points)},
    {.name = "scalar rolling",
     .gpu = "the article's A100",
     .source = ARTICLE "scalar rolling alone loses about 60 %",
     .param = "distance",
     .metric = TUI_FIGURE_SPEEDUP,
     .points = scalar_points,
     .point_count = COUNT(scalar_points)},
    {.name = "the others, least",
     .gpu = "the article's A100",
     .source = ARTICLE "the others gain 20 to 30 %",
     .param = "distance",
     .metric = TUI_FIGURE_SPEEDUP,
     .points = least_points,
     .point_count = COUNT(least_points)},
    {.name = "the others, most",
     .gpu = "the article's A100",
     .source = ARTICLE "the others gain 20 to 30 %",
     .param = "distance",
     .metric = TUI_FIGURE_SPEEDUP,
     .points = most_points,
     .point_count = COUNT(most_points)},
};

static const struct {
    const char *workload;
    const struct tui_figure *figures;
    size_t count;
} published[] = {
    {"copy-offset", offset_figures, COUNT(offset_figures)},
    {"copy-stride", stride_figures, COUNT(stride_figures)},
    {"load-pattern", pattern_figures, COUNT(pattern_figures)},
    {"matmul-ab", matmul_figures, COUNT(matmul_figures)},
    {"occupancy-smem", occupancy_figures, COUNT(occupancy_figures)},
    {"prefetch", prefetch_figures, COUNT(prefetch_figures)},
};

const struct tui_figure *figures_of(const char *workload, size_t *count)
{
    for (size_t i = 0; i < COUNT(published); i++) {
        if (strcmp(published[i].workload, workload) == 0) {
            *count = published[i].count;
            return published[i].figures;
        }
    }
    *count = 0;
    return NULL;
}

/* ---- the table ---- */

static void take_workload(struct workload_table *table, const struct workload *workload,
                          struct tui_variant *variants, struct tui_param *params)
{
    table->rows[table->count++] = (struct tui_workload){.name = workload->name,
                                                        .chapter = chapter_letter(workload->chapter),
                                                        .chapter_name = chapter_name(workload->chapter),
                                                        .title = workload->title,
                                                        .words = workload->words,
                                                        .meaning = workload->meaning,
                                                        .variants = variants,
                                                        .variant_count = workload->variant_count,
                                                        .params = params,
                                                        .param_count = workload->param_count,
                                                        .lesson = text_lesson(workload->name),
                                                        .minutes = text_lesson_minutes(workload->name),
                                                        .source = text_source(workload->name),
                                                        .sweeps = workload->sweeps};
    struct tui_workload *row = &table->rows[table->count - 1];
    row->figures = figures_of(workload->name, &row->figure_count);
    for (size_t i = 0; i < workload->variant_count; i++)
        variants[i] = (struct tui_variant){.name = workload->variants[i].name,
                                           .meaning = workload->variants[i].meaning,
                                           .bound = workload->variants[i].bound};
    for (size_t i = 0; i < workload->param_count; i++) {
        const struct workload_param *param = &workload->params[i];

        params[i] = (struct tui_param){.name = param->name,
                                       .meaning = param->meaning,
                                       .unit = param->unit ? param->unit : "",
                                       .minimum = param->minimum,
                                       .maximum = param->maximum,
                                       .standard = param->standard,
                                       .step = param->step,
                                       .doubles = param->doubles};
    }
}

enum status workload_table_make(struct workload_table *table, struct error *error)
{
    size_t count = 0, variants = 0, params = 0;

    for (; workload_at(count); count++) {
        variants += workload_at(count)->variant_count;
        params += workload_at(count)->param_count;
    }
    *table = (struct workload_table){.rows = calloc(count + 1, sizeof *table->rows),
                                     .variants = calloc(variants + 1, sizeof *table->variants),
                                     .params = calloc(params + 1, sizeof *table->params)};
    if (!table->rows || !table->variants || !table->params) {
        workload_table_free(table);
        return error_no_memory(error, "for the list of workloads");
    }
    variants = params = 0;
    for (size_t i = 0; i < count; i++) {
        take_workload(table, workload_at(i), table->variants + variants, table->params + params);
        variants += workload_at(i)->variant_count;
        params += workload_at(i)->param_count;
    }
    return STATUS_OK;
}

/* ---- exercises ---- */

static const char kernel_how[] =
    "\n## How\n\n`E` opens your copy of the broken kernel in your editor. Each save is compiled, checked and "
    "run, "
    "and the goals stand below your text with the counts that your kernel has. `A` and `v` show what it "
    "does; "
    "`V` shows this page. Where there is room a hint for what is wrong stands below the goals.";
/* In the form of a lesson; before it a line with the name of its row. NULL: no memory. */
static char *exercise_lesson(const struct exercise *exercise)
{
    char *text = NULL, goal[200];
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    if (!file)
        return NULL;
    fprintf(file,
            "exercise:%s\n# exercise %s\n\n## Aim\n\n%s\n\n## Goal\n\nA right result with any input, and\n\n",
            exercise->name, exercise->name, exercise->aim);
    for (size_t i = 0; i < exercise_goal_count(exercise); i++) {
        exercise_goal_text(&exercise->goals[i], goal, sizeof goal);
        fprintf(file, "- %s\n", goal);
    }
    fputs(kernel_how, file);
    fprintf(file, "\n\nThe verdict that a teacher gets:\n\n    lanescope exercise %s FILE\n", exercise->name);
    if (fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}

static bool take_exercise(struct workload_table *table, const struct exercise *exercise)
{
    struct tui_goal *goals = table->goals + table->text_count * EXERCISE_GOALS_MAX;
    struct tui_exercise *made = &table->exercises[table->text_count];
    char *text = exercise_lesson(exercise);

    if (!text)
        return false;
    table->texts[table->text_count++] = text;
    text[strcspn(text, "\n")] = '\0';
    for (size_t i = 0; i < exercise_goal_count(exercise); i++)
        goals[i] = (struct tui_goal){.metric = exercise->goals[i].figure,
                                     .title = exercise_figure_title(exercise->goals[i].figure),
                                     .at_least = exercise->goals[i].at_least,
                                     .limit = exercise->goals[i].limit};
    *made = (struct tui_exercise){.name = exercise->name,
                                  .spec = exercise->workload,
                                  .goals = goals,
                                  .goal_count = exercise_goal_count(exercise)};
    table->rows[table->count++] = (struct tui_workload){
        .name = text,
        .chapter = "H",
        .chapter_name = "Exercises: mend a kernel, order copies",
        .title = exercise->aim,
        .meaning = "E opens the broken kernel in your editor; each save is compiled, checked and run",
        .words = "exercise broken kernel",
        .lesson = text + strlen(text) + 1,
        .source = exercise_text(exercise),
        .minutes = exercise->minutes,
        .exercise = made};
    return true;
}

enum status workload_table_add_exercises(struct workload_table *table, struct error *error)
{
    size_t count = 0;
    bool taken = true;

    while (exercise_at(count))
        count++;
    struct tui_workload *rows = realloc(table->rows, (table->count + count + 1) * sizeof *rows);

    table->rows = rows ? rows : table->rows;
    table->exercises = calloc(count, sizeof *table->exercises);
    table->goals = calloc(count * EXERCISE_GOALS_MAX, sizeof *table->goals);
    table->texts = calloc(count, sizeof *table->texts);
    taken = rows && table->exercises && table->goals && table->texts;
    for (size_t i = 0; i < count && taken; i++)
        taken = take_exercise(table, exercise_at(i));
    return taken ? STATUS_OK : error_no_memory(error, "for the list of exercises");
}

void workload_table_free(struct workload_table *table)
{
    for (size_t i = 0; i < table->text_count; i++)
        free(table->texts[i]);
    free(table->texts);
    free(table->goals);
    free(table->exercises);
    free(table->rows);
    free(table->variants);
    free(table->params);
    *table = (struct workload_table){0};
}
