/* A pattern that matches nothing is refused; the message names kernels that the recording has. */
#include "cli/report/report_choice.h"

#include "core/analysis/kernel_metrics.h"

#include <fnmatch.h>
#include <stdio.h>

#define NAMED_MAX 8

bool report_wants_name(const struct session *session, uint32_t name, const char *pattern)
{
    char plain[512];
    const char *whole = session_string(session, name);
    if (!pattern)
        return true;
    kernel_display_name(whole, true, plain, sizeof plain);
    return fnmatch(pattern, plain, 0) == 0 || fnmatch(pattern, whole, 0) == 0;
}

bool report_wants(const struct session *session, const struct kernel_row *kernel, const char *pattern)
{
    const struct shape_row *shape = session_shape(session, kernel->shape);
    return !pattern || (shape && report_wants_name(session, shape->name, pattern));
}

/* A name is told once: by the first kernel that has it. */
static bool is_first(const struct session *session, uint32_t kernel, uint32_t name)
{
    for (uint32_t i = 0; i < kernel; i++) {
        const struct shape_row *shape = session_shape(session, session_kernel(session, i)->shape);
        if (shape && shape->name == name)
            return false;
    }
    return true;
}

enum status report_choice_check(const struct session *session, const char *pattern, struct error *error)
{
    char names[400] = "none", plain[120];
    size_t used = 0, named = 0;
    for (uint32_t i = 0; i < session_kernel_count(session); i++) {
        const struct shape_row *shape = session_shape(session, session_kernel(session, i)->shape);
        if (shape && report_wants_name(session, shape->name, pattern))
            return STATUS_OK;
        if (!shape || named == NAMED_MAX || !is_first(session, i, shape->name))
            continue;
        kernel_display_name(session_string(session, shape->name), true, plain, sizeof plain);
        int wrote = snprintf(names + used, sizeof names - used, "%s%.100s", named++ > 0 ? ", " : "", plain);
        used = wrote < 0 || used + (size_t)wrote >= sizeof names ? sizeof names - 1 : used + (size_t)wrote;
    }
    if (!pattern)
        return STATUS_OK;
    return error_set(error, STATUS_USAGE, "No kernel's name matches --kernel \"%.80s\". There are: %s%s.",
                     pattern, names, named == NAMED_MAX ? ", and perhaps more" : "");
}
