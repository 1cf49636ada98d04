/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the enums that records carry: each value has its own, a number that is none of them "other".
 */
#include "core/base/event.h"
#include "core/hardware/device_info.h"

#include <criterion/criterion.h>
#include <string.h>

static void check_words(const char *(*words)(uint8_t), unsigned count, const char *first, const char *last)
{
    cr_assert_str_eq(words(0), first);
    cr_assert_str_eq(words((uint8_t)(count - 1)), last);
    for (unsigned a = 0; a < count; a++) {
        cr_assert_gt(strlen(words((uint8_t)a)), 0);
        for (unsigned b = 0; b < a; b++)
            cr_assert_str_neq(words((uint8_t)a), words((uint8_t)b));
    }
}

Test(event_words, each_value_has_its_own)
{
    check_words(api_domain_text, API_DOMAIN_COUNT, "driver", "lanescope");
    check_words(copy_kind_id, COPY_KIND_COUNT, "other", "dtoa");
    check_words(copy_kind_text, COPY_KIND_COUNT, "copy", "device to array");
    check_words(copy_kind_copies, COPY_KIND_COUNT, "other copies", "copies device to array");
    check_words(memory_kind_text, MEMORY_KIND_COUNT, "unknown", "managed");
    check_words(sync_kind_id, SYNC_KIND_COUNT, "other", "context");
    check_words(sync_kind_text, SYNC_KIND_COUNT, "wait", "wait for the context");
    for (uint8_t category = 0; category < CALL_CATEGORY_COUNT; category++)
        cr_assert_eq(call_category_mark(category), "-LCSAFWRM"[category]);
}

Test(event_words, a_number_from_outside_is_other)
{
    cr_assert_str_eq(api_domain_text(API_DOMAIN_COUNT), "other");
    cr_assert_str_eq(memory_kind_text(UINT8_MAX), "other");
    cr_assert_str_eq(copy_kind_id(COPY_KIND_COUNT), "other");
    cr_assert_str_eq(copy_kind_text(UINT8_MAX), "copy");
    cr_assert_str_eq(copy_kind_copies(UINT8_MAX), "other copies");
    cr_assert_str_eq(sync_kind_id(SYNC_KIND_COUNT), "other");
    cr_assert_eq(call_category_mark(UINT8_MAX), '-');
}

Test(event_words, compute_capabilities)
{
    cr_assert_str_eq(capability_text(90).text, "9.0");
    cr_assert_str_eq(capability_text(121).text, "12.1");
}
