/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text is taken apart where it lies. Each parameter has a list of values, the standard one at first; the
 * cases are their product, the last parameter fastest, and are appended only when all of the text is right.
 */
#include "core/base/array.h"
#include "core/base/name_distance.h"

#include "workloads/selection.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_MAX 64   /* longest name, with its end */
#define NAMES_MAX 512 /* most characters of a list of names in a sentence */

/* The values one parameter takes. */
struct sweep {
    int64_t *value;
    size_t count;
};

/* For a sentence: the text between begin and end, control bytes as '?', cut to the length that a name can
 * have. */
static void word_show(const char *begin, const char *end, char word[WORD_MAX])
{
    size_t n = 0;

    for (; begin < end && n < WORD_MAX - 1; begin++)
        word[n++] = (unsigned char)*begin < ' ' || *begin == 127 ? '?' : *begin;
    word[n] = 0;
}

/* The names that a sentence lists, and the one closest to what was typed. */
struct names {
    char list[NAMES_MAX];
    size_t left_out;     /* names that the list had no room for */
    const char *nearest; /* NULL: none is near */
    size_t least;        /* its distance */
};

static void names_add(struct names *names, const char *typed, const char *name, const char *more)
{
    size_t used = strlen(names->list), room = names->left_out > 0 ? 0 : sizeof names->list - used;
    int needed = snprintf(names->list + used, room, "%s%s%s", used ? ", " : "", name, more);

    if (needed < 0 || (size_t)needed >= room) {
        names->list[used] = '\0';
        names->left_out++;
    }
    if (name_is_nearer(typed, name, &names->least))
        names->nearest = name;
}

static enum status names_refuse(const struct names *names, struct error *error, const char *what,
                                const char *typed, const char *they_are)
{
    char more[64] = "";

    if (names->left_out > 0)
        snprintf(more, sizeof more, " and %zu more, which lanescope list names", names->left_out);
    return error_set(error, STATUS_USAGE, "%s '%s'.%s%s%s %s: %s%s.", what, typed,
                     names->nearest ? " Did you mean '" : "", names->nearest ? names->nearest : "",
                     names->nearest ? "'?" : "", they_are, names->list, more);
}

static enum status workload_refuse(const char *typed, struct error *error)
{
    struct names names = {.least = SIZE_MAX};

    for (size_t i = 0; workload_at(i); i++)
        names_add(&names, typed, workload_at(i)->name, "");
    return error_set(error, STATUS_USAGE, "There is no workload '%s'.%s%s%s lanescope list names all.", typed,
                     names.nearest ? " Did you mean '" : "", names.nearest ? names.nearest : "",
                     names.nearest ? "'?" : "");
}

static enum status variant_refuse(const struct workload *workload, const char *typed, struct error *error)
{
    struct names names = {.least = SIZE_MAX};
    char what[WORD_MAX + 24], they_are[WORD_MAX + 24];

    for (size_t i = 0; i < workload->variant_count; i++)
        names_add(&names, typed, workload->variants[i].name, "");
    snprintf(what, sizeof what, "%s has no variant", workload->name);
    snprintf(they_are, sizeof they_are, "The variants of %s", workload->name);
    return names_refuse(&names, error, what, typed, they_are);
}

static enum status param_refuse(const struct workload *workload, const char *typed, struct error *error)
{
    struct names names = {.least = SIZE_MAX};
    char what[WORD_MAX + 24], they_are[WORD_MAX + 24], range[64];

    for (size_t i = 0; i < workload->param_count; i++) {
        const struct workload_param *param = &workload->params[i];
        snprintf(range, sizeof range, " (%" PRId64 "..%" PRId64 ")", param->minimum, param->maximum);
        names_add(&names, typed, param->name, range);
    }
    snprintf(what, sizeof what, "%s has no parameter", workload->name);
    snprintf(they_are, sizeof they_are, "The parameters of %s", workload->name);
    return names_refuse(&names, error, what, typed, they_are);
}

/* The whole number at *at; moves *at past it. */
static bool number_read(const char **at, int64_t *number)
{
    char *end;

    if (**at != '-' && (**at < '0' || **at > '9'))
        return false;
    errno = 0;
    long long n = strtoll(*at, &end, 10);
    if (errno || end == *at)
        return false;
    *at = end;
    *number = n;
    return true;
}

static enum status range_check(const struct workload *workload, const struct workload_param *param,
                               int64_t value, struct error *error)
{
    if (value >= param->minimum && value <= param->maximum)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, "%s: %s=%" PRId64 " is outside %" PRId64 "..%" PRId64 " %s (%s).",
                     workload->name, param->name, value, param->minimum, param->maximum, param->unit,
                     param->meaning);
}

/* "3", "1..32", "1..32/4" or several of these separated by |, from at to end. */
static enum status sweep_read(struct sweep *sweep, const struct workload *workload,
                              const struct workload_param *param, const char *at, const char *end,
                              struct error *error)
{
    const char *begin = at;
    char shown[WORD_MAX];

    sweep->count = 0;
    for (;;) {
        int64_t first, last, step = 1;
        const char *why = "";
        bool good = number_read(&at, &first);
        last = first;
        if (good && strncmp(at, "..", 2) == 0) {
            at += 2;
            good = number_read(&at, &last);
            if (good && *at == '/') {
                at++;
                good = number_read(&at, &step);
                why = good && step <= 0 ? " (a step is 1 or more)" : "";
            }
            if (good && last < first)
                why = " (a sweep goes up)";
            good = good && !*why;
        }
        good = good && (at == end || *at == '|');
        if (!good) {
            word_show(begin, end, shown);
            return error_set(error, STATUS_USAGE,
                             "%s: '%s' is not a value for %s%s. Write a number, a sweep from..to or "
                             "from..to/step, or several of them with | between, within %" PRId64 "..%" PRId64
                             ".",
                             workload->name, shown, param->name, why, param->minimum, param->maximum);
        }
        enum status status = range_check(workload, param, first, error);
        if (status == STATUS_OK)
            status = range_check(workload, param, last, error);
        if (status)
            return status;
        for (int64_t value = first, next; value <= last; value = next) {
            next = step <= last - value ? value + step
                                        : last + 1; /* last is in range, but a step can be any number */
            if (sweep->count == SELECTION_CASES_MAX)
                return error_set(error, STATUS_USAGE,
                                 "%s: %s takes more than %d values. Ask for fewer, for example with a step.",
                                 workload->name, param->name, SELECTION_CASES_MAX);
            sweep->value[sweep->count++] = value;
        }
        if (at == end)
            return STATUS_OK;
        at++;
    }
}

static enum status cases_append(struct selection *selection, const struct workload *workload,
                                const struct workload_variant *variant, const struct sweep *sweeps,
                                struct error *error)
{
    size_t wanted = 1;

    for (size_t p = 0; p < workload_value_count(workload); p++) {
        wanted *= sweeps[p].count; /* at most SELECTION_CASES_MAX squared: the test below ends the loop */
        if (selection->count + wanted > SELECTION_CASES_MAX)
            return error_set(
                error, STATUS_USAGE,
                "%s: that makes more than %d cases. Ask for fewer values, for example with a step.",
                workload->name, SELECTION_CASES_MAX);
    }
    if (!array_grow(selection->cases, selection->capacity, selection->count, wanted))
        return error_set(error, STATUS_MEMORY, "No memory for %zu cases. Ask for fewer.",
                         selection->count + wanted);
    for (size_t i = 0; i < wanted; i++) {
        struct workload_case *c = &selection->cases[selection->count++];
        size_t rest = i;
        *c = (struct workload_case){.workload = workload, .variant = variant};
        for (size_t p = workload_value_count(workload); p-- > 0;) { /* the last parameter changes fastest */
            c->params.value[p] = sweeps[p].value[rest % sweeps[p].count];
            rest /= sweeps[p].count;
        }
    }
    return STATUS_OK;
}

/* The ",param=value" parts. */
static enum status params_read(const struct workload *workload, const char *at, struct sweep *sweeps,
                               struct error *error)
{
    bool given[WORKLOAD_PARAMS_MAX] = {false};

    while (*at == ',') {
        const char *name = at + 1;
        const char *name_end = name + strcspn(name, ",=");
        const char *end = name_end + strcspn(name_end, ",");
        char typed[WORD_MAX];
        size_t p = 0;

        word_show(name, name_end, typed);
        if (*name_end != '=')
            return error_set(error, STATUS_USAGE,
                             typed[0] ? "%s: there is no value after '%s'. Write %s=VALUE."
                                      : "%s: there is no parameter after the comma%s. Write %s=VALUE.",
                             workload->name, typed, typed[0] ? typed : "NAME");
        while (p < workload_value_count(workload) && strcmp(workload_param_at(workload, p)->name, typed) != 0)
            p++;
        if (p == workload_value_count(workload))
            return param_refuse(workload, typed, error);
        if (given[p])
            return error_set(error, STATUS_USAGE,
                             "%s: %s is given twice. Give one value, or several with | between.",
                             workload->name, typed);
        given[p] = true;
        enum status status =
            sweep_read(&sweeps[p], workload, workload_param_at(workload, p), name_end + 1, end, error);
        if (status)
            return status;
        at = end;
    }
    return STATUS_OK;
}

enum status selection_add(struct selection *selection, const char *text, struct error *error)
{
    const char *name_end = text + strcspn(text, ":,");
    const char *variant_end = *name_end == ':' ? name_end + strcspn(name_end, ",") : name_end;
    struct sweep sweeps[WORKLOAD_PARAMS_MAX] = {{0}};
    size_t count_before = selection->count;
    bool variant_found = false;
    enum status status = STATUS_OK;
    char typed[WORD_MAX];

    word_show(text, name_end, typed);
    const struct workload *workload = workload_find(typed);
    if (!workload)
        return workload_refuse(typed, error);

    for (size_t p = 0; p < workload_value_count(workload); p++) {
        sweeps[p].value = calloc(SELECTION_CASES_MAX, sizeof *sweeps[p].value);
        if (!sweeps[p].value) {
            status = error_no_memory(error, "for the values of %s", workload_param_at(workload, p)->name);
            goto fail;
        }
        sweeps[p].value[0] = workload_param_at(workload, p)->standard;
        sweeps[p].count = 1;
    }
    status = params_read(workload, variant_end, sweeps, error);
    if (status)
        goto fail;

    word_show(name_end + (*name_end == ':'), variant_end, typed);
    for (size_t v = 0; v < workload->variant_count; v++) {
        const struct workload_variant *variant = &workload->variants[v];
        if (*name_end == ':' && strcmp(variant->name, typed) != 0)
            continue;
        variant_found = true;
        status = cases_append(selection, workload, variant, sweeps, error);
        if (status)
            goto fail;
    }
    if (!variant_found)
        status = variant_refuse(workload, typed, error);

fail:
    if (status)
        selection->count = count_before;
    for (size_t p = 0; p < workload_value_count(workload); p++)
        free(sweeps[p].value);
    return status;
}

void selection_fini(struct selection *selection)
{
    free(selection->cases);
    *selection = (struct selection){0};
}

enum status workload_parse(const char *text, struct workload_case **cases, size_t *count, struct error *error)
{
    struct selection selection = {0};
    enum status status = selection_add(&selection, text, error);

    if (status) {
        selection_fini(&selection);
        return status;
    }
    *cases = selection.cases;
    *count = selection.count;
    return STATUS_OK;
}

enum status workload_all(struct workload_case **cases, size_t *count, struct error *error)
{
    struct selection selection = {0};

    for (size_t i = 0; workload_at(i); i++) {
        const char *const *sweep = workload_at(i)->sweeps;

        for (size_t k = 0; k == 0 || (k < WORKLOAD_SWEEPS_MAX && sweep[k]); k++) {
            enum status status = selection_add(&selection, sweep[k] ? sweep[k] : workload_at(i)->name, error);
            if (status) {
                selection_fini(&selection);
                return status;
            }
        }
    }
    *cases = selection.cases;
    *count = selection.count;
    return STATUS_OK;
}
