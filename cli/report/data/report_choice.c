/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern that fits nothing is refused with names of kernels that are there. */
#include "cli/report/data/report_choice.h"

#include "cli/output/memory.h"

#include "tui/widgets/name_parts.h"

#include <fnmatch.h>
#include <stdio.h>

#define NAMED_MAX 8

struct short_names *report_names_of(const struct session *session, const struct session *other)
{
    uint32_t seen = 0, seen_of_other = 0;
    struct short_names *names = short_names_create();
    if (!names || !short_names_add_session(names, session, &seen) ||
        (other && !short_names_add_session(names, other, &seen_of_other)))
        memory_end();
    return names;
}

void report_short_name(struct short_names *names, const char *full, int cells, char *text, size_t size_bytes)
{
    if (!short_names_print(names, full, cells, text, size_bytes))
        memory_end();
}

bool report_wants_name(struct short_names *names, const struct session *session, uint32_t name,
                       const char *pattern)
{
    char plain[1024];
    const char *whole = session_string(session, name);
    if (!pattern)
        return true;
    name_print_plain(whole, plain, sizeof plain);
    if (fnmatch(pattern, plain, 0) == 0 || fnmatch(pattern, whole, 0) == 0)
        return true;
    report_short_name(names, whole, SHORT_NAME_WHOLE, plain, sizeof plain);
    return fnmatch(pattern, plain, 0) == 0;
}

bool report_wants(struct short_names *names, const struct session *session, const struct kernel_row *kernel,
                  const char *pattern)
{
    const struct shape_row *shape = session_shape(session, kernel->shape);
    return !pattern || (shape && report_wants_name(names, session, shape->name, pattern));
}

/* Each name is listed once: for the first kernel that has it. */
static bool is_first(const struct session *session, uint32_t kernel, uint32_t name)
{
    for (uint32_t i = 0; i < kernel; i++) {
        const struct shape_row *shape = session_shape(session, session_kernel(session, i)->shape);
        if (shape && shape->name == name)
            return false;
    }
    return true;
}

enum status report_choice_check(struct short_names *names, const struct session *session, const char *pattern,
                                struct error *error)
{
    char listed[400] = "none", plain[120];
    size_t used = 0, named = 0;
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct shape_row *shape = session_shape(session, session_kernel(session, i)->shape);
        if (shape && report_wants_name(names, session, shape->name, pattern))
            return STATUS_OK;
        if (!shape || named == NAMED_MAX || !is_first(session, i, shape->name))
            continue;
        report_short_name(names, session_string(session, shape->name), SHORT_NAME_WHOLE, plain, sizeof plain);
        int wrote = snprintf(listed + used, sizeof listed - used, "%s%.100s", named++ > 0 ? ", " : "", plain);
        used = wrote < 0 || used + (size_t)wrote >= sizeof listed ? sizeof listed - 1 : used + (size_t)wrote;
    }
    if (!pattern)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, "No kernel's name matches --kernel \"%.80s\". There are: %s%s.",
                     pattern, listed, named == NAMED_MAX ? ", and perhaps more" : "");
}
