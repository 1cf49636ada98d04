/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latency: how long one access takes, by a chain of them, in each memory. The time of 2 s steps less that of s steps is
 * that of s steps: the launch, and what the first round of a ring has to fetch, are in both.
 */
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <stdio.h>
#include <string.h>

#define LANES 32
#define RING 2048 /* words, as in latency.cu */
#define AT_ONCE 16
#define NEAR_STRIDE 32   /* words from step to step of a ring: 128 bytes */
#define FAR_STRIDE 8192  /* 32 KiB: no two steps have anything in common; more where the L2 cache is large */
#define LINK_STRIDE 1024 /* of mapped memory */
#define L2_ROUNDS 16     /* the ring of l2 is so many times as large as the others */

enum { PARAM_STEPS };
enum { IN_REGISTER, IN_SHARED, IN_L1, IN_L2, IN_DRAM, IN_CONSTANT, IN_TEXTURE, IN_MAPPED };

static const struct workload_param params[] = {
    [PARAM_STEPS] = {.name = "steps",
                     .meaning = "accesses of the chain, a multiple of 16; 0: as many as the memory needs",
                     SIZE_UP_TO(1 << 20, "steps")},
};

/* One word for the whole warp, where it depends on the words before: nothing is EXPECTED of it. */
#define VARIANT(place, text, kernel_name, what)                                                    \
    {                                                                                              \
        .name = text, .tag = place, .meaning = what,                                               \
        .kernels = (const struct kernel_sites[]){{.kernel = kernel_name, .data_dependent = true}}, \
        .kernel_count = 1                                                                          \
    }
static const struct workload_variant variants[] = {
    VARIANT(IN_REGISTER, "register", "latency_register", "additions, each of which waits for the one before"),
    VARIANT(IN_SHARED, "shared", "latency_shared", "a ring of 8 KiB in shared memory"),
    VARIANT(IN_L1, "l1", "latency_l1",
            "a ring of 8 KiB in global memory, which L1 holds where it holds global memory"),
    VARIANT(IN_L2, "l2", "latency_l2", "a ring of 128 KiB, by loads that pass L1 by"),
    VARIANT(IN_DRAM, "dram", "latency_far", "a new place, 32 KiB on, at each step"),
    VARIANT(IN_CONSTANT, "constant", "latency_constant", "a ring in constant memory"),
    VARIANT(IN_TEXTURE, "texture", "latency_texture", "a ring fetched through a texture"),
    VARIANT(IN_MAPPED, "mapped", "latency_far",
            "a new place in the host's memory, over the link, at each step"),
};

/* So many that the clock's steps do not matter, and few enough that DRAM's places are not in the L2 cache. */
static int64_t steps_of(int place)
{
    static const int64_t steps[] = {
        [IN_REGISTER] = 32768, [IN_SHARED] = 8192,   [IN_L1] = 8192,      [IN_L2] = 4096,
        [IN_DRAM] = 1024,      [IN_CONSTANT] = 8192, [IN_TEXTURE] = 8192, [IN_MAPPED] = 256};
    return steps[place];
}

static enum status latency_resolve(struct workload_case *c, struct error *error)
{
    int64_t *steps = &c->params.value[PARAM_STEPS];

    if (*steps == WORKLOAD_SIZE_AUTO)
        *steps = steps_of(c->variant->tag);
    if (*steps % AT_ONCE)
        return error_set(error, STATUS_USAGE, "latency: steps=%lld is no multiple of %d.", (long long)*steps,
                         AT_ONCE);
    if ((c->variant->tag == IN_DRAM && *steps > 4096) || (c->variant->tag == IN_MAPPED && *steps > 4096))
        return error_set(error, STATUS_USAGE,
                         "latency:%s goes on to a new place at each step, and has room for steps=4096.",
                         c->variant->name);
    c->kernel = c->variant->kernels;
    c->effective_kernel = c->kernel->kernel;
    return case_grid_of_threads(c, LANES, LANES, 0, error);
}

struct chain {
    const struct workload_case *c;
    struct workbench *bench;
    device_pointer out, ring;
    uint64_t texture;
    uint32_t words, stride; /* of the ring; far: words 0 */
};

static bool is_far(const struct chain *chain)
{
    return chain->c->variant->tag == IN_DRAM || chain->c->variant->tag == IN_MAPPED;
}

/* Makes the ring: word i holds the number of the word that follows it. */
static enum status ring_make(struct chain *chain, struct error *error)
{
    const struct device_ops *ops = chain->bench->device->ops;
    const int place = chain->c->variant->tag;
    void *host = NULL;
    enum status status;

    chain->stride = NEAR_STRIDE;
    chain->words = place == IN_L2 ? RING * L2_ROUNDS : RING;
    status =
        workbench_host_buffer(chain->bench, 0, HOST_PAGEABLE, chain->words * sizeof(uint32_t), &host, error);
    if (status)
        return status;
    for (uint32_t i = 0; i < chain->words; i++)
        ((uint32_t *)host)[i] = (i + chain->stride) % chain->words;
    if (place == IN_CONSTANT)
        status = ops->symbol(chain->bench->device, "latency", "latency_table", &chain->ring, NULL, error);
    else
        status =
            workbench_device_buffer(chain->bench, 1, chain->words * sizeof(uint32_t), &chain->ring, error);
    if (status == STATUS_OK)
        status =
            ops->copy(chain->bench->device, DEVICE_COPY_TO_DEVICE, chain->ring, device_host_address(host),
                      chain->words * sizeof(uint32_t), DEVICE_STREAM_DEFAULT, false, error);
    if (status == STATUS_OK && place == IN_TEXTURE)
        status = ops->texture_create(chain->bench->device,
                                     &(struct device_texture){.linear_memory = chain->ring,
                                                              .width = chain->words,
                                                              .height = 1,
                                                              .texel = DEVICE_TEXEL_FLOAT},
                                     &chain->texture, error);
    return status;
}

/* Memory for three times the steps, all 0: the second launch begins where no launch has been. */
static enum status far_make(struct chain *chain, struct error *error)
{
    const bool mapped = chain->c->variant->tag == IN_MAPPED;
    void *host = NULL;
    const uint32_t l2 = chain->c->info->l2_bytes, steps = (uint32_t)chain->c->params.value[PARAM_STEPS];

    chain->stride = mapped ? LINK_STRIDE : FAR_STRIDE;
    while (!mapped && (uint64_t)chain->stride * steps * sizeof(uint32_t) < l2)
        chain->stride *= 2; /* what the set has left in the L2 cache is far behind where the chain is */
    size_t bytes =
        ((size_t)chain->c->params.value[PARAM_STEPS] * 3 + 2 * AT_ONCE) * chain->stride * sizeof(uint32_t);
    enum status status;

    if (!mapped) {
        status = workbench_device_buffer(chain->bench, 1, bytes, &chain->ring, error);
        return status ? status
                      : chain->bench->device->ops->set(chain->bench->device, chain->ring, 0, bytes,
                                                       DEVICE_STREAM_DEFAULT, error);
    }
    status = workbench_host_buffer(chain->bench, 1, HOST_MAPPED, bytes, &host, error);
    if (status)
        return status;
    memset(host, 0, bytes);
    return chain->bench->device->ops->host_pointer(chain->bench->device, host, &chain->ring, error);
}

/* Launches the chain between two events. */
static enum status chain_launch(struct chain *chain, const uint64_t event[2], uint32_t first, uint32_t steps,
                                double *ns, struct error *error)
{
    struct device *device = chain->bench->device;
    float one = 1;
    void *plain[] = {&chain->out, &chain->ring, &first, &steps},
         *far[] = {&chain->out, &chain->ring, &first, &steps, &chain->stride},
         *constant[] = {&chain->out, &first, &steps},
         *texture[] = {&chain->out, &chain->texture, &first, &steps},
         *in_register[] = {&chain->out, &one, &steps};
    struct device_launch launch = {.image = "latency",
                                   .kernel = chain->c->effective_kernel,
                                   .grid = {1, 1, 1},
                                   .block = {LANES, 1, 1},
                                   .arguments = is_far(chain)                           ? far
                                                : chain->c->variant->tag == IN_REGISTER ? in_register
                                                : chain->c->variant->tag == IN_CONSTANT ? constant
                                                : chain->c->variant->tag == IN_TEXTURE  ? texture
                                                                                        : plain};
    enum status status;

    if ((status = device->ops->event_record(device, event[0], DEVICE_STREAM_DEFAULT, error)) ||
        (status = device->ops->launch(device, &launch, error)) ||
        (status = device->ops->event_record(device, event[1], DEVICE_STREAM_DEFAULT, error)))
        return status;
    return device->ops->event_elapsed(device, event[0], event[1], ns, error);
}

/* Where the chain must end. */
static uint32_t chain_end(const struct chain *chain, uint32_t first, uint32_t steps)
{
    if (chain->c->variant->tag == IN_REGISTER) {
        float sum = (float)steps;
        uint32_t bits;
        memcpy(&bits, &sum, sizeof bits);
        return bits;
    }
    return is_far(chain) ? first + steps * chain->stride
                         : (uint32_t)((first + (uint64_t)steps * chain->stride) % chain->words);
}

static enum status chain_measure(struct chain *chain, const uint64_t event[2], struct workload_result *result,
                                 struct error *error)
{
    const uint32_t steps = (uint32_t)chain->c->params.value[PARAM_STEPS],
                   far = is_far(chain) ? chain->stride : 0;
    const uint32_t first = far * AT_ONCE, second = far * (steps + AT_ONCE);
    double warm_ns, once_ns, twice_ns;
    char text[80];
    uint32_t end = 0;
    enum status status;

    if ((status = chain_launch(chain, event, 0, AT_ONCE, &warm_ns, error)) ||
        (status = chain_launch(chain, event, first, steps, &once_ns, error)) ||
        (status = chain_launch(chain, event, second, 2 * steps, &twice_ns, error)) ||
        (status = chain->bench->device->ops->copy(chain->bench->device, DEVICE_COPY_TO_HOST,
                                                  device_host_address(&end), chain->out, sizeof end,
                                                  DEVICE_STREAM_DEFAULT, false, error)))
        return status;
    double ns = (twice_ns - once_ns) / steps;
    snprintf(text, sizeof text, "%.1f ns, %.0f cycles", ns, ns * chain->c->info->core_clock_khz / 1e6);
    workbench_tell(chain->bench, WORKBENCH_MARK, text);
    uint32_t wanted = chain_end(chain, second, 2 * steps);
    result->verified = end == wanted;
    if (end != wanted)
        snprintf(result->detail, sizeof result->detail, "the chain ends at %u, expected %u", end, wanted);
    return STATUS_OK;
}

static enum status latency_run(const struct workload_case *c, struct workbench *bench,
                               struct workload_result *result, struct error *error)
{
    const struct device_ops *ops = bench->device->ops;
    struct chain chain = {.c = c, .bench = bench};
    uint64_t event[2] = {0};
    enum status status = workbench_device_buffer(bench, 0, sizeof(uint32_t), &chain.out, error);

    if (status == STATUS_OK && c->variant->tag != IN_REGISTER)
        status = is_far(&chain) ? far_make(&chain, error) : ring_make(&chain, error);
    if (status == STATUS_OK)
        status = ops->event_create(bench->device, &event[0], error);
    if (status == STATUS_OK)
        status = ops->event_create(bench->device, &event[1], error);
    if (status == STATUS_OK)
        status = chain_measure(&chain, event, result, error);
    for (int i = 0; i < 2; i++)
        if (event[i])
            ops->event_destroy(bench->device, event[i], NULL);
    if (chain.texture)
        ops->texture_destroy(bench->device, chain.texture, NULL);
    return status;
}

const struct workload workload_latency = {
    .name = "latency",
    .chapter = CHAPTER_MEMORIES,
    .title = "Latency: how long one access takes, by memory",
    .words = "pointer chase cycles registers shared L1 L2 DRAM constant texture mapped dependent chain",
    .meaning =
        "A chain of dependent accesses: each begins when the one before it has ended, so its time is the latency",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = latency_resolve,
    .run = latency_run,
};
