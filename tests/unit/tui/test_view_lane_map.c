/* SPDX-License-Identifier: Apache-2.0 */
/* The lane map on the screen: keys move the picture and the number to what the rules give. */
#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"
#include "core/session/code.h"
#include "tests/shared/fixture/driven_screen.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The picture's row of the first line. */
static const char *first_cells(void)
{
    cr_assert_gt(lane_map_state(&screen)->side[0].picture.count, 0);
    cr_assert_eq(lane_map_state(&screen)->side[0].picture.rows[0].line, 0);
    return lane_map_state(&screen)->side[0].picture.rows[0].cells;
}

static void open_stride(void)
{
    start(FIXTURE_EMPTY, 120, 60);
    press("j A j");
    cr_assert_str_eq(lab_state(&screen)->workload->name, "copy-stride");
}

/* The other instruction, and the source, its lines with what they cost. */
Test(view_lane_map, a_large_screen_shows_the_rest_of_the_kernel)
{
    start(FIXTURE_WORKLOADS, 200, 60);
    press("w j e A");
    cr_assert(shows("kernel.cu:9") && shows("kernel.cu:11"));
    cr_assert(shows("  9     tile[i] = in[i * stride + offset];") && shows(" 11     tile[i * stride"));
    cr_assert(shows("64 / 8"));
    stop();
}

/* It returns to the view from which it was opened, also where the lab was not open. */
Test(view_lane_map, closes_to_the_view_below)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("w j A");
    cr_assert(shows("Lane map  copy-stride"));
    press("q");
    cr_assert(screen_top(&screen) == screen.views[VIEW_WORKLOADS]);
    press("e A q");
    cr_assert(screen_top(&screen) == screen.views[VIEW_LAB]);
    stop();
}

/* 32 words `stride` apart that begin with the second of a line lie in this many sectors. */
Test(view_lane_map, a_stride_moves_picture_and_number)
{
    open_stride();
    while (strcmp(lab_state(&screen)->value[0], "1") != 0)
        press("h");
    for (uint32_t stride = 1; stride <= 32; stride++) {
        bool wanted[33 * 4] = {false};
        uint32_t sectors = 0;
        char text[80], expected[40];
        for (uint32_t lane = 0; lane < 32; lane++) {
            sectors += !wanted[(lane * stride + 1) / 8];
            wanted[(lane * stride + 1) / 8] = true;
        }
        snprintf(text, sizeof text, "%u sectors of 32 bytes", sectors);
        cr_assert(shows(text), "stride %u", stride);
        const struct tui_access *access = lane_map_access(lane_map_state(&screen));
        cr_assert_eq(coalesce_count(lane_map_state(&screen)->rules, &access->access).sectors, sectors);
        cr_assert_eq(lane_map_state(&screen)->side[0].picture.steps, sectors);
        memset(expected, 0, sizeof expected);
        for (uint32_t word = 0, at = 0; word < 32; word++) { /* the first line, cell by cell */
            bool lane = word % stride == 1 % stride && (word - 1) / stride < 32 && word > 0;
            expected[at++] = lane ? lane_letter((word - 1) / stride) : wanted[word / 8] ? '.' : ' ';
        }
        cr_assert_eq(memcmp(first_cells(), expected, 32), 0, "stride %u: %.32s for %s", stride, first_cells(),
                     expected);
        press("l");
    }
    stop();
}

Test(view_lane_map, a_stride_moves_the_banks)
{
    open_stride();
    press("n");
    while (strcmp(lab_state(&screen)->value[0], "1") != 0)
        press("h");
    for (uint32_t stride = 1; stride <= 32; stride++) {
        char text[80];
        uint32_t way = stride & -stride; /* lanes in a bank: the power of two in the stride */
        if (way == 1)
            snprintf(text, sizeof text, "1 wavefront, ideal 1: no conflict");
        else
            snprintf(text, sizeof text, "%u wavefronts, ideal 1: %s %u-way conflict", way,
                     way == 8 ? "an" : "a", way);
        cr_assert(shows(text), "stride %u", stride);
        cr_assert_eq(lane_map_state(&screen)->side[0].picture.count, (int)way);
        press("l");
    }
    stop();
}

/* Each compute capability draws by its own rules, and says what they count. */
Test(view_lane_map, rules_change_with_the_compute_capability)
{
    open_stride();
    press("G");
    for (int i = 0; i < 40; i++)
        press("h");
    cr_assert_eq(lane_map_state(&screen)->rules, arch_rules_at(0));
    for (size_t i = 0; arch_rules_at(i) != NULL; i++) {
        const struct arch *arch = arch_rules_at(i);
        const struct tui_access *access = lane_map_access(lane_map_state(&screen));
        const struct coalesce_cost cost = coalesce_count(arch, &access->access);
        char text[80];
        snprintf(text, sizeof text, "%u sectors of 32 bytes", cost.sectors);
        cr_assert(shows(text));
        arch_text(arch, text);
        cr_assert(shows(text), "%s", text);
        cr_assert_eq(shows("lanes 0 to 15"), arch->compute_capability < 20);
        if (cost.transactions_128 > 0) {
            snprintf(text, sizeof text, "%u x 128 B", cost.transactions_128);
            cr_assert_eq(shows(text), arch->global_rules != GLOBAL_RULES_5_X);
        }
        press("l");
    }
    stop();
}

/* A run that was counted by the rules of 2.x is looked at by them. */
Test(view_lane_map, begins_with_the_rules_of_the_run)
{
    static const char params[] = "offset=1,n=16384,cc=2.0-no-l1";
    start(FIXTURE_WORKLOADS, 120, 40);
    press("/");
    type("copy\r");
    uint32_t run = screen_run_looked_at(&screen);
    cr_assert_lt(run, session_run_count(screen.session));
    struct run_row *row = (struct run_row *)(uintptr_t)session_run(screen.session, run);
    row->params = session_add_string(screen.session, params, sizeof params - 1);
    press("A");
    cr_assert(shows("2.0-no-l1 Fermi"));
    cr_assert_eq(lane_map_state(&screen)->rules, arch_parse("2.0-no-l1"));
    stop();
}

Test(view_lane_map, looks_at_other_warps_blocks_and_executions)
{
    open_stride();
    const struct tui_access *access = lane_map_access(lane_map_state(&screen));
    uint64_t first = access->access.address[0];
    press("j j j l");
    cr_assert_eq(lane_map_access(lane_map_state(&screen))->execution, 1);
    cr_assert_neq(lane_map_access(lane_map_state(&screen))->access.address[0], first);
    press("h j l l h");
    cr_assert_eq(lane_map_state(&screen)->side[0].answer.block, 1);
    press("h j l");
    cr_assert_eq(lane_map_state(&screen)->side[0].answer.warp, 1);
    cr_assert_eq(lane_map_state(&screen)->side[0].answer.block, 0);
    press("h h h");
    cr_assert_eq(lane_map_state(&screen)->side[0].answer.warp, 0);
    cr_assert_eq(lane_map_access(lane_map_state(&screen))->access.address[0], first);
    stop();
}

/* As in the lab: a digit begins a value, and what cannot be is refused. */
Test(view_lane_map, takes_a_typed_value)
{
    open_stride();
    type("16");
    press("ENTER");
    cr_assert_str_eq(lab_state(&screen)->value[0], "16");
    cr_assert(shows("32 sectors of 32 bytes"));
    press("e BACKSPACE BACKSPACE 8 ENTER");
    cr_assert_str_eq(lab_state(&screen)->value[0], "8");
    stop();
}

/* From a line of the source to its instruction. */
Test(view_lane_map, begins_with_the_line_looked_at)
{
    start(FIXTURE_BOTH, 120, 40);
    press("v");
    source_state(&screen)->rows[source_state(&screen)->list.selected].line =
        11; /* behind the fixture's source, where its second instruction stands */
    screen_key(&screen, 'A');
    screen_update(&screen, 120, 40);
    cr_assert_str_eq(lane_map_access(lane_map_state(&screen))->place, "kernel.cu:11");
    stop();
}

static int count_of(const char *wanted)
{
    char *text = screen_text();
    int count = 0;
    for (const char *at = strstr(text, wanted); at != NULL; at = strstr(at + 1, wanted))
        count++;
    free(text);
    return count;
}

/* 32 rows of one sector or bank each, as most sizes of terminals show them: none is hidden, and what the
 * cells mean is said. */
Test(view_lane_map, shows_thirty_two_rows_without_a_page)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}, {300, 80}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        start(FIXTURE_EMPTY, sizes[i][0], sizes[i][1]);
        press("j A j 3 2 ENTER");
        cr_assert_eq(lane_map_state(&screen)->side[0].picture.count, 32);
        cr_assert_geq(count_of("."), 32 * 7, "%d", count_of(".")); /* words that no lane wants */
        cr_assert(shows("4 B a cell: lane"));
        cr_assert_eq(count_of("PgDn"), 0);
        press("n");
        cr_assert_eq(lane_map_state(&screen)->side[0].picture.count, 32);
        cr_assert(shows(" 1\u2502") && shows("32\u2502") && shows("a row per wavefront"));
        cr_assert_eq(count_of("PgDn"), 0);
        stop();
    }
}

/* Cells of the screen whose ground is a hue of the lanes. */
static int lit_cells(void)
{
    int count = 0;
    screen_draw(&screen, &canvas);
    for (int y = 0; y < canvas.height; y++)
        for (int x = 0; x < canvas.width; x++)
            count += canvas_cell(&canvas, x, y)->style.background >= COLOR_LANE;
    return count;
}

/* SPACE lights what is served at a time; all lanes are served once, and then all are lit. */
Test(view_lane_map, steps_through_wavefronts_and_sectors)
{
    char text[80];
    start(FIXTURE_EMPTY, 80, 24);
    press("j A j 3 2 ENTER");
    cr_assert_eq(lit_cells(), 32);
    for (int space = 0; space < 2; space++) {
        const struct lane_picture *picture = &lane_map_state(&screen)->side[0].picture;
        for (uint32_t i = 1; i <= 32; i++) {
            press("SPACE");
            snprintf(text, sizeof text, "%s %u of 32: lane %c", space == 1 ? "wavefront" : "sector", i,
                     lane_letter(i - 1));
            cr_assert(shows(text));
            cr_assert_eq(lit_cells(), 1);
        }
        press("SPACE");
        cr_assert_eq(lit_cells(), 32);
        cr_assert(shows(picture->sentence));
        press("n");
    }
    press("SPACE SPACE ESC");
    cr_assert_eq(lit_cells(), 32);
    cr_assert_eq(screen_top(&screen), screen.views[VIEW_LANE_MAP]);
    press("SPACE SPACE SPACE SPACE SPACE h h h h h h h h h h h h h h h h h h h h h h h h h h h h h h h h");
    cr_assert_eq(lane_map_state(&screen)->side[0].picture.steps,
                 5); /* the step that was chosen is still there */
    cr_assert_eq(lane_map_state(&screen)->step, 5);
    press("n");
    cr_assert_eq(lane_map_state(&screen)->step, 0);
    stop();
}

/* A large screen also has the kernel's instructions with their cost, the chosen one marked, and the lanes'
 * addresses where the picture is small. */
Test(view_lane_map, lists_instructions_and_lanes_on_a_large_screen)
{
    start(FIXTURE_EMPTY, 120, 40);
    press("j A");
    cr_assert(shows("  1 load global        64 / 8") && shows("  2 store shared       32 / 4"));
    cr_assert(shows("31  +252      sector 7"));
    press("n");
    cr_assert(shows("31  byte 8444   bank 31")); /* 4096 + 4 x (2 x (31 + 256 x 2) + 1) */
    press("N j 3 2 ENTER");
    cr_assert_eq(count_of("sector 7"), 0); /* all room is the picture's */
    stop();
}

/* Another variant's picture of the same instruction, with its cost; l on its row changes it, b ends it. */
Test(view_lane_map, shows_two_variants_side_by_side)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        start(FIXTURE_EMPTY, sizes[i][0], sizes[i][1]);
        struct lane_map *map = lane_map_state(&screen);
        press("j j j A n b");
        cr_assert_neq(strstr(map->side[1].answer.spec, "transpose:"), NULL, "%s", map->side[1].answer.spec);
        while (strstr(map->side[1].answer.spec, ":pad") == NULL)
            press("G k l");
        cr_assert_eq(map->side[0].access->space, TUI_SPACE_SHARED);
        cr_assert_eq(map->side[1].access->space, TUI_SPACE_SHARED);
        cr_assert_eq(map->hidden, 0);
        cr_assert(shows("32 wavefronts, ideal 1") && shows("1 wavefront, ideal 1"));
        press("b");
        cr_assert_eq(map->beside, 0);
        cr_assert(shows("32 wavefronts, ideal 1: a 32-way conflict"));
        cr_assert_eq(count_of("1 wavefront, ideal 1"), 0);
        stop();
    }
}

/* The store that comes second there is the second one here, if there are two; a kind that is not there is not
 * shown. */
Test(view_lane_map, finds_the_instruction_that_does_the_same)
{
    static const struct {
        enum tui_space space;
        bool store;
    } own[] = {{TUI_SPACE_GLOBAL, false},
               {TUI_SPACE_SHARED, true},
               {TUI_SPACE_SHARED, false},
               {TUI_SPACE_GLOBAL, true},
               {TUI_SPACE_GLOBAL, true}};
    struct tui_access items[5] = {0}, others[2] = {0};
    for (uint32_t i = 0; i < 5; i++)
        items[i] = (struct tui_access){.site = i, .space = own[i].space, .access.store = own[i].store};
    others[0] = items[0];
    others[1] = (struct tui_access){.site = 1, .space = TUI_SPACE_GLOBAL, .access.store = true};
    const struct tui_accesses all = {.items = items, .count = 5, .sites = 5},
                              few = {.items = others, .count = 2, .sites = 2};
    for (uint32_t i = 0; i < 5; i++)
        cr_assert_eq(lane_case_alike(&all, i, &all), i);
    cr_assert_eq(lane_case_alike(&all, 0, &few), 0);
    cr_assert_eq(lane_case_alike(&all, 2, &few), NONE);
    cr_assert_eq(lane_case_alike(&all, 4, &few), 1); /* the last of its kind */
}

/* site, line, space, counted, ideal: rows as the host gives them, by site and execution. */
static uint32_t worst_of(const int rows[][5], uint32_t count, uint32_t line)
{
    struct tui_access items[8] = {0};
    for (uint32_t i = 0; i < count; i++)
        items[i] = (struct tui_access){.site = (uint32_t)rows[i][0],
                                       .line = (uint32_t)rows[i][1],
                                       .space = (enum tui_space)rows[i][2],
                                       .counted = (uint32_t)rows[i][3],
                                       .counted_ideal = (uint32_t)rows[i][4]};
    return lane_case_worst(&(struct tui_accesses){.items = items, .count = count}, line);
}

Test(view_lane_map, begins_with_the_instruction_that_costs_most)
{
    /* One execution that is worse than each of four, which together cost more; and an ideal one on its line.
     */
    static const int rows[][5] = {{0, 11, TUI_SPACE_GLOBAL, 4, 4}, {1, 11, TUI_SPACE_GLOBAL, 20, 4},
                                  {2, 12, TUI_SPACE_SHARED, 9, 1}, {2, 12, TUI_SPACE_SHARED, 9, 1},
                                  {2, 12, TUI_SPACE_SHARED, 9, 1}, {3, 13, TUI_SPACE_GLOBAL, 4, 4},
                                  {4, 13, TUI_SPACE_SHARED, 1, 1}};
    static const int ideal[][5] = {
        {0, 11, TUI_SPACE_GLOBAL, 4, 4}, {1, 12, TUI_SPACE_GLOBAL, 16, 16}, {2, 13, TUI_SPACE_GLOBAL, 4, 4}};
    cr_assert_eq(worst_of(rows, 7, 0), 2);
    cr_assert_eq(worst_of(rows, 7, 11), 1);
    cr_assert_eq(worst_of(rows, 7, 13), 4); /* nothing is wasted: its load from shared memory */
    cr_assert_eq(worst_of(ideal, 3, 0), 1); /* nor here, without one: what costs most */
    cr_assert_eq(worst_of(rows, 7, 14), NONE);
    cr_assert_eq(worst_of(rows, 1, 0), 0);
}

/* A program on the device model: what was recorded of its kernel, opened at the instruction that wastes most
 * over the launch; of a line at that line's. */
static void record_accesses(void)
{
    struct session *session = (struct session *)(uintptr_t)screen.session;
    uint32_t kernel = screen_kernel_looked_at(&screen);
    const char file[] = "mine/k.cu", source[] = "int first;\nout[i] = in[32 * i];\nout[i + 1] = 0;\n";
    struct function_row function = {.size_bytes = 8};
    function.mangled = function.name = session_add_string(session, "mine", 4);
    struct access_row row = {.run = session_kernel(session, kernel)->run,
                             .kernel = kernel,
                             .block = 12,
                             .warp = 3,
                             .width_bytes = 4,
                             .ideal_transfers = 4,
                             .requests = 100,
                             .all_ideal_transfers = 400};
    uint32_t name = session_add_string(session, file, strlen(file));
    session_add_source(session, name, source, strlen(source));
    uint32_t of = session_add_function(session, &function);
    for (uint32_t i = 0; i < 2; i++) { /* a load of every 32nd word, a store that begins a word too late */
        struct warp_access access = {.active = UINT32_MAX, .width_bytes = 4};
        char text[ACCESS_TEXT_BYTES];
        for (uint64_t lane = 0; lane < WARP_LANES; lane++)
            access.address[lane] = 0x700000000 + (i == 0 ? 128 * lane : 4 * lane + 4);
        access_print(&access, text);
        row.addresses = session_add_string(session, text, strlen(text));
        row.instruction = session_add_instruction(session, of, i);
        row.transfers = i == 0 ? 32 : 5;
        row.all_transfers = i == 0 ? 3200 : 500;
        row.flags = (uint8_t)(ACCESS_IS_ALONE | (i == 0 ? 0 : ACCESS_IS_STORE));
        session_set_instruction(session, row.instruction, session_add_string(session, "ld.global.f32", 13),
                                name, i + 2);
        cr_assert_neq(session_add_access(session, &row), NONE);
    }
}

Test(view_lane_map, shows_what_was_recorded_of_a_program)
{
    start(FIXTURE_PROGRAM, 120, 40);
    record_accesses();
    press("A");
    cr_assert(shows("Lane map  mine") && shows("32 sectors of 32 bytes, ideal 4"));
    cr_assert(shows("k.cu:2  out[i] = in[32 * i];") && shows("1 of 2"));
    cr_assert(shows("block        12") && shows("warp         3") && shows("3200 / 400"));
    press("n");
    cr_assert(shows("5 sectors of 32 bytes, ideal 4") && shows("k.cu:3  out[i + 1] = 0;"));
    cr_assert(shows("32 lanes store 4 bytes, global"));
    press("b");
    cr_assert(shows("Only bundled workloads have variants"));
    press("G");
    for (int i = 0; i < 40; i++) /* to the oldest rules, for which there are no sums */
        press("h");
    cr_assert(shows("lanes 0 to 15"));
    cr_assert_eq(lane_map_access(lane_map_state(&screen))->requests, 0);
    lane_map_state(&screen)->wanted_line = 3;
    press("q A");
    cr_assert(shows("2 of 2") && shows("9.0 Hopper"));
    stop();
}

/* All lanes update one word: each is a pass of its own, in a row of its own; SPACE serves one lane at a time.
 */
Test(view_lane_map, draws_the_passes_of_an_atomic)
{
    start(FIXTURE_EMPTY, 80, 24);
    press("j j A");
    cr_assert(shows("32 updates of one word: 32 passes, ideal 1"));
    cr_assert_eq(lane_map_state(&screen)->site, 1);
    cr_assert_eq(lane_map_state(&screen)->side[0].picture.count, 32);
    cr_assert_eq(lit_cells(), 32);
    press("SPACE SPACE");
    cr_assert(shows("pass 2 of 32: lane 1"));
    cr_assert_eq(lit_cells(), 1);
    press("ESC n");
    cr_assert(shows("4 sectors of 32 bytes, ideal 4"));
    stop();
}

/* Of a program: sums of passes over the launch, and none of an atomic from a file that has only its sectors.
 */
Test(view_lane_map, shows_recorded_atomics_by_their_passes)
{
    for (int passes = 0; passes < 2; passes++) {
        start(FIXTURE_PROGRAM, 120, 40);
        record_accesses();
        struct session *session = (struct session *)(uintptr_t)screen.session;
        struct access_row row = *session_access(session, session_access_count(session) - 1);
        struct warp_access access = {.active = UINT32_MAX, .width_bytes = 4};
        char text[ACCESS_TEXT_BYTES];
        for (uint64_t lane = 0; lane < WARP_LANES; lane++)
            access.address[lane] = 0x700000000;
        access_print(&access, text);
        row.addresses = session_add_string(session, text, strlen(text));
        row.flags = (uint8_t)(ACCESS_IS_ATOMIC | (passes ? ACCESS_IS_PASSES : 0));
        row.transfers = passes ? 32 : 1;
        row.ideal_transfers = 1;
        row.all_transfers = passes ? 3200 : 100;
        row.all_ideal_transfers = 100;
        cr_assert_neq(session_add_access(session, &row), NONE);
        press("A");
        cr_assert_eq(shows("32 updates of one word: 32 passes, ideal 1"), passes);
        cr_assert_eq(shows("update global  3200 / 100"), passes);
        cr_assert(shows(passes ? "3 of 3" : "1 of 2"));
        stop();
    }
}

Test(view_lane_map, says_why_there_is_nothing)
{
    start(FIXTURE_EMPTY, 120, 40);
    press("j j j j A");
    cr_assert(shows("makes no memory access"));
    stop();
    start(FIXTURE_PROGRAM, 120, 40);
    press("A");
    cr_assert(shows("The lane map shows bundled workloads, and programs"));
    stop();
}

/* Beside a variant stands the next one; beside the last the one before it, not a bound that has no such access. */
Test(view_lane_map, the_last_variant_has_its_neighbour_beside_it)
{
    static const char *const beside[] = {"tile", "pad"};
    for (int i = 0; i < 2; i++) {
        start(FIXTURE_EMPTY, 120, 40);
        press("/");
        type("transpose");
        press("ENTER e");
        lab_state(&screen)->variant = i == 0 ? 1 : 4;
        press("A b");
        const struct lane_map *map = lane_map_state(&screen);
        cr_assert_gt(map->beside, 0);
        cr_assert_str_eq(map->workload->variants[map->beside - 1].name, beside[i]);
        stop();
    }
}
