/* SPDX-License-Identifier: Apache-2.0 */
/* Making such a kernel, its lanes' classes, and its text. */
#include "tests/shared/made/member_program.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_IFS 3
#define MOST_LOOPS 2
#define OF_LEAVING (MEMBER_NESTED - 1) /* the condition that a lane ends by */

#define OPERATION_TEXT(id, text) [MEMBER_##id] = text,
static const char *const operation_texts[] = {MEMBER_OPERATION_LIST(OPERATION_TEXT)};
#undef OPERATION_TEXT

static uint32_t draw_below(struct member_program *program, uint32_t count)
{
    return (uint32_t)(values_next(&program->values) >> 16) % count;
}

/* ---- lanes ---- */
static void draw_classes(struct member_program *program, uint32_t warp, uint32_t partition)
{
    static const uint32_t labels[] = {1, 4, 12, 32};
    uint32_t label[32], turns[32], tile = 1u << draw_below(program, 6);
    struct member_lane *lanes = &program->lanes[warp * 32];
    for (uint32_t i = 0; i < 32; i++) {
        label[i] = partition == 3 ? i / tile : draw_below(program, labels[partition]);
        turns[i] = draw_below(program, 4);
    }
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t mask = 0, steps = draw_below(program, 32), partner = i;
        for (uint32_t other = 0; other < 32; other++)
            mask |= (uint32_t)(label[other] == label[i]) << other;
        while (steps-- > 0)
            for (partner = (partner + 1) % 32; !(mask >> partner & 1); partner = (partner + 1) % 32)
                ;
        lanes[i].mask[partition] = mask;
        lanes[i].partner[partition] = partner;
        lanes[i].turns[partition] = turns[label[i]];
    }
}

/* ---- what all lanes do ---- */
static void make_elements(struct member_program *program, uint32_t loops, uint32_t partition, uint32_t *first,
                          uint32_t *count)
{
    uint32_t most = program->lanes_end ? MEMBER_UP : MEMBER_OPERATIONS;
    *count = 1 + draw_below(program, loops ? 3 : 7);
    *first = program->element_count;
    program->element_count += *count;
    cr_assert_leq(program->element_count, MEMBER_ELEMENTS);
    for (uint32_t i = *first; i < *first + *count; i++) {
        struct element element = {.loop = loops < MOST_LOOPS && draw_below(program, 5) == 0,
                                  .operation = (enum member_operation)draw_below(program, most)};
        /* A loop's turns are those of a class: within it only that class' lanes are sure to come. */
        element.partition = loops ? partition : draw_below(program, MEMBER_PARTITIONS);
        if (element.loop)
            make_elements(program, loops + 1, element.partition, &element.first, &element.count);
        program->elements[i] = element;
    }
}

/* ---- steps ---- */
static uint32_t add_step(struct member_program *program, struct step step)
{
    cr_assert_lt(program->step_count, MEMBER_STEPS);
    step.a = draw_below(program, MEMBER_REGISTERS);
    step.b = draw_below(program, MEMBER_REGISTERS);
    program->steps[program->step_count] = step;
    return program->step_count++;
}

static void set_target(struct member_program *program, uint32_t step)
{
    program->steps[step].target = program->step_count;
}

static void add_computing(struct member_program *program)
{
    for (uint32_t left = draw_below(program, 3); left > 0; left--)
        add_step(program, (struct step){.kind = STEP_COMPUTE,
                                        .constant = (uint32_t)values_next(&program->values) | 1});
    if (program->lanes_end && draw_below(program, 12) == 0) {
        uint32_t bits = 0xf0000u << draw_below(program, 8), over;
        add_step(program, (struct step){.kind = STEP_COMPUTE, .constant = 2654435769u});
        add_step(program, (struct step){.kind = STEP_KEEP, .nest = OF_LEAVING, .constant = bits});
        over = add_step(program, (struct step){.kind = STEP_UNLESS, .nest = OF_LEAVING});
        program->steps[over - 1].constant = 1u << draw_below(program, 32);
        add_step(program, (struct step){.kind = STEP_END});
        set_target(program, over);
    }
}

static void add_operation(struct member_program *program, const struct element *element)
{
    static const uint32_t clamps[] = {0x1f, 0x181f, 0x101f, 0x1c1f};
    enum member_operation operation = element->operation;
    struct step step = {.kind = STEP_MEMBERS, .operation = operation, .partition = element->partition};
    bool shuffle = operation >= MEMBER_UP;
    step.constant =
        shuffle ? draw_below(program, 32) : 0x10u >> draw_below(program, 4) | 1u << draw_below(program, 8);
    step.clamp = clamps[draw_below(program, 4)] & (operation == MEMBER_UP ? 0x1f00 : 0x1f1f);
    if (operation != MEMBER_MEET) {
        add_step(program, step);
        return;
    }
    add_step(program, (struct step){.kind = STEP_WRITE});
    add_step(program, step);
    add_step(program, (struct step){.kind = STEP_READ, .partition = element->partition});
    add_step(program, step);
}

static void add_elements(struct member_program *program, uint32_t first, uint32_t count, uint32_t ifs,
                         uint32_t loops);

static void add_loop(struct member_program *program, const struct element *element, uint32_t ifs,
                     uint32_t loops)
{
    add_step(program, (struct step){.kind = STEP_TURNS, .nest = loops, .partition = element->partition});
    uint32_t top = add_step(program, (struct step){.kind = STEP_TURN, .nest = loops});
    add_elements(program, element->first, element->count, ifs, loops + 1);
    add_step(program, (struct step){.kind = STEP_JUMP, .target = top});
    set_target(program, top);
}

/* if (c[ifs]) the first `yes` of the elements, else the first `no` of them. */
static void add_if(struct member_program *program, uint32_t first, uint32_t yes, uint32_t no, uint32_t ifs,
                   uint32_t loops)
{
    uint32_t unless = add_step(program, (struct step){.kind = STEP_UNLESS, .nest = ifs}), jump;
    add_elements(program, first, yes, ifs + 1, loops);
    jump = add_step(program, (struct step){.kind = STEP_JUMP});
    set_target(program, unless);
    add_elements(program, first, no, ifs + 1, loops);
    set_target(program, jump);
}

/* Every lane that comes here goes through all the elements in order; lanes that part at an if go through them
 * in both arms, or through more of them in one and the rest in a later if. */
static void add_elements(struct member_program *program, uint32_t first, uint32_t count, uint32_t ifs,
                         uint32_t loops)
{
    for (uint32_t end = first + count; first < end;) {
        uint32_t dice = draw_below(program, 10), some = 1 + draw_below(program, end - first);
        add_computing(program);
        if (ifs < MOST_IFS && dice < 5 && program->step_count < MEMBER_STEPS / 8) {
            uint32_t bit = 1u << draw_below(program, 32);
            add_step(program, (struct step){.kind = STEP_KEEP, .nest = ifs, .constant = bit});
            uint32_t yes = dice < 3 ? some : draw_below(program, some + 1);
            uint32_t no = dice < 3 ? some : draw_below(program, some + 1);
            add_if(program, first, yes, no, ifs, loops);
            add_computing(program);
            if (dice >= 3) { /* what is left to each */
                uint32_t unless = add_step(program, (struct step){.kind = STEP_UNLESS, .nest = ifs}), jump;
                add_elements(program, first + yes, some - yes, ifs + 1, loops);
                jump = add_step(program, (struct step){.kind = STEP_JUMP});
                set_target(program, unless);
                add_elements(program, first + no, some - no, ifs + 1, loops);
                set_target(program, jump);
            }
            first += some;
            continue;
        }
        if (program->elements[first].loop)
            add_loop(program, &program->elements[first], ifs, loops);
        else
            add_operation(program, &program->elements[first]);
        first++;
    }
}

/* ---- text ---- */
static void put(struct member_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put(struct member_program *program, const char *format, ...)
{
    size_t room = sizeof program->text - program->used;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(program->text + program->used, room, format, arguments);
    va_end(arguments);
    cr_assert(wanted >= 0 && (size_t)wanted < room);
    program->used += (size_t)wanted;
}

/* The lane it reads from, as the instruction computes it, must be a member, or the lane reads itself. */
static void put_shuffle(struct member_program *program, const struct step *step)
{
    static const char *const from[] = {"sub.u32 %%u, %%lane, %%v;\n", "add.u32 %%u, %%lane, %%v;\n",
                                       "xor.b32 %%u, %%lane, %%v;\n"};
    uint32_t segment = step->clamp >> 8;
    if (step->operation == MEMBER_IDX)
        put(program, "mov.u32 %%v, %%partner%u;\n", step->partition);
    else
        put(program, "mov.u32 %%v, %u;\n", step->constant);
    put(program, "%s %%t|%%p, %%r%u, %%v, %u, %%m%u;\n", operation_texts[step->operation], step->b,
        step->clamp, step->partition);
    if (step->operation == MEMBER_IDX)
        put(program, "and.b32 %%u, %%lane, %u;\nand.b32 %%v, %%v, %u;\nor.b32 %%u, %%u, %%v;\n", segment,
            ~segment & 31);
    else
        put(program, from[step->operation - MEMBER_UP], 0);
    put(program,
        "and.b32 %%u, %%u, 31;\nshr.u32 %%u, %%m%u, %%u;\nand.b32 %%u, %%u, 1;\n"
        "setp.ne.u32 %%q, %%u, 0;\nnot.pred %%s, %%p;\nor.pred %%q, %%q, %%s;\nselp.b32 %%t, %%t, 12345, "
        "%%q;\n"
        "selp.b32 %%u, 77, 0, %%p;\nadd.u32 %%t, %%t, %%u;\n",
        step->partition);
}

static void put_members(struct member_program *program, const struct step *step)
{
    const char *text = operation_texts[step->operation];
    uint32_t m = step->partition;
    put(program,
        "and.b32 %%v, %%r%u, %u;\nsetp.ne.u32 %%p, %%v, 0;\nmov.u32 %%u, 5;\nmov.b64 %%d, {%%u, %%v};\n",
        step->b, step->constant);
    switch (step->operation) {
    case MEMBER_ALL:
    case MEMBER_ANY:
    case MEMBER_UNI: put(program, "%s %%q, %%p, %%m%u;\nselp.b32 %%t, 1, 0, %%q;\n", text, m); break;
    case MEMBER_BALLOT: put(program, "%s %%t, %%p, %%m%u;\n", text, m); break;
    case MEMBER_MATCH_ANY: put(program, "%s %%t, %%v, %%m%u;\n", text, m); break;
    case MEMBER_MATCH_ANY_64: put(program, "%s %%t, %%d, %%m%u;\n", text, m); break;
    case MEMBER_MATCH_ALL:
    case MEMBER_MATCH_ALL_64:
        put(program, "%s %%t|%%q, %s, %%m%u;\nselp.b32 %%u, 77, 0, %%q;\nadd.u32 %%t, %%t, %%u;\n", text,
            step->operation == MEMBER_MATCH_ALL ? "%v" : "%d", m);
        break;
    case MEMBER_ELECT:
        put(program, "%s %%t|%%q, %%m%u;\nselp.b32 %%u, 77, 0, %%q;\nadd.u32 %%t, %%t, %%u;\n", text, m);
        break;
    case MEMBER_MEET: put(program, "%s %%m%u;\n", text, m); return;
    case MEMBER_UP:
    case MEMBER_DOWN:
    case MEMBER_BFLY:
    case MEMBER_IDX: put_shuffle(program, step); break;
    default: put(program, "%s %%t, %%r%u, %%m%u;\n", text, step->b, m); break;
    }
    put(program, "mad.lo.u32 %%r%u, %%t, 2654435769, %%r%u;\n", step->a, step->a);
}

static void put_step(struct member_program *program, uint32_t number)
{
    const struct step *step = &program->steps[number];
    put(program, "S%u:\n", number);
    switch (step->kind) {
    case STEP_COMPUTE:
        put(program, "mul.lo.u32 %%t, %%r%u, %u;\nxor.b32 %%r%u, %%t, %%r%u;\n", step->b, step->constant,
            step->a, step->a);
        break;
    case STEP_KEEP: put(program, "and.b32 %%c%u, %%r%u, %u;\n", step->nest, step->b, step->constant); break;
    case STEP_UNLESS:
        put(program, "setp.eq.u32 %%p, %%c%u, 0;\n@%%p bra S%u;\n", step->nest, step->target);
        break;
    case STEP_JUMP: put(program, "bra S%u;\n", step->target); break;
    case STEP_TURNS: put(program, "mov.u32 %%n%u, %%turns%u;\n", step->nest, step->partition); break;
    case STEP_TURN:
        put(program, "setp.eq.u32 %%p, %%n%u, 0;\n@%%p bra S%u;\nsub.u32 %%n%u, %%n%u, 1;\n", step->nest,
            step->target, step->nest, step->nest);
        break;
    case STEP_WRITE: put(program, "st.shared.u32 [%%own], %%r%u;\n", step->b); break;
    case STEP_READ:
        put(program, "shl.b32 %%t, %%partner%u, 2;\nadd.u32 %%t, %%t, %%warp;\nld.shared.u32 %%t, [%%t];\n",
            step->partition);
        put(program, "add.u32 %%r%u, %%r%u, %%t;\n", step->a, step->a);
        break;
    case STEP_MEMBERS: put_members(program, step); break;
    case STEP_END:
        for (uint32_t i = 0; i < MEMBER_REGISTERS; i++)
            put(program, "st.global.u32 [%%out+%u], %%r%u;\n", 4 * i, i);
        put(program, "exit;\n");
        break;
    }
}

static void put_head(struct member_program *program)
{
    put(program, ".version 8.0\n.target sm_90\n.address_size 64\n");
    put(program,
        ".visible .entry kernel(.param .u64 in, .param .u64 out)\n{\n.shared .align 4 .b8 words[%u];\n",
        4 * MEMBER_BLOCK_THREADS);
    put(program,
        ".reg .pred %%p, %%q, %%s;\n.reg .b64 %%d, %%in, %%out, %%at;\n.reg .b32 %%t, %%u, %%v, %%lane, "
        "%%own, %%warp, %%block;\n");
    put(program, ".reg .b32 %%r<%u>, %%c<%u>, %%n<%u>;\n", MEMBER_REGISTERS, MEMBER_NESTED, MEMBER_NESTED);
    put(program, ".reg .b32 %%m<%u>, %%partner<%u>, %%turns<%u>;\n", MEMBER_PARTITIONS, MEMBER_PARTITIONS,
        MEMBER_PARTITIONS);
    put(program, "ld.param.u64 %%in, [in];\nld.param.u64 %%out, [out];\nmov.u32 %%lane, %%laneid;\n"
                 "mov.u32 %%t, %%tid.x;\nmov.u32 %%u, %%ctaid.x;\nmov.u32 %%v, %%ntid.x;\n"
                 "mad.lo.u32 %%block, %%u, %%v, %%t;\n");
    put(program,
        "mul.wide.u32 %%at, %%block, %u;\nadd.s64 %%in, %%in, %%at;\nmul.wide.u32 %%at, %%block, %u;\n"
        "add.s64 %%out, %%out, %%at;\n",
        4 * MEMBER_LANE_WORDS, 4 * MEMBER_REGISTERS);
    put(program, "mov.u32 %%own, words;\nand.b32 %%warp, %%t, 32;\nmad.lo.u32 %%warp, %%warp, 4, %%own;\n"
                 "mad.lo.u32 %%own, %%t, 4, %%own;\nst.shared.u32 [%%own], %%t;\nbar.sync 0;\n");
    for (uint32_t i = 0; i < MEMBER_PARTITIONS; i++) {
        put(program, "ld.global.u32 %%m%u, [%%in+%u];\n", i, 4 * i);
        put(program, "ld.global.u32 %%partner%u, [%%in+%u];\n", i, 4 * (MEMBER_PARTITIONS + i));
        put(program, "ld.global.u32 %%turns%u, [%%in+%u];\n", i, 4 * (2 * MEMBER_PARTITIONS + i));
    }
    for (uint32_t i = 0; i < MEMBER_REGISTERS; i++)
        put(program, "ld.global.u32 %%r%u, [%%in+%u];\n", i, 4 * (3 * MEMBER_PARTITIONS + i));
}

void member_program_make(struct member_program *program, uint64_t seed)
{
    uint32_t first, count;
    memset(program, 0, sizeof *program);
    program->values.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    program->lanes_end = draw_below(program, 3) == 0;
    for (uint32_t warp = 0; warp < MEMBER_THREADS / 32; warp++)
        for (uint32_t partition = 0; partition < MEMBER_PARTITIONS; partition++)
            draw_classes(program, warp, partition);
    for (uint32_t lane = 0; lane < MEMBER_THREADS; lane++)
        for (uint32_t i = 0; i < MEMBER_REGISTERS; i++)
            program->lanes[lane].r[i] = (uint32_t)(values_next(&program->values) >> 8);
    make_elements(program, 0, 0, &first, &count);
    add_elements(program, first, count, 0, 0);
    add_step(program, (struct step){.kind = STEP_END});
    put_head(program);
    for (uint32_t i = 0; i < program->step_count; i++)
        put_step(program, i);
    put(program, "}\n");
}
