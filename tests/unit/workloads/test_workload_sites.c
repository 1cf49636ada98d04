/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The access sites: every address in bounds, and that the sites describe the work: data moved through them
 * alone gives the workload's result.
 */
#include "tests/shared/made/resolved_cases.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_ACTIVE UINT64_MAX

/* The kernel's points in the order of its grid; false at the end. Starts from zeros with lane = UINT32_MAX.
 */
static bool next(const struct workload_case *c, uint64_t i_count, struct access_point *at)
{
    uint32_t warps = c->block[0] * c->block[1] * c->block[2] / 32;

    if (++at->lane < 32)
        return true;
    at->lane = 0;
    if (++at->i < i_count)
        return true;
    at->i = 0;
    if (++at->warp < warps)
        return true;
    at->warp = 0;
    return false;
}

static bool next_block(const struct workload_case *c, struct access_point *at)
{
    *at = (struct access_point){.block = {at->block[0], at->block[1], at->block[2]}};
    for (int d = 0; d < 3; d++) {
        if (++at->block[d] < c->grid[d])
            return true;
        at->block[d] = 0;
    }
    return false;
}

/* Index of the word at a site; asserts that it is one of `words`. */
static size_t word_at(const struct workload_case *c, const struct access_site *site,
                      const struct access_point *at, size_t words)
{
    uint64_t address = site->address(c, at);

    cr_assert(address % site->width_bytes == 0 && address + site->width_bytes <= words * 4,
              "%s: %s is out of bounds: byte %llu of %zu", c->workload->name, site->name,
              (unsigned long long)address, words * 4);
    return address / 4;
}

/* For kernels that move words, in -> (shared ->) out, one by one. */
static void move_words(const struct workload_case *c, const uint32_t *in, uint32_t *out, size_t words)
{
    const struct kernel_sites *kernel = c->variant->kernels;
    const struct access_site *load = &kernel->sites[0], *store = &kernel->sites[kernel->site_count - 1];
    bool shared = kernel->site_count == 4;
    struct access_point at = {.block = {0}};
    uint32_t tile[32 * 33];

    cr_assert(load->space == ACCESS_GLOBAL && load->op == ACCESS_LOAD && store->space == ACCESS_GLOBAL &&
              store->op == ACCESS_STORE);
    do {
        memset(tile, 0xee, sizeof tile);
        at.lane = UINT32_MAX;
        while (next(c, load->count(c), &at)) {
            if (load->address(c, &at) == NOT_ACTIVE) {
                cr_assert_eq(store->address(c, &at), NOT_ACTIVE);
                continue;
            }
            uint32_t value = in[word_at(c, load, &at, words)];
            if (shared)
                tile[word_at(c, &kernel->sites[1], &at, 32 * 33)] = value;
            else
                out[word_at(c, store, &at, words)] = value;
        }
        at.lane = UINT32_MAX;
        while (shared && next(c, load->count(c), &at))
            out[word_at(c, store, &at, words)] = tile[word_at(c, &kernel->sites[2], &at, 32 * 33)];
    } while (next_block(c, &at));
}

/* words: of both arrays. wanted(c, i): index of the input word that word i of the output is, or SIZE_MAX for
 * untouched. */
static void check_words(const char *text, size_t (*words)(const struct workload_case *c),
                        size_t (*wanted)(const struct workload_case *c, size_t i))
{
    size_t count;
    struct workload_case *cases = resolved_cases(text, &count);

    for (size_t k = 0; k < count; k++) {
        size_t n = words(&cases[k]);
        uint32_t *in = malloc(n * 4), *out = malloc(n * 4);

        cr_assert(in && out);
        for (size_t i = 0; i < n; i++)
            in[i] = (uint32_t)i;
        memset(out, 0xff, n * 4);
        move_words(&cases[k], in, out, n);
        for (size_t i = 0; i < n; i++) {
            size_t from = wanted(&cases[k], i);
            cr_assert_eq(out[i], from == SIZE_MAX ? UINT32_MAX : (uint32_t)from,
                         "%s:%s word %zu comes from %u", cases[k].workload->name, cases[k].variant->name, i,
                         out[i]);
        }
        free(in);
        free(out);
    }
    free(cases);
}

static size_t value(const struct workload_case *c, int param)
{
    return (size_t)c->params.value[param];
}

static size_t offset_words(const struct workload_case *c)
{
    return value(c, 1) + 32;
}

static size_t offset_wanted(const struct workload_case *c, size_t i)
{
    return i >= value(c, 0) && i < value(c, 0) + value(c, 1) ? i : SIZE_MAX;
}

Test(workload_sites, copy_offset_moves_its_words)
{
    check_words("copy-offset,offset=0..32,n=1024", offset_words, offset_wanted);
}

static size_t stride_words(const struct workload_case *c)
{
    return value(c, 1);
}

static size_t stride_wanted(const struct workload_case *c, size_t i)
{
    size_t stride = value(c, 0), copied = value(c, 1) / stride / 256 * 256;

    return i % stride == 0 && i / stride < copied ? i : SIZE_MAX;
}

Test(workload_sites, copy_stride_moves_its_words)
{
    check_words("copy-stride,stride=1..32,n=16384|10001", stride_words, stride_wanted);
}

static size_t matrix_words(const struct workload_case *c)
{
    return value(c, 0) * value(c, 0);
}

static size_t turned(const struct workload_case *c, size_t i)
{
    size_t n = value(c, 0);

    return i % n * n + i / n;
}

static size_t straight(const struct workload_case *c, size_t i)
{
    (void)c;
    return i;
}

Test(workload_sites, transpose_turns_the_matrix)
{
    check_words("transpose:copy,n=32|96", matrix_words, straight);
    check_words("transpose:naive,n=32|96", matrix_words, turned);
    check_words("transpose:tile,n=32|96", matrix_words, turned);
    check_words("transpose:pad,n=32|96", matrix_words, turned);
    check_words("transpose:swizzle,n=32|96", matrix_words, turned);
}

static size_t launch_words(const struct workload_case *c)
{
    return (size_t)c->grid[0] * c->block[0] * 8;
}

Test(workload_sites, chunk_takes_every_word_of_a_launch)
{
    check_words("staged-overlap:staged-pinned,streams=1..16", launch_words, straight);
    check_words("n-way:serial", launch_words, straight);
    check_words("n-way:4-way", launch_words, straight);
    check_words("n-way:4-way+", launch_words, straight);
}

static const struct access_site *site(const struct workload_case *c, const char *name)
{
    const struct kernel_sites *kernel = c->variant->kernels;

    for (size_t i = 0; i < kernel->site_count; i++)
        if (strcmp(kernel->sites[i].name, name) == 0)
            return &kernel->sites[i];
    return NULL;
}

/* Word i of A's row and of B's column, as the sites say; tiles hold what the store sites put there. */
static void check_product(const struct workload_case *c)
{
    size_t m = value(c, 0), n = value(c, 1);
    const struct access_site *a_load = site(c, "a[row * W + i]"), *b_load = site(c, "b[i * n + column]");
    const struct access_site *a_row = site(c, "a[row * W + lane]"),
                             *a_store = site(c, "a_tile[row][lane] = ");
    const struct access_site *a_tile_load = site(c, "a_tile[row][i..i+3]");
    const struct access_site *b_row = site(c, "b[row * n + column]"),
                             *b_store = site(c, "b_tile[row][lane] = ");
    const struct access_site *b_tile_load = site(c, "b_tile[i][lane]"),
                             *c_store = site(c, "c[row * n + column]");
    struct access_point at = {.block = {0}};
    size_t stored = 0;

    cr_assert(c_store && (a_load || (a_row && a_store && a_tile_load)) &&
              (b_load || (b_row && b_store && b_tile_load)));
    do {
        size_t a_tile[1024], b_tile[1024]; /* index of the word that lies there */
        at.lane = UINT32_MAX;
        while (next(c, 1, &at)) {
            if (a_store)
                a_tile[word_at(c, a_store, &at, 1024)] = word_at(c, a_row, &at, m * 32);
            if (b_store)
                b_tile[word_at(c, b_store, &at, 1024)] = word_at(c, b_row, &at, n * 32);
        }
        at.lane = UINT32_MAX;
        while (next(c, 32, &at)) {
            struct access_point once = at, quarter = at;
            size_t a, b, result;
            once.i = 0;
            quarter.i = at.i / 4;
            result = word_at(c, c_store, &once, m * n);
            a = a_load ? word_at(c, a_load, &at, m * 32)
                       : a_tile[word_at(c, a_tile_load, &quarter, 1024) + at.i % 4];
            b = b_load ? word_at(c, b_load, &at, n * 32) : b_tile[word_at(c, b_tile_load, &at, 1024)];
            cr_assert_eq(a, result / n * 32 + at.i, "%s: A of c[%zu], i=%zu", c->variant->name, result,
                         (size_t)at.i);
            cr_assert_eq(b, at.i * n + result % n, "%s: B of c[%zu], i=%zu", c->variant->name, result,
                         (size_t)at.i);
            stored += at.i == 0;
        }
    } while (next_block(c, &at));
    cr_assert_eq(stored, m * n);
}

Test(workload_sites, matmul_multiplies_rows_by_columns)
{
    size_t count;
    struct workload_case *cases = resolved_cases("matmul-ab,m=32|96,n=32|64", &count);

    cr_assert_eq(count, 16);
    for (size_t i = 0; i < count; i++)
        if (!cases[i].variant->library)
            check_product(&cases[i]);
    free(cases);
}

Test(workload_sites, bank_stride_fills_and_reads_each_element_once)
{
    size_t count;
    struct workload_case *cases = resolved_cases("bank-stride,stride=1..33,blocks=2", &count);

    for (size_t k = 0; k < count; k++) {
        const struct workload_case *c = &cases[k];
        const struct access_site *sites = c->variant->kernels[0].sites;
        size_t stride = value(c, 0), width = (size_t)c->variant->tag;
        uint8_t filled[32 * 33] = {0};
        struct access_point at = {.lane = UINT32_MAX};

        while (next(c, sites[0].count(c), &at)) {
            uint64_t address = sites[0].address(c, &at);
            cr_assert_eq(address, sites[1].address(c, &at));
            if (address != NOT_ACTIVE) {
                cr_assert(address % width == 0 && address / width < 32 * stride);
                filled[address / width]++;
            }
        }
        for (size_t i = 0; i < 32 * stride; i++)
            cr_assert_eq(filled[i], 1, "%s stride %zu: element %zu is filled %u times", c->variant->name,
                         stride, i, filled[i]);
        for (at.warp = 0; at.warp < 8; at.warp++) {
            for (at.lane = 0; at.lane < 32; at.lane++) {
                uint32_t read = 0;
                for (at.i = 0; at.i < sites[2].count(c); at.i++) {
                    uint64_t element = sites[2].address(c, &at) / width;
                    cr_assert(element % stride == 0 && element / stride < 32);
                    cr_assert(at.i > 0 || element == at.lane * stride);
                    read |= 1u << element / stride;
                }
                cr_assert_eq(read, UINT32_MAX);
            }
        }
        size_t written = 0;
        at = (struct access_point){.lane = UINT32_MAX};
        do {
            at.lane = UINT32_MAX;
            while (next(c, 1, &at))
                cr_assert_eq(sites[3].address(c, &at), 4 * written++);
        } while (next_block(c, &at));
        cr_assert_eq(written, 2 * 256);
    }
    free(cases);
}

Test(workload_sites, textbook_values)
{
    static const struct {
        const char *text;
        enum metric metric;
        double number;
    } table[] = {
        {"copy-offset,offset=0", METRIC_global_load_sectors_per_request, 4},
        {"copy-offset,offset=1", METRIC_global_load_sectors_per_request, 5},
        {"copy-offset,offset=8", METRIC_global_load_sectors_per_request, 4},
        {"copy-offset,offset=31", METRIC_global_store_sectors_per_request, 5},
        {"copy-offset,offset=1,n=1024", METRIC_global_load_requests, 32},
        {"copy-offset,offset=1,n=1024", METRIC_global_load_excess_sectors, 32},
        {"copy-offset,offset=1,n=1024", METRIC_global_load_bytes_wanted_per_byte_moved, 0.8},
        {"copy-offset,offset=1,n=1024", METRIC_shared_load_conflicts, 0},
        {"copy-stride,stride=2", METRIC_global_load_sectors_per_request, 8},
        {"block-shape:rows,x=8", METRIC_global_load_sectors_per_request, 4},
        {"block-shape:rows,x=4", METRIC_global_load_sectors_per_request, 8},
        {"block-shape:columns,x=4", METRIC_global_load_sectors_per_request, 4},
        {"block-shape:columns,x=32", METRIC_global_store_sectors_per_request, 32},
        {"copy-stride,stride=32", METRIC_global_store_sectors_per_request, 32},
        {"transpose:naive", METRIC_global_store_sectors_per_request, 32},
        {"transpose:naive", METRIC_global_load_sectors_per_request, 4},
        {"transpose:tile,n=32", METRIC_shared_load_wavefronts, 32 * 32},
        {"transpose:tile,n=32", METRIC_shared_load_conflicts, 32 * 31},
        {"transpose:tile,n=32", METRIC_shared_store_conflicts, 0},
        {"transpose:pad", METRIC_shared_load_conflicts, 0},
        {"transpose:swizzle", METRIC_shared_load_conflicts, 0},
        {"transpose:swizzle", METRIC_shared_store_conflicts, 0},
        {"matmul-ab:simple,m=32,n=32", METRIC_global_load_requests, 64 * 32},
        {"matmul-ab:simple,m=32,n=32", METRIC_global_load_sectors, (32 + 4 * 32) * 32},
        {"matmul-ab:a-tile,m=32,n=32", METRIC_shared_load_instructions, 8 * 32},
        {"matmul-ab:ab-tiles,m=32,n=32", METRIC_shared_load_instructions, 40 * 32},
        {"matmul-ab:ab-tiles,m=32,n=32", METRIC_shared_store_instructions, 2 * 32},
        {"fft:dft,rows=1", METRIC_global_load_requests, 16 * 2 * 512},
        {"fft:shared,rows=1", METRIC_global_load_requests, 8 * (2 + 9)},
        {"fft:shared,rows=1", METRIC_shared_load_instructions, 8 * (2 * 9 + 2)},
        {"fft:shared,rows=1", METRIC_shared_store_instructions, 8 * (2 + 2 * 9)},
        {"bank-stride:32-bit,stride=1,blocks=1", METRIC_shared_load_wavefronts, 8 * 32},
        {"bank-stride:32-bit,stride=2,blocks=1", METRIC_shared_load_wavefronts, 8 * 32 * 2},
        {"bank-stride:32-bit,stride=32,blocks=1", METRIC_shared_load_wavefronts, 8 * 32 * 32},
        {"bank-stride:32-bit,stride=33,blocks=1", METRIC_shared_load_conflicts, 0},
        {"bank-stride:32-bit,stride=33,blocks=1", METRIC_shared_store_instructions, 33},
        {"bank-stride:8-bit,stride=4,blocks=1", METRIC_shared_load_conflicts, 0},
        {"bank-stride:64-bit,stride=1,blocks=1", METRIC_shared_load_conflicts, 0},
        {"constant:read,words=32,n=2048", METRIC_global_load_requests, 0},
        {"constant:global,words=1,n=2048", METRIC_global_load_sectors, 2048 / 32 * 32},
        {"constant:ldu,words=32,n=2048", METRIC_global_load_sectors, 2048 / 32 * 32 * 4},
        {"texture-kinds:line-plain,offset=1", METRIC_global_load_sectors_per_request, 5},
        {"texture-kinds:bytes-plain", METRIC_global_load_sectors_per_request, 1},
        {"texture-kinds:volume-plain,n=4096", METRIC_global_load_requests, 4096 / 32 * 8},
        {"texture-kinds:volume-texture", METRIC_global_load_requests, 0},
        {"texture:column-plain", METRIC_global_load_sectors_per_request, 32},
        {"local-array:constant,n=1024", METRIC_local_load_sectors, 0},
        {"local-array:variable,n=1024", METRIC_local_load_sectors, 1024 / 32 * 64 * 4},
        {"local-array:variable,n=1024", METRIC_local_store, 1024 / 32 * 64 * 4},
        {"texture:rotate-plain,angle=0", METRIC_global_load_sectors_per_request, 4},
        {"texture:rotate-plain,angle=90", METRIC_global_load_sectors_per_request, 32},
        {"texture:rotate-linear", METRIC_global_load_requests, 0},
        {"prefetch:loop,passes=24", METRIC_global_load_requests, 32 * 24},
        {"prefetch:smem-rolling-async,passes=24", METRIC_global_load_requests, 32 * 24},
        {"prefetch:smem-rolling-async,passes=24", METRIC_shared_store_instructions, 0},
        {"prefetch:smem-batched,distance=16,passes=24", METRIC_shared_load_wavefronts, 32 * 16 * 16},
        {"prefetch:smem-rolling,distance=16,passes=24", METRIC_shared_store_wavefronts, 32 * 24 * 16},
        {"prefetch:smem-rolling,distance=6,passes=24", METRIC_shared_load_wavefronts, 32 * 24 * 2},
        {"prefetch:smem-rolling,distance=5,passes=24", METRIC_shared_load_conflicts, 0},
        {"prefetch:smem-rolling-pad,distance=16", METRIC_shared_load_conflicts, 0},
        {"prefetch:smem-rolling-columns,distance=16", METRIC_shared_store_conflicts, 0},
        {"zero-copy:published,n=1024", METRIC_global_store_requests, 32 + 4 + 32},
        {"zero-copy:published,n=1024", METRIC_global_store_sectors, 128 + 4},
        {"scan:naive,n=512", METRIC_shared_load_instructions, 9 * 16 - 1 - 2 - 4 - 8},
        {"scan:naive", METRIC_shared_load_conflicts, 0},
        {"scan:efficient,n=512", METRIC_shared_load_conflicts, 2 * 2 * (8 + 12 + 14 + 15 + 15 + 7 + 3 + 1)},
        {"scan:efficient,n=512", METRIC_shared_store_conflicts, 3 * (8 + 12 + 14 + 15 + 15 + 7 + 3 + 1)},
        {"scan:padded", METRIC_shared_load_conflicts, 0},
        {"scan:padded", METRIC_shared_store_conflicts, 0},
        {"scan:shuffle,n=512", METRIC_shared_load_instructions, 15 + 1},
        {"scan:blocks,n=1024", METRIC_global_store_sectors, 2 * 64 + 2},
        {"compaction:scan,n=1024", METRIC_global_load_sectors, 128},
        {"n-way:4-way,n=65536", METRIC_global_load_requests, 4096 / 32},
        {"n-way:4-way+,n=65536", METRIC_global_load_requests, 4096 / 32},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t count;
        struct workload_case *c = resolved_cases(table[i].text, &count);
        struct value found = workload_expected(c, c->variant->kernels, table[i].metric, arch_find(90));

        cr_assert(found.available && found.provenance == PROVENANCE_EXPECTED);
        cr_assert_float_eq(found.number, table[i].number, 1e-12, "%s: %s is %g", table[i].text,
                           metric_info(table[i].metric)->id, found.number);
        free(c);
    }
}

Test(workload_sites, what_no_rule_says_has_its_reason)
{
    size_t count;
    struct workload_case *c = resolved_cases("copy-offset", &count);
    struct kernel_sites random = {.kernel = "random", .data_dependent = true}, none = {.kernel = "none"};
    struct value found = workload_expected(c, c->variant->kernels, METRIC_dram_read_bytes, arch_find(90));

    cr_assert(!found.available && found.why);
    found = workload_expected(c, &random, METRIC_global_load_sectors, arch_find(90));
    cr_assert(!found.available && strstr(found.why, "data"));
    found = workload_expected(c, &none, METRIC_global_load_sectors, arch_find(90));
    cr_assert(found.available && found.number == 0);
    found = workload_expected(c, &none, METRIC_global_load_sectors_per_request, arch_find(90));
    cr_assert(!found.available && found.why);
    found = workload_expected(c, c->variant->kernels, METRIC_global_load_sectors, NULL);
    cr_assert(!found.available && found.why);
    free(c);
}
