/* Texture fetches and surfaces: PTX ISA 9.0, 9.7.10 and 9.7.11. */
#include "simt/program/lower/lower_internal.h"

#include <string.h>

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
    if (place->kind != PTX_OPERAND_ADDRESS || place->name == NULL || place->offset != 0 ||
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
    const struct ptx_operand *const first = parts != NULL ? parts : &place->parts[0];
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
    if (made == NULL)
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
    if (made == NULL)
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
