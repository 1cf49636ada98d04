/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of all workloads, made of WORKLOAD_LIST (workloads/frame/tables.h): a row there is all that a new
 * workload adds here. The chapters are those of CHAPTER_LIST (workloads/frame/workload.h). `--all` runs the
 * sweeps that each workload names in its own table.
 */
#include "workloads/cuda/cuda.h"
#include "workloads/frame/image.h"
#include "workloads/frame/tables.h"

#include <string.h>

#define WORKLOAD_ROW(name) &workload_##name,
static const struct workload *const workloads[] = {WORKLOAD_LIST(WORKLOAD_ROW)};

#define CHAPTER_ROW(id, letter, name) {letter, name},
static const struct {
    const char *letter, *name;
} chapters[CHAPTER_COUNT] = {CHAPTER_LIST(CHAPTER_ROW)};

const char *chapter_letter(enum workload_chapter chapter)
{
    return chapters[chapter].letter;
}

const char *chapter_name(enum workload_chapter chapter)
{
    return chapters[chapter].name;
}

const struct workload *workload_at(size_t index)
{
    return index < TABLE_COUNT(workloads) ? workloads[index] : NULL;
}

const struct workload *workload_find(const char *name)
{
    for (size_t i = 0; i < TABLE_COUNT(workloads); i++)
        if (strcmp(workloads[i]->name, name) == 0)
            return workloads[i];
    return NULL;
}

enum status workload_device_open(const char *kind, uint32_t ordinal, struct device **device,
                                 struct error *error)
{
    if (strcmp(kind, "cuda") == 0)
        return cuda_device_open(CUDA_LIBRARY, ordinal, device, error);
    if (strcmp(kind, "simt") == 0)
        return workload_model_open(&(struct simt_options){.ordinal = ordinal}, device, error);
    return error_set(error, STATUS_USAGE, "There is no kind of device '%s'. There are cuda and simt.", kind);
}

static const char *image_ptx(const char *name, size_t *size_bytes)
{
    const struct kernel_image *image = kernel_ptx_find(name);

    *size_bytes = image ? image->size_bytes : 0;
    return image ? image->data : NULL;
}

enum status workload_model_open(struct simt_options *options, struct device **device, struct error *error)
{
    const struct gpu *gpu = options->gpu ? options->gpu : gpu_at(0);

    options->ptx = image_ptx;
    if (gpu->info.compute_capability == 90) /* the table is ptxas's for sm_90; else the model estimates */
        options->registers = kernel_registers;
    options->spills = kernel_spills;
    return simt_device_open(options, device, error);
}
