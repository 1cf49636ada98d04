/* SPDX-License-Identifier: Apache-2.0 */
/* Which runs a request becomes. What each child is told: tests/cli/test_program.c. */
#include "cli/run/steps.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

/* The letters of the modes: t, c, m; a run on the model is an M. */
static void modes_of(const struct options *options, const struct device_choice *choice, bool own,
                     char letters[STEPS_MAX + 1])
{
    struct step_plan plan[STEPS_MAX];
    size_t count = steps_plan(options, choice, own, plan);

    for (size_t i = 0; i < count; i++)
        letters[i] = plan[i].model ? 'M' : run_mode_text(plan[i].mode)[0];
    letters[count] = '\0';
}

#define RUNS(trace, counters) .runs_given = true, .trace_run = (trace), .counter_run = (counters)
#define COUNTER_LIST .counters = COUNTERS_LIST, .counter_list = "dram_read_bytes"

Test(steps, every_request_has_its_runs)
{
    static const struct {
        struct options options;
        const char *own, *program; /* for one of our workloads, and for a program */
    } rows[] = {
        {{0}, "tcm", "t"},
        {{.counters = COUNTERS_ON}, "tcm", "c"},
        {{.counters = COUNTERS_OFF}, "t", "t"},
        {{COUNTER_LIST}, "tc", "c"},
        {{RUNS(true, false)}, "t", "t"},
        {{RUNS(false, true)}, "cm", "c"},
        {{RUNS(true, true)}, "tcm", "tcm"},
        {{RUNS(true, false), .line_run = true}, "tl", "tl"},
        {{RUNS(false, false), .line_run = true}, "l", "l"},
        {{RUNS(true, true), .line_run = true}, "tcml", "tcml"},
        {{RUNS(true, true), COUNTER_LIST}, "tc", "tc"},
    };

    const struct device_choice gpu = {.gpu = true}, model = {.model = gpu_at(0)},
                               both = {.gpu = true, .model = gpu_at(0)};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char letters[STEPS_MAX + 1], with_model[STEPS_MAX + 1];

        modes_of(&rows[i].options, &gpu, true, letters);
        cr_assert_str_eq(letters, rows[i].own, "row %zu, ours: %s", i, letters);
        modes_of(&rows[i].options, &gpu, false, letters);
        cr_assert_str_eq(letters, rows[i].program, "row %zu, a program: %s", i, letters);
        modes_of(&rows[i].options, &model, true, letters);
        cr_assert_str_eq(letters, "M", "row %zu, on the model: %s", i, letters);
        modes_of(&rows[i].options, &both, true, letters);
        snprintf(with_model, sizeof with_model, "%sM", rows[i].own);
        cr_assert_str_eq(letters, with_model, "row %zu, on both: %s", i, letters);
    }
}

/* The child is told what it needs and nothing else. */
Test(steps, our_own_child_is_told_in_words)
{
    static const struct arch *rules;
    rules = arch_parse("1.0");
    const struct device_choice choice = {.gpu = true, .model = gpu_find("a100"), .small = true};
    const struct options options = {.gpu = 3,
                                    .rules = rules,
                                    .check = true,
                                    .keep_ptx = true,
                                    .file = "k.ptx",
                                    .grid = {.text = "8"},
                                    .block = {.text = "32,2"},
                                    .args = {{"f32[4]=ramp", "i32=4"}, 2},
                                    .dumps = {{"0=out"}, 1}};
    char *texts[] = {(char *)"transpose", (char *)"n-way"};
    static const struct {
        struct step_plan plan;
        bool kernel;
        size_t count;
        const char *words;
    } rows[] = {
        {{.mode = RUN_COUNTERS}, false, 2, "--workload-child counters cuda 3 small transpose n-way"},
        {{.mode = RUN_TRACE, .model = true},
         false,
         0,
         "--workload-child trace simt 3 small --model a100 --cc 1.0 --check --no-merge --all"},
        {{.mode = RUN_MEMORY},
         true,
         0,
         "--kernel-child memory cuda 3 kernel k.ptx --grid 8 --block 32,2 --arg f32[4]=ramp --arg i32=4 "
         "--dump-arg 0=out"},
        {{.mode = RUN_TRACE, .model = true},
         true,
         0,
         "--kernel-child trace simt 3 --model a100 --cc 1.0 --check --no-merge kernel k.ptx --grid 8 --block "
         "32,2 "
         "--arg f32[4]=ramp --arg i32=4 --dump-arg 0=out"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static struct step step;
        char line[512] = "";
        size_t used = 0;

        step.plan = rows[i].plan;
        char **argv =
            step_own_argv(&step, &options, &choice, rows[i].kernel ? NULL : texts, rows[i].count, NULL);
        for (char **word = argv + 1; *word; word++)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", used ? " " : "", *word);
        cr_assert_str_eq(line, rows[i].words);
        free(argv);
    }
}
