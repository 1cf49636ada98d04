/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control flow against an oracle that knows only the generated program: an instruction post-dominates
 * another if the exit cannot be reached from that one any more when it is taken away. And a table of known
 * shapes.
 */
#include "simt/program/cfg.h"

#include "tests/shared/oracle/ptx_dump.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 40 /* instructions of a random function */
#define HEAD                                                                                               \
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 " \
    "%r<2>;\n"

enum step { PLAIN, BRANCH, GUARDED_BRANCH, TABLE, END, GUARDED_END, STEP_COUNT };

struct function {
    uint32_t count;
    enum step steps[MOST];
    uint32_t targets[MOST][3]; /* instruction indices; count: the end */
    bool goes[MOST][MOST + 1]; /* edges; [count]: the exit */
};

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void make_function(struct function *function, uint64_t *state)
{
    *function = (struct function){.count = 1 + next_random(state) % (MOST - 1)};
    uint32_t plainness = next_random(state) % 4;
    for (uint32_t i = 0; i < function->count; i++) {
        enum step step = (enum step)(next_random(state) % STEP_COUNT);
        if (next_random(state) % 4 < plainness)
            step = PLAIN;
        function->steps[i] = step;
        for (int j = 0; j < 3; j++)
            function->targets[i][j] = next_random(state) % (function->count + 1);
        if (step == BRANCH || step == GUARDED_BRANCH)
            function->goes[i][function->targets[i][0]] = true;
        for (int j = 0; j < 3 && step == TABLE; j++)
            function->goes[i][function->targets[i][j]] = true;
        if (step == END || step == GUARDED_END)
            function->goes[i][function->count] = true;
        if (step == PLAIN || step == GUARDED_BRANCH || step == GUARDED_END)
            function->goes[i][i + 1] = true;
    }
}

static void print_function(const struct function *function, char *text, size_t size_bytes)
{
    static const char *const ends[] = {"ret", "exit", "trap"};
    FILE *out = fmemopen(text, size_bytes, "w");
    cr_assert_not_null(out);
    fputs(HEAD, out);
    for (uint32_t i = 0; i < function->count; i++) {
        const uint32_t *targets = function->targets[i];
        fprintf(out, "L%u:\n", i);
        switch (function->steps[i]) {
        case PLAIN: fputs("add.u32 %r1, %r1, 1;\n", out); break;
        case BRANCH: fprintf(out, "bra.uni L%u;\n", targets[0]); break;
        case GUARDED_BRANCH: fprintf(out, "@!%%p1 bra L%u;\n", targets[0]); break;
        case TABLE:
            fprintf(out, "T%u: .branchtargets L%u, L%u, L%u;\nbrx.idx %%r1, T%u;\n", i, targets[0],
                    targets[1], targets[2], i);
            break;
        case END: fprintf(out, "%s;\n", ends[i % 3]); break;
        default: fprintf(out, "@%%p1 %s;\n", ends[i % 3]); break;
        }
    }
    fprintf(out, "L%u:\n}\n", function->count);
    cr_assert_lt(ftell(out), (long)size_bytes);
    fclose(out);
}

/* reach[a][b]: from a, in no or more steps, without entering `without`. */
static void close_reach(const struct function *function, uint32_t without, bool reach[MOST][MOST + 1])
{
    uint32_t count = function->count;
    memset(reach, 0, sizeof(bool[MOST][MOST + 1]));
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b <= count && a != without; b++)
            reach[a][b] = b != without && (a == b || function->goes[a][b]);
    for (uint32_t c = 0; c < count; c++) {
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; reach[a][c] && b <= count; b++)
                reach[a][b] |= reach[c][b];
    }
}

/* Where lanes go round for ever, the last instruction of the round gets an edge to the exit. */
static void end_endless(struct function *function)
{
    bool reach[MOST][MOST + 1];
    uint32_t count = function->count;
    close_reach(function, MOST + 1, reach);
    for (uint32_t a = 0; a < count; a++) {
        bool last_of_sink = !reach[a][count];
        for (uint32_t b = 0; b < count; b++)
            last_of_sink &= !reach[a][b] || (reach[b][a] && b <= a);
        if (last_of_sink)
            function->goes[a][count] = true;
    }
}

/* The nearest one that post-dominates `from`: it is post-dominated by all others that do. */
static uint32_t expected_meeting(bool dominates[MOST][MOST], uint32_t count, uint32_t from)
{
    for (uint32_t d = 0; d < count; d++) {
        bool nearest = d != from && dominates[d][from];
        for (uint32_t e = 0; e < count; e++)
            nearest &= e == from || e == d || !dominates[e][from] || dominates[e][d];
        if (nearest)
            return d;
    }
    return PTX_NONE;
}

static void check_blocks(const struct cfg *cfg, uint32_t instructions)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        const struct cfg_block *block = &cfg->blocks[i];
        cr_assert_eq(block->first, at);
        cr_assert_gt(block->count, 0);
        cr_assert(block->ends || block->successor_count > 0);
        for (uint32_t j = 0; j < block->count; j++)
            cr_assert_eq(cfg->block_of[at++], i);
    }
    cr_assert_eq(at, instructions);
}

static void check_function(struct function *function)
{
    static char text[16384];
    static bool reach[MOST][MOST + 1];
    static bool dominates[MOST][MOST];
    struct cfg *cfg;
    struct error error = {0};
    print_function(function, text, sizeof text);
    struct ptx_module *module = ptx_parse_good(text);
    cr_assert_eq(module->functions[0].instruction_count, function->count);
    cr_assert_eq(cfg_create(&cfg, &module->functions[0], &error), STATUS_OK, "%s", error.text);
    check_blocks(cfg, function->count);
    for (uint32_t i = 0; i < cfg->block_count; i++) { /* each edge of the program is there, and no other */
        const struct cfg_block *block = &cfg->blocks[i];
        uint32_t last = block->first + block->count - 1;
        uint32_t edges = 0;
        for (uint32_t j = 0; j < block->successor_count; j++)
            cr_assert(function->goes[last][cfg->blocks[block->successors[j]].first], "%s", text);
        for (uint32_t j = 0; j < function->count; j++)
            edges += function->goes[last][j];
        cr_assert_eq(edges, block->successor_count, "%s", text);
        cr_assert_eq(block->ends, function->goes[last][function->count], "%s", text);
    }
    end_endless(function);
    for (uint32_t d = 0; d < function->count; d++) {
        close_reach(function, d, reach);
        for (uint32_t a = 0; a < function->count; a++)
            dominates[d][a] = !reach[a][function->count];
    }
    for (uint32_t i = 0; i < cfg->block_count; i++) {
        uint32_t last = cfg->blocks[i].first + cfg->blocks[i].count - 1;
        uint32_t expected = expected_meeting(dominates, function->count, last);
        cr_assert_eq(cfg_meeting_point(cfg, last), expected, "at %u: %u, not %u\n%s", last,
                     cfg_meeting_point(cfg, last), expected, text);
    }
    cfg_destroy(cfg);
    ptx_destroy(module);
}

Test(cfg, random_functions)
{
    uint64_t state = 20261121;
    for (int i = 0; i < 800; i++) {
        struct function function;
        make_function(&function, &state);
        check_function(&function);
    }
}

/* Bodies; the branch at `at` meets at `meets`. */
static const struct {
    const char *name, *body;
    uint32_t at, meets;
} shapes[] = {
    {"if", "@%p1 bra A; add.u32 %r1, %r1, 1; A: ret;", 0, 2},
    {"if else", "@%p1 bra A; add.u32 %r1, %r1, 1; bra B; A: sub.u32 %r1, %r1, 1; B: ret;", 0, 4},
    {"loop", "A: add.u32 %r1, %r1, 1; @%p1 bra A; sub.u32 %r1, %r1, 1; ret;", 1, 2},
    {"loop with break", "A: @%p1 bra B; add.u32 %r1, %r1, 1; bra A; B: ret;", 0, 3},
    {"early end", "@%p1 bra A; ret; A: add.u32 %r1, %r1, 1; ret;", 0, PTX_NONE},
    {"guarded end", "@%p1 ret; add.u32 %r1, %r1, 1; ret;", 0, PTX_NONE},
    {"endless", "A: @%p1 bra B; bra A; B: bra A;", 0, 2},
    {"branch into endless", "@%p1 bra A; ret; A: bra A;", 0, PTX_NONE},
    {"both into endless", "@%p1 bra A; add.u32 %r1, %r1, 1; A: add.u32 %r1, %r1, 1; bra A;", 0, 2},
    {"to the end of the text", "@%p1 bra A; add.u32 %r1, %r1, 1; A:", 0, PTX_NONE},
    {"call goes on", "@%p1 bra A; call f; A: ret;", 0, 2},
    {"table", "T: .branchtargets A, B, B; brx.idx %r1, T; A: add.u32 %r1, %r1, 1; B: ret;", 0, 2},
};

Test(cfg, shapes)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char text[1024];
        struct cfg *cfg;
        struct error error = {0};
        snprintf(
            text, sizeof text,
            ".version 9.0\n.target sm_90\n.address_size 64\n.func f;\n.entry k()\n{\n.reg .pred %%p<2>;\n"
            ".reg .b32 %%r<2>;\n%s\n}\n",
            shapes[i].body);
        struct ptx_module *module = ptx_parse_good(text);
        const struct ptx_function *function = ptx_function_find(module, "k");
        cr_assert_eq(cfg_create(&cfg, function, &error), STATUS_OK, "%s: %s", shapes[i].name, error.text);
        cr_assert_eq(cfg_meeting_point(cfg, shapes[i].at), shapes[i].meets, "%s: %u", shapes[i].name,
                     cfg_meeting_point(cfg, shapes[i].at));
        cfg_destroy(cfg);
        ptx_destroy(module);
    }
}

static const struct {
    const char *body, *sentence;
} refused[] = {
    {"bra %r1;", "k, line 8: a branch to %r1, which is not a label of k."},
    {"bra 5;", "k, line 8: a branch to a constant, which is not a label of k."},
    {"A: brx.idx %r1, A;", "k, line 8: A is not a list of .branchtargets."},
    {"T: .branchtargets k; brx.idx %r1, T;", "k, line 8: a branch to k, which is not a label of k."},
};

Test(cfg, refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char text[1024];
        struct cfg *cfg;
        struct error error = {0};
        snprintf(text, sizeof text, "%s%s\n}\n", HEAD, refused[i].body);
        struct ptx_module *module = ptx_parse_good(text);
        cr_assert_eq(cfg_create(&cfg, &module->functions[0], &error), STATUS_USAGE);
        cr_assert_str_eq(error.text, refused[i].sentence);
        cr_assert_null(cfg);
        ptx_destroy(module);
    }
}

/* A ladder of `count` branches, each over the next: long and deep, and nothing may recurse. */
Test(cfg, long_functions)
{
    enum { COUNT = 100000 };
    size_t size = (size_t)COUNT * 64 + 1024;
    char *text = malloc(size);
    cr_assert_not_null(text);
    FILE *out = fmemopen(text, size, "w");
    fputs(HEAD, out);
    for (int i = 0; i < COUNT; i++)
        fprintf(out, "L%d: @%%p1 bra L%d;\n", i, i + 2 < COUNT ? i + 2 : COUNT);
    fprintf(out, "L%d: bra L0;\n}\n", COUNT);
    fclose(out);
    struct ptx_module *module = ptx_parse_good(text);
    struct cfg *cfg;
    struct error error = {0};
    cr_assert_eq(cfg_create(&cfg, &module->functions[0], &error), STATUS_OK, "%s", error.text);
    for (uint32_t i = 0; i < COUNT; i++)
        cr_assert_eq(cfg_meeting_point(cfg, i), COUNT);
    cfg_destroy(cfg);
    ptx_destroy(module);
    free(text);
}

Test(cfg, too_many_edges)
{
    enum { TARGETS = 3000, BRANCHES = 1500 };
    size_t size = (size_t)TARGETS * 32 + BRANCHES * 32 + 1024;
    char *text = malloc(size);
    cr_assert_not_null(text);
    FILE *out = fmemopen(text, size, "w");
    fputs(HEAD "T: .branchtargets E", out);
    for (int i = 0; i < TARGETS; i++)
        fprintf(out, ", E");
    fputs(";\n", out);
    for (int i = 0; i < BRANCHES; i++)
        fputs("brx.idx %r1, T;\n", out);
    fputs("E: ret;\n}\n", out);
    fclose(out);
    struct ptx_module *module = ptx_parse_good(text);
    struct cfg *cfg;
    struct error error = {0};
    cr_assert_eq(cfg_create(&cfg, &module->functions[0], &error), STATUS_USAGE);
    cr_assert(strstr(error.text, "k has more than 4194304 branches") == error.text, "%s", error.text);
    ptx_destroy(module);
    free(text);
}
