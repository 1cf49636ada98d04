/*
 * The addresses that the model keeps of a warp, and the picture of them: what core's rules say of the
 * addresses is what the model counted for that request, and the picture shows as many sectors as are moved.
 */
#include "cli/model/lane_accesses.h"
#include "cli/model/lane_sites.h"
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
    enum status status = lane_accesses_make(NULL, NULL, &query, &accesses, &error);

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

    cr_assert_eq(lane_accesses_make(NULL, NULL, &none, &accesses, &error), STATUS_STATE);
    cr_assert_not_null(strstr(error.text, "no memory access"));
    cr_assert_neq(lane_accesses_make(NULL, NULL, &unknown, &accesses, &error), STATUS_OK);
}

/* ---- what is stated without a run ---- */

/* Is it one of the accesses that were made? Bases differ, as long as they are aligned to a line of banks. */
static bool was_made(const struct tui_accesses *made, const struct tui_access *stated)
{
    for (uint32_t i = 0; i < made->count; i++) {
        const struct tui_access *one = &made->items[i];
        bool same = one->space == stated->space && one->access.store == stated->access.store &&
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
    static const char *const specs[] = {"copy-offset",      "copy-stride,stride=8", "bank-stride:64-bit",
                                        "bank-broadcast",   "transpose:naive",      "transpose:tile",
                                        "transpose:pad",    "transpose:swizzle",    "matmul-aat:tile",
                                        "word-size:float3", "aos-soa:aos"};
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
