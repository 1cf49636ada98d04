/*
 * names is NULL if there was no memory for one of them. A name has the parameters whose values differ between
 * the cases of its variant.
 */
#include "cli/run/planned.h"

#include "core/base/append.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_same_variant(const struct workload_case *a, const struct workload_case *b)
{
    return a->workload == b->workload && a->variant == b->variant;
}

/* Does the parameter differ between the cases of this variant? */
static bool has_values(const struct workload_case *cases, size_t count, const struct workload_case *of,
                       size_t param)
{
    for (size_t i = 0; i < count; i++)
        if (is_same_variant(&cases[i], of) && cases[i].params.value[param] != of->params.value[param])
            return true;
    return false;
}

static void print_name(const struct workload_case *cases, size_t count, const struct workload_case *of,
                       char text[PLANNED_NAME_BYTES])
{
    const char *before = " ";
    size_t used = 0;

    append_text(text, PLANNED_NAME_BYTES, &used, "%s:%s", of->workload->name, of->variant->name);
    for (size_t p = 0; p < of->workload->param_count; p++) {
        if (!has_values(cases, count, of, p))
            continue;
        append_text(text, PLANNED_NAME_BYTES, &used, "%s%s=%" PRId64, before, of->workload->params[p].name,
                    of->params.value[p]);
        before = ",";
    }
}

void planned_runs_add(struct planned_runs *planned, const struct workload_case *cases, size_t count)
{
    bool all = planned->count == 0 || planned->names != NULL;
    char(*names)[PLANNED_NAME_BYTES] =
        all ? reallocarray(planned->names, planned->count + count, sizeof *names) : NULL;

    if (names == NULL)
        free(planned->names);
    planned->names = names;
    for (size_t i = 0; i < count && names != NULL; i++)
        print_name(cases, count, &cases[i], names[planned->count + i]);
    planned->count += count;
}

void planned_runs_fini(struct planned_runs *planned)
{
    free(planned->names);
    *planned = (struct planned_runs){0};
}
