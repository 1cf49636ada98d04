/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table behind core/hardware/arch.h: a row per compute capability, the common values of a generation in
 * one macro. Then the texts and capabilities of the header's list of features.
 */
#include "core/hardware/arch.h"

#include "core/base/append.h"
#include "core/hardware/device_info.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */ /* a table */
#define KIB(n) ((n)*1024u)
/* Shared memory per multiprocessor, and the most that a block can opt in to; since 8.0 the driver reserves 1 KiB of it per block. */
#define CONFIGURATIONS_2_X \
    {                      \
        16, 48             \
    }
#define CONFIGURATIONS_3_0 \
    {                      \
        16, 32, 48         \
    }
#define CONFIGURATIONS_3_7 \
    {                      \
        80, 96, 112        \
    }
#define CONFIGURATIONS_7_0 \
    {                      \
        8, 16, 32, 64, 96  \
    }
#define CONFIGURATIONS_7_5 \
    {                      \
        32, 64             \
    }
#define CONFIGURATIONS_100 \
    {                      \
        8, 16, 32, 64, 100 \
    }
#define CONFIGURATIONS_164           \
    {                                \
        8, 16, 32, 64, 100, 132, 164 \
    }
#define CONFIGURATIONS_228                     \
    {                                          \
        8, 16, 32, 64, 100, 132, 164, 196, 228 \
    }

#define SHARED_FIXED(kib)                                                           \
    .shared_bytes_per_multiprocessor = KIB(kib), .shared_bytes_per_block = KIB(48), \
    .shared_bytes_per_block_optin = KIB(48)
#define SHARED_SPLIT(kib, configurations) SHARED_FIXED(kib), .shared_configurations_kib = configurations
#define SHARED_OPTIN(kib, optin_kib, configurations)                                \
    .shared_bytes_per_multiprocessor = KIB(kib), .shared_bytes_per_block = KIB(48), \
    .shared_bytes_per_block_optin = KIB(optin_kib), .shared_fits_launch = true,      \
    .shared_configurations_kib = configurations
#define RESIDENT(blocks, warps)                                                         \
    .max_blocks_per_multiprocessor = (blocks), .max_warps_per_multiprocessor = (warps), \
    .max_threads_per_multiprocessor = (warps)*32u

/* Before Hyper-Q. */
#define ONE_QUEUE(side_by_side) .grids = (side_by_side), .one_queue_per_engine = true

#define ACCESS(global, shared, bank_count, bytes_per_bank)                                          \
    .global_rules = GLOBAL_RULES_##global, .shared_rules = SHARED_RULES_##shared, .warp_lanes = 32, \
    .banks = (bank_count), .bank_bytes = (bytes_per_bank), .sector_bytes = 32, .line_bytes = 128

#define TESLA(registers, unit, global)                                                                     \
    ACCESS(global, 1_X, 16, 4),                                                                            \
        .max_threads_per_block = 512, .registers_per_multiprocessor = (registers),                         \
        .max_registers_per_block = (registers), .max_registers_per_thread = 128, .register_unit = (unit),  \
        .registers_by_block = true, .warp_allocation_unit = 2, .shared_bytes_per_multiprocessor = KIB(16), \
        .shared_bytes_per_block = KIB(16), .shared_bytes_per_block_optin = KIB(16),                        \
        .shared_unit_bytes = 512, ONE_QUEUE(1)
#define FERMI                                                                                          \
    ACCESS(2_X, 2_X, 32, 4), .max_threads_per_block = 1024, .registers_per_multiprocessor = KIB(32),   \
                             .max_registers_per_block = KIB(32), .max_registers_per_thread = 63,       \
                             .register_unit = 64, .warp_allocation_unit = 2, .shared_unit_bytes = 128, \
                             SHARED_SPLIT(48, CONFIGURATIONS_2_X), RESIDENT(8, 48), ONE_QUEUE(16)
#define KEPLER(banks)                                                                          \
    .name = "Kepler", ACCESS(3_X, banks, 32, 8), .max_threads_per_block = 1024, .register_unit = 256, \
    .warp_allocation_unit = 4, .shared_unit_bytes = 256, RESIDENT(16, 64)
#define MODERN(registers_per_block)                                                                  \
    ACCESS(5_X, 5_X, 32, 4), .max_threads_per_block = 1024, .registers_per_multiprocessor = KIB(64), \
                             .max_registers_per_block = (registers_per_block),                       \
                             .max_registers_per_thread = 255, .register_unit = 256, .grids = 128,    \
                             .issue_slots = 4
#define MAXWELL(registers_per_block) MODERN(registers_per_block), .shared_unit_bytes = 256, RESIDENT(32, 64)
#define AMPERE                                                            \
    MODERN(KIB(64)), .warp_allocation_unit = 4, .shared_unit_bytes = 128, \
                     .shared_reserved_bytes_per_block = KIB(1)

/* CUDA C++ Programming Guide, throughput of native arithmetic instructions; for 1.x and 2.x its editions 2.3 and 4.2 (2.0: the half rate of Tesla boards) */
/* tf32_lanes: from NVIDIA's data sheets, the peak in TF32 without sparsity / (2 x multiprocessors x boost clock): A100 156 TFLOP/s, H100 SXM 495, B200 1,100. Not given where boards of one capability differ (8.6, 8.9, 12.0). */
#define ARITHMETIC(float_, double_) .float_lanes = (float_), .double_lanes = (double_)

#define FERMI_20 .compute_capability = 20, ARITHMETIC(32, 16), .name = "Fermi", FERMI
#define FERMI_21 .compute_capability = 21, ARITHMETIC(48, 4), .name = "Fermi", FERMI
#define KEPLER_30(banks)                                                                    \
    .compute_capability = 30, ARITHMETIC(192, 8), KEPLER(banks),                            \
    SHARED_SPLIT(48, CONFIGURATIONS_3_0), .registers_per_multiprocessor = KIB(64),          \
    .max_registers_per_block = KIB(64), .max_registers_per_thread = 63, ONE_QUEUE(16)
#define KEPLER_32(banks)                                                                    \
    .compute_capability = 32, ARITHMETIC(192, 8), KEPLER(banks),                            \
    SHARED_SPLIT(48, CONFIGURATIONS_3_0), .registers_per_multiprocessor = KIB(64),          \
    .max_registers_per_block = KIB(32), .max_registers_per_thread = 255, ONE_QUEUE(16)
#define KEPLER_35(banks)                                                                    \
    .compute_capability = 35, ARITHMETIC(192, 64), KEPLER(banks), .global_l1_opt_in = true, \
    SHARED_SPLIT(48, CONFIGURATIONS_3_0), .registers_per_multiprocessor = KIB(64),          \
    .max_registers_per_block = KIB(64), .max_registers_per_thread = 255, .grids = 32
#define KEPLER_37(banks)                                                                    \
    .compute_capability = 37, ARITHMETIC(192, 64), KEPLER(banks), .global_l1_opt_in = true, \
    SHARED_SPLIT(112, CONFIGURATIONS_3_7), .registers_per_multiprocessor = KIB(128),        \
    .max_registers_per_block = KIB(64), .max_registers_per_thread = 255, .grids = 32
#define NO_L1 .mode = "no-l1", .global_l1_off = true
#define L1_ON .mode = "l1", .global_l1_on = true
#define BANKS_OF_64_BITS .mode = "64-bit"

static const struct arch archs[] = {
    {.compute_capability = 10, ARITHMETIC(8, 0), .name = "Tesla", TESLA(KIB(8), 256, 1_0), RESIDENT(8, 24)},
    {.compute_capability = 11, ARITHMETIC(8, 0), .name = "Tesla", TESLA(KIB(8), 256, 1_0), RESIDENT(8, 24)},
    {.compute_capability = 12, ARITHMETIC(8, 0), .name = "Tesla", TESLA(KIB(16), 512, 1_2), RESIDENT(8, 32)},
    {.compute_capability = 13, ARITHMETIC(8, 1), .name = "Tesla", TESLA(KIB(16), 512, 1_2), RESIDENT(8, 32)},
    {FERMI_20},
    {FERMI_20, NO_L1},
    {FERMI_21},
    {FERMI_21, NO_L1},
    {KEPLER_30(3_X_32_BIT)},
    {KEPLER_30(3_X_64_BIT), BANKS_OF_64_BITS},
    {KEPLER_32(3_X_32_BIT)},
    {KEPLER_32(3_X_64_BIT), BANKS_OF_64_BITS},
    {KEPLER_35(3_X_32_BIT)},
    {KEPLER_35(3_X_32_BIT), L1_ON},
    {KEPLER_35(3_X_64_BIT), BANKS_OF_64_BITS},
    {KEPLER_37(3_X_32_BIT)},
    {KEPLER_37(3_X_32_BIT), L1_ON},
    {KEPLER_37(3_X_64_BIT), BANKS_OF_64_BITS},
    {.compute_capability = 50,
     ARITHMETIC(128, 4),
     .name = "Maxwell",
     MAXWELL(KIB(64)),
     .warp_allocation_unit = 4,
     SHARED_FIXED(64)},
    {.compute_capability = 52,
     ARITHMETIC(128, 4),
     .name = "Maxwell",
     MAXWELL(KIB(64)),
     .warp_allocation_unit = 4,
     SHARED_FIXED(96)},
    {.compute_capability = 53,
     ARITHMETIC(128, 4),
     .name = "Maxwell",
     MAXWELL(KIB(32)),
     .warp_allocation_unit = 4,
     SHARED_FIXED(64)},
    {.compute_capability = 60,
     ARITHMETIC(64, 32),
     .name = "Pascal",
     MAXWELL(KIB(64)),
     .warp_allocation_unit = 2,
     .block_allocation_unit = 4, /* GP100 has two partitions, but rejects blocks that would not fit into four */
     SHARED_FIXED(64)},
    {.compute_capability = 61,
     ARITHMETIC(128, 4),
     .name = "Pascal",
     MAXWELL(KIB(64)),
     .warp_allocation_unit = 4,
     SHARED_FIXED(96)},
    {.compute_capability = 62,
     ARITHMETIC(128, 4),
     .name = "Pascal",
     MAXWELL(KIB(32)),
     .warp_allocation_unit = 4,
     SHARED_FIXED(64)},
    {.compute_capability = 70,
     ARITHMETIC(64, 32),
     .name = "Volta",
     MAXWELL(KIB(64)),
     .warp_allocation_unit = 4,
     SHARED_OPTIN(96, 96, CONFIGURATIONS_7_0)},
    {.compute_capability = 72,
     ARITHMETIC(64, 32),
     .name = "Volta",
     MAXWELL(KIB(64)),
     .warp_allocation_unit = 4,
     SHARED_OPTIN(96, 96, CONFIGURATIONS_7_0)},
    {.compute_capability = 75,
     ARITHMETIC(64, 2),
     .name = "Turing",
     MODERN(KIB(64)),
     .warp_allocation_unit = 4,
     .shared_unit_bytes = 256,
     RESIDENT(16, 32),
     SHARED_OPTIN(64, 64, CONFIGURATIONS_7_5)},
    {.compute_capability = 80,
     ARITHMETIC(64, 32),
     .tf32_lanes = 512,
     .name = "Ampere",
     AMPERE,
     RESIDENT(32, 64),
     SHARED_OPTIN(164, 163, CONFIGURATIONS_164)},
    {.compute_capability = 86,
     ARITHMETIC(128, 2),
     .name = "Ampere",
     AMPERE,
     RESIDENT(16, 48),
     SHARED_OPTIN(100, 99, CONFIGURATIONS_100)},
    {.compute_capability = 87,
     ARITHMETIC(128, 2),
     .name = "Ampere",
     AMPERE,
     RESIDENT(16, 48),
     SHARED_OPTIN(164, 163, CONFIGURATIONS_164)},
    {.compute_capability = 89,
     ARITHMETIC(128, 2),
     .name = "Ada",
     AMPERE,
     RESIDENT(24, 48),
     SHARED_OPTIN(100, 99, CONFIGURATIONS_100)},
    {.compute_capability = 90,
     ARITHMETIC(128, 64),
     .tf32_lanes = 1024,
     .name = "Hopper",
     AMPERE,
     RESIDENT(32, 64),
     SHARED_OPTIN(228, 227, CONFIGURATIONS_228)},
    {.compute_capability = 100,
     ARITHMETIC(128, 64),
     .tf32_lanes = 2048,
     .name = "Blackwell",
     AMPERE,
     RESIDENT(32, 64),
     SHARED_OPTIN(228, 227, CONFIGURATIONS_228)},
    {.compute_capability = 103,
     ARITHMETIC(128, 2),
     .name = "Blackwell",
     AMPERE,
     RESIDENT(32, 64),
     SHARED_OPTIN(228, 227, CONFIGURATIONS_228)},
    {.compute_capability = 110,
     ARITHMETIC(128, 2),
     .name = "Blackwell",
     AMPERE,
     RESIDENT(24, 48),
     SHARED_OPTIN(228, 227, CONFIGURATIONS_228)},
    {.compute_capability = 120,
     ARITHMETIC(128, 2),
     .name = "Blackwell",
     AMPERE,
     RESIDENT(24, 48),
     SHARED_OPTIN(100, 99, CONFIGURATIONS_100)},
    {.compute_capability = 121,
     ARITHMETIC(128, 2),
     .name = "Blackwell",
     AMPERE,
     RESIDENT(24, 48),
     SHARED_OPTIN(100, 99, CONFIGURATIONS_100)},
};
/* clang-format on */

#define ARCH_COUNT (sizeof archs / sizeof archs[0])

const struct arch *arch_rules_at(size_t index)
{
    return index < ARCH_COUNT ? &archs[index] : NULL;
}

const struct arch *arch_at(size_t index)
{
    for (size_t i = 0; i < ARCH_COUNT; i++)
        if (!archs[i].mode && index-- == 0)
            return &archs[i];
    return NULL;
}

const struct arch *arch_find(uint32_t compute_capability)
{
    const struct arch *found = NULL;
    for (size_t i = 0; i < ARCH_COUNT; i++) {
        bool same_major = archs[i].compute_capability / 10 == compute_capability / 10;
        if (same_major && !archs[i].mode && archs[i].compute_capability <= compute_capability)
            found = &archs[i];
    }
    return found;
}

void arch_text(const struct arch *arch, char text[ARCH_TEXT_BYTES])
{
    snprintf(text, ARCH_TEXT_BYTES, "%s%s%s", capability_text(arch->compute_capability).text,
             arch->mode ? "-" : "", arch->mode ? arch->mode : "");
}

const struct arch *arch_parse(const char *text)
{
    for (size_t i = 0; i < ARCH_COUNT; i++) {
        char known[ARCH_TEXT_BYTES];
        arch_text(&archs[i], known);
        if (strcmp(known, text) == 0)
            return &archs[i];
    }
    return NULL;
}

void arch_list(char *text, size_t size_bytes)
{
    size_t length = 0;
    for (size_t i = 0; i < ARCH_COUNT; i++) {
        char known[ARCH_TEXT_BYTES];
        arch_text(&archs[i], known);
        append_text(text, size_bytes, &length, "%s%s", i ? ", " : "", known);
    }
}

/* ---- features ---- */

#define SINCE(id, since, text) [ARCH_FEATURE_##id] = since,
#define TEXT(id, since, text) [ARCH_FEATURE_##id] = text,

uint32_t arch_feature_since(enum arch_feature feature)
{
    static const uint32_t since[] = {ARCH_FEATURE_LIST(SINCE)};

    return since[feature];
}

const char *arch_feature_text(enum arch_feature feature)
{
    static const char *const texts[] = {ARCH_FEATURE_LIST(TEXT)};

    return texts[feature];
}
