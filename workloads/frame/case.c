/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that the workloads' own files share: a case's parameters as text, sizes of arrays, grids. They
 * read and fill the case they are given and nothing else.
 */
#include "workloads/frame/tables.h"

#include "core/hardware/device_sheet.h"

#include <inttypes.h>
#include <stdio.h>

void workload_params_text(const struct workload_case *c, char *text, size_t size_bytes)
{
    size_t used = 0;

    if (size_bytes)
        text[0] = 0;
    for (size_t i = 0; i < workload_value_count(c->workload) && used < size_bytes; i++) {
        const struct workload_param *param = workload_param_at(c->workload, i);

        if (i >= c->workload->param_count && c->params.value[i] == param->standard)
            continue;
        int n = snprintf(text + used, size_bytes - used, "%s%s=%" PRId64, used ? "," : "", param->name,
                         c->params.value[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

const struct workload_param workload_inputs[1] = {INPUT_SEED};

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

int64_t case_threads_that_fit(const struct workload_case *c, int64_t threads, uint32_t block)
{
    while (threads / block > device_limit_sizes(DEVICE_LIMIT_GRID, c->info->compute_capability)[0])
        threads /= 2;
    return threads;
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

uint64_t access_own_word(const struct workload_case *c, const struct access_point *at)
{
    return (at->block[0] * (uint64_t)c->block[0] + access_thread(at)) * sizeof(float);
}
