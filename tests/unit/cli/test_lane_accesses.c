/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses that the model keeps of a warp, and the picture of them: what core's rules say of the
 * addresses is what the model counted for that request, and the picture shows as many sectors as are moved.
 */
#include "cli/model/model_counts.h"
#include "simt/count/count.h"
#include "tests/shared/made/made_access.h"
#include "tui/views/lanes/lane_map.h"
#include "workloads/frame/workload.h"

#include "core/hardware/bank.h"
#include "core/hardware/coalesce.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tui_accesses make(const char *spec, const struct arch *rules, uint64_t block, uint32_t warp)
{
    const struct tui_access_query query = {.spec = spec, .rules = rules, .block = block, .warp = warp};
    struct tui_accesses accesses;
    struct error error = {0};
    enum status status = lane_accesses_make(NULL, NULL, &query, NULL, &accesses, &error);

    cr_assert(status == STATUS_OK || (status == STATUS_STATE && accesses.count == 0), "%s: %s", spec,
              error.text);
    return accesses;
}

/* Each access of the warp under each of the rules. */
static uint32_t expect_counts(const char *spec, const struct arch *rules)
{
    static struct lane_picture picture;
    struct tui_accesses accesses = make(spec, rules, 0, 0);
    uint32_t by_rule = 0;

    for (uint32_t i = 0; i < accesses.count; i++) {
        const struct tui_access *one = &accesses.items[i];
        cr_assert(one->site < accesses.sites && one->access.active != 0);
        lane_picture_make(&picture, rules, one);
        if (!one->by_rule)
            continue;
        by_rule++;
        uint32_t cost, ideal;
        if (one->space == TUI_SPACE_SHARED) {
            struct bank_cost rule = bank_count(rules, &one->access);
            cost = rule.wavefronts;
            ideal = rule.ideal_wavefronts;
        } else {
            struct coalesce_cost rule = coalesce_count(rules, &one->access);
            cost = rule.sectors;
            ideal = rule.ideal_sectors;
            if (rules->global_rules != GLOBAL_RULES_1_0) /* a transaction per lane, also of one sector */
                cr_assert_eq(picture.steps, cost, "%s, %s on %u: %u sectors drawn, %u moved", spec,
                             one->instruction, rules->compute_capability, picture.steps, cost);
        }
        cr_assert_eq(one->counted, cost, "%s, %s on %u", spec, one->instruction, rules->compute_capability);
        cr_assert_eq(one->counted_ideal, ideal);
        cr_assert(picture.cost == cost && picture.ideal == ideal);
    }
    free(accesses.items);
    return by_rule;
}

Test(lane_accesses, cost_what_the_model_counted)
{
    static const char *const specs[] = {"copy-stride,stride=3", "copy-offset,offset=5", "transpose:tile",
                                        "transpose:pad", "bank-stride,stride=8"};
    static const uint32_t capabilities[] = {10, 13, 20, 35, 52, 90};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        for (size_t j = 0; j < sizeof capabilities / sizeof capabilities[0]; j++)
            cr_assert_geq(expect_counts(specs[i], arch_find(capabilities[j])), 2, "%s", specs[i]);
}

/* Every workload's first case can be looked at; a few launch no kernel, or one that touches no memory. */
Test(lane_accesses, of_every_workload)
{
    size_t count = 0, with = 0;

    for (; workload_at(count) != NULL; count++)
        with += expect_counts(workload_at(count)->name, arch_find(90)) > 0;
    cr_assert_geq(with, count - count / 8, "%zu of %zu workloads have accesses", with, count);
}

/* The passes of a global atomic by a round over the lanes: in each, one lane for each word, and a pass for
 * each sector that a lane of the round is in. */
static uint32_t passes_by_rounds(const struct warp_access *access)
{
    uint32_t left = access->active, passes = 0;

    while (left) {
        uint64_t served[WARP_LANES], sectors[WARP_LANES];
        size_t words = 0, touched = 0;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            size_t before = words;
            if (left >> lane & 1)
                words = sorted_add(served, words, access->address[lane]);
            if (words > before) {
                touched = sorted_add(sectors, touched, access->address[lane] / 32);
                left &= ~(1u << lane);
            }
        }
        passes += (uint32_t)touched;
    }
    return passes;
}

/* What all executions of an instruction cost: sectors and wavefronts as the model counted them, of an atomic
 * in global memory the passes of its addresses, or one where ptxas has the lanes combine their values. */
static void cost_of_site(const struct tui_accesses *of, uint32_t site, uint64_t *all, uint64_t *excess)
{
    *all = *excess = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        const struct tui_access *one = &of->items[i];
        bool passes = one->atomic && one->space == TUI_SPACE_GLOBAL && one->counted != 1;
        uint32_t cost = passes ? passes_by_rounds(&one->access) : one->counted;
        if (one->site != site)
            continue;
        *all += cost;
        *excess += cost > one->counted_ideal ? cost - one->counted_ideal : 0;
    }
}

/* An atomic draws every lane once, and as many rows and steps as it takes passes; one that ptxas has lanes
 * combine first draws what a load of its addresses does. */
static void expect_atomic(const struct arch *arch, const struct tui_access *one)
{
    static struct lane_picture picture;
    uint32_t times[WARP_LANES] = {0}, several = 0;
    bool shared = one->space == TUI_SPACE_SHARED, twice = shared && one->compare_and_swap;
    const char *text = made_access_text(&one->access);

    lane_picture_make(&picture, arch, one);
    cr_assert(picture.one_by_one && picture.passes == !shared, "%s", text);
    cr_assert_eq(picture.cost, one->counted, "%s: %u, not %u", text, picture.cost, one->counted);
    cr_assert_eq(picture.steps, one->counted, "%s: %u drawn, not %u", text, picture.steps, one->counted);
    for (int i = 0; i < picture.count; i++)
        for (uint32_t cell = 0; cell < picture.cells && picture.rows[i].heading[0] == '\0'; cell++) {
            const char *digits = "0123456789abcdefghijklmnopqrstuv",
                       *at = picture.rows[i].cells[cell] != '\0' ? strchr(digits, picture.rows[i].cells[cell])
                                                                 : NULL;
            several += picture.rows[i].cells[cell] == '+';
            if (at != NULL)
                times[at - digits]++;
        }
    cr_assert_eq(several, 0, "%s", text);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        cr_assert_eq(times[lane],
                     one->access.active >> lane & 1 ? one->access.width_bytes / 4 * (twice ? 2 : 1) : 0,
                     "%s: lane %u %u times", text, lane, times[lane]);
}

/* Over masks, strides and patterns of addresses: the counter of the model is the oracle of a single access.
 */
Test(lane_accesses, of_atomics_are_served_one_by_one)
{
    struct program_instruction instructions[] = {{.op = PROGRAM_ATOM, .class = CLASS_MEMORY}};
    const struct ptx_function entry = {.name = "kernel", .entry = true};
    const struct program program = {.entry = &entry, .instructions = instructions, .instruction_count = 1};
    struct made_access made = {11};

    for (int i = 0; i < 8000; i++) {
        bool shared = i % 2, swap = i % 3 == 0;
        struct tui_access one = {.atomic = true,
                                 .compare_and_swap = swap,
                                 .space = shared ? TUI_SPACE_SHARED : TUI_SPACE_GLOBAL,
                                 .access = made_access_next(&made, 1u << (5 + i % 8))};
        struct counter counter;
        one.access.width_bytes = i % 5 == 0 ? 8 : 4;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            one.access.address[lane] -= one.access.address[lane] % one.access.width_bytes;
        instructions[0].space = shared ? PTX_SHARED : PTX_GLOBAL;
        instructions[0].sub = swap ? ATOMIC_CAS : ATOMIC_ADD;
        cr_assert_eq(counter_init(&counter, &program, arch_find(90), NULL), STATUS_OK);
        count_atomic(&counter, 0, instructions[0].space, &one.access, NULL, NULL);
        one.counted = (uint32_t)count_steps(&counter.instructions[0]);
        counter_fini(&counter);
        if (one.access.active == 0)
            continue;
        if (!shared)
            cr_assert_eq(one.counted, passes_by_rounds(&one.access), "%s", made_access_text(&one.access));
        expect_atomic(arch_find(90), &one);
    }
}

Test(lane_accesses, of_atomics_that_lanes_combine)
{
    static const struct {
        enum tui_space space;
        uint64_t step;
        uint32_t counted;
        const char *sentence;
        int rows;
    } cases[] = {
        {TUI_SPACE_GLOBAL, 0, 32, "32 updates of one word: 32 passes, ideal 1", 32},
        {TUI_SPACE_GLOBAL, 0, 1, "the lanes' values are combined first: 1 pass, ideal 1", 1},
        {TUI_SPACE_GLOBAL, 2, 8, "up to 2 updates of one word: 4 passes, ideal 2", 2},
        {TUI_SPACE_GLOBAL, 4, 4, "4 passes, ideal 4", 1},
        {TUI_SPACE_GLOBAL, 32, 32, "32 passes, ideal 4", 8},
        {TUI_SPACE_SHARED, 0, 32, "32 wavefronts, ideal 1: a 32-way conflict", 32},
        {TUI_SPACE_SHARED, 0, 1, "1 wavefront, ideal 1: no conflict", 1},
        {TUI_SPACE_SHARED, 4, 1, "1 wavefront, ideal 1: no conflict", 1},
    };
    static struct lane_picture picture;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tui_access one = {.atomic = true,
                                 .space = cases[i].space,
                                 .counted = cases[i].counted,
                                 .access = access_in_steps(4096, cases[i].step, 4, ALL_LANES)};
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            one.access.address[lane] -= one.access.address[lane] % 4;
        lane_picture_make(&picture, arch_find(90), &one);
        cr_assert_str_eq(picture.sentence, cases[i].sentence);
        cr_assert_eq(picture.count, cases[i].rows, "case %zu: %d rows", i, picture.count);
    }
}

static const struct tui_access *first_of_site(const struct tui_accesses *of, uint32_t site)
{
    const struct tui_access *one = of->items;
    while (one->site != site)
        one++;
    return one;
}

/* The map opens at the instruction with the most passes that could be saved, of whatever kind: no other one
 * of the variant costs more beyond its ideal, and none of those that cost as much beyond it costs more. Where
 * all are ideal it is a load from shared memory, if there is one. */
Test(lane_accesses, open_at_the_most_passes_in_every_workload)
{
    size_t atomics = 0, checked = 0;

    for (size_t w = 0; workload_at(w) != NULL; w++)
        for (size_t v = 0; v < workload_at(w)->variant_count; v++) {
            char spec[200];
            uint64_t all, excess, first_all, first_excess;
            snprintf(spec, sizeof spec, "%s:%s", workload_at(w)->name, workload_at(w)->variants[v].name);
            struct tui_accesses of = make(spec, arch_find(90), 0, 0);
            if (of.count == 0)
                continue;
            uint32_t first = lane_case_worst(&of, 0);
            const struct tui_access *shown = first_of_site(&of, first);
            cost_of_site(&of, first, &first_all, &first_excess);
            for (uint32_t site = 0; site < of.sites; site++) {
                cost_of_site(&of, site, &all, &excess);
                bool taught = first_excess == 0 && shown->space == TUI_SPACE_SHARED;
                cr_assert(excess < first_excess || (excess == first_excess && (all <= first_all || taught)),
                          "%s opens at %u, but %u costs more", spec, first + 1, site + 1);
            }
            atomics += shown->atomic;
            checked++;
            free(of.items);
        }
    cr_assert(atomics >= 6 && checked >= 200, "%zu atomics of %zu", atomics, checked);
}

/* Atomics that no lanes combine, each the costliest of its kernel, though it touches fewer sectors than a
 * load. */
Test(lane_accesses, open_at_an_atomic_that_serialises)
{
    static const char *const specs[] = {"compaction:atomic,keep=100", "atomics:global,lanes=32",
                                        "atomics:float,lanes=8", "histogram:global,bins=2"};

    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        struct tui_accesses of = make(specs[i], arch_find(90), 0, 0);
        const struct tui_access *shown = first_of_site(&of, lane_case_worst(&of, 0));
        cr_assert(shown->atomic && shown->space == TUI_SPACE_GLOBAL, "%s opens at %s", specs[i],
                  shown->instruction);
        cr_assert_eq(shown->counted, passes_by_rounds(&shown->access), "%s: %u", specs[i], shown->counted);
        cr_assert_gt(shown->counted, 4, "%s: %u", specs[i], shown->counted);
        free(of.items);
    }
}

/* Lanes of neighbouring warps and blocks go on where those before end. */
Test(lane_accesses, of_another_warp_and_block)
{
    const struct arch *arch = arch_find(90);
    struct tui_accesses first = make("copy-stride,stride=2", arch, 0, 0),
                        warp = make("copy-stride,stride=2", arch, 0, 1),
                        block = make("copy-stride,stride=2", arch, 1, 0);
    const struct warp_access *own = &first.items[0].access;

    cr_assert_gt(first.warps, 1);
    cr_assert_gt(first.blocks, 1);
    for (int lane = 1; lane < WARP_LANES; lane++)
        cr_assert_eq(own->address[lane] - own->address[lane - 1], 8);
    cr_assert_eq(warp.items[0].access.address[0] - own->address[0], 32u * 8);
    cr_assert_eq(block.items[0].access.address[0] - own->address[0], 32u * 8 * first.warps);
    cr_assert_not_null(strstr(first.items[0].place, ".cu:"));
    cr_assert_not_null(strstr(first.items[0].instruction, "ld.global"));
    cr_assert(first.items[0].text[0] != '\0');
    free(first.items);
    free(warp.items);
    free(block.items);
}

Test(lane_accesses, say_what_is_not_there)
{
    const struct tui_access_query none = {
        .spec = "copy-stride", .rules = arch_find(90), .block = 1u << 30, .warp = 0};
    const struct tui_access_query unknown = {.spec = "no-such", .rules = arch_find(90)};
    struct tui_accesses accesses;
    struct error error = {0};

    cr_assert_eq(lane_accesses_make(NULL, NULL, &none, NULL, &accesses, &error), STATUS_STATE);
    cr_assert_not_null(strstr(error.text, "no memory access"));
    cr_assert_neq(lane_accesses_make(NULL, NULL, &unknown, NULL, &accesses, &error), STATUS_OK);
}

/* ---- what is stated without a run ---- */

/* Is it one of the accesses that were made? Bases differ, as long as they are aligned to a line of banks. */
static bool was_made(const struct tui_accesses *made, const struct tui_access *stated)
{
    for (uint32_t i = 0; i < made->count; i++) {
        const struct tui_access *one = &made->items[i];
        bool same = one->space == stated->space && one->atomic == stated->atomic &&
                    (one->atomic || one->access.store == stated->access.store) &&
                    one->access.width_bytes == stated->access.width_bytes &&
                    one->access.active == stated->access.active && one->counted == stated->counted;
        uint32_t first = same ? (uint32_t)__builtin_ctz(one->access.active) : 0;
        for (uint32_t lane = 0; lane < WARP_LANES && same; lane++)
            same = !(one->access.active >> lane & 1) ||
                   one->access.address[lane] - one->access.address[first] ==
                       stated->access.address[lane] - stated->access.address[first];
        if (same)
            return true;
    }
    return false;
}

/* Each address that the tables state is one that the model makes, where it is one kernel's; and it costs the
 * same. */
Test(lane_accesses, what_is_stated_is_what_is_made)
{
    static const char *const specs[] = {"copy-offset",
                                        "copy-stride,stride=8",
                                        "bank-stride:64-bit",
                                        "bank-broadcast",
                                        "transpose:naive",
                                        "transpose:tile",
                                        "transpose:pad",
                                        "transpose:swizzle",
                                        "matmul-aat:tile",
                                        "word-size:float3",
                                        "aos-soa:aos",
                                        "compaction:atomic,keep=60",
                                        "atomics:global,lanes=4",
                                        "atomics:float",
                                        "histogram:global,bins=16"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const struct tui_access_query query = {.spec = specs[i], .rules = arch_find(90), .stated = true};
        struct tui_accesses stated, made = make(specs[i], arch_find(90), 0, 0);
        struct error error = {0};

        cr_assert_eq(lane_sites_make(NULL, &query, &stated, &error), STATUS_OK, "%s: %s", specs[i],
                     error.text);
        for (uint32_t k = 0; k < stated.count; k++)
            cr_expect(was_made(&made, &stated.items[k]), "%s: %s", specs[i], stated.items[k].text);
        free(stated.items);
        free(made.items);
    }
}

/* Any case of any workload, in no time: data decides, a library works, or there is something to show. */
Test(lane_accesses, every_variant_states_its_accesses_or_none)
{
    size_t shown = 0;
    for (size_t i = 0; workload_at(i); i++) {
        bool any = false;
        for (size_t v = 0; v < workload_at(i)->variant_count; v++) {
            const struct workload_variant *variant = &workload_at(i)->variants[v];
            struct tui_accesses stated;
            char spec[100];

            snprintf(spec, sizeof spec, "%s:%s", workload_at(i)->name, variant->name);
            const struct tui_access_query query = {.spec = spec, .rules = arch_find(90), .stated = true};
            enum status status = lane_sites_make(NULL, &query, &stated, NULL);
            cr_expect(status == STATUS_OK || (status == STATUS_STATE && stated.items == NULL), "%s", spec);
            cr_expect(variant->kernel_count > 0 || status == STATUS_STATE, "%s has no kernel of ours", spec);
            any = any || status == STATUS_OK;
            for (uint32_t k = 0; k < stated.count; k++)
                cr_expect(stated.items[k].access.active && stated.items[k].counted > 0 &&
                              *stated.items[k].text,
                          "%s", spec);
            free(stated.items);
        }
        shown += any;
    }
    cr_assert_geq(shown, 30, "%zu workloads have a picture", shown);
}
