/* SPDX-License-Identifier: Apache-2.0 */
/* Demangling: known names, what is no mangled name, and names made to expand without end. */
#include "core/base/function_name.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

Test(demangle, known_names)
{
    static const struct {
        const char *mangled, *plain;
    } table[] = {
        {"_Z4copyPfPKfi", "copy(float*, float const*, int)"},
        {"_ZN2ns5tableIiE4fillEv", "ns::table<int>::fill()"},
        {"_Z6reduceIfLj256EEvPKT_PS0_i", "void reduce<float, 256u>(float const*, float*, int)"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char *name = demangle(table[i].mangled);
        cr_assert_not_null(name, "%s", table[i].mangled);
        cr_assert_str_eq(name, table[i].plain);
        free(name);
    }
}

/* What a kernel does is told by words of its name, and by no part of another word. */
Test(demangle, words_of_names)
{
    static const struct {
        const char *name, *words;
        bool has;
    } table[] = {{"forecast(float*)", "cast", false},
                 {"cast", "cast", true},
                 {"k_cast_rows", "cast", true},
                 {"castRows", "cast", true},
                 {"void scale<CastOp>(float*)", "cast", true},
                 {"FP16Cast", "cast", true},
                 {"castle_walls", "cast", false},
                 {"BroadcastKernel", "cast", false},
                 {"a::nocast<4>", "cast", false},
                 {"cast2d", "cast", true},
                 {"NCHWToNHWCKernel", "nchwToNhwc", true},
                 {"sm80_xmma_sgemm_64x64", "sgemm", true},
                 {"small_reduce_kernel<float>", "all_reduce_kernel", false},
                 {"ns::all_reduce_kernel<float>", "all_reduce_kernel", true},
                 {"payload data", "load data", false},
                 {"bfloat16_copy_kernel_cuda", "_copy_kernel", true},
                 {"rows_to_half", "to_half", true},
                 {"auto_half", "to_half", false},
                 {"", "cast", false}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        cr_expect_eq(name_has_words(table[i].name, table[i].words), table[i].has, "%s in %s", table[i].words,
                     table[i].name);
}

Test(demangle, not_mangled)
{
    static const char *const table[] = {"", "_", "_Z", "copy_offset", "_Znonsense", "\x1b[31m", "_Z\xff\xff"};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        cr_assert_null(demangle(table[i]), "%s", table[i]);
}

/* f(a<int, int>, a<S0_, S0_>, a<S1_, S1_>, ...): every argument is twice as long as the one before. */
static char *make_doubling(size_t arguments)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char *name = malloc(32 + arguments * 16);
    size_t size = (size_t)sprintf(name, "_Z1f1aIiiE");
    for (size_t i = 0; i < arguments; i++)
        size += (size_t)sprintf(name + size, "S_IS%c_S%c_E", digits[i], digits[i]);
    return name;
}

Test(demangle, many_references_of_a_real_name)
{
    /* 14 arguments of one class: more references than are demangled in this process. */
    char *name = strdup("_Z1fN5space7vectorsE");
    char repeated[256] = "";
    for (int i = 0; i < 30; i++)
        strcat(repeated, "S0_");
    name = realloc(name, strlen(name) + strlen(repeated) + 1);
    strcat(name, repeated);
    char *plain = demangle(name);
    cr_assert_not_null(plain);
    cr_assert_eq(strncmp(plain, "f(space::vectors, space::vectors, ", 34), 0, "%s", plain);
    cr_assert_eq(strlen(plain), 2 + 31 * 14 + 30 * 2 + 1);
    free(plain);
    free(name);
}

Test(demangle, exponential_names_end_soon, .timeout = 280)
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (size_t arguments = 12; arguments <= 36; arguments += 8) {
        char *name = make_doubling(arguments);
        cr_assert_null(demangle(name), "%s", name);
        free(name);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    cr_assert_lt(end.tv_sec - start.tv_sec, 60); /* years, if they were expanded */
}

Test(demangle, long_names)
{
    char *name = malloc(100001);
    memset(name, 'P', 100000);
    memcpy(name, "_Z1f", 4);
    name[100000] = '\0';
    cr_assert_null(demangle(name));
    name[65536] = '\0';
    free(demangle(name)); /* within the bound: any answer, no crash */
    free(name);
}
