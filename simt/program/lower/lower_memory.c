/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and prefetches: PTX ISA 9.0, 9.7.9.1, .2, .8 to .11, .15 and .18. */
#include "simt/program/lower/lower_internal.h"

#include <string.h>

/* ---- loads, stores, prefetches ---- */

/* The modifiers of a load or store. Each kind may occur once. */
struct access {
    enum ptx_space space;
    enum program_cache cache;
    enum ptx_type type;
    uint32_t vector;
    bool strong;
    uint8_t sync;     /* enum program_sync */
    bool policy;      /* an operand for L2::cache_hint follows */
    bool of_function; /* .param::func */
    bool cluster;     /* .shared::cluster */
};

static const struct {
    const char *text;
    enum ptx_space space;
} spaces[] = {
    {"const", PTX_CONST},   {"global", PTX_GLOBAL},      {"local", PTX_LOCAL},
    {"param", PTX_PARAM},   {"param::entry", PTX_PARAM}, {"param::func", PTX_PARAM},
    {"shared", PTX_SHARED}, {"shared::cta", PTX_SHARED}, {"shared::cluster", PTX_SHARED},
};

/* Groups of modifiers, of which an instruction has at most one each, with the cache policy that they mean.
 * Scopes wider than the block bypass L1 (PTX ISA 9.0, 9.7.9.1 and 8.5). */
enum group { ORDER, SCOPE, OPERATOR, L1_HINT, L2_HINT, L2_PREFETCH, L2_POLICY, READ_ONLY, UNIFIED, GROUPS };
static const struct {
    const char *text;
    enum group group;
    enum program_cache cache;
    uint8_t sync; /* enum program_sync */
} words[] = {
    {"weak", ORDER, CACHE_ALL, 0},
    {"volatile", ORDER, CACHE_VOLATILE, SYNC_STRONG | SYNC_WIDE | SYNC_VOLATILE},
    {"relaxed", ORDER, CACHE_ALL, SYNC_STRONG},
    {"acquire", ORDER, CACHE_ALL, SYNC_STRONG | SYNC_ACQUIRE},
    {"release", ORDER, CACHE_ALL, SYNC_STRONG | SYNC_RELEASE},
    {"mmio", ORDER, CACHE_VOLATILE, SYNC_STRONG | SYNC_WIDE},
    {"cta", SCOPE, CACHE_ALL, 0},
    {"cluster", SCOPE, CACHE_GLOBAL, SYNC_WIDE},
    {"gpu", SCOPE, CACHE_GLOBAL, SYNC_WIDE},
    {"sys", SCOPE, CACHE_GLOBAL, SYNC_WIDE | SYNC_SYSTEM},
    {"ca", OPERATOR, CACHE_ALL, 0},
    {"cg", OPERATOR, CACHE_GLOBAL, 0},
    {"cs", OPERATOR, CACHE_STREAM, 0},
    {"lu", OPERATOR, CACHE_LAST_USE, 0},
    {"cv", OPERATOR, CACHE_VOLATILE, 0},
    {"wb", OPERATOR, CACHE_ALL, 0},
    {"wt", OPERATOR, CACHE_VOLATILE, 0},
    {"nc", READ_ONLY, CACHE_READ_ONLY, 0},
    {"L1::evict_normal", L1_HINT, CACHE_ALL, 0},
    {"L1::evict_unchanged", L1_HINT, CACHE_ALL, 0},
    {"L1::evict_first", L1_HINT, CACHE_ALL, 0},
    {"L1::evict_last", L1_HINT, CACHE_ALL, 0},
    {"L1::no_allocate", L1_HINT, CACHE_NO_ALLOCATE, 0},
    {"L2::evict_normal", L2_HINT, CACHE_ALL, 0},
    {"L2::evict_first", L2_HINT, CACHE_ALL, 0},
    {"L2::evict_last", L2_HINT, CACHE_ALL, 0},
    {"L2::cache_hint", L2_POLICY, CACHE_ALL, 0},
    {"L2::64B", L2_PREFETCH, CACHE_ALL, 0},
    {"L2::128B", L2_PREFETCH, CACHE_ALL, 0},
    {"L2::256B", L2_PREFETCH, CACHE_ALL, 0},
    {"unified", UNIFIED, CACHE_ALL, 0},
};

static bool take_word(struct lower *lower, struct access *access, uint32_t *seen, bool *taken)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!lower_take(lower, words[i].text))
            continue;
        /* mmio.relaxed counts as one order. */
        const bool again = (*seen >> words[i].group & 1) != 0 && strcmp(words[i].text, "relaxed") != 0;
        if (again)
            return lower_fail(lower, ".%s contradicts a modifier before it.", words[i].text);
        *seen |= 1u << words[i].group;
        access->policy |= words[i].group == L2_POLICY;
        access->sync |= words[i].sync;
        access->strong |= words[i].group == ORDER && strcmp(words[i].text, "weak") != 0;
        if (words[i].cache != CACHE_ALL && access->cache != CACHE_VOLATILE &&
            access->cache != CACHE_NO_ALLOCATE)
            access->cache = words[i].cache;
        *taken = true;
        return true;
    }
    *taken = false;
    return true;
}

static bool take_space(struct lower *lower, struct access *access)
{
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (lower_take(lower, spaces[i].text)) {
            access->space = spaces[i].space;
            access->cluster = strcmp(spaces[i].text, "shared::cluster") == 0;
            access->of_function = strcmp(spaces[i].text, "param::func") == 0;
            return true;
        }
    }
    return false;
}

static bool take_access(struct lower *lower, struct access *access)
{
    static const char *const vectors[] = {"v2", "v4", "v8", NULL};
    uint32_t seen = 0, vector;
    bool taken = true;
    *access = (struct access){.space = PTX_GENERIC, .vector = 1};
    while (taken) {
        if (!take_word(lower, access, &seen, &taken))
            return false;
        taken |= access->space == PTX_GENERIC && take_space(lower, access);
    }
    if (lower_take_one(lower, vectors, &vector))
        access->vector = 2u << vector;
    if (!lower_take_type(lower, &access->type) || !lower_take_end(lower))
        return false;
    if (access->type >= PTX_F16 && access->type != PTX_F32 && access->type != PTX_F64) {
        return lower_fail(lower, "a .%s cannot be loaded or stored: load or store its bits.",
                          ptx_type_text(access->type));
    }
    const uint32_t bytes = access->vector * ptx_type_bytes(access->type);
    if (access->vector > PROGRAM_VECTOR || bytes > 16) {
        return lower_fail(
            lower,
            "it moves %u bytes per lane in %u elements: the device model supports at most 16 bytes in 4.",
            bytes, access->vector);
    }
    return true;
}

/* The address of the instruction; for parameters of device functions, the area in the frame. */
static bool set_address(struct lower *lower, const struct ptx_operand *operand, const struct access *access,
                        struct program_instruction *made)
{
    const struct lower_symbol *const symbol =
        operand->name && access->space == PTX_PARAM ? lower_symbol(lower, operand->name) : NULL;
    made->immediate = PROGRAM_NO_SLOT;
    if (!symbol || !symbol->variable || symbol->variable->space != PTX_PARAM || symbol->of_entry) {
        if (access->of_function)
            return lower_fail(lower, "its address is not a parameter of a device function.");
        return lower_address(lower, operand, access->space, &made->source[0], &made->offset,
                             &made->address_is_32_bits);
    }
    struct lower_symbol *const area = lower_symbol(lower, operand->name);
    const uint64_t size_bytes = symbol->variable->size_bytes, bytes = made->width_bytes;
    if (operand->offset < 0 || (uint64_t)operand->offset + bytes > size_bytes) {
        return lower_fail(lower, "it reaches outside of %s, which has %llu bytes.", symbol->name,
                          (unsigned long long)size_bytes);
    }
    if (area->slot == PROGRAM_NO_SLOT && !lower_area(lower, size_bytes, &area->slot))
        return false;
    made->immediate = area->slot;
    made->offset = operand->offset;
    made->offset2 = (int64_t)size_bytes;
    return true;
}

/* The registers of {a, b, ...}, of a vector register, or a single register; loads write them, stores read
 * them. A value of 128 bits counts as two of 64. */
struct elements {
    uint32_t slot[PROGRAM_VECTOR];
    uint32_t count, bytes; /* of each register */
};

static bool take_element(struct lower *lower, const struct ptx_operand *operand, enum ptx_type type,
                         bool load, struct elements *elements)
{
    uint32_t *const slot = &elements->slot[elements->count];
    uint32_t bytes = 0;
    if (load && operand->kind == PTX_OPERAND_SINK) {
        elements->count++; /* not loaded */
        return true;
    }
    if (load ? !lower_destination(lower, operand, type, LOWER_WIDER_TOO, slot, &bytes)
             : !lower_source(lower, operand, type, LOWER_WIDER_TOO, slot, &bytes))
        return false;
    const uint32_t had = elements->bytes;
    if (had != 0 && (had == 8) != (bytes == 8))
        return lower_fail(lower, "it mixes registers of 64 bits with smaller ones.");
    elements->bytes = bytes > had ? bytes : had;
    elements->count++;
    return true;
}

/* %v of type .v2 or .v4: its elements. */
static bool take_vector_register(struct lower *lower, const struct ptx_operand *operand, enum ptx_type type,
                                 bool load, struct elements *elements)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    const struct lower_symbol *const symbol = lower_symbol(lower, operand->name);
    char name[256];
    for (uint32_t i = 0; i < symbol->variable->vector; i++) {
        const size_t length = strlen(symbol->name);
        if (length + 3 > sizeof name)
            return lower_fail(lower, "the name of %.40s is too long.", symbol->name);
        memcpy(name, symbol->name, length);
        memcpy(name + length, ".", 2);
        memcpy(name + length + 1, names[i], 2);
        const struct ptx_operand element = {.kind = PTX_OPERAND_NAME, .name = name};
        if (!take_element(lower, &element, type, load, elements))
            return false;
    }
    return true;
}

static bool take_elements(struct lower *lower, const struct ptx_operand *operand, enum ptx_type type,
                          uint32_t vector, bool load, struct elements *elements)
{
    const struct lower_symbol *const symbol =
        operand->kind == PTX_OPERAND_NAME ? lower_symbol(lower, operand->name) : NULL;
    memset(elements->slot, 0xff, sizeof elements->slot); /* PROGRAM_NO_SLOT */
    if (operand->kind == PTX_OPERAND_VECTOR) {
        for (uint32_t i = 0; i < operand->part_count && i < PROGRAM_VECTOR; i++)
            if (!take_element(lower, &operand->parts[i], type, load, elements))
                return false;
        elements->count = operand->part_count;
    } else if (symbol && symbol->variable && symbol->variable->space == PTX_REG &&
               symbol->variable->vector > 1) {
        if (symbol->variable->vector <= PROGRAM_VECTOR &&
            !take_vector_register(lower, operand, type, load, elements))
            return false;
    } else if (!take_element(lower, operand, type, load, elements)) {
        return false;
    }
    return elements->count == vector ||
           lower_fail(lower, "it moves %u elements with %u registers.", vector, elements->count);
}

/* 128 bits in one register: the two halves of its slot. */
static void split_128(struct program_instruction *made, uint32_t *slots)
{
    made->type = PTX_B64;
    made->vector = 2;
    slots[1] = slots[0] == PROGRAM_NO_SLOT ? PROGRAM_NO_SLOT : slots[0] + 32 * 8;
}

static bool lower_access(struct lower *lower, bool load)
{
    struct access access;
    struct elements elements = {0};
    struct program_instruction parts = {.offset = 0};
    memset(parts.source, 0xff, sizeof parts.source); /* PROGRAM_NO_SLOT */
    if (!take_access(lower, &access) || !lower_operand_count(lower, 2 + access.policy, 2 + access.policy))
        return false;
    const struct ptx_operand *const data = &lower->at->operands[load ? 0 : 1];
    const struct ptx_operand *const address = &lower->at->operands[load ? 1 : 0];
    uint32_t policy;
    parts.width_bytes = (uint8_t)(access.vector * ptx_type_bytes(access.type));
    if (!set_address(lower, address, &access, &parts) ||
        !take_elements(lower, data, access.type, access.vector, load, &elements) ||
        (access.policy &&
         !lower_source(lower, &lower->at->operands[2], PTX_B64, LOWER_SAME_SIZE, &policy, NULL)))
        return false;
    if (!load &&
        (access.space == PTX_CONST || (access.space == PTX_PARAM && parts.immediate == PROGRAM_NO_SLOT)))
        return lower_fail(lower, "nothing can be stored in this state space.");
    struct program_instruction *const made = lower_emit(lower, load ? PROGRAM_LD : PROGRAM_ST, CLASS_MEMORY);
    if (!made)
        return false;
    made->type = (uint8_t)access.type;
    made->space = (uint8_t)access.space;
    made->cache = (uint8_t)access.cache;
    made->strong = access.strong || access.cache == CACHE_VOLATILE;
    made->sync = access.sync;
    made->cluster = access.cluster;
    made->vector = (uint8_t)access.vector;
    made->width_bytes = parts.width_bytes;
    made->address_is_32_bits = parts.address_is_32_bits;
    made->offset = parts.offset;
    made->offset2 = parts.offset2;
    made->immediate = parts.immediate;
    made->source[0] = parts.source[0];
    const uint32_t bytes = elements.bytes == 0 ? ptx_type_bytes(access.type) : elements.bytes;
    made->destination_bytes = bytes >= 8 ? 8 : bytes == 4 ? 4 : 2;
    made->sign_extended = load &&
                          (access.type == PTX_S8 || access.type == PTX_S16 || access.type == PTX_S32) &&
                          elements.bytes > ptx_type_bytes(access.type);
    if (access.type == PTX_B128)
        split_128(made, elements.slot);
    memcpy(load ? made->destination : made->source + 1, elements.slot,
           made->vector * sizeof elements.slot[0]);
    return true;
}

bool lower_load(struct lower *lower)
{
    return lower_access(lower, true);
}

bool lower_store(struct lower *lower)
{
    if (lower_take(lower, "async"))
        return lower_store_async(lower, false);
    if (lower_take(lower, "bulk"))
        return lower_fail(lower, "the model does not fill shared memory in bulk (sm_100).");
    return lower_access(lower, false);
}

/* prefetch{.global|.local}.L1|.L2 [a]; prefetch.global.L2::evict_last|normal [a]; prefetchu.L1 [a]. */
bool lower_prefetch(struct lower *lower)
{
    static const char *const levels[] = {"L1", "L2", "L2::evict_last", "L2::evict_normal", NULL};
    struct access access = {.space = PTX_GENERIC};
    struct program_instruction parts = {0};
    uint32_t level;
    take_space(lower, &access);
    if (!lower_take_one(lower, levels, &level))
        return lower_fail(lower, "it needs .L1 or .L2.");
    if (!lower_take_end(lower) || !lower_operand_count(lower, 1, 1) ||
        !lower_address(lower, &lower->at->operands[0], access.space, &parts.source[0], &parts.offset,
                       &parts.address_is_32_bits))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_PREFETCH, CLASS_MEMORY);
    if (!made)
        return false;
    made->space = (uint8_t)access.space;
    made->sub = level == 0 ? 1 : 2;
    made->source[0] = parts.source[0];
    made->offset = parts.offset;
    made->address_is_32_bits = parts.address_is_32_bits;
    return true;
}

/* A policy is a number, which the loads, stores and atomics that use it ignore. */
bool lower_createpolicy(struct lower *lower)
{
    struct lanes_form form;
    uint32_t policy, none;
    if (lower->at->operand_count == 0)
        return lower_fail(lower, "its result is missing.");
    if (!lower_destination(lower, &lower->at->operands[0], PTX_B64, LOWER_SAME_SIZE, &policy, NULL) ||
        !lower_constant(lower, PTX_B64, 0, &none))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_LANES, CLASS_INTEGER);
    if (!made || !lanes_find("mov.b64", &form))
        return false;
    made->lanes = form.function;
    made->destination[0] = policy;
    made->source[0] = none;
    return true;
}

/* ---- textures and surfaces ---- */

/* Texture fetches and surfaces: PTX ISA 9.0, 9.7.10 and 9.7.11. */

#define RESULTS 4

/* Geometries, and the coordinates in their braces. */
static const char *const geometries[] = {[TEXTURE_1D] = "1d",
                                         [TEXTURE_2D] = "2d",
                                         [TEXTURE_3D] = "3d",
                                         [TEXTURE_1D_LAYERED] = "a1d",
                                         [TEXTURE_2D_LAYERED] = "a2d",
                                         [TEXTURE_CUBE] = "cube",
                                         [TEXTURE_CUBE_LAYERED] = "acube",
                                         NULL};

static const struct {
    bool layer; /* comes first */
    uint32_t axes, count;
} places[] = {
    [TEXTURE_1D] = {false, 1, 1},         [TEXTURE_2D] = {false, 2, 2},        [TEXTURE_3D] = {false, 3, 4},
    [TEXTURE_1D_LAYERED] = {true, 1, 2},  [TEXTURE_2D_LAYERED] = {true, 2, 4}, [TEXTURE_CUBE] = {false, 3, 4},
    [TEXTURE_CUBE_LAYERED] = {true, 3, 4}};

struct texture_slots {
    uint32_t handle, axes[3], layer;
};

/* [object, {x, y}]: the object's handle is in a register; there is no separate sampler. */
static bool take_place(struct lower *lower, const struct ptx_operand *place, uint32_t kind,
                       enum ptx_type type, struct texture_slots *slots)
{
    const struct ptx_operand handle = {.kind = PTX_OPERAND_NAME, .name = place->name};
    enum ptx_type handle_type;
    uint32_t slot;

    *slots = (struct texture_slots){
        PROGRAM_NO_SLOT, {PROGRAM_NO_SLOT, PROGRAM_NO_SLOT, PROGRAM_NO_SLOT}, PROGRAM_NO_SLOT};
    if (place->kind != PTX_OPERAND_ADDRESS || !place->name || place->offset != 0 ||
        !lower_register(lower, place->name, &handle_type, &slot))
        return lower->status == STATUS_OK &&
               lower_fail(lower, "its texture must be an object in a register.");
    const struct ptx_operand *const parts = place->part_count == 1 ? place->parts[0].parts : NULL;
    const uint32_t count = place->part_count != 1                       ? 0
                           : place->parts[0].kind == PTX_OPERAND_VECTOR ? place->parts[0].part_count
                                                                        : 1;
    if (count != places[kind].count)
        return lower_fail(lower, "it must have an object and %u coordinates.", places[kind].count);
    if (!lower_source(lower, &handle, PTX_B64, LOWER_SAME_SIZE, &slots->handle, NULL))
        return false;
    const struct ptx_operand *const first = parts ? parts : &place->parts[0];
    if (places[kind].layer && !lower_source(lower, &first[0], PTX_U32, LOWER_SAME_SIZE, &slots->layer, NULL))
        return false;
    for (uint32_t i = 0; i < places[kind].axes; i++)
        if (!lower_source(lower, &first[i + places[kind].layer], type, LOWER_SAME_SIZE, &slots->axes[i],
                          NULL))
            return false;
    return true;
}

/* The registers of a vector, or one register; as results or as sources. */
static bool take_values(struct lower *lower, const struct ptx_operand *values, uint32_t count,
                        enum ptx_type type, bool results, uint32_t slots[RESULTS])
{
    const bool single = values->kind != PTX_OPERAND_VECTOR;
    if ((single ? 1 : values->part_count) != count)
        return lower_fail(lower, "it must have %u registers for its values.", count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *const value = single ? values : &values->parts[i];
        slots[i] = PROGRAM_NO_SLOT;
        if (value->kind == PTX_OPERAND_SINK)
            continue;
        if (results ? !lower_destination(lower, value, type, LOWER_WIDER_TOO, &slots[i], NULL)
                    : !lower_source(lower, value, type, LOWER_WIDER_TOO, &slots[i], NULL))
            return false;
    }
    return true;
}

/* tex{.level, .grad}.geometry.v4.f32|u32|s32.f32|s32 {d0, d1, d2, d3}, [object, {x, y}] {, level or
 * gradients}; tld4.channel.2d.v4...: arrays have one level, so levels and gradients have no effect. */
bool lower_texture(struct lower *lower)
{
    static const char *const channels[] = {"r", "g", "b", "a", NULL};
    const bool gathers = strcmp(lower->at->opcode, "tld4") == 0;
    enum ptx_type result, coordinate;
    uint32_t kind, channel = 0, slots[RESULTS], operands = 2;
    struct texture_slots place;

    if (gathers && !lower_take_one(lower, channels, &channel))
        return lower_fail(lower, "it needs .r, .g, .b or .a.");
    if (!gathers && lower_take(lower, "level"))
        operands = 3;
    else if (!gathers && lower_take(lower, "grad"))
        operands = 4;
    if (!lower_take_one(lower, geometries, &kind) || !lower_take(lower, "v4") ||
        (gathers && kind != TEXTURE_2D))
        return lower_fail(lower,
                          "the model supports only .v4 with .1d, .2d, .3d, .a1d, .a2d, .cube and .acube, and "
                          "tld4 with .2d.");
    if (!lower_take_type(lower, &result) || !lower_take_type(lower, &coordinate) || !lower_take_end(lower) ||
        !lower_operand_count(lower, operands, operands))
        return false;
    if ((result != PTX_F32 && result != PTX_U32 && result != PTX_S32) ||
        (coordinate != PTX_F32 && coordinate != PTX_S32)) {
        return lower_fail(lower,
                          "it fetches .%s at .%s: the model supports .f32, .u32 and .s32 at .f32 or .s32.",
                          ptx_type_text(result), ptx_type_text(coordinate));
    }
    const struct ptx_operand *const results = &lower->at->operands[0];
    if (results->kind != PTX_OPERAND_VECTOR || results->part_count != RESULTS)
        return lower_fail(lower, "its results must be four registers.");
    if (!take_values(lower, results, RESULTS, result, true, slots) ||
        !take_place(lower, &lower->at->operands[1], kind, coordinate, &place))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_TEX, CLASS_MEMORY);
    if (!made)
        return false;
    made->type = (uint8_t)coordinate;
    made->space = PTX_GLOBAL;
    made->vector = RESULTS;
    made->sub = (uint8_t)(kind | (gathers ? 1 + channel : 0) << 4);
    memcpy(made->destination, slots, sizeof slots);
    made->source[0] = place.handle;
    memcpy(&made->source[1], place.axes, sizeof place.axes);
    made->source[4] = place.layer;
    return true;
}

/* suld.b.geometry{.vector}.b8...b64.mode {d}, [object, {x, y}]; sust.b... [object, {x, y}], {s}. x: bytes. */
bool lower_surface(struct lower *lower)
{
    static const char *const vectors[] = {"v2", "v4", NULL};
    static const char *const modes[] = {"trap", "clamp", "zero", NULL};
    const bool store = strcmp(lower->at->opcode, "sust") == 0;
    uint32_t kind, vector = 0, mode, count = 1, slots[RESULTS];
    enum ptx_type type;
    struct texture_slots place;

    if (!lower_take(lower, "b") || !lower_take_one(lower, geometries, &kind) || kind > TEXTURE_2D_LAYERED)
        return lower_fail(lower, "the model supports only .b with .1d, .2d, .3d, .a1d and .a2d.");
    while (lower_take(lower, "ca") || lower_take(lower, "cg") || lower_take(lower, "cs") ||
           lower_take(lower, "cv") || lower_take(lower, "wb") || lower_take(lower, "wt"))
        continue;
    if (lower_take_one(lower, vectors, &vector))
        count = vector == 0 ? 2 : 4;
    if (!lower_take_type(lower, &type))
        return false;
    if (type < PTX_B8 || type > PTX_B64 || count * ptx_type_bytes(type) > 16)
        return lower_fail(
            lower,
            "it moves %u elements of type .%s: the model supports .b8 to .b64, at most 16 bytes together.",
            count, ptx_type_text(type));
    if (!lower_take_one(lower, modes, &mode))
        return lower_fail(lower, "it needs .trap, .clamp or .zero.");
    if (!lower_take_end(lower) || !lower_operand_count(lower, 2, 2) ||
        !take_values(lower, &lower->at->operands[store], count, type, !store, slots) ||
        !take_place(lower, &lower->at->operands[!store], kind, PTX_S32, &place))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_SURFACE, CLASS_MEMORY);
    if (!made)
        return false;
    made->space = PTX_GLOBAL;
    made->type = (uint8_t)type;
    made->vector = (uint8_t)count;
    made->width_bytes = (uint8_t)(count * ptx_type_bytes(type));
    made->sub = (uint8_t)(mode | (store ? SURFACE_STORE : 0));
    memcpy(store ? made->source : made->destination, slots, count * sizeof slots[0]);
    made->source[4] = place.axes[0];
    made->source[5] = place.axes[1];
    made->immediate = places[kind].layer ? place.layer : place.axes[2];
    made->offset2 = place.handle;
    return true;
}
