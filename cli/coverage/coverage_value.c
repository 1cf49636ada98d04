/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of checks, by recursive descent: sum, product, atom. The first failure ends it.
 */
#include "cli/coverage/coverage.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 80
#define SELECTOR_BYTES 160
#define DEEPEST 16

struct reader {
    const char *at, *whole;
    const struct coverage_source *source;
    struct error *error;
    bool failed;
    int depth;
};

static double sum_read(struct reader *reader);

static double reader_fail(struct reader *reader, const char *why)
{
    if (!reader->failed)
        error_set(reader->error, STATUS_FORMAT, "\"%s\" at \"%.20s\": %s.", reader->whole, reader->at, why);
    reader->failed = true;
    return NAN;
}

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " ");
}

/* NAME[@N][(SELECTOR)] */
static double value_read(struct reader *reader)
{
    char name[NAME_BYTES], selector[SELECTOR_BYTES] = "";
    size_t length = 0;
    unsigned command = 1;

    while (isalnum((unsigned char)reader->at[length]) || reader->at[length] == '_')
        length++;
    if (length == 0 || length >= sizeof name)
        return reader_fail(reader, "a number, a value or a parenthesis is expected");
    memcpy(name, reader->at, length);
    name[length] = '\0';
    reader->at += length;
    if (*reader->at == '@') {
        command = (unsigned)(reader->at[1] - '0');
        if (command < 1 || command > COVERAGE_COMMANDS_MAX)
            return reader_fail(reader, "there is no such command");
        reader->at += 2;
    }
    if (*reader->at == '(') {
        length = strcspn(reader->at, ")");
        if (!reader->at[length] || length - 1 >= sizeof selector)
            return reader_fail(reader, "the selector has no end");
        memcpy(selector, reader->at + 1, length - 1);
        selector[length - 1] = '\0';
        reader->at += length + 1;
    }
    const double number = reader->source->value(reader->source, name, command, selector, reader->error);

    reader->failed |= isnan(number);
    return number;
}

static double atom_read(struct reader *reader)
{
    char *end;

    skip_blanks(reader);
    if (*reader->at == '(') {
        if (++reader->depth > DEEPEST)
            return reader_fail(reader, "too many parentheses");
        reader->at++;
        const double number = sum_read(reader);

        skip_blanks(reader);
        if (*reader->at != ')')
            return reader_fail(reader, "a parenthesis is not closed");
        reader->at++;
        reader->depth--;
        return number;
    }
    if (!isdigit((unsigned char)*reader->at))
        return value_read(reader);
    const double number = strtod(reader->at, &end);

    reader->at = end;
    return number;
}

static double product_read(struct reader *reader)
{
    double number = atom_read(reader);

    for (skip_blanks(reader); !reader->failed && (*reader->at == '*' || *reader->at == '/');
         skip_blanks(reader)) {
        const bool divides = *reader->at++ == '/';
        const double other = atom_read(reader);

        number = divides ? number / other : number * other;
    }
    return number;
}

static double sum_read(struct reader *reader)
{
    double number = product_read(reader);

    for (skip_blanks(reader); !reader->failed && (*reader->at == '+' || *reader->at == '-');
         skip_blanks(reader)) {
        const bool subtracts = *reader->at++ == '-';
        const double other = product_read(reader);

        number = subtracts ? number - other : number + other;
    }
    return number;
}

enum status coverage_evaluate(const char *what, const struct coverage_source *source, double *number,
                              struct error *error)
{
    struct reader reader = {.at = what, .whole = what, .source = source, .error = error};

    *number = sum_read(&reader);
    if (!reader.failed && *reader.at)
        reader_fail(&reader, "an operator is expected");
    return reader.failed ? STATUS_FORMAT : STATUS_OK;
}
