/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel ready to run: one entry function and the device functions that it calls, decoded.
 * simt/program/lower makes it from a parsed function; simt/program/merge makes the same changes to memory
 * instructions as ptxas; simt/engine/warp runs it. Read-only while it runs, shared by all workers.
 *
 * The frame: a warp has one frame of frame_bytes, aligned to 64 bytes. Every virtual register, constant and
 * special register of the program has a slot in it, identified by its byte offset. A slot holds the values of
 * the 32 lanes, lane l at index l:
 *   up to 32 bits      uint32_t[32]; bits above the register's width are 0, for signed types too
 *   64 bits            uint64_t[32]
 *   128 bits           two 64-bit vectors, low then high
 *   predicates         one uint32_t, bit l for lane l
 * Slots are aligned to 64 bytes (predicates to 4). Constants have slots of their own, filled once per frame,
 * so that the operands of an instruction are always slots. Registers may share a slot (simt/program/share).
 * An instruction writes only the lanes of `active`.
 */
#ifndef SIMT_LANES_PROGRAM_H
#define SIMT_LANES_PROGRAM_H

#include "simt/ptx/ptx.h"

#include <stddef.h>
#include <stdint.h>

/* ---- windows of the generic address space ---- */

/*
 * The generic address space of the modelled device: the ranges of shared, local, constant, parameter and
 * global memory, and of the addresses of functions. Constants; any thread.
 */

/* Generic addresses in these windows refer to a block's shared memory, a thread's local memory, and so on;
 * all other addresses are global. */
#define MEMORY_SHARED_WINDOW UINT64_C(0x0000700000000000)
#define MEMORY_LOCAL_WINDOW UINT64_C(0x0000710000000000)
#define MEMORY_CONST_WINDOW UINT64_C(0x0000720000000000)
#define MEMORY_PARAM_WINDOW UINT64_C(0x0000730000000000)
#define MEMORY_WINDOW_BYTES UINT64_C(0x0000000001000000)
/* In the window of shared memory the own block's comes first, then that of each block of its cluster, by
 * rank. Addresses of .shared::cluster are those of .shared, within this larger window. */
#define MEMORY_CLUSTER_BLOCKS 16
#define MEMORY_CLUSTER_ADDRESS(rank) (((uint64_t)(rank) + 1) * MEMORY_WINDOW_BYTES)
#define MEMORY_CLUSTER_WINDOW_BYTES MEMORY_CLUSTER_ADDRESS(MEMORY_CLUSTER_BLOCKS)
#define MEMORY_GLOBAL_BASE UINT64_C(0x0000000700000000)

/* The address of a function of the module. It lies outside all memory: a load or store there faults. */
#define MEMORY_FUNCTION_ADDRESS(index) (UINT64_C(0x0000740000000000) + 16 * (uint64_t)(index))

/* ---- programs ---- */

#define PROGRAM_NO_SLOT UINT32_MAX
#define PROGRAM_END UINT32_MAX /* as a target: the function's end */
#define PROGRAM_SOURCES 6
#define PROGRAM_VECTOR 4

/*
 * Operations that the engine executes itself. All others, which compute a lane's result only from the sources
 * of that lane, are PROGRAM_LANES with a function of simt/lanes. d, s0... are destination[0], source[0]...
 */
/* clang-format off */ /* one row per operation */
#define PROGRAM_OP_LIST(X) \
    X(LANES,            "lanes")                    /* lanes(instruction, frame, active) */ \
    X(LD,               "ld")                       /* d[0..vector-1] = space[s0 + offset]; s0 may be PROGRAM_NO_SLOT: offset alone */ \
    X(ST,               "st")                       /* space[s0 + offset] = s1 ... s4 */ \
    X(ATOM,             "atom")                     /* d = old value; [s0 + offset] = sub(old, s1 (, s2: new value of cas)); red: d is PROGRAM_NO_SLOT */ \
    X(PREFETCH,         "prefetch")                 /* [s0 + offset] into L1 or L2 (sub: 1, 2); moves no data; its sectors are counted separately */ \
    X(TEX,              "tex")                      /* d[0..3] = texture with handle s0 (simt/memory/texture) at coordinates s1, s2, s3 of type `type`, layer s4; \
                                                       sub: enum program_texture | (tld4: 1 + the channel) << 4 */ \
    X(SURFACE,          "surface")                  /* d[0..vector-1] = surface with the handle in slot offset2, at byte s4, row s5, layer or slice in slot \
                                                       `immediate`; with SURFACE_STORE in sub: stores s0 ... s3 there */ \
    X(CP_ASYNC,         "cp.async")                 /* shared[s0 + offset] = global[s1 + offset2], width_bytes; s2: source size or NO_SLOT; sub: 0 ca, 1 cg */ \
    X(CP_ASYNC_COMMIT,  "cp.async.commit_group") \
    X(CP_ASYNC_WAIT,    "cp.async.wait")            /* immediate: number of groups that may remain incomplete; -1: wait_all */ \
    X(MBARRIER,         "mbarrier")                 /* the mbarrier at s0 + offset; sub: enum program_mbarrier; s1: arrivals or bytes; d: token, or NO_SLOT */ \
    X(MBARRIER_WAIT,    "mbarrier wait")            /* d predicate: the phase of token s1 (sub 1: of parity s1) has ended; waits for it; s2: time hint or NO_SLOT */ \
    X(BULK,             "cp.async.bulk")            /* the copy of `bulk`: [s0] = [s1], s2 bytes, mbarrier [s3], blocks s4. st.async: [s0] = s1 ... s4, mbarrier \
                                                       [s5] */ \
    X(BULK_COMMIT,      "cp.async.bulk.commit_group") \
    X(BULK_WAIT,        "cp.async.bulk.wait_group") /* immediate: number of groups that may remain incomplete; sub: 1 .read, sources alone */ \
    X(CLUSTER_ARRIVE,   "barrier.cluster.arrive") \
    X(CLUSTER_WAIT,     "barrier.cluster.wait") \
    X(MATRIX,           "mma")                      /* the product of `matrix`, whose slots d and s0 ... repeat in part */ \
    X(MATRIX_LD,        "ldmatrix")                 /* d[0..vector-1] = matrices of 8 x 8 halves in shared memory, whose rows are at s0 + offset of lanes 0 to 7, 8 \
                                                       to 15 ...; sub: 1 transposed */ \
    X(MATRIX_ST,        "stmatrix")                 /* the same from s1 ... */ \
    X(MATRIX_ADDRESS,   "wmma address")             /* matrix_make_addresses */ \
    X(SHFL,             "shfl")                     /* d (|d[1] predicate) = s0 of the lane selected by s1, s2; s3: member mask; sub: enum program_shfl */ \
    X(VOTE,             "vote")                     /* d (predicate or 32 bits): vote on predicate s0 over members s1; sub: enum program_vote */ \
    X(MATCH,            "match")                    /* d = mask of the members s1 with the same s0 (d[1] predicate: all are equal); sub: 0 any, 1 all */ \
    X(REDUX,            "redux")                    /* d = reduction of s0 over members s1; sub: enum program_atomic */ \
    X(ELECT,            "elect.sync")               /* d = one lane of members s0; d[1] predicate: true in that lane */ \
    X(ACTIVEMASK,       "activemask")               /* d = mask of active lanes */ \
    X(SPECIAL,          "mov special")              /* d = special register that changes while a warp runs (clock, clock64, globaltimer); sub */ \
    X(BAR_SYNC,         "bar.sync")                 /* barrier s0 for s1 threads (NO_SLOT: the whole block) */ \
    X(BAR_ARRIVE,       "bar.arrive") \
    X(BAR_RED,          "bar.red")                  /* d = reduction of predicate s2 (sub: enum program_vote popc/and/or) at barrier s0 of s1 threads */ \
    X(BAR_WARP,         "bar.warp.sync")            /* members s0 */ \
    X(FENCE,            "membar") \
    X(NANOSLEEP,        "nanosleep") \
    X(BRA,              "bra")                      /* active lanes jump to target; the others fall through; all meet at `meet` */ \
    X(BRX,              "brx.idx")                  /* jumps to an entry of the table at `target`, selected by s0 */ \
    X(CALL,             "call")                     /* jumps to target and returns after the call. Parameters were stored before (ST of PTX_PARAM). immediate: 0, or \
                                                       1 + index into program.calls; s0: the function's address, or NO_SLOT */ \
    X(RUNTIME,          "call")                     /* .param area d = result of runtime function sub (enum ptx_runtime) with the areas s0 ... */ \
    X(RET,              "ret")                      /* from the entry: the lanes end */ \
    X(EXIT,             "exit") \
    X(TRAP,             "trap")
/* clang-format on */

#define PROGRAM_OP_ENUM(id, text) PROGRAM_##id,
enum program_op { PROGRAM_OP_LIST(PROGRAM_OP_ENUM) PROGRAM_OP_COUNT };
#undef PROGRAM_OP_ENUM

enum program_atomic {
    ATOMIC_ADD,
    ATOMIC_MIN,
    ATOMIC_MAX,
    ATOMIC_INC,
    ATOMIC_DEC,
    ATOMIC_AND,
    ATOMIC_OR,
    ATOMIC_XOR,
    ATOMIC_EXCH,
    ATOMIC_CAS
};
enum program_mbarrier {
    MBARRIER_DO_INIT,
    MBARRIER_DO_INVAL,
    MBARRIER_DO_EXPECT,   /* expect_tx */
    MBARRIER_DO_COMPLETE, /* complete_tx */
    MBARRIER_DO_ARRIVE,
    MBARRIER_DO_DROP,          /* arrive_drop */
    MBARRIER_DO_EXPECT_ARRIVE, /* arrive.expect_tx */
    MBARRIER_DO_EXPECT_DROP,
    MBARRIER_DO_COPIES,       /* cp.async.mbarrier.arrive */
    MBARRIER_DO_COPIES_NOINC, /* ....noinc */
    MBARRIER_DO_PENDING       /* pending_count: d = pending arrivals of token s1 */
};
enum program_texture {
    TEXTURE_1D,
    TEXTURE_2D,
    TEXTURE_3D,
    TEXTURE_1D_LAYERED,
    TEXTURE_2D_LAYERED,
    TEXTURE_CUBE,
    TEXTURE_CUBE_LAYERED
};
enum program_surface { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO, SURFACE_MODE = 3, SURFACE_STORE = 4 };
enum program_shfl { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };
enum program_vote { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT, VOTE_POPC };

/* Special registers. Their slots are filled when a warp starts, except those that PROGRAM_SPECIAL reads. */
/* clang-format off */
#define PROGRAM_SPECIAL_LIST(X)                                                                             \
    X(TID_X, "%tid.x")                                                                                      \
    X(TID_Y, "%tid.y") X(TID_Z, "%tid.z") X(NTID_X, "%ntid.x") X(NTID_Y, "%ntid.y") X(NTID_Z, "%ntid.z")    \
        X(CTAID_X, "%ctaid.x") X(CTAID_Y, "%ctaid.y") X(CTAID_Z, "%ctaid.z") X(NCTAID_X, "%nctaid.x")       \
            X(NCTAID_Y, "%nctaid.y") X(NCTAID_Z, "%nctaid.z") X(LANEID, "%laneid") X(WARPID, "%warpid")     \
                X(NWARPID, "%nwarpid") X(SMID, "%smid") X(NSMID, "%nsmid") X(GRIDID, "%gridid")             \
                    X(LANEMASK_EQ, "%lanemask_eq") X(LANEMASK_LE, "%lanemask_le")                           \
                        X(LANEMASK_LT, "%lanemask_lt") X(LANEMASK_GE, "%lanemask_ge")                       \
                            X(LANEMASK_GT, "%lanemask_gt") X(DYNAMIC_SMEM_SIZE, "%dynamic_smem_size")       \
                                X(TOTAL_SMEM_SIZE, "%total_smem_size") X(RESERVED_SMEM, "%reserved_smem_offset_1") X(ENVREG1, "%envreg1") X(ENVREG2, "%envreg2")                    \
                            X(CLUSTERID_X, "%clusterid.x") X(CLUSTERID_Y, "%clusterid.y") X(CLUSTERID_Z, "%clusterid.z")    \
                            X(NCLUSTERID_X, "%nclusterid.x") X(NCLUSTERID_Y, "%nclusterid.y") X(NCLUSTERID_Z, "%nclusterid.z") \
                            X(CLUSTER_CTAID_X, "%cluster_ctaid.x") X(CLUSTER_CTAID_Y, "%cluster_ctaid.y") X(CLUSTER_CTAID_Z, "%cluster_ctaid.z") \
                            X(CLUSTER_NCTAID_X, "%cluster_nctaid.x") X(CLUSTER_NCTAID_Y, "%cluster_nctaid.y") X(CLUSTER_NCTAID_Z, "%cluster_nctaid.z") \
                            X(CLUSTER_CTARANK, "%cluster_ctarank") X(CLUSTER_NCTARANK, "%cluster_nctarank") \
                            X(IS_EXPLICIT_CLUSTER, "%is_explicit_cluster") X(CLOCK, "%clock")                   \
                                    X(CLOCK_HI, "%clock_hi") X(CLOCK64, "%clock64")                         \
                                        X(GLOBALTIMER, "%globaltimer") X(GLOBALTIMER_LO, "%globaltimer_lo") \
                                            X(GLOBALTIMER_HI, "%globaltimer_hi")
/* clang-format on */
#define PROGRAM_SPECIAL_ENUM(id, text) SPECIAL_##id,
enum program_special { PROGRAM_SPECIAL_LIST(PROGRAM_SPECIAL_ENUM) SPECIAL_COUNT };
#undef PROGRAM_SPECIAL_ENUM

/* The issue cost of an instruction, for simt/timing/timing. */
enum program_class {
    CLASS_INTEGER,
    CLASS_FLOAT,
    CLASS_DOUBLE,
    CLASS_HALF,
    CLASS_SPECIAL_FUNCTION,
    CLASS_CONVERT,
    CLASS_MEMORY,
    CLASS_CONTROL,
    CLASS_BARRIER,
    CLASS_MATRIX,
    CLASS_COUNT
};

enum program_cache {
    CACHE_ALL,
    CACHE_GLOBAL,
    CACHE_STREAM,
    CACHE_LAST_USE,
    CACHE_VOLATILE,
    CACHE_NO_ALLOCATE,
    CACHE_READ_ONLY
}; /* ca wb, cg, cs, lu, cv/wt/volatile, L1::no_allocate, ld.global.nc */

/* What ptxas makes of an instruction, if that changes the counts but not the results: simt/program/merge sets
 * it and simt/count/count follows it; everything else uses the instruction as written in PTX. */
#define PROGRAM_PARTS 2
struct program_part {
    int8_t offset; /* from the instruction's own address */
    uint8_t bytes;
};
enum program_rewrite {
    REWRITE_NONE,
    REWRITE_FOLDED,  /* nothing: other instructions do its work, or its result is not used */
    REWRITE_PARTS,   /* LD, ST: replaced by `parts`: wider if merged with others, narrower or split if not all
                        elements are used */
    REWRITE_COUNTED, /* ATOM: shared add of 1 without result: ATOMS.POPC.INC, one addition per address */
    REWRITE_LOOP,    /* ATOM: shared, not supported by ATOMS: LDS and ATOMS.CAST.SPIN until no lane is left */
    REWRITE_ELECTED, /* ATOM: all lanes at one address: combined first, then done by one lane */
    REWRITE_ELECTED_OF_32 /* ... if all 32 lanes of the warp are active, else one by each lane */
};

/* Copies in bulk. An address: a slot (PROGRAM_NO_SLOT: the offset alone), which also is among the sources. */
enum program_bulk_way {
    BULK_TO_SHARED,  /* from global memory, to a block or several of a cluster; completes at an mbarrier */
    BULK_TO_CLUSTER, /* from the own shared memory to that of a block of the cluster; at an mbarrier */
    BULK_TO_GLOBAL,  /* from shared memory; completes as part of a group */
    BULK_PREFETCH,   /* global memory into L2 */
    BULK_STORE       /* st.async, red.async: registers to the shared memory of a block; at an mbarrier */
};
struct program_bulk_address {
    uint32_t slot;
    bool is_32_bits;
    int64_t offset;
};
struct program_bulk {
    enum program_bulk_way way;
    bool reduces; /* combines with what is there: operation, of elements of the instruction's type */
    enum program_atomic operation;
    struct program_bulk_address to, from, mbarrier;
};

/* What an instruction orders, and how far: PTX ISA 9.0, 8.5 and 8.6. */
enum program_sync {
    SYNC_STRONG = 1, /* LD, ST, ATOM: not weak */
    SYNC_WIDE = 2,   /* its scope reaches other blocks */
    SYNC_ACQUIRE = 4,
    SYNC_RELEASE = 8,
    SYNC_VOLATILE = 16, /* .volatile: strong, but lanes of one warp that use it do not synchronise */
    SYNC_SYSTEM = 32,   /* its scope is the system */
    SYNC_PROXY = 64     /* FENCE: fence.proxy.async */
};

struct program_instruction;
struct program_matrix;
struct matrix_address;

/* Computes the destinations of the lanes in `active` (never 0) from the sources of the same lanes. Pure: no
 * state except the frame. */
typedef void lane_function(const struct program_instruction *instruction, uint8_t *frame, uint32_t active);

/* What the loop of simt/engine/warp reads of an arithmetic instruction is in the first 64 bytes: one cache
 * line of the host, since the array of a program is aligned to lines. */
struct program_instruction {
    union {
        lane_function *lanes;                 /* of PROGRAM_LANES */
        const struct program_matrix *matrix;  /* of MATRIX: simt/lanes/matrix.h */
        const struct matrix_address *address; /* of MATRIX_ADDRESS */
        const struct program_bulk *bulk;      /* of BULK */
    };
    uint8_t op;                /* enum program_op */
    uint8_t space;             /* enum ptx_space; PTX_GENERIC: determined from each address */
    uint8_t vector;            /* number of elements: 1, 2, 4 */
    uint8_t width_bytes;       /* per lane: element size x vector; at most 16 */
    uint8_t destination_bytes; /* 2, 4 or 8; of a destination register (LD), a source register (ST) */
    bool guard_negated;
    bool strong; /* LD, ST: volatile, relaxed, acquire, release, mmio: takes part in synchronisation between
                    threads */
    bool address_is_32_bits; /* s0 is in a 32-bit slot, as often for shared and local addresses */
    uint32_t guard;          /* predicate slot; PROGRAM_NO_SLOT: no guard */
    uint32_t immediate;
    uint32_t destination[PROGRAM_VECTOR];
    uint32_t source[PROGRAM_SOURCES];
    int64_t offset; /* bytes added to the address; `immediate` for other operations */
    int64_t offset2;
    uint32_t target;   /* instruction index or PROGRAM_END; BRX: first index into program.targets, count in
                          `immediate` */
    uint32_t meet;     /* where lanes that diverge here meet again: instruction index, PROGRAM_END */
    uint32_t origin;   /* index into program.origins */
    uint32_t straight; /* of LANES: so many instructions from here on are LANES without a guard, with no place
                          between them where paths meet; 0: this one has a guard */
    bool sign_extended; /* LD of s8, s16, s32 into a wider register: sign-extend to destination_bytes */
    bool uniform;       /* .uni */
    bool unaligned;     /* BAR_*: without .aligned: the lanes of a warp may arrive at different times */
    uint8_t type;       /* enum ptx_type: of an element in memory, an atomic or a shuffled value */
    uint8_t sub;
    uint8_t cache;      /* enum program_cache */
    uint8_t class;      /* enum program_class */
    uint8_t rewrite;    /* enum program_rewrite */
    uint8_t part_count; /* of REWRITE_PARTS */
    uint8_t sync;       /* of strong LD, ST, ATOM, FENCE: bits of enum program_sync; for the checks */
    struct program_part parts[PROGRAM_PARTS];
    /* Floating-point operations per lane: 1 for add, sub, mul; 2 for fma, mad; twice that for packed forms; of
       MATRIX, products and sums of its elements, integers too. */
    uint16_t operations;
    bool cluster;      /* LD, ST, ATOM: .shared::cluster */
    uint8_t unused[9]; /* to a multiple of PROGRAM_LINE_BYTES */
};
#define PROGRAM_LINE_BYTES 64
_Static_assert(sizeof(struct program_instruction) % PROGRAM_LINE_BYTES == 0 &&
                   offsetof(struct program_instruction, offset) == PROGRAM_LINE_BYTES,
               "an arithmetic instruction takes one line of the host's cache");

/* The origin of an instruction of the program, for errors and for counts per line. */
struct program_origin {
    const struct ptx_function *function;
    uint32_t instruction; /* index in the function; it has the .loc and the PTX line */
};

struct program_constant {
    uint32_t slot, bytes; /* 4, 8: all lanes get `bits`; 1: a predicate, all lanes or none */
    uint64_t bits;
};

struct program_special_slot {
    uint32_t slot;
    enum program_special special;
};

/* The registers that an instruction names, each as a slot of its own. */
struct program_names {
    uint32_t destination[PROGRAM_VECTOR], source[PROGRAM_SOURCES], guard;
};

/* A register of a function's text, in the order of their declarations; of a vector its elements. */
struct program_register {
    const struct ptx_function *function;
    const struct ptx_variable *variable;
    uint32_t element, slot; /* the slot that it was lowered to: its own one if none are shared */
};

struct program_parameter {
    uint64_t offset, size_bytes; /* in the parameter buffer, laid out as cuLaunchKernel's arguments */
    const struct ptx_variable *variable;
};

/*
 * Calls with a stack frame: calls by address, and calls of functions that may call their caller again before
 * they return. The caller then has .param areas of its own, which are copied to the function's areas and
 * back. The caller's slots are saved and are restored when lanes return. Its local variables lie at the
 * lane's program.stack_slot + their address; the call adds local_bytes to the slot.
 */
struct program_area { /* .param: size_bytes per lane; in a list of slots: 0 means a predicate */
    uint32_t slot, size_bytes;
};
static inline uint32_t program_area_bytes(const struct program_area *area)
{
    return area->size_bytes ? 32 * area->size_bytes : 4;
}
struct program_callable { /* a function that is called with a stack frame */
    const struct ptx_function *function;
    uint64_t address;
    uint32_t first;                   /* index of its first instruction */
    const struct program_area *areas; /* parameters, then results */
    uint32_t parameter_count, result_count;
};
struct program_call {
    uint32_t callable; /* PROGRAM_END: called by address */
    const struct program_area *areas;
    uint32_t parameter_count, result_count;
    const struct program_area *saved;
    uint32_t saved_count;
    uint64_t saved_bytes;
    uint32_t local_bytes, stack_bytes; /* stack_bytes: bytes of the thread's stack that the call needs */
};

/* Layout of a function's .param results and parameters in the frame: size_bytes per lane, lane l at slot + l
 * * size_bytes. LD and ST of space PTX_PARAM inside device functions and around calls have `source[0]` =
 * PROGRAM_NO_SLOT, `offset` = byte within the area, `offset2` = its size_bytes, and `immediate` = its slot;
 * for parameters of the entry `immediate` is PROGRAM_NO_SLOT. Without a stack frame, lower gives the caller
 * and the callee the same slot for an area. The last instruction of a program is an unguarded RET, EXIT, TRAP
 * or BRA. */

struct program {
    const struct ptx_module *module; /* not owned; must outlive the program */
    const struct ptx_function *entry;
    struct program_instruction *instructions;
    uint32_t instruction_count;
    const struct program_origin *origins; /* one per lowered PTX instruction */
    uint32_t origin_count;
    const uint32_t *targets; /* of all BRX */
    uint32_t target_count;
    const struct program_callable *callables; /* functions called by address */
    uint32_t callable_count;
    const struct program_call *calls;
    uint32_t call_count;
    bool recursive;      /* a function of the kernel may call itself */
    uint32_t stack_slot; /* if recursive: 64 bits, initially 0; else PROGRAM_NO_SLOT */
    uint32_t frame_bytes;
    uint32_t initial_bytes; /* so much of the frame, from its start, has a value when a warp begins; a lane
                               writes the other slots before it reads them */
    const struct program_area *slots; /* of registers, constants, special registers, before they are shared */
    uint32_t slot_count;
    struct program_names *names; /* per instruction; NULL: no slots are shared, and they are the names */
    uint32_t name_bytes;         /* of the frame if no slots were shared */
    const struct program_register *registers; /* those that an instruction names */
    uint32_t register_count;
    struct program_constant *constants;
    uint32_t constant_count;
    struct program_special_slot *specials;
    uint32_t special_count;
    const struct program_parameter *parameters;
    uint32_t parameter_count;
    uint64_t parameter_bytes;
    uint64_t static_shared_bytes, local_bytes_per_thread;
    uint32_t uses_runtime;          /* one bit per enum ptx_runtime that the program calls */
    uint64_t dynamic_shared_offset; /* start of extern .shared: static bytes rounded up to its alignment */
};

/* Where the loader placed the module's variables: address of a variable in its own space (PTX_GLOBAL: device
 * address; PTX_CONST: offset in the constant bank). lower itself places shared and local variables. */
struct program_placement {
    bool (*address)(void *loader, const struct ptx_variable *variable, uint64_t *address);
    void *loader;
};

/*
 * simt/program/lower. STATUS_USAGE for an unknown instruction, or a modifier, type or operand that does not
 * fit, with a sentence that gives the instruction as written, its kernel and its source line; STATUS_MEMORY.
 */
enum status program_create(struct program **program, const struct ptx_module *module,
                           const struct ptx_function *entry, const struct program_placement *placement,
                           struct error *error);
void program_destroy(struct program *program);

static inline struct program_names program_names_at(const struct program *program, uint32_t instruction)
{
    const struct program_instruction *at = &program->instructions[instruction];
    struct program_names names;
    if (program->names)
        return program->names[instruction];
    __builtin_memcpy(names.destination, at->destination, sizeof names.destination);
    __builtin_memcpy(names.source, at->source, sizeof names.source);
    names.guard = at->guard;
    return names;
}

/* The function that an instruction is of. */
static inline const struct ptx_function *program_function(const struct program *program, uint32_t instruction)
{
    return program->origins[program->instructions[instruction].origin].function;
}

/* The instruction as written in PTX, "ld.global.f32 %f1, [%rd4]", for errors and lists. */
void program_instruction_text(const struct program *program, uint32_t instruction, char *text,
                              size_t size_bytes);
/* Its source line; line 0 if the PTX gives none. */
struct ptx_location program_location(const struct program *program, uint32_t instruction);

#endif
