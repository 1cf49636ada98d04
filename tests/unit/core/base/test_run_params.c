/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a run, read from its text, whatever that is. */
#include "core/base/run_params.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

Test(run_params, are_found_by_name)
{
    struct run_param param;
    double number;
    const char *text = "stride=8,n=16384,cc=1.0,no-merge,x=";
    cr_assert(run_param_number(text, "stride", &number) && number == 8);
    cr_assert(run_param_number(text, "n", &number) && number == 16384);
    cr_assert(run_param_number(text, "cc", &number) && number == 1);
    cr_assert(!run_param_number(text, "no-merge", &number));
    cr_assert(!run_param_number(text, "x", &number));
    cr_assert(!run_param_number(text, "tride", &number));
    cr_assert(!run_param_number("n=1e999", "n", &number));
    cr_assert(run_param_find(text, "no-merge", &param) && param.value_length == 0);
    cr_assert(!run_param_find("", "n", &param));
}

/* Made texts: every part is inside, and the reader comes to the end. */
Test(run_params, any_text_ends)
{
    static const char letters[] = "ab=,,= 1.";
    uint32_t random = 1;
    for (size_t round = 0; round < 20000; round++) {
        char text[24];
        size_t length = round % 23;
        for (size_t i = 0; i < length; i++) {
            random = random * 1664525u + 1013904223u;
            text[i] = letters[(random >> 16) % (sizeof letters - 1)];
        }
        text[length] = '\0';
        const char *at = text;
        struct run_param param;
        int count = 0;
        for (; run_param_next(&at, &param); count++) {
            cr_assert(param.name >= text && param.name + param.name_length <= at);
            cr_assert(param.value_length >= 0 && param.value + param.value_length == at);
            cr_assert(memchr(param.name, '=', (size_t)param.name_length) == NULL);
        }
        cr_assert_leq(count, (int)length);
        cr_assert_eq(at[strspn(at, ", ")], '\0');
    }
}

Test(run_params, are_there_whole_or_not_at_all)
{
    static const struct {
        int cells;
        const char *wanted;
    } cases[] = {{40, "stride=8,n=16384,no-merge"},
                 {25, "stride=8,n=16384,no-merge"},
                 {24, "stride=8,n=16384"},
                 {16, "stride=8,n=16384"},
                 {15, "stride=8"},
                 {8, "stride=8"},
                 {7, "n=16384"},
                 {6, ""},
                 {0, ""},
                 {-3, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[60];
        bool all = run_params_within("stride=8,n=16384,no-merge", cases[i].cells, text, sizeof text);
        cr_assert_str_eq(text, cases[i].wanted, "%d cells: '%s'", cases[i].cells, text);
        cr_assert_eq(all, cases[i].cells >= 25);
    }
}
