/* SPDX-License-Identifier: Apache-2.0 */
/* What instructions and lines cost, summed from a session with known numbers; whose they are; the table of
 * stall reasons. */
#include "core/analysis/code_costs.h"
#include "tests/shared/made/made_lines.h"

#include <criterion/criterion.h>
#include <string.h>

static struct session *session;
static uint32_t kernel;

static uint32_t string(const char *text)
{
    return session_add_string(session, text, strlen(text));
}

static uint32_t add_kernel(uint32_t group, const char *mangled, uint32_t blocks)
{
    struct run_row run = {
        .device = NONE, .group = group, .workload = string("transpose"), .clock = CLOCK_WALL};
    struct shape_row shape = {.name = string(mangled), .mangled = string(mangled), .grid = {blocks, 1, 1}};
    return session_add_kernel(session, session_add_run(session, &run), session_add_shape(session, &shape),
                              NONE);
}

static void make(void)
{
    struct error error;
    cr_assert_eq(session_create(&session, 1, &error), STATUS_OK);
    session_add_process(session, &(struct process_row){.pid = 1});
    kernel = add_kernel(0, "_Z9transposev", 8);
    made_lines_add(session, kernel, "src/transpose.cu", 20, "text");
}

static void clean(void)
{
    session_destroy(session);
}

TestSuite(code_costs, .init = make, .fini = clean);

Test(code_costs, instructions_and_lines_add_up)
{
    struct code_listing listing;
    struct code_lines lines;
    struct error error = {0};
    cr_assert_eq(code_listing_make(session, kernel, &listing, &error), STATUS_OK);
    cr_assert_eq(listing.provenance, PROVENANCE_MEASURED);
    cr_assert_eq(listing.count, 8);
    cr_assert_str_eq(listing.places[6].text, "STG.E [R8.64], R6 ;");
    cr_assert_str_eq(listing.places[6].function, "_Z9transposev");
    cr_assert(listing.has[CODE_SAMPLES] && listing.has[CODE_SECTORS] && !listing.has[CODE_LOCAL_SECTORS]);
    cr_assert_eq(listing.places[6].costs[CODE_SAMPLES], 629,
                 "samples at which nothing was issued count once");
    cr_assert_eq(listing.places[6].costs[CODE_SECTORS], 16384, "of one launch");
    cr_assert_eq(listing.totals[CODE_SAMPLES], 1000);
    cr_assert_eq(listing.totals[CODE_INSTRUCTIONS], 4096);
    cr_assert_eq(listing.totals[CODE_WAVEFRONTS], 1536);
    cr_assert_eq(code_excess(listing.totals, CODE_SECTORS), 14336);
    cr_assert_eq(code_excess(listing.totals, CODE_WAVEFRONTS), 512);
    cr_assert_eq(code_excess(listing.totals, CODE_LOCAL_SECTORS), 0);

    cr_assert_eq(code_lines_make(&listing, &lines, &error), STATUS_OK);
    cr_assert_eq(lines.count, 4);
    cr_assert_eq(lines.lines[2].line, 22);
    cr_assert_eq(lines.lines[2].count, 2);
    cr_assert_eq(lines.lines[2].costs[CODE_SAMPLES], 647);
    cr_assert_eq(lines.lines[1].costs[CODE_SECTORS], 2048);
    struct code_reason reasons[CODE_REASONS_MAX];
    uint32_t count =
        code_reasons(&listing, lines.places + lines.lines[2].first, lines.lines[2].count, reasons);
    cr_assert_eq(count, 4);
    cr_assert_str_eq(reasons[0].name, "lg_throttle");
    cr_assert_eq(reasons[0].samples, 500);
    cr_assert_str_eq(reasons[1].name, "long_scoreboard");
    cr_assert_eq(reasons[1].samples, 120);
    code_lines_fini(&lines);
    code_listing_fini(&listing);
}

static double sectors_of(uint32_t of, uint32_t *count)
{
    struct code_listing listing;
    cr_assert_eq(code_listing_make(session, of, &listing, NULL), STATUS_OK);
    double sectors = listing.totals[CODE_SECTORS];
    *count = listing.count;
    code_listing_fini(&listing);
    return sectors;
}

/* Of the same work, or of the function alone where nobody knows whose launch it was. */
Test(code_costs, belong_to_their_kernel)
{
    uint32_t count, other_shape = add_kernel(0, "_Z9transposev", 9),
                    other_group = add_kernel(7, "_Z9transposev", 8);
    uint32_t other_name = add_kernel(0, "_Z4copyv", 8), again = add_kernel(0, "_Z9transposev", 8);
    cr_assert_eq(sectors_of(kernel, &count), 18432);
    cr_assert_eq(sectors_of(again, &count), 18432, "another run of the same work");
    cr_assert_eq(sectors_of(other_shape, &count), 0);
    cr_assert_eq(count, 0);
    cr_assert_eq(sectors_of(other_group, &count), 0);
    sectors_of(other_name, &count);
    cr_assert_eq(count, 0);

    /* Of no launch in particular: it is any kernel's of that name in the group. Another module's function is
     * not listed. */
    struct function_row function = {.mangled = string("_Z9transposev"), .module = 43};
    uint32_t strange = session_add_instruction(session, session_add_function(session, &function), 0);
    struct tally_row row = {.run = session_kernel(session, kernel)->run,
                            .kernel = NONE,
                            .instruction = 0,
                            .counter = string("smsp__sass_sectors_mem_global.sum"),
                            .launches = 4,
                            .number = 8};
    cr_assert_eq(sectors_of(kernel, &count), 18432);
    cr_assert_eq(count, 8);
    session_add_tally(session, &row);
    cr_assert_eq(sectors_of(other_shape, &count), 2, "eight in four launches");
    cr_assert_eq(sectors_of(other_group, &count), 0);
    row.instruction = strange;
    session_add_tally(session, &row);
    cr_assert_eq(sectors_of(other_shape, &count), 4);
    cr_assert_eq(count, 9);
    cr_assert_eq(sectors_of(NONE, &count), 0);
}

Test(code_costs, counters_have_their_costs)
{
    static const struct {
        const char *counter;
        enum code_cost cost;
    } cases[] = {
        {"smsp__sass_inst_executed", CODE_INSTRUCTIONS},
        {"smsp__sass_inst_executed.sum", CODE_INSTRUCTIONS},
        {"smsp__sass_inst_executed_op_global", CODE_COST_COUNT},
        {"smsp__sass_sectors_mem_global_ideal.sum", CODE_IDEAL_SECTORS},
        {"smsp__sass_sectors", CODE_COST_COUNT},
        {"", CODE_COST_COUNT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_assert_eq(code_cost_of_counter(cases[i].counter), cases[i].cost, "%s", cases[i].counter);
}

/* Every reason that CUPTI 13.0 lists for an H200 has its words, short enough for the page. */
Test(code_costs, reasons_have_words)
{
    static const char *const names[] = {"barrier",
                                        "branch_resolving",
                                        "dispatch_stall",
                                        "drain",
                                        "gmma",
                                        "imc_miss",
                                        "lg_throttle",
                                        "long_scoreboard",
                                        "math_pipe_throttle",
                                        "membar",
                                        "mio_throttle",
                                        "misc",
                                        "no_instructions",
                                        "not_selected",
                                        "selected",
                                        "short_scoreboard",
                                        "sleeping",
                                        "tex_throttle",
                                        "wait"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_assert_not_null(stall_reason_find(names[i]), "%s", names[i]);
    for (unsigned i = 0; stall_reason_at(i) != NULL; i++) {
        const struct stall_reason *reason = stall_reason_at(i);
        cr_assert_eq(stall_reason_find(reason->name), reason, "%s is there twice", reason->name);
        cr_assert_leq(strlen(reason->title), 18, "%s", reason->name);
        cr_assert_gt(strlen(reason->meaning), 5, "%s", reason->name);
    }
    cr_assert_null(stall_reason_find("nothing"));
}

/* Atomics count by their passes, not by their sectors beside; where passes were not counted, by sectors. */
Test(code_costs, steps_of_atomics_are_passes)
{
    double costs[CODE_COST_COUNT] = {
        [CODE_SECTORS] = 12,        [CODE_LOCAL_SECTORS] = 3,  [CODE_WAVEFRONTS] = 5,
        [CODE_TEXTURE_SECTORS] = 2, [CODE_ATOMIC_SECTORS] = 4, [CODE_PASSES] = 128};
    cr_assert_eq(code_steps(costs), 12 - 4 + 128 + 3 + 5 + 2);
    costs[CODE_PASSES] = 0;
    costs[CODE_ATOMIC_SECTORS] = 0;
    cr_assert_eq(code_steps(costs), 12 + 3 + 5 + 2);
    costs[CODE_ATOMIC_SECTORS] = 4; /* 1.x: a transaction for each lane */
    costs[CODE_PASSES] = 1;
    cr_assert_eq(code_steps(costs), 12 + 3 + 5 + 2);
}
