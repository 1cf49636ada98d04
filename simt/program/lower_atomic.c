/* Atomics, reductions and cp.async: PTX ISA 9.0, 9.7.13.5, 9.7.13.6 and 9.7.9.25. */
#include "simt/program/lower_internal.h"

#include <string.h>

static const char *const space_texts[] = {"global", "shared", "shared::cta", "shared::cluster", NULL};
static const enum ptx_space spaces[] = {PTX_GLOBAL, PTX_SHARED, PTX_SHARED, PTX_SHARED};
static const char *const order_texts[] = {"relaxed", "acquire", "release", "acq_rel", NULL};
static const uint8_t order_syncs[] = {0, SYNC_ACQUIRE, SYNC_RELEASE, SYNC_ACQUIRE | SYNC_RELEASE};
static const char *const scope_texts[] = {"cta", "cluster", "gpu", "sys", NULL};
/* In the order of enum program_atomic. */
static const char *const operation_texts[] = {"add", "min", "max",  "inc", "dec", "and",
                                              "or",  "xor", "exch", "cas", NULL};

/* The types that an operation allows. */
static const struct {
    enum program_atomic operation;
    enum ptx_type types[10];
} operations[] = {
    {ATOMIC_ADD,
     {PTX_U32, PTX_S32, PTX_U64, PTX_S64, PTX_F32, PTX_F64, PTX_F16, PTX_F16X2, PTX_BF16, PTX_BF16X2}},
    {ATOMIC_MIN, {PTX_U32, PTX_S32, PTX_U64, PTX_S64}},
    {ATOMIC_MAX, {PTX_U32, PTX_S32, PTX_U64, PTX_S64}},
    {ATOMIC_INC, {PTX_U32}},
    {ATOMIC_DEC, {PTX_U32}},
    {ATOMIC_AND, {PTX_B32, PTX_B64}},
    {ATOMIC_OR, {PTX_B32, PTX_B64}},
    {ATOMIC_XOR, {PTX_B32, PTX_B64}},
    {ATOMIC_EXCH, {PTX_B32, PTX_B64, PTX_U32, PTX_U64}}, /* .u: in PTX 1.x */
    {ATOMIC_CAS, {PTX_B16, PTX_B32, PTX_B64, PTX_U32, PTX_U64}},
};

struct atomic {
    enum ptx_space space;
    enum program_atomic operation;
    enum ptx_type type;
    bool policy;
    uint8_t sync; /* enum program_sync */
};

static bool has_type(const struct atomic *atomic)
{
    for (size_t i = 0; i < sizeof operations[0].types / sizeof operations[0].types[0]; i++)
        if (operations[atomic->operation].types[i] == atomic->type)
            return true;
    return false;
}

static bool take_atomic(struct lower *lower, struct atomic *atomic)
{
    static const char *const vectors[] = {"v2", "v4", "v8", NULL};
    uint32_t index;
    *atomic = (struct atomic){.space = PTX_GENERIC, .sync = SYNC_STRONG | SYNC_WIDE};
    if (lower_take_one(lower, order_texts, &index))
        atomic->sync |= order_syncs[index];
    if (lower_take_one(lower, scope_texts, &index) && index == 0)
        atomic->sync &= (uint8_t)~SYNC_WIDE;
    if (lower_take_one(lower, space_texts, &index))
        atomic->space = spaces[index];
    if (!lower_take_one(lower, operation_texts, &index))
        return lower_fail(lower, "its operation is missing, or the model does not support it.");
    atomic->operation = (enum program_atomic)index;
    const bool noftz = lower_take(lower, "noftz");
    atomic->policy = lower_take(lower, "L2::cache_hint");
    if (lower_take_one(lower, vectors, &index))
        return lower_fail(lower, "the model has no vector atomics.");
    if (!lower_take_type(lower, &atomic->type) || !lower_take_end(lower))
        return false;
    const bool half = atomic->type >= PTX_F16 && atomic->type <= PTX_BF16X2;
    return (has_type(atomic) && half == noftz) ||
           lower_fail(lower, "there is no %s%s of a .%s.", operation_texts[atomic->operation],
                      noftz ? ".noftz" : "", ptx_type_text(atomic->type));
}

static bool lower_atom(struct lower *lower, bool result)
{
    struct atomic atomic;
    struct program_instruction parts = {.offset = 0};
    uint32_t unused, slot = PROGRAM_NO_SLOT;
    memset(parts.source, 0xff, sizeof parts.source); /* PROGRAM_NO_SLOT */
    if (!take_atomic(lower, &atomic))
        return false;
    const uint32_t first = result ? 1 : 0, values = atomic.operation == ATOMIC_CAS ? 2 : 1;
    const uint32_t count = first + 1 + values + atomic.policy;
    const struct ptx_operand *const operands = lower->at->operands;
    if (!lower_operand_count(lower, count, count) ||
        !lower_address(lower, &operands[first], atomic.space, &parts.source[0], &parts.offset,
                       &parts.address_is_32_bits))
        return false;
    for (uint32_t i = 0; i < values; i++)
        if (!lower_source(lower, &operands[first + 1 + i], atomic.type, LOWER_SAME_SIZE, &parts.source[1 + i],
                          NULL))
            return false;
    if (result && operands[0].kind != PTX_OPERAND_SINK &&
        !lower_destination(lower, &operands[0], atomic.type, LOWER_SAME_SIZE, &slot, NULL))
        return false;
    if (atomic.policy && !lower_source(lower, &operands[count - 1], PTX_B64, LOWER_SAME_SIZE, &unused, NULL))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_ATOM, CLASS_MEMORY);
    if (made == NULL)
        return false;
    made->type = (uint8_t)atomic.type;
    made->space = (uint8_t)atomic.space;
    made->sub = (uint8_t)atomic.operation;
    made->sync = atomic.sync;
    made->width_bytes = made->destination_bytes = (uint8_t)ptx_type_bytes(atomic.type);
    made->address_is_32_bits = parts.address_is_32_bits;
    made->offset = parts.offset;
    made->destination[0] = slot;
    memcpy(made->source, parts.source, sizeof made->source);
    return true;
}

bool lower_atomic(struct lower *lower)
{
    return lower_atom(lower, true);
}

bool lower_reduction(struct lower *lower)
{
    if (lower->at->modifier_count > 0 && strcmp(lower->at->modifiers[0], "async") == 0)
        return lower_fail(lower, "it accesses other blocks of a cluster, and the model has no clusters.");
    return lower_atom(lower, false);
}

/* ---- cp.async ---- */
static bool lower_copy_group(struct lower *lower, enum program_op op, uint32_t groups)
{
    struct program_instruction *const made =
        lower_take_end(lower) ? lower_emit(lower, op, CLASS_MEMORY) : NULL;
    if (made == NULL)
        return false;
    made->immediate = groups;
    return true;
}

/* ignore-src: where the predicate is true, no byte of the source is read. */
static bool ignored_source(struct lower *lower, const struct ptx_operand *operand, uint64_t bytes,
                           uint32_t *slot)
{
    struct lanes_form form;
    uint32_t predicate, none, all;
    if (!lower_predicate(lower, operand, &predicate) || !lower_constant(lower, PTX_U32, 0, &none) ||
        !lower_constant(lower, PTX_U32, bytes, &all) || !lower_slot(lower, PTX_U32, slot))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_LANES, CLASS_INTEGER);
    if (made == NULL || !lanes_find("selp.u32", &form))
        return false;
    made->lanes = form.function;
    made->destination[0] = *slot;
    made->source[0] = none;
    made->source[1] = all;
    made->source[2] = predicate;
    return true;
}

/* The operand after the size: the number of bytes to read, or a predicate. */
static bool source_bytes(struct lower *lower, const struct ptx_operand *operand, uint64_t bytes,
                         uint32_t *slot)
{
    enum ptx_type type = PTX_NO_TYPE;
    uint32_t unused;
    const bool named = operand->kind == PTX_OPERAND_NAME;
    if (named && lower_register(lower, operand->name, &type, &unused) && type == PTX_PRED)
        return ignored_source(lower, operand, bytes, slot);
    return lower->status == STATUS_OK && lower_source(lower, operand, PTX_U32, LOWER_SAME_SIZE, slot, NULL);
}

/* The two state spaces must be in the right order: .global is second. */
static bool names_direction(const struct lower *lower)
{
    const struct ptx_instruction *const at = lower->at;
    for (uint32_t i = 0; i < at->modifier_count; i++) {
        if (strncmp(at->modifiers[i], "shared", 6) == 0)
            return true;
        if (strcmp(at->modifiers[i], "global") == 0)
            return false;
    }
    return false;
}

/* cp.async.ca|cg.shared.global{hints} [to], [from], size{, source size | predicate}{, policy} */
static bool lower_copy_start(struct lower *lower, bool past_l1)
{
    static const char *const prefetches[] = {"L2::64B", "L2::128B", "L2::256B", NULL};
    const struct ptx_operand *const operands = lower->at->operands;
    struct program_instruction parts = {.offset = 0};
    uint64_t bytes;
    uint32_t unused, slot = PROGRAM_NO_SLOT;
    bool from_32_bits;
    if (!names_direction(lower) || (!lower_take(lower, "shared") && !lower_take(lower, "shared::cta")) ||
        !lower_take(lower, "global"))
        return lower_fail(lower, "it copies only from .global to .shared.");
    const uint32_t policy = lower_take(lower, "L2::cache_hint");
    lower_take_one(lower, prefetches, &unused);
    if (!lower_take_end(lower) || !lower_operand_count(lower, 3 + policy, 4 + policy) ||
        !lower_integer(lower, &operands[2], "the size", &bytes))
        return false;
    if (bytes != 16 && (past_l1 || (bytes != 4 && bytes != 8))) {
        return lower_fail(lower,
                          past_l1 ? "cp.async.cg copies 16 bytes." : "cp.async.ca copies 4, 8 or 16 bytes.");
    }
    if (!lower_address(lower, &operands[0], PTX_SHARED, &parts.source[0], &parts.offset,
                       &parts.address_is_32_bits) ||
        !lower_address(lower, &operands[1], PTX_GLOBAL, &parts.source[1], &parts.offset2, &from_32_bits) ||
        (lower->at->operand_count == 4 + policy && !source_bytes(lower, &operands[3], bytes, &slot)))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_CP_ASYNC, CLASS_MEMORY);
    if (made == NULL)
        return false;
    made->sub = past_l1;
    made->space = PTX_SHARED;
    made->cache = past_l1 ? CACHE_GLOBAL : CACHE_ALL;
    made->width_bytes = (uint8_t)bytes;
    made->address_is_32_bits = parts.address_is_32_bits;
    made->offset = parts.offset;
    made->offset2 = parts.offset2;
    made->source[0] = parts.source[0];
    made->source[1] = parts.source[1];
    made->source[2] = slot;
    return true;
}

bool lower_copy(struct lower *lower)
{
    uint64_t groups;
    if (!lower_take(lower, "async"))
        return lower_fail(lower, "the model supports only cp.async.");
    if (lower_take(lower, "bulk") || lower_take(lower, "mbarrier"))
        return lower_fail(lower,
                          "bulk and tensor copies need barriers in memory, which the model does not have.");
    if (lower_take(lower, "commit_group"))
        return lower_operand_count(lower, 0, 0) && lower_copy_group(lower, PROGRAM_CP_ASYNC_COMMIT, 0);
    if (lower_take(lower, "wait_all"))
        return lower_operand_count(lower, 0, 0) && lower_copy_group(lower, PROGRAM_CP_ASYNC_WAIT, UINT32_MAX);
    if (lower_take(lower, "wait_group")) {
        if (!lower_operand_count(lower, 1, 1) ||
            !lower_integer(lower, &lower->at->operands[0], "the number of groups", &groups))
            return false;
        const uint32_t open = groups < UINT32_MAX ? (uint32_t)groups : UINT32_MAX - 1;
        return lower_copy_group(lower, PROGRAM_CP_ASYNC_WAIT, open);
    }
    if (lower_take(lower, "ca"))
        return lower_copy_start(lower, false);
    if (lower_take(lower, "cg"))
        return lower_copy_start(lower, true);
    return lower_fail(lower, "it needs .ca, .cg, .commit_group, .wait_group or .wait_all.");
}
