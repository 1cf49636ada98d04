/* SPDX-License-Identifier: Apache-2.0 */
/* Orders of copies and kernels: what is no call, and what is not ordered. */
#include "workloads/frame/host_order.h"

#include <criterion/criterion.h>
#include <string.h>

#define UP(stream, first, last)           \
    {                                     \
        ORDER_UPLOAD, stream, first, last \
    }
#define COMPUTE(stream, first, last)       \
    {                                      \
        ORDER_COMPUTE, stream, first, last \
    }
#define DOWN(stream, first, last)           \
    {                                       \
        ORDER_DOWNLOAD, stream, first, last \
    }
#define WAIT(stream, other)          \
    {                                \
        ORDER_WAIT, stream, other, 0 \
    }
#define SYNCHRONIZE                \
    {                              \
        ORDER_SYNCHRONIZE, 0, 0, 0 \
    }
#define PINNED                \
    {                         \
        ORDER_PINNED, 0, 0, 0 \
    }

struct row {
    struct order_call calls[ORDER_CALLS_MAX];
    const char *says; /* NULL: it is good */
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct error error = {0};
        bool pinned;
        enum status status = host_order_check(rows[i].calls, &pinned, &error);

        cr_expect_eq(status, rows[i].says ? STATUS_CHECK : STATUS_OK, "row %zu: %s", i, error.text);
        cr_expect(!rows[i].says || strstr(error.text, rows[i].says), "row %zu: %s", i, error.text);
        cr_expect_eq(pinned, rows[i].calls[0].op == ORDER_PINNED, "row %zu", i);
    }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof *(rows))

Test(host_order, what_is_no_call)
{
    static const struct row rows[] = {
        {{UP(9, 0, 0)}, "call 1 is none"},
        {{UP(1, 0, 8)}, "call 1 is none"},
        {{UP(1, 4, 3)}, "first = 4, last = 3"},
        {{UP(~0u, 0, 0)}, "call 1 is none"},
        {{UP(1, 0, 7), WAIT(1, 1)}, "call 2 is none"},
        {{WAIT(1, 9)}, "call 1 is none"},
        {{WAIT(9, 1)}, "call 1 is none"},
        {{{ORDER_OP_COUNT, 0, 0, 0}}, "call 1 is none"},
    };

    CHECK_ROWS(rows);
}

Test(host_order, what_is_ordered)
{
    static const struct row rows[] = {
        {{PINNED, UP(1, 0, 7), COMPUTE(1, 0, 7), DOWN(1, 0, 7)}, NULL},
        {{UP(1, 0, 7), COMPUTE(2, 0, 7), DOWN(2, 0, 7)}, "call 2: compute of chunk 0 in stream 2"},
        {{UP(1, 0, 7), WAIT(2, 1), COMPUTE(2, 0, 7), DOWN(2, 0, 7)}, NULL},
        {{UP(1, 0, 7), SYNCHRONIZE, COMPUTE(2, 0, 7), SYNCHRONIZE, DOWN(3, 0, 7)}, NULL},
        /* the default stream waits, and is waited for */
        {{UP(1, 0, 7), COMPUTE(0, 0, 7), DOWN(5, 0, 7)}, NULL},
        /* it waits for what was there before */
        {{WAIT(2, 1), UP(1, 0, 7), COMPUTE(2, 0, 7), DOWN(2, 0, 7)}, "call 3: compute of chunk 0"},
        {{UP(1, 0, 7), WAIT(2, 1), WAIT(3, 2), COMPUTE(3, 0, 7), DOWN(3, 0, 7)}, NULL},
        {{UP(1, 0, 7), WAIT(2, 1), COMPUTE(2, 0, 7), WAIT(3, 1), DOWN(3, 0, 7)},
         "call 5: download of chunk 0 in stream 3 does not wait for its compute in stream 2"},
    };

    CHECK_ROWS(rows);
}

Test(host_order, what_is_complete)
{
    static const struct row rows[] = {
        {{{0}}, "chunk 0 of 8 has no upload"},
        {{UP(1, 0, 7)}, "chunk 0 of 8 has no compute"},
        {{UP(1, 0, 7), COMPUTE(1, 0, 7), DOWN(1, 0, 6)}, "chunk 7 of 8 has no download"},
        {{UP(1, 0, 7), UP(1, 2, 2)}, "call 2: upload of chunk 2 for the second time"},
        {{COMPUTE(1, 0, 0), UP(1, 0, 7)}, "call 1: compute of chunk 0 comes before its upload"},
    };

    CHECK_ROWS(rows);
}
