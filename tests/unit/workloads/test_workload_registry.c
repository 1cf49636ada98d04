/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked for, and what is said about what cannot. */
#include "core/base/error.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct workload_case *parse(const char *text, size_t *count)
{
    struct workload_case *cases = NULL;
    struct error error = {0};
    enum status status = workload_parse(text, &cases, count, &error);

    cr_assert_eq(status, STATUS_OK, "%s: %s", text, error.text);
    return cases;
}

Test(workload_registry, names_are_found)
{
    for (size_t i = 0; workload_at(i); i++)
        cr_assert_eq(workload_find(workload_at(i)->name), workload_at(i));
    cr_assert_null(workload_find("copy"));
    cr_assert_null(workload_find(""));
}

Test(workload_registry, tables_are_whole)
{
    for (size_t i = 0; workload_at(i); i++) {
        const struct workload *w = workload_at(i);

        cr_assert(i == 0 || workload_at(i - 1)->chapter <= w->chapter, "%s", w->name);
        cr_assert(w->title && w->words && w->meaning && w->resolve && w->run && w->devices_needed >= 1);
        cr_assert_leq(w->param_count, (size_t)WORKLOAD_PARAMS_MAX);
        cr_assert_gt(w->variant_count, 0);
        for (size_t p = 0; p < w->param_count; p++) {
            cr_assert(w->params[p].name && w->params[p].meaning && w->params[p].unit);
            cr_assert(w->params[p].minimum <= w->params[p].standard &&
                      w->params[p].standard <= w->params[p].maximum);
        }
        for (size_t v = 0; v < w->variant_count; v++) {
            cr_assert(w->variants[v].name && w->variants[v].meaning);
            cr_assert_eq(w->variants[v].kernel_count > 0, w->variants[v].kernels != NULL);
        }
    }
}

/* A list shows a title beside the name on 80 columns, below the name of its chapter. */
Test(workload_registry, titles_fit_their_line)
{
    size_t of_chapter[CHAPTER_COUNT] = {0};

    for (size_t i = 0; workload_at(i); i++) {
        const struct workload *w = workload_at(i);

        of_chapter[w->chapter]++;
        cr_assert_leq(strlen(w->title), (size_t)WORKLOAD_TITLE_MAX, "%s: %s", w->name, w->title);
        for (size_t k = 0; k < i; k++)
            cr_assert_str_neq(workload_at(k)->title, w->title);
    }
    for (int c = 0; c < CHAPTER_COUNT; c++) {
        cr_assert_gt(of_chapter[c], 0, "%s", chapter_name((enum workload_chapter)c));
        cr_assert(*chapter_letter((enum workload_chapter)c) == 'A' + c);
        cr_assert_leq(strlen(chapter_name((enum workload_chapter)c)), (size_t)WORKLOAD_TITLE_MAX);
    }
}

Test(workload_registry, sweeps_expand)
{
    static const struct {
        const char *text;
        size_t count;
        int64_t first, last; /* of the first parameter */
    } table[] = {
        {"copy-offset", 1, 1, 1},
        {"copy-offset,offset=7", 1, 7, 7},
        {"copy-offset:copy,offset=0..32", 33, 0, 32},
        {"copy-stride,stride=1..32/4", 8, 1, 29},
        {"copy-stride:copy,stride=1..32/4|7", 9, 1, 7},
        {"copy-stride,stride=1|2|32", 3, 1, 32},
        {"copy-stride,stride=5..5", 1, 5, 5},
        {"copy-stride,stride=1..4/9223372036854775807", 1, 1, 1},
        {"copy-stride,stride=3..4,n=65536|131072", 4, 3, 4},
        {"transpose", 5, 0, 0},
        {"transpose:pad,n=64", 1, 64, 64},
        {"bank-stride,stride=1..33", 5 * 33, 1, 33},
        {"matmul-ab,m=64,n=32|64", 8, 64, 64},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t count;
        const struct workload_case *cases = parse(table[i].text, &count);

        cr_assert_eq(count, table[i].count, "%s: %zu cases", table[i].text, count);
        cr_assert_eq(cases[0].params.value[0], table[i].first, "%s", table[i].text);
        cr_assert_eq(cases[count - 1].params.value[0], table[i].last, "%s", table[i].text);
        free((void *)cases);
    }
}

Test(workload_registry, last_parameter_changes_fastest)
{
    size_t count;
    const struct workload_case *cases = parse("copy-stride,n=1024|2048,stride=3|4", &count);
    static const char *const texts[] = {"stride=3,n=1024", "stride=3,n=2048", "stride=4,n=1024",
                                        "stride=4,n=2048"};

    cr_assert_eq(count, 4);
    for (size_t i = 0; i < count; i++) {
        char text[64];
        workload_params_text(&cases[i], text, sizeof text);
        cr_assert_str_eq(text, texts[i]);
    }
    free((void *)cases);
}

Test(workload_registry, params_text_is_bounded)
{
    size_t count;
    const struct workload_case *cases = parse("copy-stride,stride=3,n=1024", &count);

    for (size_t size = 1; size < 20; size++) {
        char text[20];
        memset(text, '#', sizeof text);
        workload_params_text(cases, text, size);
        cr_assert_eq(strlen(text), size - 1 < 15 ? size - 1 : 15);
        cr_assert(size == 20 || text[size] == '#');
    }
    free((void *)cases);
}

Test(workload_registry, errors_name_what_is_there)
{
    static const struct {
        const char *text, *part, *other;
    } table[] = {
        {"copy-strid", "Did you mean 'copy-stride'?", "lanescope list names all."},
        {"", "There is no workload ''", "lanescope list names all."},
        {"nothing-like-it", "There is no workload 'nothing-like-it'. lanescope list names all.", ""},
        {"math:nothing-like-it", "The variants of math: ", " more, which lanescope list names."},
        {"transpose:padd", "transpose has no variant 'padd'. Did you mean 'pad'?", "swizzle"},
        {"transpose:", "transpose has no variant ''", "naive"},
        {"copy-stride,strde=3", "Did you mean 'stride'?", "stride (1..32)"},
        {"copy-stride,stride=33", "stride=33 is outside 1..32 words", "distance of two lanes"},
        {"copy-stride,stride=0..3", "stride=0 is outside 1..32", ""},
        {"copy-stride,stride=1..33", "stride=33 is outside 1..32", ""},
        {"copy-stride,stride=99999999999999999999", "'99999999999999999999' is not a value for stride",
         "1..32"},
        {"copy-stride,stride=5..2", "'5..2' is not a value for stride (a sweep goes up)", "1..32"},
        {"copy-stride,stride=1..33/0", "'1..33/0' is not a value for stride (a step is 1 or more)", "1..32"},
        {"copy-stride,stride=1..4/-2", "(a step is 1 or more)", "1..32"},
        {"copy-stride,stride=1.5", "'1.5' is not a value for stride. Write", "1..32"},
        {"word-size:4", "word-size has no variant '4'. The variants of word-size: 8, 16", "packed"},
        {"copy-stride,stride=", "'' is not a value for stride", "from..to/step"},
        {"copy-stride,stride=1..", "'1..' is not a value", ""},
        {"copy-stride,stride=4..1", "'4..1' is not a value", ""},
        {"copy-stride,stride=1..4/0", "'1..4/0' is not a value", ""},
        {"copy-stride,stride=1..4/-1", "'1..4/-1' is not a value", ""},
        {"copy-stride,stride=1|", "'1|' is not a value", ""},
        {"copy-stride,stride=1 ", "'1 ' is not a value", ""},
        {"copy-stride,stride", "there is no value after 'stride'", "stride=VALUE"},
        {"copy-stride,", "there is no parameter after the comma", "NAME=VALUE"},
        {"copy-stride,stride=1,stride=2", "stride is given twice", ""},
        {"copy-offset,n=0..4096", "n takes more than 4096 values", "step"},
        {"copy-offset,n=0..400,offset=0..32", "more than 4096 cases", ""},
        {"copy\033[31m", "copy?[31m", ""},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct workload_case *cases = NULL;
        struct error error = {0};
        size_t count = 0;

        cr_assert_eq(workload_parse(table[i].text, &cases, &count, &error), STATUS_USAGE, "'%s'",
                     table[i].text);
        cr_assert(strstr(error.text, table[i].part) && strstr(error.text, table[i].other), "'%s': %s",
                  table[i].text, error.text);
    }
}

Test(workload_registry, long_words_are_refused)
{
    char text[4096];
    struct workload_case *cases = NULL;
    size_t count = 0;

    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    cr_assert_eq(workload_parse(text, &cases, &count, NULL), STATUS_USAGE);
    memcpy(text, "copy-stride,", 12);
    cr_assert_eq(workload_parse(text, &cases, &count, NULL), STATUS_USAGE);
    memcpy(text, "copy-stride,stride=", 19);
    memset(text + 19, '9', sizeof text - 20);
    cr_assert_eq(workload_parse(text, &cases, &count, NULL), STATUS_USAGE);
}

Test(workload_registry, all_has_every_variant)
{
    struct workload_case *cases = NULL;
    size_t count = 0;

    cr_assert_eq(workload_all(&cases, &count, NULL), STATUS_OK);
    cr_assert(count >= 150 && count <= 1000, "%zu cases", count);
    for (size_t i = 0; workload_at(i); i++) {
        for (size_t v = 0; v < workload_at(i)->variant_count; v++) {
            size_t k = 0;
            while (k < count && cases[k].variant != &workload_at(i)->variants[v])
                k++;
            cr_assert_lt(k, count, "%s:%s is not part of --all", workload_at(i)->name,
                         workload_at(i)->variants[v].name);
        }
    }
    free(cases);
}

Test(workload_registry, resolving_refuses_what_does_not_fit)
{
    static const struct {
        const char *text, *part;
    } table[] = {
        {"copy-offset,n=1000", "Give n=1024"},
        {"copy-stride,stride=32,n=8191", "Give n=8192 or more"},
        {"transpose:tile,n=33", "Give n=64"},
        {"matmul-ab:simple,m=31", "Give m=32"},
        {"matmul-ab:simple,n=100", "Give n=128"},
        {"staged-overlap:whole-pinned,streams=2", "run a staged variant"},
        {"peer:direct,n=100", "Give n=256"},
        {"zero-copy:mapped,n=1000", "Give n=1024"},
        {"host-copy:pinned-in,kib=1,pieces=3", "Give a power of two"},
        {"radix-sort:split,n=3000", "Give n=2048 or"},
        {"radix-sort:split,bits=6", "Give bits=8"},
        {"histogram:warps,bins=48", "is not a power of two"},
        {"histogram:shared,n=5000", "Give n=8192"},
        {"ilp:7,n=512", "Give n=896"},
        {"texture:wrap,n=48", "Give n=64"},
        {"scan,n=1000", "Give n=1024"},
        {"compaction,n=513", "Give n=1024"},
        {"prefetch:loop,distance=6,passes=5", "Give as many passes or more"},
    };
    struct device_info info = {.multiprocessors = 132, .l2_bytes = 50u << 20};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t count;
        struct workload_case *c = (struct workload_case *)parse(table[i].text, &count);
        struct error error = {0};

        c->info = &info;
        cr_assert_eq(c->workload->resolve(c, &error), STATUS_USAGE, "%s", table[i].text);
        cr_assert(strstr(error.text, table[i].part), "%s: %s", table[i].text, error.text);
        free(c);
    }
}

Test(workload_registry, sizes_scale_with_the_device)
{
    struct workload_case *cases = NULL;
    size_t count = 0;
    struct device_info big = {.multiprocessors = 132, .l2_bytes = 50u << 20}, unknown = {0};
    const struct device_info *const infos[] = {&big, &unknown};

    for (size_t d = 0; d < 2; d++) {
        cr_assert_eq(workload_all(&cases, &count, NULL), STATUS_OK);
        for (size_t i = 0; i < count; i++) {
            struct workload_case *c = &cases[i];
            struct error error = {0};

            c->info = infos[d];
            cr_assert_eq(c->workload->resolve(c, &error), STATUS_OK, "%s", error.text);
            cr_assert(c->grid[0] && c->grid[1] && c->grid[2] && c->block[0] && c->block[1] && c->block[2]);
            cr_assert_leq(c->block[0] * c->block[1] * c->block[2], 1024u);
            if (strncmp(c->workload->name, "copy-", 5) == 0 && d == 0)
                cr_assert_geq(c->params.value[1] * 4, (int64_t)big.l2_bytes);
            for (size_t p = 0; p < c->workload->param_count; p++)
                cr_assert(c->params.value[p] >= c->workload->params[p].minimum &&
                          (c->params.value[p] > 0 || c->workload->params[p].maximum <= 1024));
        }
        free(cases);
    }
}

/* ---- what the lessons say to type ---- */

static void expect_parsed(const char *text)
{
    size_t count;

    free((void *)(uintptr_t)parse(text, &count));
}

/* Something in back quotes: a case of a workload, or values of this one's. */
static bool type_code(const char *code, const char *lesson)
{
    char text[200];
    size_t name = strcspn(code, ":,");
    bool values = strchr(code, '=') && !strchr(code, ' ') && !strchr(code, '[') && !strchr(code, ',');

    snprintf(text, sizeof text, "%.*s", (int)name, code);
    if (workload_find(text))
        snprintf(text, sizeof text, "%s", code);
    else if (values)
        snprintf(text, sizeof text, "%s,%s", lesson, code);
    else
        return false;
    expect_parsed(text);
    return true;
}

Test(workload_registry, what_lessons_say_can_be_typed)
{
    size_t codes = 0;

    for (size_t i = 0; workload_at(i); i++) {
        const char *name = workload_at(i)->name, *at = text_lesson(name);

        cr_assert(at, "%s has no lesson", name);
        for (; *at; at += strcspn(at, "\n"), at += *at == '\n') {
            char line[1000];

            snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
            if (strncmp(line, "    ", 4) == 0) /* tests/repo/lessons.py runs it */
                continue;
            for (char *code = strchr(line, '`'), *end; code && (end = strchr(code + 1, '`')) != NULL;
                 code = strchr(end + 1, '`')) {
                *end = '\0';
                codes += type_code(code + 1, name);
            }
        }
    }
    cr_assert_geq(codes, 20);
}
