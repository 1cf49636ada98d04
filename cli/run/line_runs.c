/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was sampled is summed by function of a run and sorted by time, or by samples where no time is known;
 * the first of them are named to the agent by patterns.
 */
#include "cli/run/line_runs.h"

#include "core/base/array.h"
#include "core/session/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function in a run, and its number of samples. */
struct seen {
    uint32_t run, function;
    uint64_t samples;
    double weight; /* time, or samples */
};

static int most_first(const void *a, const void *b)
{
    const struct seen *left = a, *right = b;

    if (left->weight < right->weight || left->weight > right->weight)
        return left->weight < right->weight ? 1 : -1;
    return left->function < right->function ? -1 : left->function > right->function;
}

/* The processes of a program have separate runs; a kernel that is in several is counted once. */
static bool is_same(const struct session *session, const struct seen *seen, uint32_t run, uint32_t function)
{
    const struct run_row *mine = session_run(session, seen->run), *other = session_run(session, run);

    if (seen->function != function)
        return false;
    return seen->run == run || (mine->workload == 0 && other->workload == 0);
}

static bool is_of_lines(const struct session *session, const struct stall_row *row, uint32_t first_run)
{
    const struct run_row *run = session_run(session, row->run);

    return row->run >= first_run && run && run->mode == RUN_LINES;
}

uint64_t line_runs_samples(const struct session *session, uint32_t first_run)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < session_stall_count(session); i++) {
        const struct stall_row *row = session_stall(session, i);

        if (is_of_lines(session, row, first_run))
            sum += atomic_load_explicit(&row->samples, memory_order_relaxed);
    }
    return sum;
}

/* All that was sampled, to be freed by the caller; NULL: nothing, or no memory. */
static struct seen *seen_gather(const struct session *session, uint32_t first_run, size_t *count)
{
    struct seen *all = NULL;
    size_t capacity = 0;
    uint32_t rows = session_stall_count(session);

    *count = 0;
    for (uint32_t i = 0; i < rows; i++) {
        const struct stall_row *row = session_stall(session, i);
        const struct instruction_row *instruction = session_instruction(session, row->instruction);
        size_t k = 0;

        if (!is_of_lines(session, row, first_run) || !instruction)
            continue;
        while (k < *count && !is_same(session, &all[k], row->run, instruction->function))
            k++;
        if (!array_grow(all, capacity, k, 1))
            break;
        if (k == *count)
            all[(*count)++] = (struct seen){.run = row->run, .function = instruction->function};
        all[k].samples += atomic_load_explicit(&row->samples, memory_order_relaxed);
    }
    return all;
}

bool line_runs_name_work(const struct session *session, const struct run_row *run, char *text,
                         size_t size_bytes)
{
    const char *params = session_string(session, run->params);

    text[0] = '\0';
    if (!run->workload)
        return true;
    int length = snprintf(text, size_bytes, "%s:%s%s%s", session_string(session, run->workload),
                          session_string(session, run->variant), *params ? "," : "", params);
    return length > 0 && (size_t)length < size_bytes;
}

/* A mangled name has no special characters of a pattern; a long one is cut, and * matches the rest. */
static void name_kernel(const char *mangled, char pattern[LINE_KERNEL_BYTES])
{
    size_t length = strlen(mangled);

    if (length < LINE_KERNEL_BYTES)
        memcpy(pattern, mangled, length + 1);
    else
        snprintf(pattern, LINE_KERNEL_BYTES, "%.*s*", LINE_KERNEL_BYTES - 2, mangled);
}

/* Time of the kernel in trace runs of programs. */
static uint64_t traced_ns(const struct session *session, uint32_t function)
{
    const char *mangled = session_string(session, session_function(session, function)->mangled);
    uint64_t sum_ns = 0;

    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct kernel_row *kernel = session_kernel(session, i);
        const struct run_row *run = session_run(session, kernel->run);
        const struct shape_row *shape = session_shape(session, kernel->shape);

        if (run && shape && run->mode == RUN_TRACE && run->workload == 0 &&
            strcmp(session_string(session, shape->mangled), mangled) == 0)
            sum_ns += atomic_load_explicit(&kernel->total_ns, memory_order_relaxed);
    }
    return sum_ns;
}

/* Gives the sum. */
static double weigh_seen(const struct session *session, struct seen *all, size_t count)
{
    double time = 0, samples = 0;

    for (size_t i = 0; i < count; i++) {
        all[i].weight = (double)traced_ns(session, all[i].function);
        time += all[i].weight;
        samples += (double)all[i].samples;
    }
    for (size_t i = 0; i < count && !(time > 0); i++)
        all[i].weight = (double)all[i].samples;
    return time > 0 ? time : samples;
}

size_t line_runs_choose(const struct session *session, uint32_t first_run, struct line_choice *choice,
                        struct line_run list[LINE_RUNS_MAX])
{
    size_t count, used = 0;
    struct seen *all = seen_gather(session, first_run, &count);
    double whole = weigh_seen(session, all, count), chosen = 0;

    if (all)
        qsort(all, count, sizeof *all, most_first);
    for (size_t i = 0; i < count && used < choice->most && (used == 0 || chosen < choice->share * whole);
         i++) {
        const struct function_row *function = session_function(session, all[i].function);

        if (!line_runs_name_work(session, session_run(session, all[i].run), list[used].work,
                                 sizeof list[used].work))
            continue;
        name_kernel(session_string(session, function->mangled), list[used].kernel);
        list[used++].name = function->name;
        chosen += all[i].weight;
    }
    choice->left_out = count - used;
    choice->chosen = whole > 0 ? chosen / whole : 0;
    free(all);
    return used;
}
