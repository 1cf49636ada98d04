/* Orders of copies and kernels: what is malformed, and what is not ordered. */
#include "workloads/frame/host_order.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct host_order order;
static struct error error;

/* NULL: it is good. */
static const char *fault_of(const char *text)
{
    if (host_order_parse(text, &order, &error) == STATUS_OK && host_order_check(&order, &error) == STATUS_OK)
        return NULL;
    return error.text;
}

static void check(const char *text, const char *says)
{
    const char *fault = fault_of(text);

    if (says)
        cr_expect(fault && strstr(fault, says), "%s: %s", text, fault ? fault : "is good");
    else
        cr_expect_null(fault, "%s: %s", text, fault);
}

#define ALL "stream 1 upload 1-8\n"
Test(host_order, statements)
{
    static const char *const malformed[] = {
        "stream 9 upload 1",
        "stream 1 upload 0",
        "stream 1 upload 9",
        "stream 1 upload 4-3",
        "stream 1 upload 1-",
        "stream 1 upload 1-8x",
        "stream 1 upload",
        "stream 1 wait 1",
        "stream 10 upload 1",
        "stream -1 upload 1",
        "stream 1 copy 1",
        "memory",
        "memory fast",
        "synchronize now",
        "stream 1 synchronize 1",
        "upload 1",
        "stream 1 upload 1 2",
        "\x1b[31m",
        "stream 1 upload 99999999",
        "stream 1 upload 1 - 2",
        "stream 1 wait 9",
    };
    char long_line[200];

    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++)
        check(malformed[i], "line 1: ");
    check("memory pinned\n\n# comment\n  stream 1 fly 1\n", "line 4: \"  stream 1 fly 1\"");
    memset(long_line, ' ', sizeof long_line - 1);
    long_line[sizeof long_line - 1] = '\0';
    check(long_line, "longer than");
    cr_assert_eq(host_order_parse("# a\nmemory pinned # b\n\tstream 2 compute 3-5", &order, &error),
                 STATUS_OK);
    cr_assert(order.pinned && order.count == 1 && order.steps[0].op == ORDER_COMPUTE &&
              order.steps[0].stream == 2 && order.steps[0].first == 2 && order.steps[0].last == 4 &&
              order.steps[0].line == 3);
}

Test(host_order, too_many_steps)
{
    static char text[ORDER_STEPS_MAX * 16 + 100];

    for (size_t i = 0; i <= ORDER_STEPS_MAX; i++)
        strcat(text, "synchronize\n");
    check(text, "line 257: there are more than 256 steps");
}

Test(host_order, what_is_ordered)
{
    check(ALL "stream 1 compute 1-8\nstream 1 download 1-8\n", NULL);
    check(ALL "stream 2 compute 1-8\nstream 2 download 1-8\n", "line 2: compute of chunk 1 in stream 2");
    check(ALL "stream 2 wait 1\nstream 2 compute 1-8\nstream 2 download 1-8\n", NULL);
    check(ALL "synchronize\nstream 2 compute 1-8\nsynchronize\nstream 3 download 1-8\n", NULL);
    check(ALL "stream 0 compute 1-8\nstream 5 download 1-8\n",
          NULL); /* the default stream waits, and is waited for */
    check("stream 2 wait 1\n" ALL "stream 2 compute 1-8\nstream 2 download 1-8\n",
          "line 3: compute of chunk 1"); /* it waits for what was there before */
    check(ALL "stream 2 wait 1\nstream 3 wait 2\nstream 3 compute 1-8\nstream 3 download 1-8\n", NULL);
    check(ALL "stream 2 wait 1\nstream 2 compute 1-8\nstream 3 wait 1\nstream 3 download 1-8\n",
          "line 5: download of chunk 1 in stream 3 does not wait for its compute in stream 2");
}

Test(host_order, what_is_complete)
{
    check("", "chunk 1 of 8 has no upload");
    check(ALL, "chunk 1 of 8 has no compute");
    check(ALL "stream 1 compute 1-8\nstream 1 download 1-7\n", "chunk 8 of 8 has no download");
    check(ALL "stream 1 upload 3\n", "line 2: upload of chunk 3 for the second time");
    check("stream 1 compute 1\n" ALL, "line 1: compute of chunk 1 comes before its upload");
}
