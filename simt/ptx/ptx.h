/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The module that ptx_parse makes from PTX text. It describes syntax only: an instruction has an opcode,
 * modifiers as written (".global" ".v4" ".f32") and operands; simt/program/lower interprets them. Read-only
 * after parsing, any thread. Everything in it, including texts, is in the module's arena, which ptx_destroy
 * frees.
 *
 * Source: PTX ISA 9.0, chapters 4 (syntax) and 5 (state spaces, types, variables). Only what can appear in
 * the PTX of a kernel is kept.
 */
#ifndef SIMT_PTX_PTX_H
#define SIMT_PTX_PTX_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTX_NONE UINT32_MAX
#define PTX_MODIFIERS 64 /* maximum per instruction */

/* id, text, size in bytes (of a packed pair: both halves). */
/* clang-format off */
#define PTX_TYPE_LIST(X)                                                                              \
    X(B8, "b8", 1)                                                                                    \
    X(B16, "b16", 2)                                                                                  \
    X(B32, "b32", 4)                                                                                  \
    X(B64, "b64", 8)                                                                                  \
    X(B128, "b128", 16)                                                                               \
    X(U8, "u8", 1) X(U16, "u16", 2) X(U32, "u32", 4) X(U64, "u64", 8) X(S8, "s8", 1) X(S16, "s16", 2) \
        X(S32, "s32", 4) X(S64, "s64", 8) X(F16, "f16", 2) X(F16X2, "f16x2", 4) X(BF16, "bf16", 2)    \
            X(BF16X2, "bf16x2", 4) X(F32, "f32", 4) X(F64, "f64", 8) X(PRED, "pred", 1)               \
                X(TEXREF, "texref", 8) X(SAMPLERREF, "samplerref", 8) X(SURFREF, "surfref", 8)
/* clang-format on */

#define PTX_TYPE_ENUM(id, text, bytes) PTX_##id,
enum ptx_type { PTX_NO_TYPE, PTX_TYPE_LIST(PTX_TYPE_ENUM) PTX_TYPE_COUNT };
#undef PTX_TYPE_ENUM

uint32_t ptx_type_bytes(enum ptx_type type);
const char *ptx_type_text(enum ptx_type type); /* "u32" */
enum ptx_type ptx_type_find(const char *text); /* the type named "u32"; PTX_NO_TYPE if there is none */

enum ptx_space { PTX_GENERIC, PTX_REG, PTX_CONST, PTX_GLOBAL, PTX_LOCAL, PTX_PARAM, PTX_SHARED };

/* The source line of an instruction: from .loc, the innermost line, and, if .loc gives it, the line that it
 * was inlined at. Lines count from 1; 0: not known. */
struct ptx_location {
    uint32_t file; /* number of its .file directive */
    uint32_t line, column;
    uint32_t caller_file, caller_line; /* the line that it was inlined at; 0 if not inlined */
    uint32_t inlined_file,
        inlined_line; /* the line in the outermost caller, the kernel itself; 0 if not inlined */
};

/* A register, a variable or a parameter. Registers declared as %r<5> are variables %r0 ... %r4; only those
 * that are used are listed. */
struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint32_t vector;     /* 1, 2 or 4 elements of type */
    uint32_t align;      /* in bytes: as declared, or the type's size */
    uint64_t size_bytes; /* of the whole variable, with arrays and vectors; 0: x[] without a size */
    uint64_t element_count;
    bool external, visible, weak;
    bool managed;           /* the host accesses it without a call */
    const uint8_t *initial; /* the first initial_bytes of size_bytes; the rest is zero */
    uint64_t initial_bytes;
    /* Symbols whose addresses the initial bytes hold: the 8 bytes at initial[offset] receive the address of
     * `symbol` plus addend. */
    const struct ptx_relocation *relocations;
    uint32_t relocation_count;
    uint32_t ptx_line;
};

struct ptx_relocation {
    uint64_t offset;
    const char *symbol;
    int64_t addend;
    bool generic; /* generic(symbol): use its generic address, not its address in its own space */
};

enum ptx_operand_kind {
    PTX_OPERAND_NAME,    /* `name`: a register, a special register (the whole text "%tid.x"), an element of a
                            vector register (%v.x), a variable's address, a label or a function */
    PTX_OPERAND_INTEGER, /* `bits`: 64-bit two's complement */
    PTX_OPERAND_FLOAT,   /* `bits`: of a double (0d... or decimal), or of a float for 0f... (is_single) */
    PTX_OPERAND_ADDRESS, /* [name + offset] or [offset]; further items in the brackets, as in a texture's
                            [name, sampler, {coordinates}]: parts */
    PTX_OPERAND_VECTOR,  /* {a, b, ...}: parts */
    PTX_OPERAND_LIST,    /* (a, b, ...) of a call: parts */
    PTX_OPERAND_PAIR,    /* p|q: two parts */
    PTX_OPERAND_SINK     /* _ */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    const char *name;
    bool negated;   /* !p */
    bool minus;     /* -%r1: used only by vmad */
    bool is_single; /* FLOAT written as 0f... */
    uint64_t bits;
    int64_t offset; /* ADDRESS; also of NAME + offset (the address of a variable plus a constant) */
    struct ptx_operand *parts;
    uint32_t part_count;
};

struct ptx_instruction {
    const char *opcode;           /* "ld", "mad", "setp" */
    const char *const *modifiers; /* without their dots: "global", "v4", "f32" */
    uint32_t modifier_count;
    struct ptx_operand *operands;
    uint32_t operand_count;
    const char *guard; /* @p: name of the predicate, or NULL */
    bool guard_negated;
    struct ptx_location location;
    uint32_t ptx_line; /* line of the PTX text, from 1 */
};

struct ptx_label {
    const char *name;
    uint32_t instruction; /* index of the instruction after the label; instruction_count at the end */
    /* The labels or functions of a .branchtargets (for brx.idx) or .calltargets declared under this name;
     * else NULL. */
    const char *const *targets;
    uint32_t target_count;
    /* The parameters and results of a .callprototype declared under this name; else NULL. */
    const struct ptx_function *prototype;
};

/* Functions of CUDA's device runtime, which the PTX declares but does not define: name, bytes of the result,
 * bytes of the parameters. The parser gives such a declaration a body that only returns; simt/program/lower
 * turns calls of it into PROGRAM_RUNTIME, which simt/engine/warp_runtime executes. */
/* clang-format off */ /* one row per function */
#define PTX_RUNTIME_LIST(X)                                                          \
    X(NESTED_BUFFER, "__cudaCDP2GetParameterBufferV2", 8, 8, 12, 12, 4, 0)           \
    X(NESTED_LAUNCH, "__cudaCDP2LaunchDeviceV2", 4, 8, 8, 0, 0, 0)                   \
    X(NESTED_COPY, "__cudaCDP2MemcpyAsync", 4, 8, 8, 8, 4, 8)                        \
    X(NESTED_SET, "__cudaCDP2MemsetAsync", 4, 8, 4, 8, 8, 0)                         \
    X(PRINTF, "vprintf", 4, 8, 8, 0, 0, 0)                                           \
    X(ASSERT, "__assertfail", 0, 8, 8, 4, 8, 8)                                      \
    X(MALLOC, "malloc", 8, 8, 0, 0, 0, 0)                                            \
    X(FREE, "free", 0, 8, 0, 0, 0, 0)                                                \
    X(NESTED_MALLOC, "__cudaCDP2Malloc", 4, 8, 8, 0, 0, 0)                           \
    X(NESTED_FREE, "__cudaCDP2Free", 4, 8, 0, 0, 0, 0)                               \
    X(STREAM_CREATE, "__cudaCDP2StreamCreateWithFlags", 4, 8, 4, 0, 0, 0)            \
    X(STREAM_DESTROY, "__cudaCDP2StreamDestroy", 4, 8, 0, 0, 0, 0)                   \
    X(STREAM_WAIT, "__cudaCDP2StreamWaitEvent", 4, 8, 8, 4, 0, 0)                    \
    X(EVENT_CREATE, "__cudaCDP2EventCreateWithFlags", 4, 8, 4, 0, 0, 0)              \
    X(EVENT_RECORD, "__cudaCDP2EventRecord", 4, 8, 8, 0, 0, 0)                       \
    X(EVENT_DESTROY, "__cudaCDP2EventDestroy", 4, 8, 0, 0, 0, 0)                     \
    X(LAST_ERROR, "__cudaCDP2GetLastError", 4, 0, 0, 0, 0, 0)                        \
    X(PEEK_ERROR, "__cudaCDP2PeekAtLastError", 4, 0, 0, 0, 0, 0)                     \
    X(ERROR_STRING, "__cudaCDP2GetErrorString", 8, 4, 0, 0, 0, 0)                    \
    X(ERROR_NAME, "__cudaCDP2GetErrorName", 8, 4, 0, 0, 0, 0)                        \
    X(DEVICE, "__cudaCDP2GetDevice", 4, 8, 0, 0, 0, 0)                               \
    X(DEVICE_COUNT, "__cudaCDP2GetDeviceCount", 4, 8, 0, 0, 0, 0)                    \
    X(SET_CONDITION, "cudaGraphSetConditional", 0, 8, 4, 0, 0, 0)
/* clang-format on */
#define PTX_RUNTIME_ENUM(id, name, result, p0, p1, p2, p3, p4) PTX_RUNTIME_##id,
enum ptx_runtime { PTX_RUNTIME_LIST(PTX_RUNTIME_ENUM) PTX_RUNTIME_COUNT };
#undef PTX_RUNTIME_ENUM
#define PTX_RUNTIME_PARAMETERS 5
struct ptx_runtime_function {
    const char *name;
    uint64_t result_bytes, parameter_bytes[PTX_RUNTIME_PARAMETERS]; /* 0: none */
};
extern const struct ptx_runtime_function ptx_runtime_functions[PTX_RUNTIME_COUNT];

struct ptx_function {
    const char *name;
    bool entry;    /* .entry; false: .func */
    bool declared; /* has no body: extern or forward; a later definition replaces it */
    /* If it is a runtime function that the text only declares; else NULL. */
    const struct ptx_runtime_function *runtime;
    const struct ptx_variable *parameters;
    uint32_t parameter_count;
    const struct ptx_variable *results; /* only of a .func */
    uint32_t result_count;
    const struct ptx_variable *variables; /* registers, .local, .shared and .param variables of the body;
                                             scopes { } are flattened: a name in an inner scope that hides an
                                             outer name gets the suffix "#2", also where it is used */
    uint32_t variable_count;
    const struct ptx_instruction *instructions;
    uint32_t instruction_count;
    const struct ptx_label *labels;
    uint32_t label_count;
    uint32_t max_threads[3], required_threads[3], minimum_blocks,
        max_registers;        /* .maxntid, .reqntid, .minnctapersm, .maxnreg; 0: not given */
    uint32_t cluster[3];      /* .reqnctapercluster; 0: not given */
    bool blocks_are_clusters; /* .blocksareclusters */
    uint32_t ptx_line;
};

struct ptx_file {
    uint32_t number;
    const char *name;
};

/* In texts that nvcc -rdc=true made, or that are linked at run time: ptxas knew the alignment of shared
 * variables, not their places. */
#define PTX_RELOCATABLE ".pragma \"lanescope:relocatable\";"

struct ptx_module {
    const char *version, *target; /* "9.0", "sm_90" */
    uint32_t address_bits;        /* always 64; 32 is refused */
    bool relocatable;             /* PTX_RELOCATABLE is in it */
    bool debug;                   /* nvcc -G: no access of the source was optimised away */
    const struct ptx_file *files;
    uint32_t file_count;
    const struct ptx_variable *variables; /* module scope: .global, .const, .shared, .texref */
    uint32_t variable_count;
    const struct ptx_function *functions;
    uint32_t function_count;
};

/*
 * `name` names the text in errors ("vadd.ptx"). STATUS_USAGE with a sentence that gives the line and what was
 * found there; STATUS_MEMORY. text needs no terminating zero, may contain any bytes, and is not kept.
 * Nesting, counts and sizes are checked before they are used.
 */
enum status ptx_parse(struct ptx_module **module, const char *name, const char *text, size_t size_bytes,
                      struct error *error);
void ptx_destroy(struct ptx_module *module);

const struct ptx_function *ptx_function_find(const struct ptx_module *module, const char *name); /* NULL */
/* NULL if there is no such file. */
const char *ptx_file_name(const struct ptx_module *module, uint32_t number);

#endif
