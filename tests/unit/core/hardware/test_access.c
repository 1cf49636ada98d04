/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of a warp as text: what is printed is read again, and nothing else is taken. */
#include "core/hardware/access.h"
#include "tests/shared/made/made_access.h"

#include <criterion/criterion.h>
#include <string.h>

Test(access, is_printed_and_read)
{
    struct made_access made = {.state = 1};
    for (int i = 0; i < 20000; i++) {
        struct warp_access access = made_access_next(&made, UINT64_MAX), read = {0};
        char text[ACCESS_TEXT_BYTES];
        if (access.active == 0)
            continue;
        access_print(&access, text);
        read.width_bytes = access.width_bytes;
        cr_assert(access_parse(text, &read), "%s", text);
        cr_assert_eq(read.active, access.active, "%s", text);
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            cr_assert_eq(read.address[lane], access.active >> lane & 1 ? access.address[lane] : 0, "%s",
                         text);
    }
}

#define FIFTEEN "- - - - - - - - - - - - - - - "

Test(access, takes_no_other_text)
{
    static const char *const bad[] = {
        "",
        "10",
        FIFTEEN FIFTEEN "- -",   /* no lane is active */
        FIFTEEN FIFTEEN "- 10 ", /* more than 32 lanes */
        FIFTEEN FIFTEEN "- 10 -",
        FIFTEEN FIFTEEN "10", /* fewer */
        FIFTEEN FIFTEEN "-  10",
        FIFTEEN FIFTEEN "- 0x10",
        FIFTEEN FIFTEEN "- A",
        FIFTEEN FIFTEEN "- 10000000000000000", /* more than 64 bits */
        FIFTEEN FIFTEEN "- fffffffffffffffd",  /* its four bytes do not fit */
    };
    struct warp_access access = {.width_bytes = 4};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_not(access_parse(bad[i], &access), "%s", bad[i]);
    cr_assert(access_parse(FIFTEEN FIFTEEN "- fffffffffffffffc", &access));
    cr_assert_eq(access.active, 1u << 31);
}
