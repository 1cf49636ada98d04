/* SPDX-License-Identifier: Apache-2.0 */
/* Such a kernel lane by lane. */
#include "tests/shared/made/member_program.h"

#include <criterion/criterion.h>
#include <string.h>

struct lane {
    const struct member_lane *given;
    uint32_t r[MEMBER_REGISTERS], c[MEMBER_NESTED], n[MEMBER_NESTED], at;
    bool ended;
};

struct warp_run {
    const struct member_program *program;
    struct member_run *run;
    struct lane lanes[32];
    uint32_t shared[32];
};

/* A lane alone, until it stands at a step for members or has ended. */
static void run_alone(struct warp_run *warp, uint32_t number)
{
    struct lane *lane = &warp->lanes[number];
    for (;;) {
        const struct step *step = &warp->program->steps[lane->at];
        uint32_t next = lane->at + 1;
        switch (step->kind) {
        case STEP_COMPUTE: lane->r[step->a] ^= lane->r[step->b] * step->constant; break;
        case STEP_KEEP: lane->c[step->nest] = lane->r[step->b] & step->constant; break;
        case STEP_UNLESS: next = lane->c[step->nest] ? next : step->target; break;
        case STEP_JUMP: next = step->target; break;
        case STEP_TURNS: lane->n[step->nest] = lane->given->turns[step->partition]; break;
        case STEP_TURN:
            next = lane->n[step->nest] ? next : step->target;
            lane->n[step->nest] -= lane->n[step->nest] > 0;
            break;
        case STEP_WRITE: warp->shared[number] = lane->r[step->b]; break;
        case STEP_READ: lane->r[step->a] += warp->shared[lane->given->partner[step->partition]]; break;
        case STEP_MEMBERS: return;
        case STEP_END: lane->ended = true; return;
        }
        lane->at = next;
    }
}

static const struct step *step_of(const struct warp_run *warp, uint32_t lane)
{
    return &warp->program->steps[warp->lanes[lane].at];
}

/* The lanes that a lane does its step with; 0: not all are there. */
static uint32_t group_of(const struct warp_run *warp, uint32_t number)
{
    const struct step *step = step_of(warp, number);
    uint32_t mask = warp->lanes[number].given->mask[step->partition], group = 0;
    for (uint32_t i = 0; i < 32; i++) {
        const struct step *its = step_of(warp, i);
        if (!(mask >> i & 1) || warp->lanes[i].ended)
            continue;
        if (its->operation != step->operation || warp->lanes[i].given->mask[its->partition] != mask)
            return 0;
        group |= 1u << i;
    }
    return group;
}

static uint32_t reduce(enum member_operation operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case MEMBER_MIN: return a < b ? a : b;
    case MEMBER_MIN_S: return (int32_t)a < (int32_t)b ? a : b;
    case MEMBER_MAX: return a > b ? a : b;
    case MEMBER_MAX_S: return (int32_t)a > (int32_t)b ? a : b;
    case MEMBER_AND: return a & b;
    case MEMBER_OR: return a | b;
    case MEMBER_XOR: return a ^ b;
    default: return a + b;
    }
}

/* What a lane reads, by PTX ISA's rule of segments; 12345 from a lane that is no member. */
static uint32_t shuffle(const struct warp_run *warp, uint32_t lane, const struct step *step)
{
    uint32_t length = (~(step->clamp >> 8) & 31) + 1, begin = lane / length * length;
    int64_t from = lane;
    switch (step->operation) {
    case MEMBER_UP: from -= step->constant; break;
    case MEMBER_DOWN: from += step->constant; break;
    case MEMBER_BFLY: from ^= step->constant; break;
    default: from = begin + warp->lanes[lane].given->partner[step->partition] % length; break;
    }
    /* A butterfly may read from segments before its own. */
    bool outside = from >= begin + length || (step->operation == MEMBER_UP && from < begin);
    const struct step *its = outside ? step : step_of(warp, (uint32_t)from);
    bool member = outside || warp->lanes[lane].given->mask[step->partition] >> from & 1;
    return (member ? warp->lanes[outside ? lane : (uint32_t)from].r[its->b] : 12345) + (outside ? 0 : 77);
}

static uint32_t result_of(const struct warp_run *warp, uint32_t group, uint32_t lane)
{
    const struct step *step = step_of(warp, lane);
    uint32_t own = warp->lanes[lane].r[step->b] & step->constant, yes = 0, alike = 0, first = 32, sum = 0;
    for (uint32_t i = 32; i-- > 0;) {
        if (!(group >> i & 1))
            continue;
        const struct step *its = step_of(warp, i);
        uint32_t word = warp->lanes[i].r[its->b];
        yes |= (uint32_t)((word & its->constant) != 0) << i;
        alike |= (uint32_t)((word & its->constant) == own) << i;
        sum = first == 32 ? word : reduce(step->operation, word, sum);
        first = i;
    }
    switch (step->operation) {
    case MEMBER_ALL: return yes == group;
    case MEMBER_ANY: return yes != 0;
    case MEMBER_UNI: return yes == group || yes == 0;
    case MEMBER_BALLOT: return yes;
    case MEMBER_MATCH_ANY:
    case MEMBER_MATCH_ANY_64: return alike;
    case MEMBER_MATCH_ALL:
    case MEMBER_MATCH_ALL_64: return alike == group ? group + 77 : 0;
    case MEMBER_ELECT: return first + (first == lane ? 77 : 0);
    case MEMBER_UP:
    case MEMBER_DOWN:
    case MEMBER_BFLY:
    case MEMBER_IDX: return shuffle(warp, lane, step);
    default: return sum;
    }
}

static void run_group(struct warp_run *warp, uint32_t group)
{
    uint32_t results[32], at = warp->lanes[__builtin_ctz(group)].at;
    bool apart = false;
    for (uint32_t i = 0; i < 32; i++) {
        results[i] = group >> i & 1 ? result_of(warp, group, i) : 0;
        apart |= (group >> i & 1) && warp->lanes[i].at != at;
    }
    warp->run->groups++;
    warp->run->apart += apart;
    for (uint32_t i = 0; i < 32; i++) {
        if (!(group >> i & 1))
            continue;
        const struct step *step = step_of(warp, i);
        if (step->operation != MEMBER_MEET)
            warp->lanes[i].r[step->a] += results[i] * 2654435769u;
        warp->lanes[i].at++;
    }
    for (uint32_t i = 0; i < 32; i++)
        if (group >> i & 1)
            run_alone(warp, i);
}

static void run_warp(const struct member_program *program, struct member_run *run, uint32_t number)
{
    struct warp_run warp = {.program = program, .run = run};
    bool any = true, all = true;
    for (uint32_t i = 0; i < 32; i++) {
        warp.lanes[i].given = &program->lanes[number * 32 + i];
        memcpy(warp.lanes[i].r, warp.lanes[i].given->r, sizeof warp.lanes[i].r);
        warp.shared[i] = (number * 32 + i) % MEMBER_BLOCK_THREADS;
    }
    for (uint32_t i = 0; i < 32; i++)
        run_alone(&warp, i);
    while (any) {
        any = false;
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t group = warp.lanes[i].ended ? 0 : group_of(&warp, i);
            if (group)
                run_group(&warp, group);
            any |= group != 0;
        }
    }
    for (uint32_t i = 0; i < 32; i++) {
        all &= warp.lanes[i].ended;
        memcpy(run->r[number * 32 + i], warp.lanes[i].r, sizeof run->r[0]);
    }
    cr_assert(all, "the lanes of such a kernel wait for each other");
}

void member_program_run(const struct member_program *program, struct member_run *run)
{
    memset(run, 0, sizeof *run);
    for (uint32_t warp = 0; warp < MEMBER_THREADS / 32; warp++)
        run_warp(program, run, warp);
}
