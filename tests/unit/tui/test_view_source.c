/* SPDX-License-Identifier: Apache-2.0 */
/* The source page under keys: what is judged, where it jumps, what it says of what is not there. */
#include "core/session/code.h"
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_source.h"
#include "tests/shared/made/made_lines.h"
#include "tui/views/source/source.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct source_line *selected(void)
{
    return &source_state(&screen)->rows[source_state(&screen)->list.selected];
}

static double cost(void)
{
    return source_row_cost(source_state(&screen), selected());
}

/* n goes down the lines by what they cost, N up, M to the first, by whichever cost. */
Test(view_source, jumps_from_line_to_line_by_cost)
{
    static const uint32_t by_samples[] = {5, 4, 3, 6}, by_instructions[] = {4, 3, 5, 6};
    start(FIXTURE_LINES, 120, 40);
    press("v");
    cr_assert_eq(source_state(&screen)->cost, SOURCE_BY_SAMPLES);
    for (size_t i = 0; i < 4; i++, press("n"))
        cr_assert_eq(selected()->line, by_samples[i]);
    cr_assert_eq(selected()->line, 6, "there is no line that costs less");
    press("N N");
    cr_assert_eq(selected()->line, 4);
    press("k k M");
    cr_assert_eq(selected()->line, 5);
    while (source_state(&screen)->cost != SOURCE_BY_INSTRUCTIONS)
        press("s");
    for (size_t i = 0; i < 4; i++, press("n"))
        cr_assert_eq(selected()->line, by_instructions[i]);
    stop();
}

/* Every cost that was counted has its turn; what it comes to is what the listing says. */
Test(view_source, is_judged_by_each_cost)
{
    static const struct {
        enum source_cost cost;
        double worst, total;
    } costs[] = {{SOURCE_BY_MOVED, 16896, 19968},    {SOURCE_BY_INSTRUCTIONS, 1536, 4096},
                 {SOURCE_BY_SECTORS, 16384, 18432},  {SOURCE_BY_EXCESS_SECTORS, 14336, 14336},
                 {SOURCE_BY_WAVEFRONTS, 1024, 1536}, {SOURCE_BY_EXCESS_WAVEFRONTS, 512, 512},
                 {SOURCE_BY_SAMPLES, 647, 1000}};
    start(FIXTURE_LINES, 120, 40);
    press("v");
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
        press("s");
        cr_assert_eq(source_state(&screen)->cost, costs[i].cost);
        cr_assert_eq(cost(), costs[i].worst, "%s: %g", source_cost_text(costs[i].cost), cost());
        cr_assert_eq(source_state(&screen)->total, costs[i].total, "%s", source_cost_text(costs[i].cost));
        cr_assert(shows(source_cost_text(costs[i].cost)));
    }
    press("S");
    cr_assert_eq(source_state(&screen)->cost, SOURCE_BY_EXCESS_WAVEFRONTS);
    stop();
}

Test(view_source, lists_lines_instructions_and_both)
{
    start(FIXTURE_LINES, 120, 40);
    press("v");
    cr_assert_eq(source_state(&screen)->list.count, 7);
    press("TAB");
    cr_assert_eq(source_state(&screen)->list.count, 7 + 8);
    cr_assert_eq(selected()->line, 5, "the line stays selected");
    cr_assert(shows("STG.E [R8.64], R6"));
    press("z");
    cr_assert_eq(source_state(&screen)->list.count, 7 + 6, "two of them are folded away");
    cr_assert(!shows("STG.E"));
    press("ENTER j j");
    cr_assert_str_eq(selected()->text, "STG.E [R8.64], R6 ;");
    cr_assert(shows("instruction of kernel.cu:5: 629 of 1,000 samples"));
    press("TAB");
    cr_assert_eq(source_state(&screen)->list.count, 8 + 1, "and the function's name");
    cr_assert_str_eq(selected()->text, "STG.E [R8.64], R6 ;");
    press("n");
    cr_assert_str_eq(selected()->text, "STS [R5], R4 ;");
    press("TAB");
    cr_assert_eq(source_state(&screen)->list.count, 7);
    cr_assert_eq(selected()->line, 4);
    stop();
}

/* Each side says which it is; samples are measured, whichever is shown. */
Test(view_source, shows_what_was_measured_or_what_is_modelled)
{
    start(FIXTURE_LINES, 120, 40);
    press("v");
    cr_assert(shows("measured on NVIDIA H200"));
    cr_assert(shows("16,384") && !shows("samples, measured"));
    press("V");
    cr_assert(shows("modelled on NVIDIA H200, at small size"));
    cr_assert(shows("samples, measured"), "on a page that says modelled");
    cr_assert(shows("4,608"));
    cr_assert(!shows("16,384"));
    press("TAB TAB");
    cr_assert(shows("PTX modelled on"));
    cr_assert(shows("st.global.f32 [%rd3], %f1"));
    cr_assert_neq(source_state(&screen)->cost, SOURCE_BY_SAMPLES, "no PTX was sampled");
    press("V");
    cr_assert(shows("SASS measured on"));
    stop();
    start(FIXTURE_LINES, 200, 40);
    press("v");
    cr_assert(shows("measured on NVIDIA H200"));
    cr_assert(shows("modelled on NVIDIA H200"));
    cr_assert(shows("4,608"));
    cr_assert(shows("16,384"));
    stop();
}

Test(view_source, an_issue_bound_kernel_begins_with_instructions)
{
    for (int percent = 0; percent <= 90; percent += 90) {
        start(FIXTURE_LINES, 120, 40);
        struct panel *panel = panel_state(&screen);
        panel->lines[METRIC_issue_slots_pct].value[panel->own].value =
            (struct value){.available = true, .number = percent};
        panel->lines[METRIC_dram_peak_pct].value[panel->own].value =
            (struct value){.available = true, .number = 50};
        press("v V TAB TAB"); /* PTX, which was not sampled */
        cr_assert_eq(source_state(&screen)->cost, percent > 50 ? SOURCE_BY_INSTRUCTIONS : SOURCE_BY_MOVED);
        stop();
    }
}

Test(view_source, finds_texts)
{
    start(FIXTURE_LINES, 120, 40);
    press("v /");
    type("TILE");
    press("ENTER");
    cr_assert_eq(selected()->line, 6);
    press("*");
    cr_assert_eq(selected()->line, 5);
    press("# #");
    cr_assert_eq(selected()->line, 5);
    press("/");
    type("nowhere");
    press("ENTER");
    cr_assert(shows("'nowhere' was not found here."));
    stop();
}

/* Tabs are blanks, and a line that is longer than the page moves under it. */
Test(view_source, texts_move_and_have_no_tabs)
{
    static const struct {
        const char *text;
        int left;
        const char *line;
    } cases[] = {
        {"a\tb\tc\nd", 0, "a   b   c"},
        {"a\tb\tc\r\nd", 2, "  b   c"},
        {"\t\tx", 6, "  x"},
        {"\xc3\xa9t\xc3\xa9", 1, "t\xc3\xa9"},
        {"abc", 9, ""},
        {"", 0, ""},
    };
    char line[40];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        source_text_line(cases[i].text, cases[i].left, line, sizeof line);
        cr_assert_str_eq(line, cases[i].line, "%d: '%s'", (int)i, line);
    }
    source_text_line("0123456789", 2, line, 5);
    cr_assert_str_eq(line, "2345");
    start(FIXTURE_LINES, 80, 24);
    press("v");
    cr_assert(shows("    unsigned i = blockIdx.x"));
    press("l l");
    cr_assert(shows(" blockIdx.x * blockDim.x + threadIdx.x;"));
    cr_assert(!shows("unsigned i"));
    press("h h h");
    cr_assert(shows("    unsigned i = blockIdx.x"));
    stop();
}

/* ---- what is not there ---- */
Test(view_source, says_what_is_not_there_and_how_to_get_it)
{
    start(FIXTURE_BOTH, 120, 40);
    press("v");
    cr_assert(shows("no samples: record with --runs lines"));
    press("V");
    cr_assert(shows("record with --runs lines"));
    cr_assert_eq(source_state(&screen)->shown, PROVENANCE_MODELLED);
    stop();
    start(FIXTURE_MODEL, 120, 40);
    press("j v");
    cr_assert(shows("sampling needs a GPU, and this runs on the device model"));
    stop();
    start(FIXTURE_PROGRAM, 120, 40);
    press("v");
    cr_assert_eq(screen.stack_count, 0);
    cr_assert(shows("start the program with --runs lines"));
    stop();
}

/* A program's kernel without line information, and one whose source is not here. */
Test(view_source, does_with_what_there_is)
{
    start(FIXTURE_PROGRAM, 120, 40);
    made_lines_add(fixture.session, screen.kernel, NULL, 0, NULL);
    press("v");
    cr_assert(shows("compile with -lineinfo"));
    cr_assert(shows("STG.E [R8.64], R6"));
    press("TAB");
    cr_assert(shows("There are no lines: no line information"));
    cr_assert_eq(source_state(&screen)->shape, SOURCE_INSTRUCTIONS);
    stop();
    start(FIXTURE_PROGRAM, 120, 40);
    made_lines_add(fixture.session, screen.kernel, "src/step.cu", 40, NULL);
    press("v");
    cr_assert_eq(source_state(&screen)->list.count, 4);
    cr_assert_eq(selected()->line, 42);
    cr_assert(shows("(text not available)"));
    stop();
}

/* D has the case sampled that the keys are about: the kernel's, the page's, the lab's. */
Test(view_source, has_the_case_looked_at_sampled)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("D");
    cr_assert_str_eq(fixture.ran, "lines of transpose:naive");
    press("v");
    cr_assert(shows("D runs the case again"));
    fixture.ran[0] = '\0';
    press("D");
    cr_assert_str_eq(fixture.ran, "lines of transpose:naive");
    press("q j e D");
    cr_assert_str_eq(fixture.ran, "lines of transpose:tile");
    stop();
    start(FIXTURE_MODEL, 120, 40);
    press("D");
    cr_assert(shows("Sampling needs a GPU"));
    stop();
    start(FIXTURE_BOTH, 120, 40);
    press("D");
    cr_assert(shows("record with --runs lines"));
    stop();
    start(FIXTURE_PROGRAM, 120, 40);
    press("D");
    cr_assert(shows("Start your own program with --runs lines"));
    stop();
}

/* A function inlined from a toolkit's header is below the kernel's own source, however much of it there is.
 */
Test(view_source, begins_with_the_kernels_own_file)
{
    start(FIXTURE_PROGRAM, 120, 40);
    uint32_t kernel = screen.kernel;
    made_lines_add(fixture.session, kernel, "include/atomics.hpp", 100, NULL);
    uint32_t own = session_add_string(fixture.session, "src/step.cu", 11);
    session_set_instruction(fixture.session, 0, 0, own, 3);
    press("v");
    cr_assert_str_eq(source_state(&screen)->path, "src/step.cu");
    cr_assert(shows("include/atomics.hpp"));
    cr_assert(shows("atomics.hpp:102 costs most"));
    stop();
}

/* Samples of instructions whose lines and texts come later: instructions first, then the lines, as the user
 * wants them. */
Test(view_source, lines_come_after_samples)
{
    start(FIXTURE_PROGRAM, 120, 40);
    uint32_t kernel = screen.kernel;
    made_lines_add(fixture.session, kernel, NULL, 0, NULL);
    press("v");
    cr_assert_eq(source_state(&screen)->shape, SOURCE_INSTRUCTIONS);
    made_lines_add(fixture.session, kernel, "src/step.cu", 1, "int a;\nint b;\nint c;\nint d;\n");
    screen.clock_ms += 10000;
    press("j");
    cr_assert_eq(source_state(&screen)->shape, SOURCE_LINES);
    cr_assert(shows("line 3 costs most"));
    cr_assert(shows("int c;"));
    stop();
}

/* Samples that come while the page is open are taken in, the user's line and cost kept. */
Test(view_source, takes_in_what_comes)
{
    start(FIXTURE_BOTH, 120, 40);
    press("v");
    made_lines_add(fixture.session, source_state(&screen)->kernel, FIXTURE_SOURCE_PATH, 3,
                   fixture_source_text);
    press("j");
    cr_assert(shows("measured on NVIDIA H200"));
    cr_assert_eq(source_state(&screen)->cost, SOURCE_BY_SAMPLES);
    cr_assert(shows("647 of 1,000 samples"));
    stop();
}

static struct session *other_session;

static struct session *give_other(void *context)
{
    (void)context;
    return other_session;
}

/* Its texts are the session's: with another one the page is gone, wherever it lies. */
Test(view_source, goes_with_its_session)
{
    for (int below = 0; below < 2; below++) {
        struct session *own;
        start(FIXTURE_LINES, 120, 40);
        press(below ? "v ?" : "v");
        own = fixture.session;
        cr_assert_eq(session_create(&other_session, 5, NULL), STATUS_OK);
        fixture.host.session = give_other;
        screen_update(&screen, 120, 40);
        session_destroy(own);
        fixture.session = other_session;
        press(below ? "q j n s TAB V D l" : "j n s TAB V D l");
        cr_assert_eq(source_state(&screen)->kernel, NONE);
        cr_assert(!shows("out[i * 8] = tile[i];"));
        stop();
    }
}

/* On 80 columns there is room for two counts: where banks are the trouble, wavefronts are one of them. */
Test(view_source, a_narrow_page_shows_what_costs)
{
    static const struct {
        double wavefronts, sectors;
        enum code_cost second;
    } table[] = {
        {512, 2048, CODE_INSTRUCTIONS}, {16384, 2048, CODE_WAVEFRONTS}, {1024, 16384, CODE_INSTRUCTIONS}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct source_view view = {.shown = PROVENANCE_MODELLED};
        struct code_listing *listing = &view.sides[PROVENANCE_MODELLED].listing;
        for (enum code_cost cost = CODE_INSTRUCTIONS; cost <= CODE_IDEAL_WAVEFRONTS; cost++)
            listing->has[cost] = true;
        listing->totals[CODE_WAVEFRONTS] = table[i].wavefronts;
        listing->totals[CODE_IDEAL_WAVEFRONTS] = 512;
        listing->totals[CODE_SECTORS] = table[i].sectors;
        listing->totals[CODE_IDEAL_SECTORS] = 2048;
        struct source_columns columns = source_columns_of(&view, 78);
        bool sectors = false, second = false;
        for (int c = 0; c < columns.count; c++) {
            sectors |= columns.columns[c].cost == CODE_SECTORS;
            second |= columns.columns[c].cost == table[i].second;
        }
        cr_assert(columns.count == 3 && sectors && second, "row %zu", i); /* the third is the share */
    }
}
