/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows, variants and parameters are three arrays of the whole size, made once; rows point into the other
 * two.
 */
#include "cli/screen/workload_table.h"

#include "cli/exercise/exercises.h"
#include "cli/screen/published_figures.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
