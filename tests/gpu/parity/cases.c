/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/gpu/parity/cases.h"

#define ONE(file_name, kernel_name, blocks, threads, bytes, number)                                     \
    {                                                                                                   \
        .file = (file_name), .kernel = (kernel_name), .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, \
        .dynamic_shared_bytes = (bytes), .n = (number)                                                  \
    }

static const struct parity_case cases[] = {
    /* What the hardware counts for instructions that no bundled workload has, and what ptxas makes of them:
     * the model was made to follow these. */
    ONE("probes", "probe_shared_count", 4, 64, 0, 1),
    ONE("probes", "probe_shared_count", 4, 64, 0, 2),
    ONE("probes", "probe_shared_count", 4, 64, 0, 32),
    ONE("probes", "probe_shared_count", 4, 64, 0, 96),
    ONE("probes", "probe_shared_add", 4, 64, 0, 1),
    ONE("probes", "probe_shared_add", 4, 64, 0, 2),
    ONE("probes", "probe_shared_add", 4, 64, 0, 32),
    ONE("probes", "probe_shared_add", 4, 64, 0, 96),
    ONE("probes", "probe_shared_add_float", 4, 32, 0, 1),
    ONE("probes", "probe_shared_add_float", 4, 32, 0, 2),
    ONE("probes", "probe_shared_add_float", 4, 32, 0, 32),
    ONE("probes", "probe_shared_add_float", 4, 32, 0, 96),
    ONE("probes", "probe_shared_add_float", 4, 128, 0, 32),
    ONE("probes", "probe_shared_add_long", 4, 32, 0, 1),
    ONE("probes", "probe_shared_add_long", 4, 32, 0, 32),
    ONE("probes", "probe_shared_exchange", 4, 32, 0, 5),
    ONE("probes", "probe_one_counter", 4, 64, 0, 5),
    ONE("probes", "probe_one_counter_of_some", 4, 64, 0, 5),
    ONE("probes", "probe_one_counter_result", 4, 64, 0, 5),
    ONE("probes", "probe_one_counter_values", 4, 64, 0, 5),
    ONE("probes", "probe_global_bins", 4, 64, 0, 7),
    ONE("probes", "probe_global_bins_result", 4, 64, 0, 7),
    ONE("probes", "probe_local_words", 4, 64, 0, 40),
    ONE("probes", "probe_local_longs", 4, 64, 0, 40),
    ONE("probes", "probe_local_quads", 4, 64, 0, 40),
    ONE("probes", "probe_local_bytes", 4, 64, 0, 40),
    ONE("probes", "probe_local_apart", 4, 64, 0, 40),
    ONE("probes", "probe_local_longs_apart", 4, 64, 0, 40),
    ONE("probes", "probe_generic", 4, 64, 0, 3),
    ONE("probes", "probe_generic_mixed", 4, 64, 0, 3),
    ONE("probes", "probe_copy_4", 4, 64, 8192, 1),
    ONE("probes", "probe_copy_4", 4, 64, 8192, 3),
    ONE("probes", "probe_copy_8", 4, 64, 8192, 1),
    ONE("probes", "probe_copy_8", 4, 64, 8192, 2),
    ONE("probes", "probe_copy_16", 4, 64, 16384, 1),
    ONE("probes", "probe_copy_16", 4, 64, 16384, 2),
    ONE("probes", "probe_constant", 4, 64, 0, 5),
    ONE("probes", "probe_part_of_vector", 4, 64, 0, 5),
    ONE("probes", "probe_part_of_shared_vector", 4, 64, 0, 5),
    ONE("probes", "probe_three_of_four", 4, 64, 0, 5),
    ONE("probes", "probe_branch_after_load", 4, 64, 0, 5),
    ONE("probes", "probe_predicated_store", 4, 64, 0, 5),
    ONE("probes", "probe_early_end", 4, 64, 0, 100),
    /* Written when the model was done: it was not made to follow these. */
    ONE("frozen", "frozen_copy_64", 4, 64, 0, 1),
    ONE("frozen", "frozen_copy_64", 4, 64, 0, 3),
    ONE("frozen", "frozen_copy_128_strided", 4, 64, 0, 1),
    ONE("frozen", "frozen_copy_128_strided", 4, 64, 0, 3),
    ONE("frozen", "frozen_bytes", 4, 64, 0, 1),
    ONE("frozen", "frozen_bytes", 4, 64, 0, 30),
    ONE("frozen", "frozen_halves", 4, 64, 0, 1),
    ONE("frozen", "frozen_halves", 4, 64, 0, 17),
    ONE("frozen", "frozen_reversed", 4, 64, 0, 5),
    ONE("frozen", "frozen_permuted_gather", 4, 64, 0, 3),
    ONE("frozen", "frozen_permuted_scatter", 4, 64, 0, 9),
    ONE("frozen", "frozen_triples", 4, 64, 0, 1),
    ONE("frozen", "frozen_partly_active", 4, 64, 0, 11),
    ONE("frozen", "frozen_nested_divergence", 4, 64, 0, 9),
    ONE("frozen", "frozen_predicated_stores", 4, 64, 0, 3),
    ONE("frozen", "frozen_copy_async", 4, 64, 0, 4),
    {.file = "frozen", .kernel = "frozen_odd_tile", .grid = {4, 1, 1}, .block = {16, 16, 1}, .n = 7},
    ONE("frozen", "frozen_shared_longs", 4, 64, 0, 3),
    ONE("frozen", "frozen_shared_longs", 4, 64, 0, 8),
    ONE("frozen", "frozen_global_atomics", 4, 64, 0, 37),
    ONE("frozen", "frozen_shared_atomics", 4, 64, 0, 13),
    ONE("frozen", "frozen_local_array", 4, 64, 0, 40),
    ONE("frozen", "frozen_volatile", 4, 64, 0, 3),
    ONE("frozen", "frozen_constant_indexed", 4, 64, 0, 24),
    ONE("frozen", "frozen_early_exit", 4, 64, 0, 3),
    ONE("frozen", "frozen_transposed_vectors", 4, 64, 0, 5),
    ONE("frozen", "frozen_shuffled", 4, 64, 0, 4),
};

const struct parity_case *parity_case_at(size_t index)
{
    return index < sizeof cases / sizeof *cases ? &cases[index] : NULL;
}

uint32_t parity_in(uint32_t i)
{
    return 0x3f800000u | (i * 0x9e3779b1u & 0x7fffffu);
}

uint32_t parity_index(uint32_t i)
{
    i ^= i >> 7; /* each step is a permutation of 16 bits */
    i = i * 40503u & 0xffffu;
    return i ^ i >> 5;
}

uint64_t parity_digest(const uint32_t *out)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < PARITY_WORDS; i++)
        digest = (digest ^ out[i]) * UINT64_C(0x100000001b3);
    return digest;
}
