/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer-worth: is the work on a device worth the copies to it and back? n x n words are added, multiplied
 * as matrices, added again and again on the device or with a copy each time, and weighted by a table that is
 * sent or computed again.
 */
#include "workloads/frame/tables.h"
#include "workloads/frame/verify.h"

#include <stdlib.h>

#define BLOCK 256
#define TILE_X 32 /* of a block of the product */
#define TILE_Y 8
#define WEIGHT_PERIOD 1024 /* as in transfer_worth.cu, and its turns */
#define WEIGHT_TURNS 8

enum { PARAM_N, PARAM_STEPS };
enum { TAG_ADD, TAG_MULTIPLY, TAG_KEEP, TAG_BACK, TAG_TABLE, TAG_RECOMPUTE };
enum { SLOT_A, SLOT_B, SLOT_OUT };

static const struct workload_param params[] = {
    [PARAM_N] = {.name = "n",
                 .meaning = "side of the matrices, a multiple of 32; 0: by the size of the device",
                 SIZE_UP_TO(4096, "words"),
                 .step = 32,
                 .doubles = true},
    [PARAM_STEPS] = {.name = "steps",
                     .meaning = "additions of keep and back",
                     .unit = "steps",
                     .minimum = 1,
                     .maximum = 64,
                     .standard = 8},
};

static uint64_t side_count(const struct workload_case *c)
{
    return (uint64_t)c->params.value[PARAM_N];
}

static uint64_t product_row(const struct access_point *at)
{
    return at->block[1] * (uint64_t)TILE_Y + at->warp;
}

static uint64_t product_column(const struct access_point *at)
{
    return at->block[0] * (uint64_t)TILE_X + at->lane;
}

ACCESS_ADDRESS(a_address, (product_row(at) * side_count(c) + at->i) * sizeof(float))
ACCESS_ADDRESS(b_address, (at->i * side_count(c) + product_column(at)) * sizeof(float))
ACCESS_ADDRESS(product_address, (product_row(at) * side_count(c) + product_column(at)) * sizeof(float))

static const struct access_site add_sites[] = {
    SITE_ONCE("a[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("b[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};
static const struct access_site multiply_sites[] = {
    SITE_PER_TURN("a[row][k]", ACCESS_GLOBAL, ACCESS_LOAD, 4, side_count, a_address),
    SITE_PER_TURN("b[k][column]", ACCESS_GLOBAL, ACCESS_LOAD, 4, side_count, b_address),
    SITE_ONCE("out[row][column]", ACCESS_GLOBAL, ACCESS_STORE, 4, product_address),
};
static const struct access_site table_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("weight[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};
static const struct access_site weight_sites[] = {
    SITE_ONCE("in[i]", ACCESS_GLOBAL, ACCESS_LOAD, 4, access_own_word),
    SITE_ONCE("out[i]", ACCESS_GLOBAL, ACCESS_STORE, 4, access_own_word),
};

static const struct kernel_sites add_kernel = {KERNEL_SITES("transfer_add", add_sites)};
static const struct kernel_sites multiply_kernel = {KERNEL_SITES("transfer_multiply", multiply_sites)};
static const struct kernel_sites table_kernel = {KERNEL_SITES("transfer_table", table_sites)};
static const struct kernel_sites weight_kernel = {KERNEL_SITES("transfer_weight", weight_sites)};

#define VARIANT(id, text, what, which)                                                 \
    {                                                                                  \
        .name = text, .meaning = what, .tag = id, .kernels = &which, .kernel_count = 1 \
    }
static const struct workload_variant variants[] = {
    VARIANT(TAG_ADD, "add", "the sum of two matrices: one addition for three words that are copied",
            add_kernel),
    VARIANT(TAG_MULTIPLY, "multiply", "their product: n multiplications and additions for three words",
            multiply_kernel),
    VARIANT(TAG_KEEP, "keep", "several additions, between which the words stay on the device", add_kernel),
    VARIANT(TAG_BACK, "back", "the same, and the words go to the host and back between two additions",
            add_kernel),
    VARIANT(TAG_TABLE, "table", "a product with weights that the host has computed and sends", table_kernel),
    VARIANT(TAG_RECOMPUTE, "recompute", "the same, and each thread computes its weight", weight_kernel),
};

static enum status transfer_resolve(struct workload_case *c, struct error *error)
{
    int64_t *n = &c->params.value[PARAM_N];

    if (*n == WORKLOAD_SIZE_AUTO)
        *n = c->small ? 128 : 512;
    if (*n % TILE_X)
        return error_set(error, STATUS_USAGE, "transfer-worth: n=%lld is not a multiple of %d. Give n=%lld.",
                         (long long)*n, TILE_X, (long long)((*n / TILE_X + 1) * TILE_X));
    double words = (double)*n * (double)*n,
           moved = c->variant->tag == TAG_RECOMPUTE ? 2 : 3; /* words for each word of the output */
    enum status status = case_grid_of_threads(c, *n * *n, BLOCK, moved * sizeof(float) * words, error);

    if (status == STATUS_OK && c->variant->tag == TAG_MULTIPLY) {
        c->grid[0] = (uint32_t)(*n / TILE_X);
        c->grid[1] = (uint32_t)(*n / TILE_Y);
        c->block[0] = TILE_X;
        c->block[1] = TILE_Y;
    }
    return status;
}

struct matrices {
    struct device *device;
    size_t words, bytes;
    device_pointer in[2], out; /* in[1]: b, or the weights */
    float *host_in[2], *host_out;
};

static float weight_of(size_t i)
{
    float x = (float)(i % WEIGHT_PERIOD) * (1.0f / WEIGHT_PERIOD), weight = 0;

    for (int turn = 0; turn < WEIGHT_TURNS; turn++)
        weight = weight * x + 0.5f;
    return weight;
}

static enum status matrices_make(const struct workload_case *c, struct workbench *bench, struct matrices *m,
                                 struct error *error)
{
    void *host[3];
    enum status status;

    *m = (struct matrices){.device = bench->device, .words = side_count(c) * side_count(c)};
    m->bytes = m->words * sizeof(float);
    for (uint32_t slot = SLOT_A; slot <= SLOT_OUT; slot++)
        if ((status = workbench_device_buffer(bench, slot, m->bytes,
                                              slot == SLOT_OUT ? &m->out : &m->in[slot], error)) ||
            (status = workbench_host_buffer(bench, slot, HOST_PINNED, m->bytes, &host[slot], error)))
            return status;
    m->host_in[0] = host[SLOT_A];
    m->host_in[1] = host[SLOT_B];
    m->host_out = host[SLOT_OUT];
    for (size_t i = 0; i < m->words; i++) {
        m->host_in[0][i] = workbench_pattern_at(i);
        m->host_in[1][i] = c->variant->tag == TAG_TABLE ? weight_of(i) : workbench_pattern_at(m->words + i);
        m->host_out[i] = -1;
    }
    return STATUS_OK;
}

static enum status copy_to(const struct matrices *m, device_pointer to, const float *from,
                           struct error *error)
{
    return m->device->ops->copy(m->device, DEVICE_COPY_TO_DEVICE, to, device_host_address(from), m->bytes,
                                DEVICE_STREAM_DEFAULT, true, error);
}

static enum status copy_back(const struct matrices *m, float *to, device_pointer from, struct error *error)
{
    return m->device->ops->copy(m->device, DEVICE_COPY_TO_HOST, device_host_address(to), from, m->bytes,
                                DEVICE_STREAM_DEFAULT, true, error);
}

static enum status matrices_launch(const struct workload_case *c, const struct matrices *m, device_pointer a,
                                   struct error *error)
{
    device_pointer out = m->out, b = m->in[1];
    uint32_t n = (uint32_t)side_count(c);
    struct device_launch launch = {.image = "transfer_worth",
                                   .kernel = c->effective_kernel,
                                   .grid = {c->grid[0], c->grid[1], 1},
                                   .block = {c->block[0], c->block[1], 1},
                                   .arguments = (void *[]){&out, &a, &b, &n}};

    return m->device->ops->launch(m->device, &launch, error);
}

/* The additions of keep and back: out = in + b, then out = out + b. */
static enum status steps_issue(const struct workload_case *c, const struct matrices *m, struct error *error)
{
    int64_t steps = c->params.value[PARAM_STEPS];
    enum status status = matrices_launch(c, m, m->in[0], error);

    for (int64_t step = 1; step < steps && status == STATUS_OK; step++) {
        if (c->variant->tag == TAG_BACK && ((status = copy_back(m, m->host_out, m->out, error)) ||
                                            (status = m->device->ops->sync(m->device, error)) ||
                                            (status = copy_to(m, m->out, m->host_out, error))))
            return status;
        status = matrices_launch(c, m, m->out, error);
    }
    return status;
}

static enum status round_issue(const struct workload_case *c, const struct matrices *m, struct error *error)
{
    bool steps = c->variant->tag == TAG_KEEP || c->variant->tag == TAG_BACK;
    enum status status = copy_to(m, m->in[0], m->host_in[0], error);

    if (status == STATUS_OK && c->variant->tag != TAG_RECOMPUTE)
        status = copy_to(m, m->in[1], m->host_in[1], error);
    if (status == STATUS_OK)
        status = steps ? steps_issue(c, m, error) : matrices_launch(c, m, m->in[0], error);
    return status ? status : copy_back(m, m->host_out, m->out, error);
}

/* Sums in the order of the kernel. */
static void product_compute(float *out, const float *a, const float *b, size_t n)
{
    for (size_t row = 0; row < n; row++) {
        for (size_t column = 0; column < n; column++)
            out[row * n + column] = 0;
        for (size_t k = 0; k < n; k++)
            for (size_t column = 0; column < n; column++)
                out[row * n + column] += a[row * n + k] * b[k * n + column];
    }
}

static void wanted_compute(const struct workload_case *c, const struct matrices *m, float *wanted)
{
    int64_t steps = c->variant->tag == TAG_ADD ? 1 : c->params.value[PARAM_STEPS];

    if (c->variant->tag == TAG_MULTIPLY) {
        product_compute(wanted, m->host_in[0], m->host_in[1], side_count(c));
        return;
    }
    for (size_t i = 0; i < m->words; i++) {
        wanted[i] = m->host_in[0][i];
        if (c->variant->tag == TAG_TABLE || c->variant->tag == TAG_RECOMPUTE)
            wanted[i] *= weight_of(i);
        else
            for (int64_t step = 0; step < steps; step++)
                wanted[i] += m->host_in[1][i];
    }
}

static enum status transfer_run(const struct workload_case *c, struct workbench *bench,
                                struct workload_result *result, struct error *error)
{
    struct matrices m;
    enum status status = matrices_make(c, bench, &m, error);

    for (uint32_t round = 0; round < bench->rounds && status == STATUS_OK; round++) {
        status = round_issue(c, &m, error);
        /* Needed after an error, too: work enqueued before it uses the buffers. */
        enum status ended = m.device->ops->sync(m.device, status ? NULL : error);
        status = status ? status : ended;
    }
    if (status)
        return status;
    float *wanted = malloc(m.bytes);
    if (!wanted)
        return error_set(error, STATUS_MEMORY,
                         "There is not enough host memory for %zu bytes: use a smaller n.", m.bytes);
    wanted_compute(c, &m, wanted);
    workbench_digest(bench, m.host_out, m.words);
    result->verified = verify_words("out", 0, m.host_out, wanted, m.words, result);
    free(wanted);
    return STATUS_OK;
}

const struct workload workload_transfer_worth = {
    .name = "transfer-worth",
    .chapter = CHAPTER_STREAMS,
    .title = "Work that is worth its copies, and work that is not",
    .words = "transfer cost arithmetic per element complexity keep data on device recompute matrix addition",
    .meaning = "A copy pays if there is much work for each word; keep words on the device between kernels, "
               "and compute rather than send what is cheap to compute",
    WORKLOAD_TABLES(params, variants),
    .devices_needed = 1,
    .resolve = transfer_resolve,
    .run = transfer_run,
};
