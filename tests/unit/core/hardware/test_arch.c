/* SPDX-License-Identifier: Apache-2.0 */
/* The table of compute capabilities: what the programming guide says of some, and what must hold for all. */
#include "core/hardware/arch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(arch, ascends_and_is_whole)
{
    uint32_t before = 0;
    for (size_t i = 0; arch_at(i); i++) {
        const struct arch *a = arch_at(i);
        cr_assert_gt(a->compute_capability, before);
        before = a->compute_capability;
        cr_assert_not_null(a->name);
        cr_assert_eq(a->warp_lanes, 32);
        cr_assert_eq(a->max_threads_per_multiprocessor, a->max_warps_per_multiprocessor * 32, "%u", before);
        cr_assert_geq(a->max_threads_per_multiprocessor, a->max_threads_per_block, "%u", before);
        cr_assert_gt(a->max_blocks_per_multiprocessor, 0);
        cr_assert_gt(a->register_unit, 0);
        cr_assert_gt(a->warp_allocation_unit, 0);
        cr_assert_gt(a->grids, 0, "%u", before);
        cr_assert_eq(a->one_queue_per_engine, before < 35, "%u", before);
        cr_assert_eq(a->shared_fits_launch, before >= 70, "%u", before);
        cr_assert_eq(a->issue_slots, before < 50 ? 0 : 4, "%u", before);
        cr_assert_geq(a->registers_per_multiprocessor, a->max_registers_per_block, "%u", before);
        cr_assert_geq(a->max_registers_per_thread, 63);
        cr_assert_gt(a->shared_unit_bytes, 0);
        cr_assert_geq(a->shared_bytes_per_block_optin, a->shared_bytes_per_block, "%u", before);
        cr_assert_geq(a->shared_bytes_per_multiprocessor,
                      a->shared_bytes_per_block_optin + a->shared_reserved_bytes_per_block, "%u", before);
        cr_assert_eq(a->banks, before < 20 ? 16 : 32);
        cr_assert_eq(a->bank_bytes, before / 10 == 3 ? 8 : 4);
        cr_assert_eq(a->sector_bytes, 32);
        cr_assert_eq(a->line_bytes, 128);
    }
    cr_assert_eq(before, 121);
}

Test(arch, carve_outs_ascend_to_the_whole)
{
    for (size_t i = 0; arch_at(i); i++) {
        const struct arch *a = arch_at(i);
        uint16_t last = 0;
        for (size_t c = 0; c < ARCH_SHARED_CONFIGURATIONS && a->shared_configurations_kib[c]; c++) {
            cr_assert_gt(a->shared_configurations_kib[c], last);
            last = a->shared_configurations_kib[c];
        }
        /* 5.x and 6.x have shared memory of their own, 1.x no L1 */
        uint32_t major = a->compute_capability / 10;
        cr_assert_eq(last != 0, major == 2 || major == 3 || major >= 7, "%u", a->compute_capability);
        if (last)
            cr_assert_eq(last * 1024u, a->shared_bytes_per_multiprocessor, "%u", a->compute_capability);
    }
}

/* The course's table for old ones, the guide's for new ones. */
Test(arch, documented_limits)
{
    static const struct {
        uint32_t capability, threads_per_block, blocks, warps, registers, per_thread, shared_kib;
    } known[] = {
        {10, 512, 8, 24, 8192, 128, 16},      {11, 512, 8, 24, 8192, 128, 16},
        {12, 512, 8, 32, 16384, 128, 16},     {13, 512, 8, 32, 16384, 128, 16},
        {20, 1024, 8, 48, 32768, 63, 48},     {21, 1024, 8, 48, 32768, 63, 48},
        {30, 1024, 16, 64, 65536, 63, 48},    {35, 1024, 16, 64, 65536, 255, 48},
        {52, 1024, 32, 64, 65536, 255, 96},   {61, 1024, 32, 64, 65536, 255, 96},
        {70, 1024, 32, 64, 65536, 255, 96},   {75, 1024, 16, 32, 65536, 255, 64},
        {80, 1024, 32, 64, 65536, 255, 164},  {86, 1024, 16, 48, 65536, 255, 100},
        {89, 1024, 24, 48, 65536, 255, 100},  {90, 1024, 32, 64, 65536, 255, 228},
        {100, 1024, 32, 64, 65536, 255, 228}, {110, 1024, 24, 48, 65536, 255, 228},
        {120, 1024, 24, 48, 65536, 255, 100},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct arch *a = arch_find(known[i].capability);
        cr_assert_not_null(a);
        cr_assert_eq(a->compute_capability, known[i].capability);
        cr_assert_eq(a->max_threads_per_block, known[i].threads_per_block, "%u", known[i].capability);
        cr_assert_eq(a->max_blocks_per_multiprocessor, known[i].blocks, "%u", known[i].capability);
        cr_assert_eq(a->max_warps_per_multiprocessor, known[i].warps, "%u", known[i].capability);
        cr_assert_eq(a->registers_per_multiprocessor, known[i].registers, "%u", known[i].capability);
        cr_assert_eq(a->max_registers_per_thread, known[i].per_thread, "%u", known[i].capability);
        cr_assert_eq(a->shared_bytes_per_multiprocessor, known[i].shared_kib * 1024, "%u",
                     known[i].capability);
    }
}

Test(arch, finds_the_newest_older_one_of_the_same_major)
{
    cr_assert_eq(arch_find(88)->compute_capability, 87);
    cr_assert_eq(arch_find(99)->compute_capability, 90);
    cr_assert_eq(arch_find(129)->compute_capability, 121);
    cr_assert_eq(arch_find(34)->compute_capability, 32);
    cr_assert_null(arch_find(0));
    cr_assert_null(arch_find(40));
    cr_assert_null(arch_find(130));
    cr_assert_null(arch_at(1000));
}

Test(arch, each_generation_has_its_rules)
{
    static const struct {
        uint32_t first, last;
        enum global_rules global;
        enum shared_rules shared;
    } known[] = {
        {10, 11, GLOBAL_RULES_1_0, SHARED_RULES_1_X},  {12, 13, GLOBAL_RULES_1_2, SHARED_RULES_1_X},
        {20, 21, GLOBAL_RULES_2_X, SHARED_RULES_2_X},  {30, 37, GLOBAL_RULES_3_X, SHARED_RULES_3_X_32_BIT},
        {50, 121, GLOBAL_RULES_5_X, SHARED_RULES_5_X},
    };
    for (size_t i = 0; arch_at(i); i++) {
        const struct arch *a = arch_at(i);
        size_t k = 0;
        while (a->compute_capability > known[k].last)
            k++;
        cr_assert_geq(a->compute_capability, known[k].first);
        cr_assert_eq(a->global_rules, known[k].global, "%u", a->compute_capability);
        cr_assert_eq(a->shared_rules, known[k].shared, "%u", a->compute_capability);
        cr_assert_eq(a->global_l1_opt_in, a->compute_capability == 35 || a->compute_capability == 37);
    }
}

Test(arch, parses_what_it_lists)
{
    static const char *const wrong[] = {"",      "9",    "90",   "9.",   ".0",           "9.00",
                                        " 9.0",  "9.0 ", "9,0",  "1.4",  "3.3",          "13.0",
                                        "sm_90", "09.0", "9.0x", "-1.0", "99999999999.0"};
    char list[ARCH_LIST_BYTES], *rest = list;
    size_t count = 0;
    arch_list(list, sizeof list);
    cr_assert_eq(strncmp(list, "1.0, 1.1, 1.2, 1.3, 2.0, 2.0-no-l1, 2.1,", 40), 0, "%s", list);
    for (char *name = strtok_r(list, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest)) {
        cr_assert_eq(arch_parse(name), arch_rules_at(count), "%s", name);
        count++;
    }
    cr_assert_null(arch_rules_at(count));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_assert_null(arch_parse(wrong[i]), "'%s'", wrong[i]);
    char small[8] = "???????";
    arch_list(small, sizeof small);
    cr_assert_str_eq(small, "1.0, 1.");
}

/* A mode is the row before it but for what it sets; nothing but its own name finds it. */
Test(arch, modes_of_2_x_and_3_x)
{
    char names[200] = "";
    size_t plain = 0;
    for (size_t i = 0; arch_rules_at(i); i++) {
        const struct arch *mode = arch_rules_at(i);
        struct arch set;
        char name[ARCH_TEXT_BYTES];
        arch_text(mode, name);
        cr_assert_eq(arch_parse(name), mode);
        if (!mode->mode) {
            cr_assert_eq(mode, arch_at(plain++));
            cr_assert_eq(mode, arch_find(mode->compute_capability));
            continue;
        }
        strcat(strcat(names, name), " ");
        set = *arch_find(mode->compute_capability);
        set.mode = mode->mode;
        if (mode->compute_capability < 30)
            set.global_l1_off = true;
        else if (strcmp(mode->mode, "l1") == 0)
            set.global_l1_on = true;
        else
            set.shared_rules = SHARED_RULES_3_X_64_BIT;
        cr_assert_eq(memcmp(&set, mode, sizeof set), 0, "%s", name);
    }
    cr_assert_null(arch_at(plain));
    cr_assert_str_eq(names, "2.0-no-l1 2.1-no-l1 3.0-64-bit 3.2-64-bit 3.5-l1 3.5-64-bit 3.7-l1 3.7-64-bit ");
}
