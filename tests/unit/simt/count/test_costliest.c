/* SPDX-License-Identifier: Apache-2.0 */
/* Which execution of an instruction is kept, in whatever order the workers find it. */
#include "simt/count/count.h"

#include <criterion/criterion.h>

static const struct program program = {.instruction_count = COSTLIEST_ACCESSES + 8};

static struct costliest_access made(uint32_t instruction, uint64_t block, uint64_t transfers, uint64_t ideal)
{
    return (struct costliest_access){.instruction = instruction,
                                     .block = block,
                                     .space = PTX_GLOBAL,
                                     .access = {.active = 1, .width_bytes = 4},
                                     .cost = {.transfers = transfers, .ideal_transfers = ideal}};
}

static void add(struct costliest *costliest, const struct costliest_access *access)
{
    costliest_add(costliest, access);
}

/* By the excess, then by the cost, then by the lower block. */
Test(costliest, does_not_depend_on_the_order)
{
    const struct costliest_access of[] = {made(3, 5, 9, 4), made(3, 2, 32, 32), made(3, 8, 12, 4),
                                          made(3, 7, 12, 4), made(3, 1, 11, 3)};
    const size_t count = sizeof of / sizeof of[0];
    for (size_t first = 0; first < count; first++) {
        struct costliest one, other;
        cr_assert_eq(costliest_init(&one, &program, NULL), STATUS_OK);
        cr_assert_eq(costliest_init(&other, &program, NULL), STATUS_OK);
        for (size_t i = 0; i < count; i++)
            add(i % 2 ? &one : &other, &of[(first + i) % count]);
        costliest_merge(&one, &other);
        cr_assert(one.count == 1 && one.accesses[0].block == 7, "%zu: %d", first, (int)one.accesses[0].block);
        costliest_fini(&one);
        costliest_fini(&other);
    }
}

Test(costliest, is_in_the_order_of_the_program_and_limited)
{
    struct costliest costliest;
    struct costliest_access shared = made(4, 0, 1, 1), none = made(1, 0, 1, 1), constant = made(2, 0, 1, 1);
    shared.space = PTX_SHARED;
    none.access.active = 0;
    constant.space = PTX_CONST;
    cr_assert_eq(costliest_init(&costliest, &program, NULL), STATUS_OK);
    add(&costliest, &shared);
    add(&costliest, &none);
    add(&costliest, &constant);
    add(&costliest, &(struct costliest_access){0});
    for (uint32_t i = COSTLIEST_ACCESSES; i-- > 4;) {
        struct costliest_access next = made(i, 0, 1, 1);
        add(&costliest, &next);
    }
    costliest_sort(&costliest);
    cr_assert_eq(costliest.count, COSTLIEST_ACCESSES - 3);
    cr_assert_not(costliest.full);
    cr_assert(costliest.accesses[0].instruction == 4 && costliest.accesses[1].instruction == 4);
    cr_assert_neq(costliest.accesses[0].space, costliest.accesses[1].space);
    for (uint32_t i = COSTLIEST_ACCESSES; i < program.instruction_count; i++) {
        struct costliest_access next = made(i, 0, 1, 1);
        add(&costliest, &next);
    }
    cr_assert(costliest.full && costliest.count == COSTLIEST_ACCESSES);
    costliest_fini(&costliest);
}
