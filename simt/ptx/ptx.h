/*
 * The module that ptx_parse makes from PTX text. Syntax only: an instruction is its opcode, its modifiers as
 * written (".global" ".v4" ".f32") and its operands; simt/program/lower interprets them. Read-only after
 * parsing, any thread; everything in it (texts too) is in the module's arena and is freed by ptx_destroy.
 *
 * Source: PTX ISA 9.0, chapters 4 (syntax) and 5 (state spaces, types, variables); only what can appear in a
 * kernel file is kept.
 */
#ifndef SIMT_PTX_PTX_H
#define SIMT_PTX_PTX_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTX_NONE UINT32_MAX
#define PTX_MODIFIERS 64 /* at most, of one instruction */

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
enum ptx_type ptx_type_find(const char *text); /* of "u32"; PTX_NO_TYPE when it is none */

enum ptx_space { PTX_GENERIC, PTX_REG, PTX_CONST, PTX_GLOBAL, PTX_LOCAL, PTX_PARAM, PTX_SHARED };

/* Where an instruction comes from: .loc of the innermost place, and the place it was inlined at, if it says
 * so. Lines from 1; 0: not known. */
struct ptx_location {
    uint32_t file; /* .file number */
    uint32_t line, column;
    uint32_t inlined_file,
        inlined_line; /* of the outermost caller: the kernel's own line; 0 when not inlined */
};

/* A register, a variable, a parameter. Registers declared as %r<5> are variables %r0 ... %r4; listed are
 * those that are used. */
struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint32_t vector;     /* 1, 2 or 4 elements of type */
    uint32_t align;      /* bytes, as given or the type's size */
    uint64_t size_bytes; /* all of it: arrays, vectors; 0: x[] without a size */
    uint64_t element_count;
    bool external, visible, weak;
    const uint8_t *initial; /* the first initial_bytes of size_bytes; all behind them are zeros */
    uint64_t initial_bytes;
    /* Symbols whose addresses stand in the initial bytes: initial[offset ... offset + 7] is to be `symbol` +
     * addend. */
    const struct ptx_relocation *relocations;
    uint32_t relocation_count;
    uint32_t ptx_line;
};

struct ptx_relocation {
    uint64_t offset;
    const char *symbol;
    int64_t addend;
    bool generic; /* generic(symbol): its generic address, else its address in its space */
};

enum ptx_operand_kind {
    PTX_OPERAND_NAME,    /* register, special register (%tid.x: the text with its dot), an element of a vector
                            register (%v.x), variable's address, label or function: `name` */
    PTX_OPERAND_INTEGER, /* `bits`: 64-bit two's complement */
    PTX_OPERAND_FLOAT,   /* `bits`: of a double (0d... or decimal), or of a float for 0f... (is_single) */
    PTX_OPERAND_ADDRESS, /* [name + offset] or [offset]; what follows in it, as a texture's [name, sampler,
                            {coordinates}]: parts */
    PTX_OPERAND_VECTOR,  /* {a, b, ...}: parts */
    PTX_OPERAND_LIST,    /* (a, b, ...) of a call: parts */
    PTX_OPERAND_PAIR,    /* p|q: two parts */
    PTX_OPERAND_SINK     /* _ */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    const char *name;
    bool negated;   /* !p */
    bool minus;     /* -%r1: vmad alone has it */
    bool is_single; /* FLOAT given as 0f... */
    uint64_t bits;
    int64_t offset; /* ADDRESS; also NAME+offset (address of a variable plus a constant) */
    struct ptx_operand *parts;
    uint32_t part_count;
};

struct ptx_instruction {
    const char *opcode;           /* "ld", "mad", "setp" */
    const char *const *modifiers; /* without their dots: "global", "v4", "f32" */
    uint32_t modifier_count;
    struct ptx_operand *operands;
    uint32_t operand_count;
    const char *guard; /* @p: the predicate's name, or NULL */
    bool guard_negated;
    struct ptx_location location;
    uint32_t ptx_line; /* of the PTX text, from 1 */
};

struct ptx_label {
    const char *name;
    uint32_t instruction; /* index of the one it stands before; instruction_count at the end */
    /* .branchtargets (for brx.idx) or .calltargets declared under this name: labels or functions; else NULL
     */
    const char *const *targets;
    uint32_t target_count;
    const struct ptx_function *prototype; /* .callprototype declared under this name: parameters, results */
};

/* The functions of CUDA's device runtime that no text defines: name, bytes of the result, bytes of the
 * parameters. Where a text declares one, it is given a body that only returns; simt/program/lower makes its
 * calls PROGRAM_RUNTIME, which simt/engine/warp_runtime does. */
/* clang-format off */ /* a row per function */
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
    X(DEVICE_COUNT, "__cudaCDP2GetDeviceCount", 4, 8, 0, 0, 0, 0)
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
    bool entry;    /* .entry; else .func */
    bool declared; /* no body: extern or forward; a later definition replaces it */
    const struct ptx_runtime_function *runtime; /* one that the text only declares; else NULL */
    const struct ptx_variable *parameters;
    uint32_t parameter_count;
    const struct ptx_variable *results; /* of a .func */
    uint32_t result_count;
    const struct ptx_variable
        *variables; /* registers, .local, .shared and .param of the body; scopes { } are flattened, a name of
                       an inner scope that hides another gets a suffix "#2" there and in its uses */
    uint32_t variable_count;
    const struct ptx_instruction *instructions;
    uint32_t instruction_count;
    const struct ptx_label *labels;
    uint32_t label_count;
    uint32_t max_threads[3], required_threads[3], minimum_blocks,
        max_registers; /* .maxntid, .reqntid, .minnctapersm, .maxnreg; 0 none */
    uint32_t ptx_line;
};

struct ptx_file {
    uint32_t number;
    const char *name;
};

struct ptx_module {
    const char *version, *target; /* "9.0", "sm_90" */
    uint32_t address_bits;        /* 64 (32 is refused) */
    const struct ptx_file *files;
    uint32_t file_count;
    const struct ptx_variable *variables; /* module scope: .global, .const, .shared, .texref */
    uint32_t variable_count;
    const struct ptx_function *functions;
    uint32_t function_count;
};

/*
 * name says in errors whose text it is ("vadd.ptx"). USAGE with a sentence that names the line and what was
 * found there, MEMORY. text need not be terminated, may hold anything; it is not kept. Bounded: nesting,
 * counts and sizes are checked before they are used.
 */
enum status ptx_parse(struct ptx_module **module, const char *name, const char *text, size_t size_bytes,
                      struct error *error);
void ptx_destroy(struct ptx_module *module);

const struct ptx_function *ptx_function_find(const struct ptx_module *module, const char *name); /* NULL */
const char *ptx_file_name(const struct ptx_module *module, uint32_t number); /* NULL when it is not there */

#endif
