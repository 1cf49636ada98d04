/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small kernels: arithmetic on a few registers, guards, ifs, loops and switches within each other,
 * breaks, shared and local memory of a thread's own, shuffles and votes where all lanes are, atomics that
 * commute, calls of a device function, lanes that leave early. As PTX text, and run thread by thread by the
 * oracle, without warps: what a program gives must not depend on how lanes part and meet.
 *
 * A thread ends by storing all its registers. Executions are counted per PTX instruction.
 */
#ifndef TESTS_SHARED_ORACLE_RANDOM_PROGRAM_H
#define TESTS_SHARED_ORACLE_RANDOM_PROGRAM_H

#include "tests/shared/oracle/ptx_values.h"

#include <stdbool.h>
#include <stddef.h>

#define RANDOM_THREADS 64 /* of a block */
#define RANDOM_BLOCKS 2
#define RANDOM_NODES 400
#define RANDOM_INSTRUCTIONS 1024
#define RANDOM_SLOTS 4     /* words of shared and of local memory a thread has */
#define RANDOM_SUMS 8      /* words that atomics add to */
#define RANDOM_PREAMBLE 12 /* instructions of the kernel before its registers get their first values */

enum random_file { FILE_32, FILE_64, FILE_FLOAT, FILE_PREDICATE, FILE_COUNT };
#define RANDOM_REGISTERS 6 /* of each file */

enum node_kind {
    NODE_COMPUTE,
    NODE_IF,
    NODE_LOOP,
    NODE_SWITCH,
    NODE_BREAK,
    NODE_STORE,
    NODE_LOAD,
    NODE_ADD,
    NODE_SHUFFLE,
    NODE_BALLOT,
    NODE_CALL,
    NODE_LEAVE
};

struct operation {
    const char *text;
    const char *files; /* "rrr": destination, sources: r 32 bits, d 64, f float, p predicate, i a constant */
};

struct node {
    enum node_kind kind;
    const struct operation *operation;
    uint32_t operands[5];
    uint64_t constant;
    int guard; /* predicate, or -1 */
    bool negated, local, has_else;
    uint32_t depth;   /* of loops around it */
    uint32_t first;   /* its first PTX instruction */
    uint32_t last;    /* of an if: the jump over else; of a loop: the counting at its end; of a switch: ... */
    uint32_t ends[4]; /* of a switch: the jump at each case's end */
    struct node *next, *children[4];
};

struct random_program {
    char text[65536];
    size_t used;
    struct node nodes[RANDOM_NODES];
    uint32_t node_count;
    struct node *body, *function; /* of the kernel, of the device function */
    uint32_t instructions[2];     /* of each */
    uint32_t labels;
    struct values values;
};

void random_program_make(struct random_program *program, uint64_t seed);

struct random_thread {
    uint64_t registers[FILE_COUNT][RANDOM_REGISTERS];
    uint32_t shared[RANDOM_SLOTS], local[RANDOM_SLOTS];
    bool left;
};

struct random_run {
    struct random_thread threads[RANDOM_BLOCKS * RANDOM_THREADS];
    uint32_t sums[RANDOM_SUMS];
    /* Per function and PTX instruction: threads that came to it, and those whose guard was on. */
    uint64_t active[2][RANDOM_INSTRUCTIONS], on[2][RANDOM_INSTRUCTIONS];
};

void random_program_run(const struct random_program *program, struct random_run *run);

/* The words a thread stores at its end: 32-bit registers, 64-bit ones, floats, predicates as bits of one
 * word. */
#define RANDOM_WORDS (RANDOM_REGISTERS * 4 + 1)
void random_thread_words(const struct random_thread *thread, uint32_t words[RANDOM_WORDS]);

#endif
