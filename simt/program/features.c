/* SPDX-License-Identifier: Apache-2.0 */
/* A feature is derived from what an instruction does, not from the instructions that today's compilers
 * choose: a GPU of 1.x had no prmt, and its compiler used other instructions. */
#include "simt/program/features.h"

#include "simt/lanes/matrix.h"

#include <string.h>

#define HALF_PI_SCALED UINT64_C(0x3bf921fb54442d19)

#define BIT(feature) (UINT32_C(1) << ARCH_FEATURE_##feature)

static uint32_t atomic_features(const struct program_instruction *is)
{
    bool shared = is->space == PTX_SHARED, wide = is->width_bytes == 8;
    bool adds = is->sub == ATOMIC_ADD;
    uint32_t used = shared ? BIT(SHARED_ATOMICS) : BIT(GLOBAL_ATOMICS);

    switch ((enum ptx_type)is->type) {
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2: return used | BIT(HALF_ATOMICS);
    case PTX_F32: return used | (adds ? BIT(FLOAT_ATOMICS) : 0);
    case PTX_F64: return used | (adds ? BIT(DOUBLE_ATOMICS) : BIT(ATOMICS_64));
    default: break;
    }
    if (!wide)
        return used;
    if (!adds && is->sub != ATOMIC_EXCH && is->sub != ATOMIC_CAS)
        used |= BIT(ATOMICS_64_LOGIC);
    return used | (shared ? BIT(SHARED_ATOMICS_64) : BIT(ATOMICS_64));
}

/* sinf, cosf and tanf of large arguments end their reduction with one product of doubles, by pi/2 x 2^-64. It
 * belongs to today's library; it does not mean that the program uses doubles. */
static bool is_reduction(const struct program *program, const struct program_instruction *is)
{
    for (uint32_t i = 0; i < program->constant_count; i++) {
        const struct program_constant *constant = &program->constants[i];
        if (constant->bits == HALF_PI_SCALED &&
            (constant->slot == is->source[0] || constant->slot == is->source[1]))
            return true;
    }
    return false;
}

/* For instructions that compute within a lane. A move or a selection of a double is not double arithmetic. */
static uint32_t lanes_features(const struct program *program, const struct program_instruction *is)
{
    const struct program_origin *origin = &program->origins[is->origin];
    const char *opcode = origin->function->instructions[origin->instruction].opcode;

    if (strcmp(opcode, "dp4a") == 0 || strcmp(opcode, "dp2a") == 0)
        return BIT(BYTE_PRODUCTS);
    if (strcmp(opcode, "elect") == 0)
        return BIT(ELECT);
    if (strcmp(opcode, "mov") == 0 || strcmp(opcode, "selp") == 0)
        return 0;
    if (is->class == CLASS_DOUBLE)
        return is_reduction(program, is) ? 0 : BIT(DOUBLE);
    return is->class == CLASS_HALF ? BIT(HALF) : 0;
}

/* PTX ISA 9.0, 9.7.14: the Target ISA Notes of wmma and mma. */
static uint32_t matrix_features(const struct program_matrix *matrix)
{
    switch (matrix->parts[MATRIX_A].type) {
    case MATRIX_F16:
        return matrix->family == MATRIX_MMA ? matrix->k == 16 ? BIT(MATRICES_80) : BIT(MATRICES_75)
                                            : BIT(MATRICES);
    case MATRIX_BF16:
    case MATRIX_TF32: return BIT(MATRICES_80);
    case MATRIX_F64: return matrix->m == 16 ? BIT(MATRICES_90) : BIT(MATRICES_80);
    default: return matrix->m == 16 && matrix->family == MATRIX_MMA ? BIT(MATRICES_80) : BIT(MATRICES_75);
    }
}

static uint32_t instruction_features(const struct program *program, const struct program_instruction *is)
{
    switch ((enum program_op)is->op) {
    case PROGRAM_LANES: return lanes_features(program, is);
    case PROGRAM_ATOM: return atomic_features(is);
    case PROGRAM_VOTE: return is->sub == VOTE_BALLOT ? BIT(BALLOT) : BIT(VOTE);
    case PROGRAM_ACTIVEMASK: return BIT(BALLOT);
    case PROGRAM_BAR_ARRIVE:
    case PROGRAM_BAR_RED: return BIT(BARRIER_REDUCTION);
    case PROGRAM_PREFETCH: return BIT(PREFETCH);
    case PROGRAM_SHFL: return BIT(SHUFFLE);
    case PROGRAM_RUNTIME: return is->sub <= PTX_RUNTIME_NESTED_LAUNCH ? BIT(NESTED_LAUNCH) : 0;
    case PROGRAM_MATCH: return BIT(MATCH);
    case PROGRAM_NANOSLEEP: return BIT(NANOSLEEP);
    case PROGRAM_REDUX: return BIT(WARP_REDUCTION);
    case PROGRAM_CP_ASYNC: return BIT(ASYNC_COPY);
    case PROGRAM_MBARRIER:
    case PROGRAM_MBARRIER_WAIT: return BIT(MBARRIER);
    case PROGRAM_BULK: return BIT(BULK_COPY);
    case PROGRAM_CLUSTER_ARRIVE:
    case PROGRAM_CLUSTER_WAIT: return BIT(CLUSTER);
    case PROGRAM_MATRIX: return matrix_features(is->matrix);
    case PROGRAM_MATRIX_LD: return BIT(MATRIX_LOADS);
    case PROGRAM_MATRIX_ST: return BIT(MATRIX_STORES);
    default: return 0;
    }
}

uint32_t features_used(const struct program *program)
{
    uint32_t used = 0;

    for (uint32_t at = 0; at < program->instruction_count; at++)
        used |= instruction_features(program, &program->instructions[at]);
    return used;
}

enum status features_check(const struct program *program, const struct device_info *gpu, struct error *error)
{
    uint32_t used = features_used(program), has = gpu->compute_capability, newest = 0;
    enum arch_feature missing = ARCH_FEATURE_COUNT;

    for (enum arch_feature feature = 0; feature < ARCH_FEATURE_COUNT; feature++) {
        uint32_t since = arch_feature_since(feature);
        if (used >> feature & 1u && since > has && since > newest) {
            newest = since;
            missing = feature;
        }
    }
    if (missing == ARCH_FEATURE_COUNT)
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED,
                     "%s uses %s, which needs compute capability %s; the modelled GPU, %s, has %s: choose "
                     "a newer --model.",
                     program->entry->name, arch_feature_text(missing), capability_text(newest).text,
                     gpu->name, capability_text(has).text);
}
