/* SPDX-License-Identifier: Apache-2.0 */
/* The table of R, its expressions, and the values that are drawn by it. */
#include "cli/judge/judge.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "// judge:"
#define ELEMENTS_MAX 4e6 /* of an array */

size_t judge_element_bytes(const struct judge_argument *argument)
{
    return strcmp(argument->type, "double") == 0 || strcmp(argument->type, "long") == 0 ? 8 : 4;
}

static bool is_whole(const char *type)
{
    return strcmp(type, "int") == 0 || strcmp(type, "unsigned") == 0 || strcmp(type, "long") == 0;
}

static enum status parse_argument(struct judge_reference *reference, char *text, struct error *error)
{
    struct judge_argument *argument = &reference->arguments[reference->count];
    char *name = strsep(&text, " "), *type = text ? strsep(&text, " ") : NULL, *open, *close;
    if (!type || !*type || strlen(name) >= JUDGE_NAME_BYTES ||
        (!is_whole(type) && strcmp(type, "float") != 0 && strcmp(type, "double") != 0))
        return error_set(
            error, STATUS_USAGE,
            "\"%.80s\" of the reference's table is no argument: NAME int|unsigned|long|float|double ...",
            name);
    *argument = (struct judge_argument){.least = -1, .most = 1, .whole = is_whole(type)};
    snprintf(argument->name, sizeof argument->name, "%s", name);
    snprintf(argument->type, sizeof argument->type, "%s", type);
    if (argument->whole) {
        argument->least = 0;
        argument->most = 1000;
    }
    text = text ? text : type + strlen(type);
    if ((open = strchr(text, '[')) && (close = strchr(open, ']'))) {
        snprintf(argument->length, sizeof argument->length, "%.*s", (int)(close - open - 1), open + 1);
        argument->in = strncmp(text, "in", 2) == 0; /* inout, too */
        argument->out = strncmp(text, "out", 3) == 0 || strncmp(text, "inout", 5) == 0;
        if (!argument->in && !argument->out)
            return error_set(error, STATUS_USAGE,
                             "%s of the reference's table is an array: in, out or inout before [LENGTH].",
                             name);
        text = close + 1;
    }
    char *range = strstr(text, ".."), *tolerance = strstr(text, "tolerance ");
    if (range) {
        while (range > text && range[-1] != ' ')
            range--;
        argument->least = strtod(range, NULL);
        argument->most = strtod(strstr(range, "..") + 2, NULL);
    }
    argument->tolerance = tolerance ? strtod(tolerance + strlen("tolerance "), NULL) : 0;
    if (!*argument->length && !range)
        return error_set(error, STATUS_USAGE,
                         "%s of the reference's table is a number: it needs LEAST..MOST.", name);
    reference->count++;
    return STATUS_OK;
}

enum status judge_reference_read(struct judge_reference *reference, const char *path, struct error *error)
{
    char line[512];
    bool writes = false;
    enum status status = STATUS_OK;
    FILE *file = fopen(path, "re");
    *reference = (struct judge_reference){0};
    if (!file)
        return error_set_errno(error, STATUS_USAGE, errno, "The reference %.300s cannot be read", path);
    while (status == STATUS_OK && fgets(line, sizeof line, file)) {
        char *text = line + strlen(MARK);
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, MARK, strlen(MARK)) != 0)
            continue;
        text += strspn(text, " ");
        if (strncmp(text, "operations ", strlen("operations ")) == 0)
            snprintf(reference->operations, sizeof reference->operations, "%.120s",
                     text + strlen("operations "));
        else if (reference->count == JUDGE_ARGUMENTS_MAX)
            status = error_set(error, STATUS_USAGE, "The reference's table has more than %d arguments.",
                               JUDGE_ARGUMENTS_MAX);
        else
            status = parse_argument(reference, text, error);
    }
    fclose(file);
    for (size_t i = 0; i < reference->count; i++)
        writes |= reference->arguments[i].out;
    if (status == STATUS_OK && !writes)
        status = error_set(
            error, STATUS_USAGE,
            "%.300s has no line \"// judge: NAME TYPE out [LENGTH]\": its table names the arguments of reference().",
            path);
    return status;
}

/* ---- expressions ---- */
struct expression {
    const struct judge_reference *reference;
    const double *values;
    const char *at;
    bool wrong;
};

static double read_sum(struct expression *expression);

static double read_name(struct expression *expression)
{
    size_t length = 0;
    while (isalnum((unsigned char)expression->at[length]) || expression->at[length] == '_')
        length++;
    for (size_t i = 0; i < expression->reference->count; i++) {
        const struct judge_argument *argument = &expression->reference->arguments[i];
        if (!*argument->length && strlen(argument->name) == length &&
            strncmp(argument->name, expression->at, length) == 0) {
            expression->at += length;
            return expression->values[i];
        }
    }
    expression->wrong = true;
    return 0;
}

static double read_factor(struct expression *expression)
{
    double value;
    char *end;
    expression->at += strspn(expression->at, " ");
    if (*expression->at == '(') {
        expression->at++;
        value = read_sum(expression);
        expression->wrong |= *expression->at != ')';
        expression->at += *expression->at == ')';
    } else if (isdigit((unsigned char)*expression->at)) {
        value = strtod(expression->at, &end);
        expression->at = end;
    } else {
        value = read_name(expression);
    }
    expression->at += strspn(expression->at, " ");
    return value;
}

static double read_product(struct expression *expression)
{
    double value = read_factor(expression);
    while (!expression->wrong && (*expression->at == '*' || *expression->at == '/')) {
        const bool times = *expression->at++ == '*';
        const double next = read_factor(expression);
        value = times ? value * next : floor(value / next);
    }
    return value;
}

static double read_sum(struct expression *expression)
{
    double value = read_product(expression);
    while (!expression->wrong && (*expression->at == '+' || *expression->at == '-')) {
        const bool plus = *expression->at++ == '+';
        const double next = read_product(expression);
        value = plus ? value + next : value - next;
    }
    return value;
}

enum status judge_expression(const struct judge_reference *reference, const double *values, const char *text,
                             double *value, struct error *error)
{
    struct expression expression = {reference, values, text, strchr(text, '(') && strlen(text) > 100};
    *value = read_sum(&expression);
    if (expression.wrong || *expression.at || !(*value >= 0 && *value <= 1e15))
        return error_set(
            error, STATUS_USAGE,
            "\"%.100s\" of the reference's table is no expression of numbers and whole arguments.", text);
    return STATUS_OK;
}

/* ---- values ---- */
static uint64_t mix_seed(uint64_t seed) /* splitmix64 */
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ seed >> 27) * UINT64_C(0x94d049bb133111eb);
    return seed ^ seed >> 31;
}

static double draw_value(uint64_t seed, const struct judge_argument *argument)
{
    const double part = (double)(mix_seed(seed) >> 11) * 0x1p-53;
    return argument->whole ? floor(argument->least + part * (argument->most - argument->least + 1))
                           : argument->least + part * (argument->most - argument->least);
}

static unsigned probes_of(const struct judge_case *of)
{
    return of->input_count > 0 ? JUDGE_PROBES : 0;
}

enum status judge_case_draw(const struct judge_reference *reference, uint64_t seed, bool probed,
                            struct judge_case *drawn, struct error *error)
{
    *drawn = (struct judge_case){.seed = seed, .probed = probed};
    for (size_t i = 0; i < reference->count; i++)
        if (!*reference->arguments[i].length)
            drawn->values[i] = draw_value(seed + i, &reference->arguments[i]);
    for (size_t i = 0; i < reference->count; i++) {
        double length = 0;
        if (!*reference->arguments[i].length)
            continue;
        enum status status =
            judge_expression(reference, drawn->values, reference->arguments[i].length, &length, error);
        if (status != STATUS_OK)
            return status;
        if (length < 1 || length > ELEMENTS_MAX)
            return error_set(error, STATUS_USAGE,
                             "%s of the reference's table would have %.0f elements: from 1 to %.0f.",
                             reference->arguments[i].name, length, ELEMENTS_MAX);
        drawn->lengths[i] = (size_t)length;
        drawn->fractions |= reference->arguments[i].in && !reference->arguments[i].whole;
        if (reference->arguments[i].in)
            drawn->inputs[drawn->input_count++] = i;
    }
    drawn->calls = 3;
    if (probed) /* some calls more, by chance: who counts calls does not know which is the last */
        drawn->calls += probes_of(drawn) + (drawn->fractions ? 2 : 0) + (unsigned)(mix_seed(~seed) % 3);
    return STATUS_OK;
}

enum judge_probe judge_probe_of(const struct judge_case *of, unsigned call)
{
    const unsigned probes = probes_of(of);
    if (!of->probed || call < 2 || call == of->calls - 1)
        return JUDGE_NO_PROBE;
    if (call - 2 < probes)
        return JUDGE_ELEMENT;
    if (of->fractions && call - 2 - probes < 2)
        return call - 2 == probes ? JUDGE_LOW_ZEROS : JUDGE_LOW_ONES;
    return JUDGE_NO_PROBE;
}

size_t judge_probed_input(const struct judge_case *of, unsigned call)
{
    return of->inputs[call % of->input_count];
}

size_t judge_probed_element(const struct judge_case *of, unsigned call)
{
    return mix_seed(of->seed + UINT64_C(0x9e37) * call) % of->lengths[judge_probed_input(of, call)];
}

double judge_value(const struct judge_argument *argument, const void *bytes, size_t at)
{
    if (strcmp(argument->type, "float") == 0)
        return (double)((const float *)bytes)[at];
    if (strcmp(argument->type, "double") == 0)
        return ((const double *)bytes)[at];
    return judge_element_bytes(argument) == 8        ? (double)((const int64_t *)bytes)[at]
           : strcmp(argument->type, "unsigned") == 0 ? (double)((const uint32_t *)bytes)[at]
                                                     : (double)((const int32_t *)bytes)[at];
}

void judge_put(const struct judge_argument *argument, void *bytes, size_t at, double value)
{
    if (strcmp(argument->type, "float") == 0)
        ((float *)bytes)[at] = (float)value;
    else if (strcmp(argument->type, "double") == 0)
        ((double *)bytes)[at] = value;
    else if (judge_element_bytes(argument) == 8)
        ((int64_t *)bytes)[at] = (int64_t)value;
    else
        ((uint32_t *)bytes)[at] = (uint32_t)(int64_t)value;
}

/* The low half of what a fraction has more than half precision, or float beside double: 12 binary digits of float, 20 of double. */
static void put_low_digits(const struct judge_argument *argument, void *bytes, size_t at, bool ones)
{
    if (strcmp(argument->type, "float") == 0) {
        uint32_t bits;
        float zeros, all;
        memcpy(&bits, (float *)bytes + at, sizeof bits);
        const uint32_t low = bits & ~UINT32_C(0xfff), high = bits | UINT32_C(0xfff);
        memcpy(&zeros, &low, sizeof zeros);
        memcpy(&all, &high, sizeof all);
        if (fmin(zeros, all) >= argument->least && fmax(zeros, all) <= argument->most)
            ((float *)bytes)[at] = ones ? all : zeros;
        return;
    }
    uint64_t bits;
    double zeros, all;
    memcpy(&bits, (double *)bytes + at, sizeof bits);
    const uint64_t low = bits & ~UINT64_C(0xfffff), high = bits | UINT64_C(0xfffff);
    memcpy(&zeros, &low, sizeof zeros);
    memcpy(&all, &high, sizeof all);
    if (fmin(zeros, all) >= argument->least && fmax(zeros, all) <= argument->most)
        ((double *)bytes)[at] = ones ? all : zeros;
}

void judge_fill(const struct judge_argument *argument, const struct judge_case *of, unsigned call,
                size_t index, void *bytes)
{
    const enum judge_probe probe = argument->in ? judge_probe_of(of, call) : JUDGE_NO_PROBE;
    const unsigned values_of = probe == JUDGE_NO_PROBE ? call : 1;
    const uint64_t stream = mix_seed(of->seed ^ mix_seed(((uint64_t)values_of << 32) + index + 1));
    for (size_t i = 0; i < of->lengths[index]; i++)
        judge_put(argument, bytes, i, draw_value(stream + i * UINT64_C(0x2545f4914f6cdd1d), argument));
    if (probe == JUDGE_ELEMENT && judge_probed_input(of, call) == index) {
        const size_t at = judge_probed_element(of, call);
        const double middle = (argument->least + argument->most) / 2;
        judge_put(argument, bytes, at,
                  judge_value(argument, bytes, at) < middle ? argument->most : argument->least);
    }
    for (size_t i = 0; !argument->whole && probe >= JUDGE_LOW_ZEROS && i < of->lengths[index]; i++)
        put_low_digits(argument, bytes, i, probe == JUDGE_LOW_ONES);
    if (argument->in || strcmp(argument->type, "float") != 0)
        return;
    for (size_t i = 0; i < of->lengths[index]; i++) /* far from any result */
        ((float *)bytes)[i] = 1e30f * (1 + ((float *)bytes)[i] / 2);
}
