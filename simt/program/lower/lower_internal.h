/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state that the files of simt/program/lower share while a program is made. Used only in lower*.c.
 *
 * First every function that the kernel reaches is scanned: the variables that it uses get their addresses,
 * and its calls are recorded. Then each function is lowered once, the kernel first, instruction by
 * instruction. Branches are resolved at the end of their function, calls at the end of all functions.
 *
 * A function that returns bool returns false if it failed: *error then holds the sentence, and `status` the
 * kind of failure.
 */
#ifndef SIMT_PROGRAM_LOWER_INTERNAL_H
#define SIMT_PROGRAM_LOWER_INTERNAL_H

#include "core/base/lookup.h"
#include "simt/lanes/lanes.h"
#include "simt/lanes/program.h"
#include "simt/program/cfg.h"
#include "simt/ptx/arena.h"

#define LOWER_MAX_FRAME_BYTES (64u << 20)

struct lower_list { /* grows */
    void *items;
    uint32_t count, capacity;
};

/* The meaning of a name: a register, a variable or a parameter, or a function. */
struct lower_symbol {
    const char *name;
    const struct ptx_variable *variable; /* or */
    const struct ptx_function *function;
    bool used, placed;
    uint64_t address; /* of a variable: in its space; of an entry's parameter: in the parameter buffer */
    uint32_t slot;    /* of a register or a .param area; of a function, its index among the lowered functions;
                         PROGRAM_NO_SLOT: none yet */
    bool of_entry;    /* a parameter of the kernel */
};

struct lower_scope { /* maps names to symbols */
    struct lower_list symbols;
    struct lookup names;
};

struct lower_function {
    const struct ptx_function *function;
    struct lower_scope scope;
    struct lower_scope labels; /* address: index of the instruction */
    struct cfg *cfg;
    uint32_t first;  /* its first instruction in the program */
    uint32_t *index; /* per PTX instruction, and one after the last: its first instruction in the program */
    bool open;       /* while calls are followed: being scanned */
    struct lower_list callees; /* uint32_t, indices of functions */
    bool indirect;             /* calls by address */
    bool recursive, deep;      /* may call itself; may call a function that does */
    uint64_t local_bytes;      /* if recursive: of its own local variables */
    struct lower_list saved;   /* struct program_area; if recursive: the areas that its calls save */
};

struct lower_call { /* a call whose target is to be set */
    uint32_t instruction, function;
};

struct lower {
    struct program *program;
    struct arena *arena; /* owned by the program */
    const struct ptx_module *module;
    const struct ptx_function *entry;
    const struct program_placement *placement;
    struct error *error;
    enum status status;

    struct lower_scope globals;
    struct lower_list functions; /* struct lower_function *, the entry first */
    struct lower_list instructions, origins, constants, specials, targets, calls;
    struct lower_list prototypes, callables, framed; /* const struct ptx_function *; struct program_... */
    bool has_cycle;
    struct lookup constant_slots;
    uint64_t frame_bytes;
    struct lower_list slots;                             /* struct program_area, of lower_slot */
    uint32_t predicate_slot, predicates_left;            /* the free rest of a line of predicates */
    uint32_t carry_slot, sink_slot, predicate_sink_slot; /* PROGRAM_NO_SLOT: not needed so far */
    uint64_t shared_bytes, local_bytes, dynamic_align;

    /* The current instruction. */
    struct lower_function *function;
    const struct ptx_instruction *at;
    uint32_t at_index;
    uint64_t modifiers_taken; /* one bit per modifier */
    uint32_t guard_slot;
};

/* ---- lower.c ---- */
bool lower_no_memory(struct lower *lower);
/* "KERNEL: 'add.f33 %f1, %f2;' (kernel.cu:14, line 87 of the PTX): SENTENCE" */
bool lower_fail(struct lower *lower, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *lower_push(struct lower *lower, struct lower_list *list, size_t item_bytes); /* zeroed; NULL: failed */

/* The next instruction of the program, with guard and origin set and operands PROGRAM_NO_SLOT; NULL:
 * failed. */
struct program_instruction *lower_emit(struct lower *lower, enum program_op op, enum program_class class);

/* ---- lower_operand.c: names, and addresses of variables ---- */
struct lower_symbol *lower_scope_find(const struct lower_scope *scope, const char *name); /* NULL */
void lower_scope_free(struct lower_scope *scope);
/* Visible from the function; NULL. */
struct lower_symbol *lower_symbol(struct lower *lower, const char *name);
bool lower_scan(struct lower *lower); /* all functions: their names, calls and addresses */
bool lower_function_create(struct lower *lower, const struct ptx_function *function,
                           struct lower_function **created);

/* ---- lower_flow.c: the call graph, and the areas of parameters ---- */
bool lower_scan_function(struct lower *lower, const struct ptx_function *function, uint32_t depth);
bool lower_scan_addresses(struct lower *lower); /* functions called by address; recursive ones */
bool lower_bind_areas(struct lower *lower);
bool lower_keep_callables(struct lower *lower); /* call when all functions are lowered */
struct lower_function *lower_function_at(const struct lower *lower, uint32_t index);

/* ---- lower_operand.c: makes slots of registers, constants, special registers and addresses ---- */
bool lower_slot(struct lower *lower, enum ptx_type type, uint32_t *slot);
bool lower_area(struct lower *lower, uint64_t size_bytes, uint32_t *slot); /* .param: size_bytes per lane */
bool lower_constant(struct lower *lower, enum ptx_type type, uint64_t bits, uint32_t *slot);
/* The register of this name, also %v.x of a vector; false: no register, or failed (status). */
bool lower_register(struct lower *lower, const char *name, enum ptx_type *type, uint32_t *slot);
/* How a register must fit the type of an operand. */
enum lower_fit { LOWER_SAME_SIZE, LOWER_WIDER_TOO };
/* bytes (may be NULL): size of the register, or of the type. A source is a register, a constant, a special
 * register that does not change, or the address of a variable. */
bool lower_source(struct lower *lower, const struct ptx_operand *operand, enum ptx_type type,
                  enum lower_fit fit, uint32_t *slot, uint32_t *bytes);
/* A destination is a register; for '_' it is a slot that is never read. */
bool lower_destination(struct lower *lower, const struct ptx_operand *operand, enum ptx_type type,
                       enum lower_fit fit, uint32_t *slot, uint32_t *bytes);
/* A predicate source; for !p an instruction that computes it is emitted first. */
bool lower_predicate(struct lower *lower, const struct ptx_operand *operand, uint32_t *slot);
bool lower_special(struct lower *lower, const char *name, enum ptx_type *type, uint32_t *slot);
/* An address in `space`: a source slot and the offset. */
bool lower_address(struct lower *lower, const struct ptx_operand *operand, enum ptx_space space,
                   uint32_t *slot, int64_t *offset, bool *is_32_bits);
/* A constant operand; `what` names it in errors. */
bool lower_integer(struct lower *lower, const struct ptx_operand *operand, const char *what, uint64_t *value);

/* ---- lower_lanes.c: the modifiers of the current instruction, in order ---- */
bool lower_take(struct lower *lower, const char *modifier); /* true: the instruction has it */
bool lower_take_type(struct lower *lower, enum ptx_type *type);
/* Takes one of a list of texts; *index says which. False if there is none of them. */
bool lower_take_one(struct lower *lower, const char *const *texts, uint32_t *index);
bool lower_take_end(struct lower *lower); /* fails if modifiers remain */
bool lower_operand_count(struct lower *lower, uint32_t least, uint32_t most);

/* ---- by groups of instructions: each lowers the current one ---- */
typedef bool lower_rule(struct lower *lower);
lower_rule lower_lanes;                                      /* lower_lanes.c */
lower_rule lower_mov, lower_cvt, lower_vsub;                 /* lower_lanes.c */
lower_rule lower_load, lower_store, lower_prefetch;          /* lower_memory.c */
lower_rule lower_atomic, lower_reduction, lower_copy;        /* lower_atomic.c */
lower_rule lower_shfl, lower_vote, lower_match, lower_redux; /* lower_sync.c */
lower_rule lower_elect, lower_activemask;
lower_rule lower_bar, lower_fence, lower_nanosleep, lower_nothing; /* lower_sync.c */
lower_rule lower_mbarrier, lower_mbarrier_copies;
lower_rule lower_mapa, lower_getctarank; /* lower_lanes.c */
/* lower_atomic.c: st.async; red.async, which reduces. */
bool lower_store_async(struct lower *lower, bool reduces);
lower_rule lower_mma, lower_wmma, lower_ldmatrix, lower_stmatrix, lower_movmatrix; /* lower_matrix.c */
lower_rule lower_texture, lower_surface;                                           /* lower_memory.c */
lower_rule lower_createpolicy;                                                     /* lower_memory.c */
lower_rule lower_bra, lower_brx, lower_call, lower_end;                            /* lower_flow.c */

/* ---- lower_table.c ---- */
struct lower_opcode {
    const char *opcode;
    lower_rule *rule;
    const char *refusal; /* NULL: supported; else the reason why not, as a sentence */
};
const struct lower_opcode *lower_opcode_at(size_t index); /* every opcode of PTX; NULL past the end */
const struct lower_opcode *lower_opcode_find(const char *opcode);

#endif
