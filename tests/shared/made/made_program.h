/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs for the device model put together by hand: registers, instructions with their meeting points, and
 * a few lane functions of their own, so that tests of the engine need neither parser nor lower. A machine to
 * run them on: a small GPU with a pool of workers.
 */
#ifndef TESTS_SHARED_MADE_MADE_PROGRAM_H
#define TESTS_SHARED_MADE_MADE_PROGRAM_H

#include "simt/engine/grid.h"

#define MADE_INSTRUCTIONS_MAX 128
#define MADE_SLOTS_MAX 64

struct made_program {
    struct program program;
    struct program_instruction instructions[MADE_INSTRUCTIONS_MAX];
    struct program_origin origins[MADE_INSTRUCTIONS_MAX];
    struct program_constant constants[MADE_SLOTS_MAX];
    struct program_special_slot specials[SPECIAL_COUNT];
    struct ptx_function entry;
    struct ptx_module module;
    uint32_t targets[64];
};

void made_begin(struct made_program *made, const char *name);
/* Slots: 4 or 8 bytes a lane; 1: a predicate. */
uint32_t made_slot(struct made_program *made, uint32_t bytes);
uint32_t made_constant(struct made_program *made, uint32_t bytes, uint64_t bits);
uint32_t made_special(struct made_program *made, enum program_special special);

/* Each appends an instruction and returns it (index: program.instruction_count - 1). */
struct program_instruction *made_op(struct made_program *made, enum program_op op);
struct program_instruction *made_lanes(struct made_program *made, lane_function *lanes, uint32_t destination,
                                       uint32_t a, uint32_t b);
struct program_instruction *made_load(struct made_program *made, enum ptx_space space, uint32_t destination,
                                      uint32_t address, uint32_t width_bytes);
struct program_instruction *made_store(struct made_program *made, enum ptx_space space, uint32_t address,
                                       uint32_t value, uint32_t width_bytes);
struct program_instruction *made_atomic(struct made_program *made, enum ptx_space space,
                                        enum program_atomic op, enum ptx_type type, uint32_t destination,
                                        uint32_t address, uint32_t operand);
/* BAR_SYNC, BAR_ARRIVE or BAR_RED with constant operands; threads 0: all of the block. */
struct program_instruction *made_barrier(struct made_program *made, enum program_op op, uint32_t number,
                                         uint32_t threads);
/* The parameter at this offset, 4 or 8 bytes. */
uint32_t made_parameter(struct made_program *made, uint64_t offset, uint32_t bytes);
/* To be given target and meet. */
struct program_instruction *made_branch(struct made_program *made, uint32_t guard, bool negated);
uint32_t made_here(const struct made_program *made); /* index of the next instruction */
void made_end(struct made_program *made);            /* EXIT, and the program is whole */

/* Lane functions: 32-bit, but wide_add: u64 = u64 + u32 * 4. */
lane_function made_add, made_sub, made_mul, made_and, made_xor, made_less, made_equal, made_wide_add,
    made_move;

struct made_machine {
    struct memory *memory;
    struct module *module;
    struct device_info info;
    struct grid_machine grid;
};
void made_machine_init(struct made_machine *machine, uint32_t workers, uint32_t multiprocessors, bool check);
void made_machine_fini(struct made_machine *machine);
uint64_t made_alloc(struct made_machine *machine, uint64_t size_bytes);
void *made_bytes(struct made_machine *machine, uint64_t address, uint64_t size_bytes);
/* The words of `out` after a run that must end well: parameter 0 is its address. */
void made_run_words(struct made_machine *machine, const struct made_program *made, uint32_t blocks,
                    uint32_t threads, uint32_t *words, uint32_t count, struct grid_result *result);
enum status made_run(struct made_machine *machine, const struct made_program *made, uint32_t blocks,
                     uint32_t threads, const void *parameters, struct grid_result *result,
                     struct error *error);

#endif
