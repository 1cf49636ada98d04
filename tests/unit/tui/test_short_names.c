/* SPDX-License-Identifier: Apache-2.0 */
/* Short names of kernels: those of real programs, and what holds of any names in any width. */
#include "tests/shared/fixture/golden.h"
#include "tui/terminal/text.h"
#include "tui/widgets/name_parts.h"
#include "tui/widgets/prompt.h"
#include "tui/widgets/short_names.h"

#include <criterion/criterion.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MOST 400
#define NAME_BYTES 4096

/* ---- plain and own ---- */

Test(short_names, plain_and_own)
{
    static const struct {
        const char *full, *plain, *own;
    } cases[] = {
        {"copy_offset", "copy_offset", "copy_offset"},
        {"copy(float*, int)", "copy", "copy"},
        {"void foo<int, 4>(float*, int)", "foo<int, 4>", "foo"},
        {"void ns::foo<std::array<char*, 1ul> >(int, ns::F<float>)", "ns::foo<std::array<char*, 1ul> >",
         "foo"},
        {"(anonymous namespace)::k(int)", "(anonymous namespace)::k", "k"},
        {"void outer<int>::inner<float>(int)", "outer<int>::inner<float>", "inner"},
        {"void k<(E)2>(int)", "k<(E)2>", "k"},
        {"void k<(1>2)>(int)", "k<(1>2)>", "k"},
        {"void k<(a<b)>(int)", "k<(a<b)>", "k"},
        {"void k<void (*)(int)>(T)", "k<void (*)(int)>", "k"},
        {"void k<decltype(a->b)>(T)", "k<decltype(a->b)>", "k"},
        {"S::operator()(int) const", "S::operator()", "operator()"},
        {"S::operator<<(int)", "S::operator<<", "operator<<"},
        {"f(int)::{lambda(int)#1}::operator()(int) const", "f", "f"},
        {"void unbalanced<int(float", "unbalanced<int", "unbalanced<int"},
        {"a < b", "a < b", "a < b"},
        {"k> (int)", "k> ", "k> "},
        {"a::", "a::", ""},
        {"(odd)", "(odd)", "(odd)"},
        {"", "", ""},
        {"<<<<", "<<<<", "<<<<"},
        {"_Z3fooPf", "_Z3fooPf", "_Z3fooPf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200], small[5], untouched = 'x';
        name_print_plain(cases[i].full, text, sizeof text);
        cr_assert_str_eq(text, cases[i].plain, "'%s' gave '%s'", cases[i].full, text);
        name_print_plain(cases[i].full, small, sizeof small);
        cr_assert(strlen(small) < sizeof small && strncmp(small, text, strlen(small)) == 0);
        name_print_own(cases[i].full, text, sizeof text);
        cr_assert_str_eq(text, cases[i].own, "'%s' gave '%s'", cases[i].full, text);
        name_print_own(cases[i].full, small, sizeof small);
        cr_assert(strlen(small) < sizeof small && strncmp(small, text, strlen(small)) == 0);
        name_print_plain(cases[i].full, &untouched, 0);
        name_print_own(cases[i].full, &untouched, 0);
        cr_assert_eq(untouched, 'x');
    }
}

/* ---- sets ---- */

struct set {
    struct short_names *names;
    char *full[NAMES_MOST];
    size_t count;
};

static void set_init(struct set *set)
{
    *set = (struct set){.names = short_names_create()};
    cr_assert_not_null(set->names);
}

/* A name that is there already is not taken again. */
static void set_add(struct set *set, const char *full)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->full[i], full) == 0)
            return;
    cr_assert_lt(set->count, NAMES_MOST);
    cr_assert(short_names_add(set->names, full));
    set->full[set->count++] = strdup(full);
}

static void set_fini(struct set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->full[i]);
    short_names_destroy(set->names);
}

static void set_print(const struct set *set, size_t row, int cells, char text[NAME_BYTES])
{
    short_names_print(set->names, set->full[row], cells, text, NAME_BYTES);
}

Test(short_names, what_is_equal_goes_and_what_differs_stays)
{
    static const struct {
        const char *full[3], *text[3];
    } cases[] = {
        {{"void a::fill<8, a::FillFunctor<c10::BFloat16> >(int)",
          "void a::fill<4, a::FillFunctor<int> >(int)"},
         {"fill<FillFunctor<BFloat16>>", "fill<FillFunctor<int>>"}},
        {{"void k<float, 4>(float*)", "void k<float, 8>(float*)", "void k<double, 8>(double*)"},
         {"k<float, 4>", "k<float, 8>", "k<double>"}},
        {{"a::k(int)", "b::k(int)"}, {"a::k", "b::k"}},
        {{"k(int)", "k(float)", "other(int)"}, {"k(int)", "k(float)", "other"}},
        {{"void at::native::reduce_kernel<512, 1, "
          "at::native::sum_functor<float>::operator()(at::T&)::{lambda("
          "float, float)#1}>(int)"},
         {"reduce_kernel<sum>"}},
        {{"void k<copy(T&)::{lambda()#3}::operator()() const::{lambda(c10::Half)#1}>(int)",
          "void k<copy(T&)::{lambda()#4}::operator()() const::{lambda(float)#1}>(int)"},
         {"k<copy(Half)>", "k<copy(float)>"}},
        {{"void cutlass::Kernel<cutlass::Gemm<int> >(int)"}, {"Kernel<Gemm>"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct set set;
        char text[NAME_BYTES];
        set_init(&set);
        for (size_t n = 0; n < 3 && cases[i].full[n] != NULL; n++)
            set_add(&set, cases[i].full[n]);
        for (size_t n = 0; n < set.count; n++) {
            set_print(&set, n, SHORT_NAME_WHOLE, text);
            cr_expect_str_eq(text, cases[i].text[n], "'%s' gave '%s'", set.full[n], text);
        }
        set_fini(&set);
    }
}

Test(short_names, numbers_follow_the_full_names)
{
    struct set set;
    char text[NAME_BYTES];
    set_init(&set);
    set_add(&set, "void k<a<b>  >(int)"); /* of the same parts, and not in their order */
    set_add(&set, "void k<a<b>>(int)");
    set_add(&set, "void k<a<b> >(int)");
    static const char *const wanted[] = {"k", "k#3", "k#2"};
    for (size_t i = 0; i < set.count; i++) {
        set_print(&set, i, 12, text);
        cr_expect_str_eq(text, wanted[i], "'%s'", text);
    }
    set_fini(&set);
}

static void read_names(struct set *set)
{
    char *text = golden_read(TEST_SOURCE_DIR "/tests/data/kernel_names.txt"), *rest = text;
    cr_assert_not_null(text);
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (*line != '\0')
            set_add(set, line);
    free(text);
}

/* What a table shows can be given to --kernel of report, too. */
Test(short_names, a_shown_name_is_a_pattern_of_the_whole_one)
{
    struct set set;
    char text[NAME_BYTES], pattern[NAME_BYTES];
    set_init(&set);
    read_names(&set);
    for (int cells = 12; cells <= 100; cells++)
        for (size_t i = 0; i < set.count; i++) {
            set_print(&set, i, cells, text);
            if (name_print_pattern(text, false, pattern, sizeof pattern))
                cr_expect_eq(fnmatch(pattern, set.full[i], 0), 0, "'%s' of '%s'", pattern, set.full[i]);
        }
    set_fini(&set);
}

/* The kernels of PyTorch's training step three ways, of CUB and of cuBLAS. */
Test(short_names, real_programs)
{
    static const int widths[] = {SHORT_NAME_WHOLE, 37, 20};
    struct set set;
    char *text = NULL, line[NAME_BYTES];
    size_t size_bytes = 0;
    FILE *out = open_memstream(&text, &size_bytes);
    set_init(&set);
    read_names(&set);
    for (size_t i = 0; i < set.count; i++) {
        for (size_t w = 0; w < 3; w++) {
            set_print(&set, i, widths[w], line);
            fprintf(out, w == 1 ? "%-37s " : w == 0 ? "%s\n    " : "%s\n", line);
        }
    }
    fclose(out);
    cr_expect(golden_equals("short_names.txt", text, NULL));
    free(text);
    set_fini(&set);
}

/* What a table shows can be given to --kernel of a run, which knows mangled names alone. */
Test(short_names, a_shown_name_is_a_pattern_of_the_mangled_one)
{
    static const struct {
        const char *shown, *mangled;
    } cases[] = {
        {"vectorized_elementwise_kernel<bfloat16_copy>",
         "_ZN2at6native29vectorized_elementwise_kernelILi8EZNS0_25bfloat16_copy_kernel_cudaERNS_"
         "18TensorIteratorBaseEEUlfE_St5arrayIPcLm2EEEEviT0_T1_"},
        {"vectoriz..elementwise<Fill<BFloat16>>", "_ZN2at6native29vectorized_elementwise_kernelILi8ENS0_"
                                                  "11FillFunctorIN3c108BFloat16EEESt5arrayIPcLm1EEEE"
                                                  "viT0_T1_"},
        {"reduce_kernel<MeanOps>", "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIN3c108BFloat16ENS0_"
                                   "7MeanOpsIS4_ffS4_EEjS4_Li4ELi8"
                                   "EEEEEvT1_"},
        {"elementwise_kernel<MulFunctor>", "_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_"
                                           "impl_nocastINS0_13BUnaryFunctorIN3c108"
                                           "BFloat16ES5_S5_NS0_15binary_internal10MulFunctorIfEEEEEEvRNS_"
                                           "18TensorIteratorBaseERKT_EUliE_EEviT1_"},
        {"vectorized_elementwise<AUnary<Mul>>", "_ZN2at6native29vectorized_elementwise_kernelILi8ENS0_"
                                                "13AUnaryFunctorIN3c108BFloat16ES4_S4_NS0_15binary_"
                                                "internal10MulFunctorIfEEEESt5arrayIPcLm2EEEEviT0_T1_"},
        {"nvjet_..64x24_64x16_2x4_h_bz_bias_TNT", "nvjet_sm90_tst_64x24_64x16_2x4_h_bz_bias_TNT"},
        {"cudnn_\xe2\x80\xa6_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_kernel0_0",
         "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_"
         "knob_7_64x128x64_4x1x1_cga1x1x1_kernel0_0"},
        {"k<int>#2", "_Z1kIiEvi"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char pattern[200], small[8];
        cr_assert(name_print_pattern(cases[i].shown, true, pattern, sizeof pattern));
        for (size_t other = 0; other < sizeof cases / sizeof cases[0]; other++)
            cr_expect_eq(fnmatch(pattern, cases[other].mangled, 0) == 0, i == other, "'%s', %zu", pattern,
                         other);
        name_print_pattern(cases[i].shown, true, small, sizeof small);
        cr_assert_eq(strncmp(small, pattern, strlen(small)), 0);
    }
    char pattern[80];
    cr_assert(!name_print_pattern("a[bc]*::d", true, pattern, sizeof pattern) &&
              !name_print_pattern("nvjet_sm90_tst_64x24", true, pattern, sizeof pattern));
}

/* ---- any names ---- */

static uint32_t state;

static uint32_t random_below(uint32_t most)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(state >> 8) * most) >> 24);
}

static void append(char *text, const char *more)
{
    if (strlen(text) + strlen(more) + 1 < NAME_BYTES / 2)
        strcat(text, more);
}

static void append_word(char *text)
{
    static const char *const words[] = {
        "copy",  "add", "Fill",  "Functor",    "_kernel", "vectorized", "elementwise",  "reduce", "64x32",
        "64x64", "_",   "nvjet", "triton_poi", "_fused",  "Ops",        "_kernel_cuda", "T",      "k1"};
    for (uint32_t i = 0, count = 1 + random_below(4); i < count; i++)
        append(text, words[random_below(sizeof words / sizeof words[0])]);
}

static void append_name(char *text, int depth)
{
    static const char *const types[] = {"int", "float", "c10::BFloat16", "unsigned int const*",
                                        "2ul", "true",  "(E)0",          "char*"};
    static const char *const tails[] = {"", "::operator()", "::operator<<", "(int)::{lambda(float)#1}",
                                        "(T&)::{lambda()#2}::operator()() const::{lambda(c10::Half)#3}"};
    if (depth > 0 && random_below(3) == 0) {
        append(text, types[random_below(8)]);
        return;
    }
    for (uint32_t i = random_below(3); i > 0; i--)
        append(text, random_below(4) ? "at::native::" : "(anonymous namespace)::");
    append_word(text);
    if (depth < 5 && random_below(2)) {
        append(text, "<");
        for (uint32_t i = 0, count = 1 + random_below(4); i < count; i++) {
            append(text, i ? ", " : "");
            append_name(text, depth + 1);
        }
        append(text, ">");
    }
    if (depth > 0 || random_below(8) == 0)
        append(text, tails[random_below(5)]);
}

static void make_name(char *text)
{
    text[0] = '\0';
    if (random_below(4) == 0) /* a beginning of 300 characters that others have, too */
        for (int i = 0; i < 30; i++)
            append(text, "beginning_");
    append(text, random_below(2) ? "void " : "");
    append_name(text, 0);
    if (random_below(2))
        append(text, random_below(2) ? "(int, float*)" : "(long)");
}

/* The name itself, or what is left of it by one cut with one mark, or such a text with a number. */
static bool is_name_or_cut(const char *text, const char *whole)
{
    char shown[NAME_BYTES];
    const char *mark = text_cut_mark();
    snprintf(shown, sizeof shown, "%s", text);
    char *number = strrchr(shown, '#');
    if (strcmp(text, whole) == 0)
        return true;
    if (number != NULL && number[1] != '\0' && number[1 + strspn(number + 1, "0123456789")] == '\0')
        *number = '\0';
    char *cut = strstr(shown, mark);
    if (cut == NULL)
        return strncmp(shown, whole, strlen(shown)) == 0 && number != NULL;
    const char *tail = cut + strlen(mark);
    size_t length = strlen(whole), rest = strlen(tail);
    return strstr(tail, mark) == NULL && strncmp(shown, whole, (size_t)(cut - shown)) == 0 &&
           rest + (size_t)(cut - shown) < length && strcmp(whole + length - rest, tail) == 0;
}

/* Each piece between signs, in the full name. */
static bool occurs(const char *text, const char *full)
{
    char pieces[NAME_BYTES];
    snprintf(pieces, sizeof pieces, "%s", text);
    char *number = strrchr(pieces, '#');
    if (number != NULL && number[1] != '\0' && number[1 + strspn(number + 1, "0123456789")] == '\0')
        *number = '\0';
    for (char *rest = pieces, *piece; (piece = strsep(&rest, "<>(),: .\xe2\x80\xa6")) != NULL;)
        if (strstr(full, piece) == NULL)
            return false;
    return true;
}

static void check_width(const struct set *set, const struct set *again, int cells)
{
    static char texts[NAMES_MOST][NAME_BYTES];
    char text[NAME_BYTES];
    for (size_t i = 0; i < set->count; i++) {
        set_print(set, i, cells, texts[i]);
        cr_assert(cells == SHORT_NAME_WHOLE || text_width(texts[i], 1000) <= cells, "%d cells: '%s'", cells,
                  texts[i]);
        cr_assert(occurs(texts[i], set->full[i]), "'%s' of '%s'", texts[i], set->full[i]);
        set_print(set, i, SHORT_NAME_WHOLE, text);
        cr_assert(is_name_or_cut(texts[i], text), "%d cells: '%s' of '%s'", cells, texts[i], text);
        cr_assert(filter_matches(texts[i], (const char *const[]){set->full[i], text}, 2),
                  "'%s' does not find '%s'", texts[i], text);
        short_names_print(again->names, set->full[i], cells, text, sizeof text);
        cr_assert_str_eq(text, texts[i]);
        for (size_t other = 0; other < i; other++)
            cr_assert_str_neq(texts[i], texts[other], "%d cells: '%s' and '%s'", cells, set->full[i],
                              set->full[other]);
    }
}

/* Distinct, never wider, of what is in the name, whole or with one mark, found by the filter as they are
 * shown, and the same whatever the order in which names came. */
Test(short_names, any_names)
{
    for (uint32_t round = 0; round < 60; round++) {
        struct set set, again;
        char name[NAME_BYTES];
        state = round;
        text_use_ellipsis(round % 2 == 0);
        set_init(&set);
        set_init(&again);
        for (uint32_t i = 0, count = 1 + random_below(60); i < count; i++) {
            make_name(name);
            set_add(&set, name);
        }
        for (size_t i = set.count; i-- > 0;) {
            set_add(&again, set.full[i]);
            set_print(&again, 0, 40, name); /* worked out in between */
        }
        check_width(&set, &again, SHORT_NAME_WHOLE);
        for (int w = 0; w < 8; w++)
            check_width(&set, &again, 12 + (int)random_below(109));
        set_fini(&set);
        set_fini(&again);
    }
}

/* Any bytes: ends, stays in bounds (the sanitizers watch), and names differ. */
Test(short_names, any_bytes)
{
    static const char letters[] = "<>(){}[]-ab: ,operator(anonymous namespace)void::<<lambda#_ \xff\x1b";
    state = 5;
    for (int round = 0; round < 300; round++) {
        struct set set;
        char name[NAME_BYTES];
        set_init(&set);
        for (int i = 0; i < 20; i++) {
            size_t length = random_below(200);
            for (size_t at = 0; at < length; at++)
                name[at] = letters[random_below(sizeof letters - 1)];
            name[length] = '\0';
            set_add(&set, name);
        }
        for (size_t i = 0; i < set.count; i++) {
            int cells = (int)random_below(100);
            short_names_print(set.names, set.full[i], cells, name, 1 + random_below(64));
            cr_assert_lt(strlen(name), 64);
            name_print_plain(set.full[i], name, 1 + random_below(64));
            name_print_own(set.full[i], name, 1 + random_below(64));
        }
        set_fini(&set);
    }
}

/* Frames look up; a new name or width is worked out once. */
Test(short_names, worked_out_once)
{
    struct set set;
    char text[NAME_BYTES];
    set_init(&set);
    read_names(&set);
    set_print(&set, 0, 37, text);
    uint64_t worked = short_names_worked(set.names);
    cr_assert_eq(worked, 2 * set.count, "once the short names, once the width");
    for (int frame = 0; frame < 100; frame++)
        for (size_t i = 0; i < set.count; i++) {
            set_print(&set, i, 37, text);
            set_print(&set, i, SHORT_NAME_WHOLE, text);
        }
    cr_assert_eq(short_names_worked(set.names), worked);
    set_print(&set, 0, 20, text);
    cr_assert_eq(short_names_worked(set.names), worked + set.count);
    set_add(&set, "one more");
    set_print(&set, 0, 37, text);
    cr_assert_eq(short_names_worked(set.names), worked + 3 * set.count - 1);
    set_fini(&set);
}

Test(short_names, a_name_that_was_not_added)
{
    char text[60];
    short_names_print(NULL, "void a::k<int>(int)", SHORT_NAME_WHOLE, text, sizeof text);
    cr_assert_str_eq(text, "k");
    struct short_names *names = short_names_create();
    short_names_print(names, "void a::vectorized_kernel<int, a::add_functor<int> >(int)", 15, text,
                      sizeof text);
    cr_assert_str_eq(text, "vectoriz..<add>");
    short_names_destroy(names);
}
