/* SPDX-License-Identifier: Apache-2.0 */
/* Making a program, and its text. */
#include "tests/shared/oracle/random_program.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 4

static const struct operation operations[] = {
    {"add.u32", "rrr"},          {"sub.s32", "rrr"},        {"mul.lo.u32", "rrr"},  {"mul.hi.s32", "rrr"},
    {"mad.lo.s32", "rrrr"},      {"min.s32", "rrr"},        {"max.u32", "rrr"},     {"and.b32", "rrr"},
    {"xor.b32", "rrr"},          {"not.b32", "rr"},         {"shl.b32", "rrr"},     {"shr.s32", "rrr"},
    {"shf.r.wrap.b32", "rrrr"},  {"lop3.b32", "rrrri"},     {"prmt.b32", "rrrr"},   {"bfe.s32", "rrrr"},
    {"popc.b32", "rr"},          {"clz.b32", "rr"},         {"div.u32", "rrr"},     {"rem.s32", "rrr"},
    {"selp.b32", "rrrp"},        {"mov.b32", "rr"},         {"mov.b32", "ri"},      {"add.u32", "rri"},
    {"mul.wide.u32", "drr"},     {"mad.wide.s32", "drrd"},  {"add.s64", "ddd"},     {"xor.b64", "ddd"},
    {"shr.u64", "ddr"},          {"cvt.u32.u64", "rd"},     {"cvt.s64.s32", "dr"},  {"selp.b64", "dddp"},
    {"add.f32", "fff"},          {"mul.rn.f32", "fff"},     {"fma.rn.f32", "ffff"}, {"div.rn.f32", "fff"},
    {"sub.rz.f32", "fff"},       {"min.f32", "fff"},        {"abs.f32", "ff"},      {"sqrt.rn.f32", "ff"},
    {"cvt.rn.f32.s32", "fr"},    {"cvt.rzi.s32.f32", "rf"}, {"mov.b32", "fr"},      {"cvt.rn.f32.u64", "fd"},
    {"setp.lt.s32", "prr"},      {"setp.hs.u32", "prr"},    {"setp.eq.b64", "pdd"}, {"setp.gtu.f32", "pff"},
    {"setp.ne.and.s32", "prrp"}, {"xor.pred", "ppp"},       {"not.pred", "pp"},     {"setp.gt.s32", "pri"},
};
#define OPERATIONS (sizeof operations / sizeof *operations)

static uint32_t below(struct random_program *program, uint32_t count)
{
    return (uint32_t)(values_next(&program->values) % count);
}

/* ---- text ---- */
static void put(struct random_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void put(struct random_program *program, const char *format, ...)
{
    size_t room = sizeof program->text - program->used;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(program->text + program->used, room, format, arguments);
    va_end(arguments);
    cr_assert(wanted >= 0 && (size_t)wanted < room);
    program->used += (size_t)wanted;
}

/* ---- nodes ---- */
struct maker {
    struct random_program *program;
    uint32_t function; /* 0 the kernel, 1 the device function */
    bool all_lanes;    /* no lane may have left or parted here */
    bool may_leave;
};

static struct node *make_list(struct maker *maker, uint32_t count, uint32_t depth, uint32_t loops);

static void make_operands(struct maker *maker, struct node *node)
{
    const char *files = node->operation->files;
    for (uint32_t i = 0; files[i]; i++)
        node->operands[i] = below(maker->program, RANDOM_REGISTERS);
    node->constant = values_of(&maker->program->values, PTX_U32, 0);
    if (strcmp(node->operation->text, "lop3.b32") == 0)
        node->constant &= 0xff;
}

/* Shuffles and the like stand where all lanes are; nothing behind a lane's leaving does. */
static enum node_kind choose_kind(struct maker *maker, uint32_t depth, uint32_t loops)
{
    uint32_t dice = below(maker->program, 100);
    if (depth < MAX_DEPTH && dice < 24)
        return dice < 12 ? NODE_IF : dice < 20 ? NODE_LOOP : NODE_SWITCH;
    if (dice < 27 && loops > 0)
        return NODE_BREAK;
    if (maker->function == 1)
        return dice < 30 ? NODE_LEAVE : NODE_COMPUTE;
    if (dice < 40)
        return dice < 30 ? NODE_STORE : dice < 33 ? NODE_LOAD : dice < 36 ? NODE_ADD : NODE_CALL;
    if (maker->all_lanes && depth == 0 && dice < 50)
        return dice < 46 ? NODE_SHUFFLE : NODE_BALLOT;
    return maker->may_leave && dice > 97 ? NODE_LEAVE : NODE_COMPUTE;
}

static void make_children(struct maker *maker, struct node *node, uint32_t depth, uint32_t loops)
{
    struct random_program *program = maker->program;
    uint32_t count = node->kind == NODE_SWITCH ? 4 : node->kind == NODE_IF && node->has_else ? 2 : 1;
    for (uint32_t i = 0; i < count; i++)
        node->children[i] =
            make_list(maker, 1 + below(program, 4), depth + 1, loops + (node->kind == NODE_LOOP ? 1 : 0));
}

static struct node *make_node(struct maker *maker, uint32_t depth, uint32_t loops)
{
    struct random_program *program = maker->program;
    struct node *node = &program->nodes[program->node_count++];
    *node = (struct node){.kind = choose_kind(maker, depth, loops), .guard = -1, .depth = loops};
    node->operation = &operations[below(program, OPERATIONS)];
    node->local = below(program, 2);
    node->has_else = below(program, 2);
    make_operands(maker, node);
    bool guarded = node->kind == NODE_IF || node->kind == NODE_BREAK || node->kind == NODE_LEAVE ||
                   ((node->kind == NODE_COMPUTE || node->kind == NODE_STORE || node->kind == NODE_CALL) &&
                    below(program, 4) == 0);
    node->guard = guarded ? (int)below(program, RANDOM_REGISTERS) : -1;
    node->negated = below(program, 2);
    if (node->kind == NODE_LEAVE)
        maker->all_lanes = false;
    if (node->kind == NODE_IF || node->kind == NODE_LOOP || node->kind == NODE_SWITCH)
        make_children(maker, node, depth, loops);
    return node;
}

static struct node *make_list(struct maker *maker, uint32_t count, uint32_t depth, uint32_t loops)
{
    struct node *first = NULL, **end = &first;
    for (uint32_t i = 0; i < count && maker->program->node_count < RANDOM_NODES - 64; i++) {
        *end = make_node(maker, depth, loops);
        end = &(*end)->next;
    }
    return first;
}

/* ---- text of nodes ---- */
struct writer {
    struct random_program *program;
    uint32_t function;
    uint32_t exits[MAX_DEPTH + 2]; /* labels behind the loops around */
};

static uint32_t instruction(struct writer *writer)
{
    cr_assert_lt(writer->program->instructions[writer->function], RANDOM_INSTRUCTIONS);
    return writer->program->instructions[writer->function]++;
}

static void put_guard(struct writer *writer, const struct node *node, bool turned)
{
    if (node->guard >= 0)
        put(writer->program, "@%s%%p%d ", node->negated != turned ? "!" : "", node->guard);
}

static void put_list(struct writer *writer, struct node *node);

static void put_compute(struct writer *writer, struct node *node)
{
    struct random_program *program = writer->program;
    node->first = instruction(writer);
    put_guard(writer, node, false);
    put(program, "%s ", node->operation->text);
    for (uint32_t i = 0; node->operation->files[i]; i++) {
        char file = node->operation->files[i];
        put(program, "%s", i == 0 ? "" : ", ");
        if (file == 'i')
            put(program, "%llu", (unsigned long long)node->constant);
        else
            put(program, "%%%c%u", file, node->operands[i]);
    }
    put(program, ";\n");
}

static void put_if(struct writer *writer, struct node *node)
{
    struct random_program *program = writer->program;
    uint32_t other = program->labels++, end = program->labels++;
    node->first = instruction(writer);
    put_guard(writer, node, true);
    put(program, "bra L%u;\n", other);
    put_list(writer, node->children[0]);
    if (node->has_else) {
        node->last = instruction(writer);
        put(program, "bra L%u;\n", end);
    }
    put(program, "L%u:\n", other);
    put_list(writer, node->children[1]);
    put(program, "L%u:\n", end);
}

/* Its turns are 1 to 4, by a register of the lane's. */
static void put_loop(struct writer *writer, struct node *node)
{
    struct random_program *program = writer->program;
    uint32_t top = program->labels++, end = program->labels++, d = node->depth;
    node->first = instruction(writer);
    instruction(writer);
    put(program, "mov.u32 %%c%u, 0;\nand.b32 %%n%u, %%r%u, 3;\nL%u:\n", d, d, node->operands[0], top);
    writer->exits[d] = end;
    put_list(writer, node->children[0]);
    node->last = instruction(writer);
    instruction(writer);
    instruction(writer);
    put(program, "add.u32 %%c%u, %%c%u, 1;\nsetp.le.u32 %%q%u, %%c%u, %%n%u;\n@%%q%u bra L%u;\nL%u:\n", d, d,
        d, d, d, d, top, end);
}

static void put_switch(struct writer *writer, struct node *node)
{
    struct random_program *program = writer->program;
    uint32_t first = program->labels, end = first + 4, table = first + 5;
    program->labels += 6;
    node->first = instruction(writer);
    instruction(writer);
    put(program, "T%u: .branchtargets L%u, L%u, L%u, L%u;\nand.b32 %%s, %%r%u, 3;\nbrx.idx %%s, T%u;\n",
        table, first, first + 1, first + 2, first + 3, node->operands[0], table);
    for (uint32_t i = 0; i < 4; i++) {
        put(program, "L%u:\n", first + i);
        put_list(writer, node->children[i]);
        node->ends[i] = instruction(writer);
        put(program, "bra L%u;\n", end);
    }
    put(program, "L%u:\n", end);
}

static void put_node(struct writer *writer, struct node *node)
{
    struct random_program *program = writer->program;
    uint32_t a = node->operands[0], b = node->operands[1], slot = node->operands[2] % RANDOM_SLOTS;
    const char *space = node->local ? "local" : "shared";
    const char *base = node->local ? "depot" : "%own";
    switch (node->kind) {
    case NODE_COMPUTE: put_compute(writer, node); return;
    case NODE_IF: put_if(writer, node); return;
    case NODE_LOOP: put_loop(writer, node); return;
    case NODE_SWITCH: put_switch(writer, node); return;
    default: break;
    }
    node->first = instruction(writer);
    put_guard(writer, node, false);
    switch (node->kind) {
    case NODE_BREAK: put(program, "bra L%u;\n", writer->exits[node->depth - 1]); break;
    case NODE_STORE: put(program, "st.%s.u32 [%s+%u], %%r%u;\n", space, base, 4 * slot, a); break;
    case NODE_LOAD: put(program, "ld.%s.u32 %%r%u, [%s+%u];\n", space, a, base, 4 * slot); break;
    case NODE_ADD: put(program, "red.global.add.u32 [%%sums+%u], %%r%u;\n", 4 * (b % RANDOM_SUMS), a); break;
    case NODE_SHUFFLE:
        put(program, "shfl.sync.bfly.b32 %%r%u|%%p%u, %%r%u, %u, 31, -1;\n", a, b, node->operands[2],
            (uint32_t)node->constant & 31);
        break;
    case NODE_BALLOT: put(program, "vote.sync.ballot.b32 %%r%u, %%p%u, -1;\n", a, b); break;
    case NODE_CALL: put(program, "call (%%r%u), helper, (%%r%u, %%r%u);\n", a, b, node->operands[2]); break;
    default: put(program, "%s;\n", writer->function == 1 ? "ret" : "exit"); break;
    }
}

static void put_list(struct writer *writer, struct node *node)
{
    for (; node; node = node->next)
        put_node(writer, node);
}

static void put_registers(struct random_program *program)
{
    put(program,
        ".reg .b32 %%r<%d>, %%c<%d>, %%n<%d>; .reg .b64 %%d<%d>; .reg .f32 %%f<%d>; .reg .pred %%p<%d>, "
        "%%q<%d>;\n"
        ".reg .b32 %%s;\n",
        RANDOM_REGISTERS, MAX_DEPTH + 1, MAX_DEPTH + 1, RANDOM_REGISTERS, RANDOM_REGISTERS, RANDOM_REGISTERS,
        MAX_DEPTH + 1);
}

/* All registers from two values; the thread run by the oracle starts the same way. */
static void put_start(struct writer *writer, const char *x, const char *y)
{
    struct random_program *program = writer->program;
    for (uint32_t i = 0; i < RANDOM_REGISTERS; i++) {
        put(program, "mad.lo.u32 %%r%u, %s, %u, %s;\n", i, x, 2654435761u * (i + 1), y);
        put(program, "mul.wide.u32 %%d%u, %%r%u, %%r%u;\n", i, i, i);
        put(program, "cvt.rn.f32.s32 %%f%u, %%r%u;\n", i, i);
        put(program, "setp.lt.s32 %%p%u, %%r%u, 0;\n", i, i);
        for (uint32_t k = 0; k < 4; k++)
            instruction(writer);
    }
}

static void put_function(struct random_program *program)
{
    struct writer writer = {.program = program, .function = 1};
    put(program, ".func (.reg .b32 result) helper(.reg .b32 x, .reg .b32 y)\n{\n");
    put_registers(program);
    put(program, "mov.b32 result, y;\n"); /* what an early ret gives */
    instruction(&writer);
    put_start(&writer, "x", "y");
    put_list(&writer, program->function);
    put(program, "add.u32 result, %%r0, %%r1;\nret;\n}\n");
    instruction(&writer);
    instruction(&writer);
}

static void put_kernel(struct random_program *program)
{
    struct writer writer = {.program = program};
    put(program, ".visible .entry kernel(.param .u64 out, .param .u64 sums)\n{\n");
    put_registers(program);
    put(program,
        ".reg .b32 %%thread, %%cta, %%gid, %%own, %%bits; .reg .b64 %%sums, %%out, %%at;\n"
        ".shared .align 4 .b8 words[%d];\n.local .align 4 .b8 depot[%d];\n",
        RANDOM_THREADS * RANDOM_SLOTS * 4, RANDOM_SLOTS * 4);
    put(program,
        "mov.u32 %%thread, %%tid.x;\nmov.u32 %%cta, %%ctaid.x;\nmad.lo.u32 %%gid, %%cta, %d, %%thread;\n"
        "mov.u32 %%own, words;\nmad.lo.u32 %%own, %%thread, %d, %%own;\nld.param.u64 %%sums, "
        "[sums];\nld.param.u64 %%out, [out];\n",
        RANDOM_THREADS, RANDOM_SLOTS * 4);
    put(program, "st.shared.v4.u32 [%%own], {%%gid, %%gid, %%gid, %%gid};\nst.local.u32 [depot], %%thread;\n"
                 "st.local.u32 [depot+4], %%thread;\nst.local.u32 [depot+8], %%thread;\nst.local.u32 "
                 "[depot+12], %%thread;\n");
    for (uint32_t i = 0; i < RANDOM_PREAMBLE; i++)
        instruction(&writer);
    put_start(&writer, "%gid", "7");
    put_list(&writer, program->body);
    put(program, "mad.wide.u32 %%at, %%gid, %d, %%out;\nmov.u32 %%bits, 0;\n", 4 * RANDOM_WORDS);
    for (uint32_t i = 0; i < RANDOM_REGISTERS; i++)
        put(program,
            "st.global.u32 [%%at+%u], %%r%u;\nst.global.f32 [%%at+%u], %%f%u;\n"
            "{ .reg .b32 lo, hi; mov.b64 {lo, hi}, %%d%u; st.global.u32 [%%at+%u], lo; st.global.u32 "
            "[%%at+%u], hi; }\n"
            "@%%p%u or.b32 %%bits, %%bits, %u;\n",
            4 * i, i, 4 * (3 * RANDOM_REGISTERS + i), i, i, 4 * (RANDOM_REGISTERS + 2 * i),
            4 * (RANDOM_REGISTERS + 2 * i + 1), i, 1u << i);
    put(program, "st.global.u32 [%%at+%d], %%bits;\nret;\n}\n", 4 * (RANDOM_WORDS - 1));
}

void random_program_make(struct random_program *program, uint64_t seed)
{
    *program = (struct random_program){.values = {.state = seed}};
    struct maker kernel = {.program = program, .all_lanes = true, .may_leave = seed % 3 == 0};
    struct maker function = {.program = program, .function = 1};
    program->function = make_list(&function, 5, 1, 0);
    program->body = make_list(&kernel, 30, 0, 0);
    put(program, ".version 9.0\n.target sm_90\n.address_size 64\n");
    put_function(program);
    put_kernel(program);
}
