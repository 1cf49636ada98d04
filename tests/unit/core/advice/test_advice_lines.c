/* SPDX-License-Identifier: Apache-2.0 */
/* The line that an advice is about: the one with most of what is wrong, of the right kind of instruction. */
#include "cli/model/model_counts.h"
#include "core/advice/advice.h"
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_source.h"
#include "tests/shared/made/made_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 8
static struct code_place places[PLACES];

/* Line n + 1 has place n. */
static struct code_listing listing_of(const char *const texts[PLACES])
{
    struct code_listing listing = {.places = places, .count = PLACES};
    for (uint32_t i = 0; i < PLACES; i++)
        places[i] = (struct code_place){
            .function = "k", .text = texts[i], .file = i == 7 ? "" : "src/k.cu", .line = i == 7 ? 0 : i + 1};
    return listing;
}

static struct advice_list list_of(const char *rule)
{
    struct advice_list list = {.count = 1};
    list.items[0].rule = advice_rule_find(rule);
    snprintf(list.items[0].text, sizeof list.items[0].text, "It is wrong");
    return list;
}

static const char *named(const char *rule, const struct code_listing *listing)
{
    static struct advice_list list;
    list = list_of(rule);
    advice_name_lines(&list, listing);
    return list.items[0].text;
}

Test(advice_lines, are_of_the_rules_kind)
{
    static const char *const sass[PLACES] = {
        "LDG.E R1, [R2.64] ;", "@!P0 LDG.E R1, [R2.64] ;", "STG.E [R2.64], R1 ;", "@P1 STS [R2], R1 ;",
        "LDS R1, [R2] ;",      "LDL R1, [R3] ;",           "BRA 0x80 ;",          "LDG.E R9, [R2.64] ;"};
    static const char *const ptx[PLACES] = {"ld.global.f32 %f1, [%rd1]",
                                            "@%p1 ld.global.f32 %f1, [%rd1]",
                                            "st.global.f32 [%rd1], %f1",
                                            "@%p2 st.shared.f32 [%r1], %f1",
                                            "ld.shared.f32 %f1, [%r1]",
                                            "ld.local.f32 %f1, [%r1]",
                                            "bra $L1",
                                            "ld.global.f32 %f1, [%rd1]"};
    for (int language = 0; language < 2; language++) {
        struct code_listing listing = listing_of(language == 0 ? sass : ptx);
        for (int cost = 0; cost < CODE_COST_COUNT; cost++)
            listing.has[cost] = true;
        places[0].costs[CODE_SECTORS] = 100; /* the most, but ideal */
        places[0].costs[CODE_IDEAL_SECTORS] = 100;
        places[1].costs[CODE_SECTORS] = 50;
        places[1].costs[CODE_IDEAL_SECTORS] = 10;
        places[2].costs[CODE_SECTORS] = 900;
        places[3].costs[CODE_WAVEFRONTS] = 64;
        places[4].costs[CODE_WAVEFRONTS] = 8;
        places[5].costs[CODE_LOCAL_SECTORS] = 4;
        places[6].costs[CODE_DIVERGENT] = 2;
        cr_assert_str_eq(named("uncoalesced_loads", &listing), "It is wrong, at k.cu:2");
        cr_assert_str_eq(named("uncoalesced_stores", &listing), "It is wrong, at k.cu:3");
        cr_assert_str_eq(named("shared_store_conflicts", &listing), "It is wrong, at k.cu:4");
        cr_assert_str_eq(named("shared_load_conflicts", &listing), "It is wrong, at k.cu:5");
        cr_assert_str_eq(named("local_memory", &listing), "It is wrong, at k.cu:6");
        cr_assert_str_eq(named("divergence", &listing), "It is wrong, at k.cu:7");
        cr_assert_str_eq(named("occupancy", &listing), "It is wrong");
        places[0].costs[CODE_SECTORS] = 130;
        cr_assert_str_eq(named("uncoalesced_loads", &listing), "It is wrong, most at k.cu:2");
        /* More than half of it has no line: still no other line has more. */
        places[7].costs[CODE_SECTORS] = 500;
        cr_assert_str_eq(named("uncoalesced_loads", &listing), "It is wrong, most at k.cu:2");
        /* No branch parted: where lanes are missing. */
        places[6].costs[CODE_DIVERGENT] = 0;
        places[2].costs[CODE_INSTRUCTIONS] = 10;
        places[2].costs[CODE_THREADS] = 100;
        cr_assert_str_eq(named("divergence", &listing), "It is wrong, at k.cu:3");
        /* Of samples those of the rule's reason. */
        listing.reasons[0] = "wait";
        listing.reasons[1] = "long_scoreboard";
        listing.reason_count = 2;
        places[0].samples[0] = 100;
        places[3].samples[1] = 5;
        cr_assert_str_eq(named("long_scoreboard", &listing), "It is wrong, at k.cu:4");
        listing.has[CODE_SECTORS] = false;
        cr_assert_str_eq(named("uncoalesced_loads", &listing), "It is wrong");
    }
}

/* Where atomics keep a slice of the L2 busy: the one with the most passes, without a count of them the one
 * that is executed most; not an atomic on shared memory, nor a sum over a warp's registers. */
Test(advice_lines, are_of_atomics)
{
    static const char *const sass[PLACES] = {
        "LDG.E R1, [R2.64] ;",           "@P0 ATOMG.E.ADD.STRONG.GPU PT, R3, [R2.64], R5 ;",
        "RED.E.ADD.STRONG.GPU [R2], R3", "ATOMS.POPC.INC.32 RZ, [R4] ;",
        "REDUX.SUM UR4, R0 ;",           "@!P1 REDG.E.ADD.F32 [R2.64], R7 ;",
        "ATOM.E.CAS PT, R3, [R2], R5",   "NOP ;"};
    static const char *const ptx[PLACES] = {
        "ld.global.u32 %r1, [%rd1]",          "@%p1 atom.global.add.u32 %r3, [%rd1], 1",
        "red.global.add.u32 [%rd1], %r1",     "atom.shared.add.u32 %r5, [%r4], 1",
        "redux.sync.add.u32 %r1, %r2, -1",    "red.global.add.f32 [%rd1], %f1",
        "atom.cas.b32 %r1, [%rd1], %r2, %r3", "nop"};
    for (int language = 0; language < 2; language++) {
        struct code_listing listing = listing_of(language == 0 ? sass : ptx);
        listing.has[CODE_INSTRUCTIONS] = true;
        for (uint32_t i = 0; i < PLACES; i++)
            places[i].costs[CODE_INSTRUCTIONS] = i == 0 || i == 3 || i == 4 ? 9000 : i == 2 ? 900 : 10;
        cr_assert_str_eq(named("atomics", &listing), "It is wrong, at k.cu:3");
        listing.has[CODE_PASSES] = true;
        places[1].costs[CODE_PASSES] = 3200;
        places[2].costs[CODE_PASSES] = 900;
        cr_assert_str_eq(named("atomics", &listing), "It is wrong, most at k.cu:2");
    }
}

Test(advice_lines, are_of_doubles)
{
    static const char *const texts[PLACES] = {"FADD R1, R2, R3 ;",
                                              "@P0 DFMA R2, R4, R6, R8 ;",
                                              "DEPBAR.LE SB0, 0x1 ;",
                                              "fma.rn.f64 %fd1, %fd2, %fd3, %fd4",
                                              "add.f32 %f1, %f2, %f3",
                                              "",
                                              "EXIT ;",
                                              "NOP ;"};
    struct code_listing listing = listing_of(texts);
    listing.has[CODE_INSTRUCTIONS] = true;
    for (uint32_t i = 0; i < PLACES; i++)
        places[i].costs[CODE_INSTRUCTIONS] = 100;
    places[1].costs[CODE_INSTRUCTIONS] = 9;
    places[3].costs[CODE_INSTRUCTIONS] = 8;
    places[5].costs[CODE_INSTRUCTIONS] = 0;
    cr_assert_str_eq(named("double_precision", &listing), "It is wrong, most at k.cu:2");
}

Test(advice_lines, are_named_once)
{
    static const char *const texts[PLACES] = {"", "", "", "", "", "", "", ""};
    struct code_listing listing = listing_of(texts), nothing = {0};
    struct advice_list list = list_of("uncoalesced_loads");
    listing.has[CODE_SECTORS] = true;
    places[3].costs[CODE_SECTORS] = 5;
    cr_assert(advice_wants_lines(&list));
    advice_name_lines(&list, &nothing);
    cr_assert_str_eq(list.items[0].where, "");
    advice_name_lines(&list, &listing);
    advice_name_lines(&list, &listing);
    cr_assert_str_eq(list.items[0].text, "It is wrong, at k.cu:4");
    cr_assert_str_eq(list.items[0].where, "k.cu:4");
    list = list_of("tail_wave");
    cr_assert_not(advice_wants_lines(&list));
}

/* On the panel: at once where it was measured; else once the eye rests there, from the model. */
Test(advice_lines, stand_on_the_panel)
{
    start(FIXTURE_WORKLOADS, 120, 40);
    press("ENTER");
    cr_assert(!shows("at kernel.cu:"));
    screen.clock_ms = 200;
    press("k");
    cr_assert(!shows("at kernel.cu:"));
    screen.clock_ms = 2000;
    press("k");
    cr_assert(shows("at kernel.cu:5 by the model"));
    stop();
    start(FIXTURE_WORKLOADS, 120, 40);
    made_lines_add(fixture.session, screen.kernel, FIXTURE_SOURCE_PATH, 40, NULL);
    press("ENTER");
    cr_assert(shows("at kernel.cu:4"));
    stop();
}

/* On the model, with the workloads that teach the rules: the line is the one that does it. */
Test(advice_lines, are_those_that_the_lessons_name)
{
    static const struct {
        struct tui_source_query query;
        const char *rule;
        const char *text; /* in the line */
    } cases[] = {
        {{"copy-stride", "copy", "stride=8,n=16384", "copy_stride", NULL, false},
         "uncoalesced_loads",
         "out[i] = in[i];"},
        {{"transpose", "naive", "n=4096", "transpose_naive", NULL, false},
         "uncoalesced_stores",
         "out[x * n + y + j] ="},
        {{"transpose", "tile", "n=4096", "transpose_tile", NULL, false},
         "shared_load_conflicts",
         "= tile[threadIdx.x]"},
        {{"matmul-aat", "tile", "m=2048", "matmul_aat_tile", NULL, false},
         "shared_store_conflicts",
         "turned[threadIdx.x][threadIdx.y] ="},
        {{"local-array", "variable", "", "local_array_variable", NULL, false},
         "local_memory",
         "word[k] = in["},
        {{"divergence", "lane", "ways=2", "divergence_lane", NULL, false}, "divergence", "switch (way)"},
        {{"math", "double-constants", "", "math_double_constants", NULL, false},
         "double_precision",
         "x * 0.7 + 0.4"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tui_source source;
        struct error error = {0};
        struct advice_list list = list_of(cases[i].rule);
        cr_assert_eq(line_costs_make(NULL, &cases[i].query, NULL, &source, &error), STATUS_OK, "%s",
                     error.text);
        advice_name_lines(&list, &source.listing);
        const char *colon = strchr(list.items[0].where, ':'), *line = source.text;
        cr_assert_not_null(colon, "%s: no line", cases[i].query.kernel);
        for (unsigned long n = strtoul(colon + 1, NULL, 10); n > 1; n--)
            line = strchr(line, '\n') + 1;
        const char *found = strstr(line, cases[i].text);
        cr_assert(found != NULL && found < strchr(line, '\n'), "%s: %s: %.60s", cases[i].query.kernel,
                  list.items[0].where, line);
        code_listing_fini(&source.listing);
    }
}
