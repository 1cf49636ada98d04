/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of failure: whole, terminated, without control bytes, cut between characters. */
#include "core/base/error.h"
#include "core/base/event.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(error, the_sentence_and_the_status)
{
    struct error error;
    cr_assert_eq(error_set(&error, STATUS_FORMAT, "File %s has %d rows.", "a.lsr", 3), STATUS_FORMAT);
    cr_assert_eq(error.status, STATUS_FORMAT);
    cr_assert_str_eq(error.text, "File a.lsr has 3 rows.");
    cr_assert_eq(error_set_errno(&error, STATUS_IO, ENOENT, "File %s could not be read", "a"), STATUS_IO);
    cr_assert_str_eq(error.text, "File a could not be read: No such file or directory");
}

Test(error, no_memory_says_for_what)
{
    struct error error;
    char path[2000];
    cr_assert_eq(error_no_memory(&error, "to read %s", "a.lsr"), STATUS_MEMORY);
    cr_assert_eq(error.status, STATUS_MEMORY);
    cr_assert_str_eq(error.text, "There is no memory to read a.lsr: close other programs.");
    for (size_t offset = 0; offset < 2; offset++) { /* no half character, and the end of the sentence */
        memset(path, 'x', offset);
        for (size_t size = offset; size + 3 < sizeof path; size += 2)
            memcpy(path + size, "\xc3\xa4", 3);
        error_no_memory(&error, "to read %s", path);
        cr_assert_null(strchr(error.text, '?'));
        cr_assert(strstr(error.text, ": close other programs."));
    }
    cr_assert_eq(error_no_memory(NULL, "to read %s", "a.lsr"), STATUS_MEMORY);
}

Test(error, nobody_wants_the_sentence)
{
    cr_assert_eq(error_set(NULL, STATUS_MEMORY, "%s", "x"), STATUS_MEMORY);
    cr_assert_eq(error_set_errno(NULL, STATUS_IO, EIO, "%s", "x"), STATUS_IO);
}

Test(error, control_bytes_do_not_reach_a_terminal)
{
    struct error error;
    error_set(&error, STATUS_FORMAT, "%s",
              "a\x1b[31mb\nc\td\x7f\x01"
              "e\xc2\x9b"
              "f\xc3\xa4");
    cr_assert_str_eq(error.text, "a?[31mb c d??e??f\xc3\xa4");
    /* bytes that are no UTF-8: raw C1 controls among them */
    error_set(&error, STATUS_FORMAT, "%s",
              "a\x9b"
              "31m\xc3"
              "b\xe2\x82"
              "c\xf8\xff\xed\xa0\x80"
              "\xf0\x9f\x98\x80");
    cr_assert_str_eq(error.text, "a?31m?b??c???"
                                 "??\xf0\x9f\x98\x80");
    error_set_errno(&error, STATUS_IO, EIO, "%s", "\x1b");
    cr_assert_eq(strchr(error.text, '\x1b'), NULL);
}

/* Filled up with characters of 1 to 4 bytes at every offset: the end is never half a character. */
Test(error, a_long_sentence_is_cut_between_characters)
{
    static const char *const characters[] = {"x", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t c = 0; c < 4; c++) {
        for (size_t offset = 0; offset < 5; offset++) {
            char text[3000] = "";
            struct error error;
            memset(text, '.', offset);
            for (size_t size = offset; size < 2000; size += strlen(characters[c]))
                memcpy(text + size, characters[c], strlen(characters[c]) + 1);
            error_set(&error, STATUS_FORMAT, "%s", text);
            size_t size = strlen(error.text);
            cr_assert_lt(size, sizeof error.text);
            cr_assert_gt(size, sizeof error.text - 5);
            cr_assert_eq((size - offset) % strlen(characters[c]), 0);
            cr_assert_eq(memcmp(text, error.text, size), 0);
        }
    }
}

Test(error, every_status_and_kind_has_words)
{
    for (int i = 0; i < STATUS_COUNT; i++)
        cr_assert_gt(strlen(status_text((enum status)i)), 1);
    cr_assert_str_eq(status_text((enum status)999), "an unknown status");
    for (int i = 0; i < EVENT_KIND_COUNT; i++)
        cr_assert_gt(strlen(event_kind_text((enum event_kind)i)), 1);
    cr_assert_str_eq(event_kind_text((enum event_kind)999), "unknown");
    for (enum run_mode mode = RUN_TRACE; mode < RUN_MODE_COUNT; mode++)
        cr_assert_eq(run_mode_find(run_mode_text(mode)), mode);
    cr_assert_eq(run_mode_find("unknown"), RUN_MODE_COUNT);
    cr_assert_str_eq(run_mode_text(RUN_MODE_COUNT), "unknown");
}
