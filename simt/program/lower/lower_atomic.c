/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics, reductions and asynchronous copies: PTX ISA 9.0, 9.7.13.5, 9.7.13.6, 9.7.9.12, 9.7.9.25. */
#include "simt/program/lower/lower_internal.h"

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
    bool policy, cluster; /* .shared::cluster */
    uint8_t sync;         /* enum program_sync */
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
    if (lower_take_one(lower, scope_texts, &index)) {
        if (index == 0)
            atomic->sync &= (uint8_t)~SYNC_WIDE;
        if (index == 3)
            atomic->sync |= SYNC_SYSTEM;
    }
    if (lower_take_one(lower, space_texts, &index)) {
        atomic->space = spaces[index];
        atomic->cluster = index == 3;
    }
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
    if (!made)
        return false;
    made->type = (uint8_t)atomic.type;
    made->space = (uint8_t)atomic.space;
    made->cluster = atomic.cluster;
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
    if (lower_take(lower, "async"))
        return lower_store_async(lower, true);
    return lower_atom(lower, false);
}

/* ---- cp.async ---- */
static bool lower_copy_group(struct lower *lower, enum program_op op, uint32_t groups)
{
    struct program_instruction *const made =
        lower_take_end(lower) ? lower_emit(lower, op, CLASS_MEMORY) : NULL;
    if (!made)
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
    if (!made || !lanes_find("selp.u32", &form))
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
    if (!made)
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

/* ---- copies in bulk ---- */
#define COMPLETES_AT_MBARRIER "mbarrier::complete_tx::bytes"

static bool bulk_address(struct lower *lower, uint32_t operand, enum ptx_space space,
                         struct program_bulk_address *address)
{
    return lower_address(lower, &lower->at->operands[operand], space, &address->slot, &address->offset,
                         &address->is_32_bits);
}

static struct program_instruction *emit_bulk(struct lower *lower, const struct program_bulk *bulk)
{
    struct program_bulk *const kept = arena_alloc(lower->arena, 1, sizeof *kept);
    struct program_instruction *const made = kept ? lower_emit(lower, PROGRAM_BULK, CLASS_MEMORY) : NULL;
    if (!kept)
        lower_no_memory(lower);
    if (!made)
        return NULL;
    *kept = *bulk;
    made->bulk = kept;
    made->space = bulk->way == BULK_TO_GLOBAL ? PTX_GLOBAL : PTX_SHARED;
    made->source[0] = bulk->way == BULK_PREFETCH ? PROGRAM_NO_SLOT : bulk->to.slot;
    return made;
}

/* Where the first of two state spaces is: .shared or .global. */
static bool bulk_way(struct lower *lower, struct program_bulk *bulk)
{
    const bool to_shared = names_direction(lower);
    const bool global = lower_take(lower, "global");
    const bool cluster = lower_take(lower, "shared::cluster"), block = lower_take(lower, "shared::cta");
    if (global && (cluster != block))
        bulk->way = to_shared ? BULK_TO_SHARED : BULK_TO_GLOBAL;
    else if (!global && cluster && block)
        bulk->way = BULK_TO_CLUSTER;
    else
        return lower_fail(
            lower, "it copies between .global and .shared::cta or .shared::cluster, or from .shared::cta "
                   "to .shared::cluster.");
    if (bulk->way == BULK_TO_GLOBAL ? !lower_take(lower, "bulk_group")
                                    : !lower_take(lower, COMPLETES_AT_MBARRIER))
        return lower_fail(lower, "it needs .%s.",
                          bulk->way == BULK_TO_GLOBAL ? "bulk_group" : COMPLETES_AT_MBARRIER);
    if (bulk->reduces && bulk->way == BULK_TO_SHARED)
        return lower_fail(lower, "it reduces only what comes from shared memory.");
    return true;
}

/* The operation and the type of cp.reduce.async.bulk. */
static bool take_bulk_reduction(struct lower *lower, struct program_bulk *bulk, enum ptx_type *type)
{
    struct atomic atomic = {.space = PTX_GLOBAL};
    uint32_t index;
    if (!lower_take_one(lower, operation_texts, &index) || index >= ATOMIC_EXCH)
        return lower_fail(lower, "its operation is missing.");
    lower_take(lower, "noftz");
    if (!lower_take_type(lower, type))
        return false;
    bulk->operation = atomic.operation = (enum program_atomic)index;
    atomic.type = *type;
    const bool half = *type == PTX_F16 || *type == PTX_BF16;
    const bool least = (index == ATOMIC_MIN || index == ATOMIC_MAX) && half;
    return (has_type(&atomic) && !least) || lower_fail(lower, "the model has no .%s of a .%s in a copy.",
                                                       operation_texts[index], ptx_type_text(*type));
}

/* [to], [from], size{, [mbarrier]}{, blocks}{, policy} */
static bool lower_bulk_copy(struct lower *lower, bool reduces)
{
    struct program_bulk bulk = {.reduces = reduces};
    enum ptx_type type = PTX_NO_TYPE;
    uint32_t size, blocks = PROGRAM_NO_SLOT, unused;
    if (!bulk_way(lower, &bulk))
        return false;
    const bool at_mbarrier = bulk.way != BULK_TO_GLOBAL;
    const bool multicast = bulk.way == BULK_TO_SHARED && lower_take(lower, "multicast::cluster");
    const uint32_t policy = lower_take(lower, "L2::cache_hint");
    if ((reduces && !take_bulk_reduction(lower, &bulk, &type)) || !lower_take_end(lower))
        return false;
    const uint32_t count = 3u + at_mbarrier + multicast + policy;
    const struct ptx_operand *const operands = lower->at->operands;
    if (!lower_operand_count(lower, count, count) ||
        !bulk_address(lower, 0, bulk.way == BULK_TO_GLOBAL ? PTX_GLOBAL : PTX_SHARED, &bulk.to) ||
        !bulk_address(lower, 1, bulk.way == BULK_TO_SHARED ? PTX_GLOBAL : PTX_SHARED, &bulk.from) ||
        !lower_source(lower, &operands[2], PTX_U32, LOWER_SAME_SIZE, &size, NULL) ||
        (at_mbarrier && !bulk_address(lower, 3, PTX_SHARED, &bulk.mbarrier)) ||
        (multicast && !lower_source(lower, &operands[4], PTX_U16, LOWER_SAME_SIZE, &blocks, NULL)) ||
        (policy && !lower_source(lower, &operands[count - 1], PTX_B64, LOWER_SAME_SIZE, &unused, NULL)))
        return false;
    struct program_instruction *const made = emit_bulk(lower, &bulk);
    if (!made)
        return false;
    made->type = (uint8_t)type;
    made->source[1] = bulk.from.slot;
    made->source[2] = size;
    made->source[3] = at_mbarrier ? bulk.mbarrier.slot : PROGRAM_NO_SLOT;
    made->source[4] = blocks;
    return true;
}

/* .L2.global [from], size{, policy} */
static bool lower_bulk_prefetch(struct lower *lower)
{
    struct program_bulk bulk = {.way = BULK_PREFETCH};
    uint32_t size, unused;
    if (!lower_take(lower, "L2") || !lower_take(lower, "global"))
        return lower_fail(lower, "it needs .L2.global.");
    const uint32_t policy = lower_take(lower, "L2::cache_hint");
    if (!lower_take_end(lower) || !lower_operand_count(lower, 2 + policy, 2 + policy) ||
        !bulk_address(lower, 0, PTX_GLOBAL, &bulk.from) ||
        !lower_source(lower, &lower->at->operands[1], PTX_U32, LOWER_SAME_SIZE, &size, NULL) ||
        (policy && !lower_source(lower, &lower->at->operands[2], PTX_B64, LOWER_SAME_SIZE, &unused, NULL)))
        return false;
    struct program_instruction *const made = emit_bulk(lower, &bulk);
    if (!made)
        return false;
    made->source[1] = bulk.from.slot;
    made->source[2] = size;
    return true;
}

static bool lower_bulk_wait(struct lower *lower)
{
    uint64_t groups;
    const bool read = lower_take(lower, "read");
    if (!lower_operand_count(lower, 1, 1) ||
        !lower_integer(lower, &lower->at->operands[0], "the number of groups", &groups))
        return false;
    struct program_instruction *const made =
        lower_take_end(lower) ? lower_emit(lower, PROGRAM_BULK_WAIT, CLASS_MEMORY) : NULL;
    if (!made)
        return false;
    made->immediate = groups < INT32_MAX ? (uint32_t)groups : INT32_MAX;
    made->sub = read;
    return true;
}

static bool lower_bulk(struct lower *lower, bool reduces)
{
    if (lower_take(lower, "tensor"))
        return lower_fail(lower, "the model has no tensor copies (TMA tensor maps).");
    if (lower_take(lower, "commit_group"))
        return lower_operand_count(lower, 0, 0) && lower_copy_group(lower, PROGRAM_BULK_COMMIT, 0);
    if (lower_take(lower, "wait_group"))
        return lower_bulk_wait(lower);
    if (lower_take(lower, "prefetch"))
        return lower_bulk_prefetch(lower);
    return lower_bulk_copy(lower, reduces);
}

/* The values of st.async: a register, or a vector of them. */
static bool async_values(struct lower *lower, enum ptx_type type, uint32_t vector, uint32_t *slots)
{
    const struct ptx_operand *const operand = &lower->at->operands[1];
    const bool list = operand->kind == PTX_OPERAND_VECTOR;
    if ((list ? operand->part_count : 1) != vector)
        return lower_fail(lower, "it stores %u values.", vector);
    for (uint32_t i = 0; i < vector; i++)
        if (!lower_source(lower, list ? &operand->parts[i] : operand, type, LOWER_SAME_SIZE, &slots[i], NULL))
            return false;
    return true;
}

/* st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2|.v4}.type [to], value, [mbarrier];
 * red.async{.relaxed.cluster}{...}.operation.type, the same operands. */
bool lower_store_async(struct lower *lower, bool reduces)
{
    static const char *const vectors[] = {"v2", "v4", NULL};
    struct program_bulk bulk = {.way = BULK_STORE, .reduces = reduces};
    uint32_t index, vector = 1, slots[PROGRAM_VECTOR];
    enum ptx_type type;
    lower_take(lower, "weak");
    lower_take(lower, "relaxed");
    lower_take(lower, "cluster");
    lower_take(lower, "shared::cluster");
    if (!lower_take(lower, COMPLETES_AT_MBARRIER))
        return lower_fail(lower, "it needs .%s.", COMPLETES_AT_MBARRIER);
    if (!reduces && lower_take_one(lower, vectors, &index))
        vector = 2u << index;
    if (reduces ? !take_bulk_reduction(lower, &bulk, &type) : !lower_take_type(lower, &type))
        return false;
    const uint32_t size = ptx_type_bytes(type);
    if ((size != 4 && size != 8) || size * vector > 16)
        return lower_fail(lower, "it stores values of 4 or 8 bytes, at most 16 bytes.");
    if (!lower_take_end(lower) || !lower_operand_count(lower, 3, 3) ||
        !bulk_address(lower, 0, PTX_SHARED, &bulk.to) || !async_values(lower, type, vector, slots) ||
        !bulk_address(lower, 2, PTX_SHARED, &bulk.mbarrier))
        return false;
    struct program_instruction *const made = emit_bulk(lower, &bulk);
    if (!made)
        return false;
    made->type = (uint8_t)type;
    made->vector = (uint8_t)vector;
    made->width_bytes = (uint8_t)(size * vector);
    memcpy(made->source + 1, slots, vector * sizeof slots[0]);
    made->source[5] = bulk.mbarrier.slot;
    return true;
}

/* ---- cp ---- */
bool lower_copy(struct lower *lower)
{
    uint64_t groups;
    const bool reduces = lower_take(lower, "reduce");
    if (!lower_take(lower, "async"))
        return lower_fail(lower, "the model supports only cp.async and cp.reduce.async.bulk.");
    if (lower_take(lower, "bulk"))
        return lower_bulk(lower, reduces);
    if (lower_take(lower, "mbarrier"))
        return (lower_take(lower, "arrive") || lower_fail(lower, "it needs .arrive.")) &&
               lower_mbarrier_copies(lower);
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
