/* What terminals answer when they are asked for their background. */
#include "tui/terminal/ground.h"

#include <criterion/criterion.h>

Test(ground, is_light_or_dark)
{
    static const struct {
        const char *answer;
        bool light;
    } answers[] = {
        {"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62c", true},
        {"\x1b]11;rgb:fdfd/f6f6/e3e3\a\x1b[?1;2c", true}, /* Solarized light */
        {"\x1b]11;rgba:ff/ff/ff/cc\x1b\\", true},
        {"\x1b]11;rgb:f/f/f\x1b\\", true},
        {"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62c", false},
        {"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\", false},
        {"\x1b]11;rgb:0000/2b2b/3636\x1b\\", false}, /* Solarized dark */
        {"\x1b[?62c", false},                        /* does not know the question */
        {"\x1b]11;rgb:ffff/ffff", false},
        {"\x1b]11;rgb", false},
        {"\x1b]11;rgb:-1/zz/ffff\x1b\\", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        cr_expect_eq(ground_text_is_light(answers[i].answer), answers[i].light, "%zu: %s", i,
                     answers[i].answer + (answers[i].answer[0] == '\x1b'));
}
