/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A value is a range: a single number, or all numbers from a lower bound. A limit is kept, or broken, only if
 * that is true of every number of the range.
 */
#include "cli/diff/limit.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *limit_state_text(enum limit_state state)
{
#define STATE_TEXT(id, text) [LIMIT_##id] = text,
    static const char *const texts[] = {LIMIT_STATE_LIST(STATE_TEXT)};
#undef STATE_TEXT

    return (unsigned)state < LIMIT_STATE_COUNT ? texts[state] : texts[LIMIT_UNCHECKED];
}

static const char *skip_blanks(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

static enum status limit_bad(const char *text, struct error *error)
{
    return error_set(error, STATUS_USAGE,
                     "--fail-on does not take \"%.80s\": it takes METRIC > LIMIT (or >=, <, <=), where LIMIT "
                     "is a number, or a ratio to A written with an x: 'time_ns > 1.05x'.",
                     text);
}

enum status limit_parse(struct limit *limit, const char *text, struct error *error)
{
    const char *name = skip_blanks(text), *at = name + strcspn(name, "<>= \t");
    char id[80], *end;
    *limit = (struct limit){.text = text};
    if (at == name || (size_t)(at - name) >= sizeof id)
        return limit_bad(text, error);
    memcpy(id, name, (size_t)(at - name));
    id[at - name] = '\0';
    at = skip_blanks(at);
    if (*at != '<' && *at != '>')
        return limit_bad(text, error);
    limit->above = *at++ == '>';
    limit->or_equal = *at == '=';
    at = skip_blanks(at + limit->or_equal);
    char number[40];
    size_t digits = strspn(at, "+-.0123456789eE"); /* strtod would accept "nan", "inf" and "0x10" */
    if (digits == 0 || digits >= sizeof number)
        return limit_bad(text, error);
    memcpy(number, at, digits);
    number[digits] = '\0';
    errno = 0;
    limit->bound = strtod(number, &end);
    if (*end || end == number || errno || !isfinite(limit->bound))
        return limit_bad(text, error);
    limit->times_a = at[digits] == 'x';
    if (*skip_blanks(at + digits + limit->times_a))
        return limit_bad(text, error);
    limit->metric = metric_find(id);
    if (limit->metric == METRIC_COUNT) {
        return error_set(
            error, STATUS_USAGE,
            "There is no metric %.60s: docs/metrics.md and lanescope report --csv list all metrics.", id);
    }
    if (limit->metric == METRIC_occupancy_limiter)
        return error_set(error, STATUS_USAGE, "%s is a word, not a number: it has no limit.", id);
    if (limit->times_a && limit->bound < 0)
        return error_set(error, STATUS_USAGE, "A ratio to A cannot be negative: \"%.80s\".", text);
    return STATUS_OK;
}

struct range {
    double least, most;
};

static struct range range_of(const struct value *value)
{
    return (struct range){.least = value->bound == VALUE_AT_MOST ? -INFINITY : value->number,
                          .most = value->bound == VALUE_AT_LEAST ? INFINITY : value->number};
}

/* Zero times any number is zero, so a limit of 0x is a plain bound. */
static double value_times(double factor, double number)
{
    return factor == 0 ? 0 : factor * number;
}

enum limit_state limit_check(const struct limit *limit, const struct value *a, const struct value *b)
{
    if (!b->available || b->word || (limit->times_a && (!a->available || a->word)))
        return LIMIT_UNCHECKED;
    struct range bound = {limit->bound, limit->bound}, number = range_of(b);
    if (limit->times_a) {
        struct range base = range_of(a);
        bound = (struct range){value_times(limit->bound, base.least), value_times(limit->bound, base.most)};
    }
    if (!limit->above) { /* turned round, less is more */
        number = (struct range){-number.most, -number.least};
        bound = (struct range){-bound.most, -bound.least};
    }
    if (limit->or_equal ? number.least >= bound.most : number.least > bound.most)
        return LIMIT_BROKEN;
    return (limit->or_equal ? number.most < bound.least : number.most <= bound.least) ? LIMIT_KEPT
                                                                                      : LIMIT_UNCHECKED;
}
