/* SPDX-License-Identifier: Apache-2.0 */
/* A program thread by thread. */
#include "tests/shared/oracle/ptx_oracle.h"
#include "tests/shared/oracle/random_program.h"

#include <criterion/criterion.h>
#include <string.h>

enum outcome { GOES_ON, BREAKS, LEAVES };

struct interpreter {
    const struct random_program *program;
    struct random_run *run;
    struct random_thread *thread; /* whose registers are used: a function's are its own */
    uint32_t function;
};

/* A thread comes to an instruction; does its guard let it? */
static bool comes(const struct interpreter *in, uint32_t instruction, const struct node *node, bool turned)
{
    bool on = true;
    if (node && node->guard >= 0)
        on = (in->thread->registers[FILE_PREDICATE][node->guard] != 0) != (node->negated != turned);
    in->run->active[in->function][instruction]++;
    in->run->on[in->function][instruction] += on;
    return on;
}

static uint64_t *place(struct random_thread *thread, char file, uint32_t number)
{
    enum random_file of = file == 'd'   ? FILE_64
                          : file == 'f' ? FILE_FLOAT
                          : file == 'p' ? FILE_PREDICATE
                                        : FILE_32;
    return &thread->registers[of][number];
}

static void compute(struct random_thread *thread, const struct node *node)
{
    const char *files = node->operation->files;
    struct oracle_result result;
    uint64_t sources[ORACLE_SOURCES] = {0};
    for (uint32_t i = 1; files[i]; i++)
        sources[i - 1] = files[i] == 'i' ? node->constant : *place(thread, files[i], node->operands[i]);
    cr_assert(oracle_compute(node->operation->text, sources, &result), "%s", node->operation->text);
    *place(thread, files[0], node->operands[0]) = result.bits[0];
}

static enum outcome run_list(struct interpreter *in, const struct node *node);

static enum outcome run_loop(struct interpreter *in, const struct node *node)
{
    comes(in, node->first, NULL, false);
    comes(in, node->first + 1, NULL, false);
    uint64_t most = in->thread->registers[FILE_32][node->operands[0]] & 3;
    for (uint64_t turn = 0; turn <= most; turn++) {
        enum outcome outcome = run_list(in, node->children[0]);
        if (outcome != GOES_ON)
            return outcome == BREAKS ? GOES_ON : outcome;
        comes(in, node->last, NULL, false);
        comes(in, node->last + 1, NULL, false);
        in->run->active[in->function][node->last + 2]++;
        in->run->on[in->function][node->last + 2] += turn < most;
    }
    return GOES_ON;
}

static enum outcome run_if(struct interpreter *in, const struct node *node)
{
    bool jumps = comes(in, node->first, node, true); /* to else */
    enum outcome outcome = run_list(in, node->children[jumps ? 1 : 0]);
    if (outcome == GOES_ON && !jumps && node->has_else)
        comes(in, node->last, NULL, false);
    return outcome;
}

static enum outcome run_switch(struct interpreter *in, const struct node *node)
{
    comes(in, node->first, NULL, false);
    comes(in, node->first + 1, NULL, false);
    uint64_t which = in->thread->registers[FILE_32][node->operands[0]] & 3;
    enum outcome outcome = run_list(in, node->children[which]);
    if (outcome == GOES_ON)
        comes(in, node->ends[which], NULL, false);
    return outcome;
}

/* The instructions at the start that nothing jumps over. */
static void come_to_all(const struct interpreter *in, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        comes(in, i, NULL, false);
}

static void start(struct random_thread *thread, uint32_t x, uint32_t y)
{
    struct oracle_result result;
    for (uint32_t i = 0; i < RANDOM_REGISTERS; i++) {
        uint64_t value = (uint32_t)(x * (2654435761u * (i + 1)) + y);
        thread->registers[FILE_32][i] = value;
        thread->registers[FILE_64][i] = value * value;
        cr_assert(oracle_compute("cvt.rn.f32.s32", (uint64_t[ORACLE_SOURCES]){value}, &result));
        thread->registers[FILE_FLOAT][i] = result.bits[0];
        thread->registers[FILE_PREDICATE][i] = (int32_t)(uint32_t)value < 0;
    }
}

static uint64_t call(struct interpreter *in, uint64_t x, uint64_t y)
{
    struct random_thread own = {0};
    struct interpreter inner = {in->program, in->run, &own, 1};
    uint32_t count = 1 + 4 * RANDOM_REGISTERS;
    come_to_all(&inner, 0, count);
    start(&own, (uint32_t)x, (uint32_t)y);
    if (run_list(&inner, in->program->function) == LEAVES)
        return y;
    come_to_all(&inner, in->program->instructions[1] - 2, 2);
    return (uint32_t)(own.registers[FILE_32][0] + own.registers[FILE_32][1]);
}

static enum outcome run_node(struct interpreter *in, const struct node *node)
{
    struct random_thread *thread = in->thread;
    uint64_t *words = thread->registers[FILE_32];
    uint32_t *memory = node->local ? thread->local : thread->shared;
    uint32_t a = node->operands[0], b = node->operands[1], slot = node->operands[2] % RANDOM_SLOTS;
    switch (node->kind) {
    case NODE_IF: return run_if(in, node);
    case NODE_LOOP: return run_loop(in, node);
    case NODE_SWITCH: return run_switch(in, node);
    default: break;
    }
    if (!comes(in, node->first, node, false))
        return GOES_ON;
    switch (node->kind) {
    case NODE_COMPUTE: compute(thread, node); break;
    case NODE_STORE: memory[slot] = (uint32_t)words[a]; break;
    case NODE_LOAD: words[a] = memory[slot]; break;
    case NODE_ADD: in->run->sums[b % RANDOM_SUMS] += (uint32_t)words[a]; break;
    case NODE_CALL: words[a] = call(in, words[b], words[node->operands[2]]); break;
    case NODE_BREAK: return BREAKS;
    case NODE_LEAVE: return LEAVES;
    default: cr_assert(false, "a node for all lanes stands within others"); break;
    }
    return GOES_ON;
}

static enum outcome run_list(struct interpreter *in, const struct node *node)
{
    enum outcome outcome = GOES_ON;
    for (; node && outcome == GOES_ON; node = node->next)
        outcome = run_node(in, node);
    return outcome;
}

/* What lanes do together, for the warp that begins at a thread. */
static void run_together(const struct random_program *program, struct random_run *run,
                         const struct node *node, uint32_t warp)
{
    uint64_t before[32], flags = 0;
    uint32_t a = node->operands[0], b = node->operands[1];
    for (uint32_t lane = 0; lane < 32; lane++) {
        struct random_thread *thread = &run->threads[warp + lane];
        struct interpreter in = {program, run, thread, 0};
        comes(&in, node->first, NULL, false);
        before[lane] = thread->registers[FILE_32][node->operands[2]];
        flags |= thread->registers[FILE_PREDICATE][b] << lane;
    }
    for (uint32_t lane = 0; lane < 32; lane++) {
        struct random_thread *thread = &run->threads[warp + lane];
        thread->registers[FILE_32][a] =
            node->kind == NODE_BALLOT ? flags : before[lane ^ (node->constant & 31)];
        if (node->kind == NODE_SHUFFLE)
            thread->registers[FILE_PREDICATE][b] = 1;
    }
}

void random_program_run(const struct random_program *program, struct random_run *run)
{
    memset(run, 0, sizeof *run);
    const uint32_t threads = RANDOM_BLOCKS * RANDOM_THREADS;
    for (uint32_t i = 0; i < threads; i++) {
        struct random_thread *thread = &run->threads[i];
        struct interpreter in = {program, run, thread, 0};
        start(thread, i, 7);
        for (uint32_t k = 0; k < RANDOM_SLOTS; k++) {
            thread->shared[k] = i;
            thread->local[k] = i % RANDOM_THREADS;
        }
        come_to_all(&in, 0, RANDOM_PREAMBLE + 4 * RANDOM_REGISTERS);
    }
    for (const struct node *node = program->body; node; node = node->next) {
        bool together = node->kind == NODE_SHUFFLE || node->kind == NODE_BALLOT;
        for (uint32_t i = 0; i < threads; i++) {
            struct interpreter in = {program, run, &run->threads[i], 0};
            if (together && i % 32 == 0)
                run_together(program, run, node, i);
            if (!together && !run->threads[i].left)
                run->threads[i].left = run_node(&in, node) == LEAVES;
        }
    }
}

void random_thread_words(const struct random_thread *thread, uint32_t words[RANDOM_WORDS])
{
    words[RANDOM_WORDS - 1] = 0;
    for (uint32_t i = 0; i < RANDOM_REGISTERS; i++) {
        words[i] = (uint32_t)thread->registers[FILE_32][i];
        words[RANDOM_REGISTERS + 2 * i] = (uint32_t)thread->registers[FILE_64][i];
        words[RANDOM_REGISTERS + 2 * i + 1] = (uint32_t)(thread->registers[FILE_64][i] >> 32);
        words[3 * RANDOM_REGISTERS + i] = (uint32_t)thread->registers[FILE_FLOAT][i];
        words[RANDOM_WORDS - 1] |= (uint32_t)(thread->registers[FILE_PREDICATE][i] != 0) << i;
    }
}
