/*
 * The table of all workloads, and what `--all` runs.
 */
#include "workloads/cuda.h"
#include "workloads/image.h"
#include "workloads/selection.h"
#include "workloads/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct workload *const workloads[] = {
    &workload_copy_offset,
    &workload_copy_stride,
    &workload_load_pattern,
    &workload_word_size,
    &workload_aos_soa,
    &workload_block_multiple,
    &workload_bank_stride,
    &workload_bank_broadcast,
    &workload_transpose,
    &workload_matmul_ab,
    &workload_matmul_aat,
    &workload_host_copy,
    &workload_zero_copy,
    &workload_n_way,
    &workload_staged_overlap,
    &workload_issue_order,
    &workload_default_stream,
    &workload_concurrent_kernels,
    &workload_peer,
    &workload_launch,
    &workload_occupancy_smem,
    &workload_block_size,
    &workload_ilp,
    &workload_divergence,
    &workload_math,
    &workload_l1_carveout,
    &workload_atomics,
    &workload_registers,
    &workload_constant,
    &workload_texture,
    &workload_readonly,
    &workload_local_array,
    &workload_prefetch,
    &workload_reduction,
    &workload_scan,
    &workload_compaction,
    &workload_radix_sort,
    &workload_histogram,
};

/* The sweeps that the figures need. Every variant of every workload appears
 * (tests/unit/test_workload_registry.c). */
static const char *const all[] = {
    "copy-offset,offset=0..32",
    "copy-stride,stride=1..32",
    "load-pattern",
    "word-size",
    "aos-soa,fields=1..8",
    "aos-soa,fields=8,used=1",
    "block-multiple,block=32|64|96|100|128|192|200|250|256|257|500|512|1000|1024",
    "bank-stride:32-bit,stride=1..33",
    "bank-stride:8-bit,stride=1..4|6|8|12|16|17|24|32|33",
    "bank-stride:16-bit,stride=1..4|6|8|12|16|17|24|32|33",
    "bank-stride:64-bit,stride=1..4|6|8|12|16|17|24|32|33",
    "bank-stride:128-bit,stride=1..4|6|8|12|16|17|24|32|33",
    "bank-broadcast,groups=1|2|4|8|16|32",
    "transpose",
    "matmul-ab",
    "matmul-aat",
    "host-copy,kib=1|4|16|64|256|1024|4096|16384|65536",
    "host-copy:pinned-in,kib=1024,pieces=16|256|1024",
    "zero-copy,reads=1|4|16",
    "n-way",
    "staged-overlap:whole-pinned",
    "staged-overlap:whole-pageable",
    "staged-overlap:staged-pinned,streams=1|2|3|4|6|8|12|16",
    "staged-overlap:staged-pageable,streams=1|2|4|8|16",
    "issue-order",
    "default-stream",
    "concurrent-kernels,kernels=16,streams=1|2|4|8|16",
    "concurrent-kernels,kernels=32,streams=32",
    "peer",
    "launch,kernels=10|100|1000",
    "occupancy-smem,kib=0|8|16|24|32|40|48|56|64|75|90|113|150|200|227",
    "block-size:copy,block=32|64|96|128|192|256|384|512|768|1024",
    "block-size:barriers,block=32|64|96|128|192|256|384|512|768|1024",
    "ilp",
    "divergence:lane,ways=1|2|4|8|16|32",
    "divergence:warp,ways=1|2|4|8|16|32",
    "divergence:data,ways=1|2|4|8|16|32",
    "divergence:predicated,ways=2",
    "math",
    "l1-carveout,kib=8|24|48|64",
    "atomics:global,lanes=1|2|4|8|16|32",
    "atomics:float,lanes=1|2|4|8|16|32",
    "atomics:shared,lanes=1|2|4|8|16|32",
    "registers",
    "constant,words=1|2|4|8|16|32",
    "texture",
    "readonly",
    "local-array",
    "prefetch:loop",
    "prefetch:unrolled,distance=1..16",
    "prefetch:scalar-batched,distance=1..16",
    "prefetch:scalar-rolling,distance=1..16",
    "prefetch:smem-batched,distance=1..16",
    "prefetch:smem-batched-pad,distance=1..16",
    "prefetch:smem-batched-columns,distance=1..16",
    "prefetch:smem-rolling,distance=1..16",
    "prefetch:smem-rolling-pad,distance=1..16",
    "prefetch:smem-rolling-columns,distance=1..16",
    "prefetch:smem-rolling-async,distance=1..16",
    "prefetch:smem-rolling-async-pad,distance=1..16",
    "prefetch:smem-rolling-async-columns,distance=1..16",
    "prefetch:l2,distance=1..16",
    "reduction",
    "scan",
    "compaction,keep=1|10|50|90|100",
    "radix-sort",
    "histogram,skew=0|25|50|75|100",
    "histogram,skew=0,bins=32|128|512|1024",
};

const struct workload *workload_at(size_t index)
{
    return index < TABLE_COUNT(workloads) ? workloads[index] : NULL;
}

const struct workload *workload_find(const char *name)
{
    for (size_t i = 0; i < TABLE_COUNT(workloads); i++) {
        if (strcmp(workloads[i]->name, name) == 0)
            return workloads[i];
    }
    return NULL;
}

enum status workload_parse(const char *text, struct workload_case **cases, size_t *count, struct error *error)
{
    struct selection selection = {0};
    enum status status = selection_add(&selection, text, error);

    if (status) {
        selection_fini(&selection);
        return status;
    }
    *cases = selection.cases;
    *count = selection.count;
    return STATUS_OK;
}

enum status workload_all(struct workload_case **cases, size_t *count, struct error *error)
{
    struct selection selection = {0};

    for (size_t i = 0; i < TABLE_COUNT(all); i++) {
        enum status status = selection_add(&selection, all[i], error);
        if (status) {
            selection_fini(&selection);
            return status;
        }
    }
    *cases = selection.cases;
    *count = selection.count;
    return STATUS_OK;
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
    if (gpu->info.compute_capability == 90) /* what is kept is ptxas's for sm_90; else the model estimates */
        options->registers = kernel_registers;
    return simt_device_open(options, device, error);
}

void workload_params_text(const struct workload_case *c, char *text, size_t size_bytes)
{
    size_t used = 0;

    if (size_bytes)
        text[0] = 0;
    for (size_t i = 0; i < c->workload->param_count && used < size_bytes; i++) {
        int n = snprintf(text + used, size_bytes - used, "%s%s=%" PRId64, i ? "," : "",
                         c->workload->params[i].name, c->params.value[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

int64_t workload_words_past_cache(const struct workload_case *c)
{
    int64_t words = 1 << 14;

    if (c->small)
        return words;
    words = 1 << 22;
    while (words * 4 < (int64_t)c->info->l2_bytes)
        words *= 2;
    return words;
}

enum status case_grid_of_threads(struct workload_case *c, int64_t threads, uint32_t block,
                                 double effective_bytes, struct error *error)
{
    if (threads <= 0 || threads % block)
        return error_set(
            error, STATUS_USAGE, "%s: %lld is not a multiple of %u, the threads of a block. Give %lld.",
            c->workload->name, (long long)threads, block, (long long)((threads / block + 1) * block));
    c->grid[0] = (uint32_t)(threads / block);
    c->block[0] = block;
    c->grid[1] = c->grid[2] = c->block[1] = c->block[2] = 1;
    c->effective_kernel = c->variant->kernel_count ? c->variant->kernels[0].kernel : NULL;
    c->effective_bytes = c->effective_kernel ? effective_bytes : 0;
    return STATUS_OK;
}

uint64_t access_once(const struct workload_case *c)
{
    (void)c;
    return 1;
}
