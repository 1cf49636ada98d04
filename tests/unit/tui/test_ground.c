/* SPDX-License-Identifier: Apache-2.0 */
/* What terminals answer when they are asked for their background. */
#include "tui/terminal/ground.h"

#include <criterion/criterion.h>

Test(ground, is_light_or_dark)
{
    static const struct {
        const char *answer;
        enum ground ground;
    } answers[] = {
        {"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62c", GROUND_LIGHT},
        {"\x1b]11;rgb:fdfd/f6f6/e3e3\a\x1b[?1;2c", GROUND_LIGHT}, /* Solarized light */
        {"\x1b]11;rgba:ff/ff/ff/cc\x1b\\", GROUND_LIGHT},
        {"\x1b]11;rgb:f/f/f\x1b\\", GROUND_LIGHT},
        {"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62c", GROUND_DARK},
        {"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\", GROUND_DARK},
        {"\x1b]11;rgb:0000/2b2b/3636\x1b\\", GROUND_DARK}, /* Solarized dark */
        {"\x1b[?62c", GROUND_UNKNOWN},                     /* does not know the question */
        {"\x1b]11;rgb:ffff/ffff", GROUND_UNKNOWN},
        {"\x1b]11;rgb", GROUND_UNKNOWN},
        {"\x1b]11;rgb:-1/zz/ffff\x1b\\", GROUND_UNKNOWN},
        {"", GROUND_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        cr_expect_eq(ground_of_answer(answers[i].answer), answers[i].ground, "%zu: %s", i,
                     answers[i].answer + (answers[i].answer[0] == '\x1b'));
}

Test(ground, is_told_by_the_shells_variable)
{
    static const struct {
        const char *text;
        enum ground ground;
    } rows[] = {
        {"15;0", GROUND_DARK},     {"0;15", GROUND_LIGHT},    {"0;default;15", GROUND_LIGHT},
        {"7;8", GROUND_DARK},      {"0;7", GROUND_LIGHT},     {"0;default", GROUND_UNKNOWN},
        {"0;231", GROUND_UNKNOWN}, {"15", GROUND_UNKNOWN},    {"", GROUND_UNKNOWN},
        {"0;-1", GROUND_UNKNOWN},  {"0;15;", GROUND_UNKNOWN}, {NULL, GROUND_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(ground_of_colors(rows[i].text), rows[i].ground, "%zu", i);
}
