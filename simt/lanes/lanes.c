/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the function of an instruction: the build for this processor, the form of the opcode, and the
 * modifiers. The index of forms is built once, on first use.
 */
#include "simt/lanes/lanes.h"

#include "core/wire/standin_config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static bool runs_everywhere(void)
{
    return true;
}

#define DECLARE(group, variant) extern const struct lanes_entry lanes_##group##_##variant[];
#define DECLARE_BASELINE(group) DECLARE(group, baseline)
#define BASELINE_TABLE(group) lanes_##group##_baseline,
LANES_GROUP_LIST(DECLARE_BASELINE)
static const struct lanes_entry *const baseline_groups[LANES_VARIANT_GROUPS] = {
    LANES_GROUP_LIST(BASELINE_TABLE)};

#ifdef LANES_WIDE_VARIANTS /* simt/CMakeLists.txt: an x86-64 build */
#define DECLARE_AVX2(group) DECLARE(group, avx2)
#define DECLARE_AVX512(group) DECLARE(group, avx512)
#define AVX2_TABLE(group) lanes_##group##_avx2,
#define AVX512_TABLE(group) lanes_##group##_avx512,
LANES_GROUP_LIST(DECLARE_AVX2)
LANES_GROUP_LIST(DECLARE_AVX512)
static const struct lanes_entry *const avx2_groups[LANES_VARIANT_GROUPS] = {LANES_GROUP_LIST(AVX2_TABLE)};
static const struct lanes_entry *const avx512_groups[LANES_VARIANT_GROUPS] = {LANES_GROUP_LIST(AVX512_TABLE)};

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

static const struct lanes_variant variants[] = {
    {"baseline", runs_everywhere, baseline_groups},
#ifdef LANES_WIDE_VARIANTS
    {"avx2", has_avx2, avx2_groups},
    {"avx512", has_avx512, avx512_groups},
#endif
};
#define VARIANT_COUNT (sizeof variants / sizeof variants[0])

const struct lanes_variant *lanes_variant_at(size_t index)
{
    return index < VARIANT_COUNT ? &variants[index] : NULL;
}

/* Tries the choices of a form in order; the rest of the form must match the rest of the text. */
bool lanes_form_matches(const char *form, const char *text)
{
    while (*form != '[') {
        if (*form != *text)
            return false;
        if (*form == '\0')
            return true;
        form++;
        text++;
    }
    const char *const end = strchr(form, ']');
    for (const char *choice = form; choice != end;) {
        choice++;
        const size_t length = strcspn(choice, "|]");
        if (strncmp(choice, text, length) == 0 && lanes_form_matches(end + 1, text + length))
            return true;
        choice += length;
    }
    return false;
}

struct modifier {
    const char *text;
    uint32_t bits;
};

static const struct modifier plain_modifiers[] = {
    {"rz", LANES_RZ},
    {"rm", LANES_RM},
    {"rp", LANES_RP},
    {"rna", LANES_RNA},
    {"rni", LANES_RN | LANES_TO_INTEGER},
    {"rzi", LANES_RZ | LANES_TO_INTEGER},
    {"rmi", LANES_RM | LANES_TO_INTEGER},
    {"rpi", LANES_RP | LANES_TO_INTEGER},
    {"ftz", LANES_FTZ},
    {"sat", LANES_SAT},
    {"relu", LANES_RELU},
    {"satfinite", LANES_SATFINITE},
    {"NaN", LANES_NAN},
    {"xorsign", LANES_XORSIGN},
    {"and", LANES_AND << 8},
    {"or", LANES_OR << 8},
    {"xor", LANES_XOR << 8},
    {0},
};

/* setp and set: a > b is b < a. For integers a >= b is !(a < b), for floats b <= a. a ltu b is !(b <= a). */
static const struct modifier integer_comparisons[] = {
    {"ne", LANES_COMPLEMENT},
    {"le", LANES_SWAPPED | LANES_COMPLEMENT},
    {"ls", LANES_SWAPPED | LANES_COMPLEMENT},
    {"gt", LANES_SWAPPED},
    {"hi", LANES_SWAPPED},
    {"ge", LANES_COMPLEMENT},
    {"hs", LANES_COMPLEMENT},
    {0},
};
static const struct modifier float_comparisons[] = {
    {"gt", LANES_SWAPPED},
    {"ge", LANES_SWAPPED},
    {"equ", LANES_COMPLEMENT}, /* complement of ne, which is false for NaN */
    {"neu", LANES_COMPLEMENT},
    {"ltu", LANES_SWAPPED | LANES_COMPLEMENT},
    {"leu", LANES_SWAPPED | LANES_COMPLEMENT},
    {"gtu", LANES_COMPLEMENT},
    {"geu", LANES_COMPLEMENT},
    {"nan", LANES_COMPLEMENT},
    {0},
};

static uint32_t modifier_bits(const struct modifier *modifiers, const char *word)
{
    for (; modifiers->text; modifiers++)
        if (strcmp(modifiers->text, word) == 0)
            return modifiers->bits;
    return 0;
}

static bool is_float(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2 ||
           type == PTX_F32 || type == PTX_F64;
}

uint32_t lanes_modifiers(const char *text)
{
    char words[128];
    uint32_t bits = 0;
    enum ptx_type first = PTX_NO_TYPE, last = PTX_NO_TYPE;
    const size_t length = strlen(text);
    if (length >= sizeof words)
        return 0;
    memcpy(words, text, length + 1);
    char *rest = NULL;
    for (char *word = strtok_r(words, ".", &rest); word; word = strtok_r(NULL, ".", &rest)) {
        const enum ptx_type type = ptx_type_find(word);
        bits |= modifier_bits(plain_modifiers, word);
        if (type != PTX_NO_TYPE) {
            first = first == PTX_NO_TYPE ? type : first;
            last = type;
        }
    }
    if (strncmp(text, "set", 3) == 0) { /* set.ge..., setp.ge... */
        const char *const start = text + strcspn(text, ".");
        char operator[8] = "";
        const size_t size = start[0] == '.' ? strcspn(start + 1, ".") : 0;
        if (size < sizeof operator)
            memcpy(operator, start + 1, size);
        bits |= modifier_bits(is_float(last) ? float_comparisons : integer_comparisons, operator);
    }
    return bits | (uint32_t)first << 16 | (uint32_t)last << 21;
}

static bool is_bits(enum ptx_type type)
{
    return type >= PTX_B8 && type <= PTX_B128;
}

/* One function serves all types of one size: its operands then have the type that is written. */
static enum ptx_type narrowed_type(enum ptx_type type, enum ptx_type written)
{
    return ptx_type_bytes(written) == ptx_type_bytes(type) ? written : type;
}

static void form_of_entry(const struct lanes_entry *entry, const char *text, struct lanes_form *form)
{
    *form = (struct lanes_form){
        .function = entry->function,
        .class = entry->class,
        .destination_count = entry->destination_count,
        .modifiers = lanes_modifiers(text),
    };
    while (form->operand_count < LANES_OPERANDS && entry->operands[form->operand_count] != PTX_NO_TYPE) {
        const enum ptx_type type = (enum ptx_type)entry->operands[form->operand_count];
        form->operands[form->operand_count++] =
            is_bits(type) ? narrowed_type(type, LANES_TYPE(form->modifiers)) : type;
    }
    if (form->operand_count == 0) { /* cvt.any: the types as written */
        form->operands[0] = LANES_TYPE(form->modifiers);
        form->operands[1] = LANES_SECOND_TYPE(form->modifiers);
        form->operand_count = 2;
    }
}

static const struct lanes_entry *table_at(const struct lanes_variant *variant, size_t index)
{
    return index < LANES_VARIANT_GROUPS        ? variant->groups[index]
           : index == LANES_VARIANT_GROUPS     ? lanes_rounding
           : index == LANES_VARIANT_GROUPS + 1 ? lanes_convert_any
                                               : NULL;
}

bool lanes_find_in(const struct lanes_variant *variant, const char *text, struct lanes_form *form)
{
    for (size_t i = 0; table_at(variant, i); i++) {
        for (const struct lanes_entry *entry = table_at(variant, i); entry->form; entry++) {
            if (lanes_form_matches(entry->form, text)) {
                form_of_entry(entry, text, form);
                return true;
            }
        }
    }
    return false;
}

static size_t chosen;
static pthread_once_t chosen_once = PTHREAD_ONCE_INIT;

static void choose_variant(void)
{
    const char *widest = getenv(MODEL_VECTORS_VARIABLE);
    bool wider = false;

    for (size_t i = 0; i < VARIANT_COUNT && !wider; i++) {
        chosen = variants[i].runs_here() ? i : chosen;
        wider = widest && strcmp(widest, variants[i].name) == 0;
    }
}

size_t lanes_variant_chosen(void)
{
    pthread_once(&chosen_once, choose_variant);
    return chosen;
}

bool lanes_find(const char *text, struct lanes_form *form)
{
    return lanes_find_in(&variants[lanes_variant_chosen()], text, form);
}

const struct lanes_entry *lanes_entry_at(size_t index)
{
    for (size_t i = 0; table_at(&variants[0], i); i++) {
        for (const struct lanes_entry *entry = table_at(&variants[0], i); entry->form; entry++)
            if (index-- == 0)
                return entry;
    }
    return NULL;
}
