/* Texture fetches: PTX ISA 9.0, 9.7.10.3. */
#include "simt/program/lower_internal.h"

#include <string.h>

#define RESULTS 4

/* [object, {x, y}]: the object's handle in a register, without a sampler of its own. */
static bool take_place(struct lower *lower, const struct ptx_operand *place, enum ptx_type type,
                       uint32_t source[3])
{
    const struct ptx_operand handle = {.kind = PTX_OPERAND_NAME, .name = place->name};
    enum ptx_type handle_type;
    uint32_t slot;

    if (place->kind != PTX_OPERAND_ADDRESS || place->name == NULL || place->offset != 0 ||
        !lower_register(lower, place->name, &handle_type, &slot))
        return lower->status == STATUS_OK && lower_fail(lower, "its texture is no object in a register.");
    if (place->part_count != 1 || place->parts[0].kind != PTX_OPERAND_VECTOR ||
        place->parts[0].part_count != 2)
        return lower_fail(lower, "it has more than a texture object and two coordinates.");
    if (!lower_source(lower, &handle, PTX_B64, LOWER_SAME_SIZE, &source[0], NULL))
        return false;
    for (uint32_t i = 0; i < 2; i++)
        if (!lower_source(lower, &place->parts[0].parts[i], type, LOWER_SAME_SIZE, &source[1 + i], NULL))
            return false;
    return true;
}

/* tex.2d.v4.f32.f32|s32 {d0, d1, d2, d3}, [object, {x, y}]. */
bool lower_texture(struct lower *lower)
{
    enum ptx_type result, coordinate;
    uint32_t destination[RESULTS], source[3];

    if (!lower_take(lower, "2d") || !lower_take(lower, "v4"))
        return lower_fail(lower, "the model has pictures of two dimensions only: tex.2d.v4.");
    if (!lower_take_type(lower, &result) || !lower_take_type(lower, &coordinate) || !lower_take_end(lower) ||
        !lower_operand_count(lower, 2, 2))
        return false;
    if (result != PTX_F32 || (coordinate != PTX_F32 && coordinate != PTX_S32)) {
        return lower_fail(lower, "it fetches .%s at .%s: the model's pictures are of .f32, at .f32 or .s32.",
                          ptx_type_text(result), ptx_type_text(coordinate));
    }
    const struct ptx_operand *const results = &lower->at->operands[0];
    if (results->kind != PTX_OPERAND_VECTOR || results->part_count != RESULTS)
        return lower_fail(lower, "its results are no four registers.");
    for (uint32_t i = 0; i < RESULTS; i++) {
        destination[i] = PROGRAM_NO_SLOT;
        if (results->parts[i].kind != PTX_OPERAND_SINK &&
            !lower_destination(lower, &results->parts[i], PTX_F32, LOWER_SAME_SIZE, &destination[i], NULL))
            return false;
    }
    if (!take_place(lower, &lower->at->operands[1], coordinate, source))
        return false;
    struct program_instruction *const made = lower_emit(lower, PROGRAM_TEX, CLASS_MEMORY);
    if (made == NULL)
        return false;
    made->type = (uint8_t)coordinate;
    made->space = PTX_GLOBAL;
    made->vector = RESULTS;
    memcpy(made->destination, destination, sizeof destination);
    memcpy(made->source, source, sizeof source);
    return true;
}
