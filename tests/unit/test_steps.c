/* Which runs a request becomes. What each child is told: tests/cli/test_program.c. */
#include "cli/steps.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* The letters of the modes: t, c, m. */
static void modes_of(const struct options *options, bool own, char letters[RUN_MODE_COUNT + 1])
{
    enum run_mode modes[RUN_MODE_COUNT];
    size_t count = step_modes(options, own, modes);

    for (size_t i = 0; i < count; i++)
        letters[i] = run_mode_text(modes[i])[0];
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
        {{RUNS(true, true), COUNTER_LIST}, "tc", "tc"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char letters[RUN_MODE_COUNT + 1];

        modes_of(&rows[i].options, true, letters);
        cr_assert_str_eq(letters, rows[i].own, "row %zu, ours: %s", i, letters);
        modes_of(&rows[i].options, false, letters);
        cr_assert_str_eq(letters, rows[i].program, "row %zu, a program: %s", i, letters);
    }
}
