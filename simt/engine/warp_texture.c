/*
 * tex: fetches through texture objects. The texels of all lanes go through L1 as a load's words do, each
 * sector once; they are counted apart from loads, as a GPU does.
 */
#include "simt/engine/texture.h"
#include "simt/engine/warp_memory.h"

/* What texels are fetched from, without repetition. */
struct touched {
    uint64_t *sectors;
    uint32_t count;
    uint32_t texels;
};

static void touch_texels(struct touched *touched, const struct texture_texels *texels)
{
    for (uint32_t corner = 0; corner < texels->count; corner++) {
        uint64_t sector = texels->address[corner] / 32;
        uint32_t i = 0;

        if (texels->address[corner] == TEXTURE_OUTSIDE)
            continue;
        touched->texels++;
        while (i < touched->count && touched->sectors[i] != sector)
            i++;
        if (i == touched->count)
            touched->sectors[touched->count++] = sector;
    }
}

static double read_coordinate(const struct warp *warp, const struct program_instruction *instruction,
                              uint32_t axis, uint32_t lane)
{
    const void *slot = warp->frame + instruction->source[1 + axis];

    return instruction->type == PTX_S32 ? (double)((const int32_t *)slot)[lane]
                                        : (double)((const float *)slot)[lane];
}

static void set_result(struct warp *warp, const struct program_instruction *instruction, uint32_t lane,
                       float value)
{
    for (uint32_t i = 0; i < instruction->vector; i++)
        if (instruction->destination[i] != PROGRAM_NO_SLOT)
            ((float *)(void *)(warp->frame + instruction->destination[i]))[lane] = i == 0 ? value : 0;
}

bool warp_texture(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    const uint64_t *handles = (const void *)(warp->frame + instruction->source[0]);
    struct touched touched = {.sectors = worker->sectors};
    const struct memory_range *texture = NULL;

    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);

        if (!texture || texture->address != handles[lane])
            texture = texture_find(worker->run->memory, handles[lane]);
        if (!texture) {
            worker->fault = worker_report(worker, warp, CHECK_NO_TEXTURE, pc, lane);
            worker->fault.address = handles[lane];
            return false;
        }
        struct texture_texels texels =
            texture_fetch(texture, read_coordinate(warp, instruction, 0, lane),
                          read_coordinate(warp, instruction, 1, lane), instruction->type == PTX_S32);
        set_result(warp, instruction, lane, texels.value);
        touch_texels(&touched, &texels);
    }
    count_texture(&worker->counter, pc, touched.texels, touched.count);
    if (worker->l1 && touched.count)
        cache_l1_access(worker->l1, CACHE_LOAD, CACHE_ALL, touched.sectors, touched.count, worker->log,
                        &worker->caches);
    return true;
}
