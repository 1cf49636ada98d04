/*
 * A kernel ready to run: one entry function and the device functions it calls, decoded. simt/program/lower
 * makes it of a parsed function, simt/program/merge applies to it what ptxas does to memory instructions,
 * simt/engine/warp runs it. Read-only while it runs, shared by all workers.
 *
 * The frame. A warp has one frame of frame_bytes, aligned to 64 bytes: every virtual register, constant and
 * special register of the program has a slot in it, named by its byte offset. A slot holds the 32 lanes'
 * values, lane l at index l: 32 bits and less   uint32_t[32]; bits above the register's width are 0 (also of
 * signed types) 64 bits            uint64_t[32] 128 bits           two 64-bit vectors, low then high
 *   predicates         one uint32_t, bit l is lane l's
 * Slots are aligned to 64 bytes (predicates to 4). Constants stand in slots of their own, filled once per
 * frame; instructions therefore know only slots. An instruction writes the lanes of `active` only.
 */
#ifndef SIMT_LANES_PROGRAM_H
#define SIMT_LANES_PROGRAM_H

#include "simt/ptx/ptx.h"

#define PROGRAM_NO_SLOT UINT32_MAX
#define PROGRAM_END UINT32_MAX /* as a target: the function's end */
#define PROGRAM_SOURCES 6
#define PROGRAM_VECTOR 4

/*
 * What the engine does itself. Everything else, all that computes a lane's result from the same lane's
 * sources alone, is PROGRAM_LANES and a function of simt/lanes/lanes. d, s0... are destination[0],
 * source[0]...
 */
#define PROGRAM_OP_LIST(X)                                                                                   \
    X(LANES, "lanes") /* lanes(instruction, frame, active) */                                                \
    X(LD, "ld")       /* d[0..vector-1] = space[s0 + offset]; s0 may be PROGRAM_NO_SLOT: offset alone */     \
    X(ST, "st")       /* space[s0 + offset] = s1 ... s4 */                                                   \
    X(ATOM, "atom")   /* d = old; [s0 + offset] = sub(old, s1 (, s2: cas's new value)) ; d may be            \
                         PROGRAM_NO_SLOT: red */                                                             \
    X(PREFETCH,                                                                                              \
      "prefetch") /* [s0 + offset] into L1 or L2 (sub: 1, 2): no data; sectors are counted apart */          \
    X(TEX, "tex") /* d[0..3] = the texture of handle s0 (simt/engine/texture) at s1, s2, s3, which are of    \
                     `type`, layer s4; sub: enum program_texture | (tld4: 1 + the channel) << 4 */           \
    X(SURFACE, "surface") /* d[0..vector-1] = the surface of the handle in slot offset2, at byte s4, row s5, \
                             layer or slice in slot `immediate`; sub with SURFACE_STORE: = s0 ... s3 */      \
    X(CP_ASYNC, "cp.async") /* shared[s0 + offset] = global[s1 + offset2], width_bytes; s2 source size or    \
                               NO_SLOT; sub: 0 ca 1 cg */                                                    \
    X(CP_ASYNC_COMMIT, "cp.async.commit_group")                                                              \
    X(CP_ASYNC_WAIT, "cp.async.wait") /* immediate: groups that may still be open; -1: wait_all */           \
    X(SHFL, "shfl")   /* d (|d[1] predicate) = s0 of the lane chosen by s1, s2; s3 member mask; sub: enum    \
                         program_shfl */                                                                     \
    X(VOTE, "vote")   /* d (predicate or 32 bits) of predicate s0 over members s1; sub: enum program_vote */ \
    X(MATCH, "match") /* d = mask of lanes with my s0 among members s1 (d[1] predicate: all alike); sub: 0   \
                         any 1 all */                                                                        \
    X(REDUX, "redux") /* d = sub over s0 of members s1; sub: enum program_atomic */                          \
    X(ELECT, "elect.sync")      /* d = one of members s0, d[1] predicate: this lane is it */                 \
    X(ACTIVEMASK, "activemask") /* d */                                                                      \
    X(SPECIAL, "mov special")   /* d = a special register that changes while a warp runs (clock, clock64,    \
                                   globaltimer); sub */                                                      \
    X(BAR_SYNC, "bar.sync")     /* barrier s0, of s1 threads (NO_SLOT: all of the block) */                  \
    X(BAR_ARRIVE, "bar.arrive")                                                                              \
    X(BAR_RED,                                                                                               \
      "bar.red") /* d = sub over predicate s2 (enum program_vote popc/and/or) at barrier s0 of s1 threads */ \
    X(BAR_WARP, "bar.warp.sync") /* members s0 */                                                            \
    X(FENCE, "membar")                                                                                       \
    X(NANOSLEEP, "nanosleep")                                                                                \
    X(BRA, "bra")     /* active lanes go to target; the others fall through; they meet at `meet` */          \
    X(BRX, "brx.idx") /* target table `target` ... by s0 */                                                  \
    X(CALL,                                                                                                  \
      "call") /* to target; comes back behind the call. Parameters were stored before (ST of PTX_PARAM).     \
                 immediate: 0, or 1 + its place in program.calls; s0: the function's address, or NO_SLOT */  \
    X(RUNTIME, "call") /* .param area d = a function of the device's runtime, sub (enum ptx_runtime), of the \
                          areas s0 ... */                                                                    \
    X(RET, "ret")      /* of the entry: the lanes end */                                                     \
    X(EXIT, "exit")                                                                                          \
    X(TRAP, "trap")

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

/* Special registers; filled into their slots when a warp starts, but for those of PROGRAM_SPECIAL. */
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
                                X(TOTAL_SMEM_SIZE, "%total_smem_size") X(RESERVED_SMEM, "%reserved_smem_offset_1") X(ENVREG1, "%envreg1") X(ENVREG2, "%envreg2") X(CLOCK, "%clock")                   \
                                    X(CLOCK_HI, "%clock_hi") X(CLOCK64, "%clock64")                         \
                                        X(GLOBALTIMER, "%globaltimer") X(GLOBALTIMER_LO, "%globaltimer_lo") \
                                            X(GLOBALTIMER_HI, "%globaltimer_hi")
/* clang-format on */
#define PROGRAM_SPECIAL_ENUM(id, text) SPECIAL_##id,
enum program_special { PROGRAM_SPECIAL_LIST(PROGRAM_SPECIAL_ENUM) SPECIAL_COUNT };
#undef PROGRAM_SPECIAL_ENUM

/* What an instruction costs to issue, for simt/timing/timing. */
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

/* What ptxas makes of an instruction, where that changes what is counted and not what is computed:
 * simt/program/merge says it, simt/count/count follows it, all others go by the instruction as PTX has it. */
#define PROGRAM_PARTS 2
struct program_part {
    int8_t offset; /* from the instruction's own address */
    uint8_t bytes;
};
enum program_rewrite {
    REWRITE_NONE,
    REWRITE_FOLDED, /* nothing: other instructions do its work, or nobody wants it */
    REWRITE_PARTS,  /* LD, ST: `parts` instead; wider with what others wanted, narrower or split where not all
                       is wanted */
    REWRITE_COUNTED, /* ATOM: shared add of 1 without result: ATOMS.POPC.INC, one addition per address */
    REWRITE_LOOP,    /* ATOM: shared, what ATOMS cannot do: LDS and ATOMS.CAST.SPIN until no lane is left */
    REWRITE_ELECTED, /* ATOM: all lanes on one address: combined first, one lane does it */
    REWRITE_ELECTED_OF_32 /* ... if all lanes of the warp take part, else each its own */
};

struct program_instruction;

/* Computes the destinations of the lanes in `active` (never 0) from the same lanes' sources. Pure; no state
 * but the frame. */
typedef void lane_function(const struct program_instruction *instruction, uint8_t *frame, uint32_t active);

struct program_instruction {
    lane_function *lanes; /* of PROGRAM_LANES */
    uint8_t op;           /* enum program_op */
    uint8_t type;         /* enum ptx_type: of an element in memory, of an atomic, of a shuffled value */
    uint8_t space;        /* enum ptx_space; PTX_GENERIC: looked up per address */
    uint8_t vector;       /* elements: 1, 2, 4 */
    uint8_t sub;
    uint8_t cache;      /* enum program_cache */
    uint8_t class;      /* enum program_class */
    uint8_t rewrite;    /* enum program_rewrite */
    uint8_t part_count; /* of REWRITE_PARTS */
    uint8_t operations; /* floating-point operations of a lane: of add, sub, mul 1, of fma and mad 2, of their
                           packed forms twice that */
    struct program_part parts[PROGRAM_PARTS];
    uint8_t width_bytes; /* per lane: element size x vector; at most 16 */
    bool guard_negated, uniform /* .uni */;
    bool strong; /* LD, ST: volatile, relaxed, acquire, release, mmio: another thread may wait for it, or it
                    for another's */
    bool unaligned;          /* BAR_*: a barrier without .aligned, which lanes of a warp may reach apart */
    bool address_is_32_bits; /* of s0: shared and local addresses often are; the slot then is a 32-bit one */
    bool sign_extended;      /* LD of s8, s16, s32 into a wider register: extend with the sign up to
                                destination_bytes */
    uint8_t destination_bytes; /* LD: of a destination register, 2, 4 or 8; ST: of a source register */
    uint32_t guard;            /* predicate slot, PROGRAM_NO_SLOT: none */
    uint32_t destination[PROGRAM_VECTOR];
    uint32_t source[PROGRAM_SOURCES];
    int64_t offset; /* bytes, added to the address; immediate otherwise */
    int64_t offset2;
    uint32_t target; /* instruction index, PROGRAM_END; BRX: first index into program.targets, count in
                        `immediate` */
    uint32_t meet;   /* where lanes that part here meet: instruction index, PROGRAM_END */
    uint32_t immediate;
    uint32_t origin; /* index into program.origins */
};

/* Where an instruction of the program comes from: for errors, and for counts per line. */
struct program_origin {
    const struct ptx_function *function;
    uint32_t instruction; /* index in it; its .loc and PTX line stand there */
};

struct program_constant {
    uint32_t slot, bytes; /* 4, 8: all lanes get `bits`; predicate: all or none, bytes 1 */
    uint64_t bits;
};

struct program_special_slot {
    uint32_t slot;
    enum program_special special;
};

struct program_parameter {
    uint64_t offset, size_bytes; /* in the parameter buffer, as cuLaunchKernel's arguments are laid out */
    const struct ptx_variable *variable;
};

/*
 * Calls with a frame: of a function by its address, and those that may come back to their caller before they
 * return. The caller's .param areas are its own then, and are copied to the function's and from them; what
 * the caller has in its slots is saved and comes back when lanes return; its local variables lie at the
 * lane's program.stack_slot + their address, and the slot grows by local_bytes for the call.
 */
struct program_area { /* .param: size_bytes per lane; in a list of saved slots: 0 is a predicate */
    uint32_t slot, size_bytes;
};
static inline uint32_t program_area_bytes(const struct program_area *area)
{
    return area->size_bytes ? 32 * area->size_bytes : 4;
}
struct program_callable { /* a function that such calls reach */
    const struct ptx_function *function;
    uint64_t address;
    uint32_t first;                   /* instruction */
    const struct program_area *areas; /* parameters, then results */
    uint32_t parameter_count, result_count;
};
struct program_call {
    uint32_t callable; /* PROGRAM_END: by address */
    const struct program_area *areas;
    uint32_t parameter_count, result_count;
    const struct program_area *saved;
    uint32_t saved_count;
    uint64_t saved_bytes;
    uint32_t local_bytes, stack_bytes; /* stack_bytes: what the call takes of the thread's stack */
};

/* Where a function's .param results and parameters lie in the frame: per lane size_bytes in a row, lane l at
 * slot + l * size_bytes. LD and ST of space PTX_PARAM inside device functions and around calls have
 * `source[0]` = PROGRAM_NO_SLOT, `offset` = byte within it, `offset2` = its size_bytes, and `immediate` =
 * this slot; entry parameters have immediate = PROGRAM_NO_SLOT. At a call the caller's and the callee's areas
 * are the same: lower gives them one slot.
 * The last instruction of a program is an unguarded RET, EXIT, TRAP or BRA. */

struct program {
    const struct ptx_module *module; /* not owned; must outlive the program */
    const struct ptx_function *entry;
    struct program_instruction *instructions;
    uint32_t instruction_count;
    const struct program_origin *origins; /* one per instruction of the PTX that was lowered */
    uint32_t origin_count;
    const uint32_t *targets; /* of all BRX */
    uint32_t target_count;
    const struct program_callable *callables; /* by address */
    uint32_t callable_count;
    const struct program_call *calls;
    uint32_t call_count;
    bool recursive;      /* some function of the kernel may call itself */
    uint32_t stack_slot; /* recursive: of 64 bits, 0 at first; else PROGRAM_NO_SLOT */
    uint32_t frame_bytes;
    const struct program_constant *constants;
    uint32_t constant_count;
    const struct program_special_slot *specials;
    uint32_t special_count;
    const struct program_parameter *parameters;
    uint32_t parameter_count;
    uint64_t parameter_bytes;
    uint64_t static_shared_bytes, local_bytes_per_thread;
    uint32_t uses_runtime; /* a bit per enum ptx_runtime that it calls */
    uint64_t
        dynamic_shared_offset; /* where extern .shared begins: static bytes rounded up to its alignment */
};

/* Where the loader put the module's variables: address of a variable in its own space (PTX_GLOBAL: device
 * address; PTX_CONST: offset in the constant bank). Shared and local variables are lower's own to place. */
struct program_placement {
    bool (*address)(void *loader, const struct ptx_variable *variable, uint64_t *address);
    void *loader;
};

/*
 * simt/program/lower. USAGE with a sentence that names the instruction as written, its kernel and its source
 * line, for an instruction that is not known, a modifier, a type or an operand that does not fit; MEMORY.
 */
enum status program_create(struct program **program, const struct ptx_module *module,
                           const struct ptx_function *entry, const struct program_placement *placement,
                           struct error *error);
void program_destroy(struct program *program);

/* The instruction as the PTX has it, "ld.global.f32 %f1, [%rd4]", for errors and lists. */
void program_instruction_text(const struct program *program, uint32_t instruction, char *text,
                              size_t size_bytes);
/* Its source place; line 0 when the PTX says none. */
struct ptx_location program_location(const struct program *program, uint32_t instruction);

#endif
