/*
 * Call paths, and what was launched from them. A frame's file comes as a path of the machine: here it is
 * decided whether it is the program's own code, and the session gets a short name of it.
 */
#include "core/intake/intake_internal.h"

#include "core/session/code.h"
#include "core/session/stacks.h"

#include <string.h>

#define LINE_MOST (1u << 24)

/* The text after the last `mark` in path; NULL: the mark is not in it. */
static const char *path_after(const char *path, const char *mark)
{
    const char *found = NULL;
    for (const char *at = strstr(path, mark); at != NULL; at = strstr(at + 1, mark))
        found = at + strlen(mark);
    return found;
}

/* A file of an installed package or of Python's standard library: the part of its path to show. NULL:
 * neither. */
static const char *path_of_package(const char *path)
{
    const char *found = path_after(path, "/site-packages/");
    if (found == NULL)
        found = path_after(path, "/dist-packages/");
    if (found != NULL)
        return found;
    const char *version = path_after(path, "/lib/python3");
    const char *slash = version == NULL ? NULL : strchr(version, '/');
    return slash == NULL ? NULL : slash + 1;
}

/* Python writes some names in <>: these are of the user's own code; an interpreter or a compiler makes the
 * others. */
static bool is_typed_in(const char *path)
{
    return strcmp(path, "<string>") == 0 || strcmp(path, "<stdin>") == 0 ||
           strncmp(path, "<ipython-input", 14) == 0;
}

/* Does the file belong to the program itself? Not if it belongs to a package, was made at run time, or is a
 * shared library or the interpreter itself. */
static bool is_library(const char *path)
{
    const char *base = strrchr(path, '/');
    base = base == NULL ? path : base + 1;
    return path_of_package(path) != NULL || (path[0] == '<' && !is_typed_in(path)) || path[0] == '(' ||
           strstr(path, "/torchinductor_") != NULL || strstr(base, ".so") != NULL ||
           (strncmp(base, "python", 6) == 0 && strstr(base, ".py") == NULL);
}

static uint32_t file_of(struct intake *intake, const char *path)
{
    char name[512];
    const char *package = path_of_package(path);
    if (package == NULL) {
        code_file_name(path, intake->source_folder, name, sizeof name);
        package = name;
    }
    return session_add_string(intake->session, package, strlen(package));
}

/* The name of a library or program without its folders. */
static uint32_t object_of(struct intake *intake, const char *path)
{
    const char *base = strrchr(path, '/');
    base = base == NULL ? path : base + 1;
    return session_add_string(intake->session, base, strlen(base));
}

void intake_stack(struct intake *intake, const struct event *event)
{
    uint32_t caller = event->stack.caller == 0 ? NONE : idmap_find(&intake->stacks, event->stack.caller);
    struct stack_row row = {.caller = caller, .line = event->stack.line};
    const char *path = intake_path(intake, event->stack.file);
    if (path == NULL)
        path = session_string(intake->session, intake_string(intake, event->stack.file));
    row.name = intake_string(intake, event->stack.name);
    bool start = strcmp(session_string(intake->session, row.name), "_start") == 0; /* of the C library */
    row.flags = path[0] == '\0' || start || is_library(path) ? STACK_LIBRARY : 0;
    row.file = path[0] == '\0' ? 0 : row.line > 0 ? file_of(intake, path) : object_of(intake, path);
    if (row.line == 0)
        row.name = intake_readable(intake, row.name);
    uint32_t stack = NONE;
    if (event->stack.id != 0 && row.name != 0 && row.line <= LINE_MOST &&
        (event->stack.caller == 0 || caller != NONE) &&
        (intake->stacks.count < INTAKE_STACKS_MAX ||
         idmap_find(&intake->stacks, event->stack.id) != IDMAP_NONE))
        stack = session_add_stack(intake->session, &row);
    if (stack == NONE || !idmap_put(&intake->stacks, event->stack.id, stack))
        intake->stats.malformed++;
}

/* nvcc makes a host function with the kernel's name that launches it: the launch site is its caller. */
static uint32_t caller_of_stub(const struct session *session, uint32_t stack, uint32_t kernel)
{
    const struct stack_row *frame = session_stack(session, stack);
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = row == NULL ? NULL : session_shape(session, row->shape);
    bool stub = frame != NULL && shape != NULL && frame->name == shape->name && frame->caller != NONE;
    return stub ? frame->caller : stack;
}

void intake_launch_site(struct intake *intake, uint32_t stack, const struct item *item, int64_t start_ns,
                        int64_t end_ns)
{
    uint32_t known = stack == 0 ? NONE : idmap_find(&intake->stacks, stack);
    if (known == NONE || intake->sites_added >= INTAKE_SITES_MAX)
        return; /* it has no call path, or its announcement was lost: the event itself is valid */
    uint32_t kernel = item->kind == ITEM_LAUNCH ? item->launch.kernel : NONE;
    struct launch_site_row row = {.run = intake_run_at(intake, start_ns),
                                  .kernel = kernel,
                                  .stack = caller_of_stub(intake->session, known, kernel),
                                  .kind = item->kind,
                                  .copy_kind = item->kind == ITEM_COPY ? item->a : 0,
                                  .launches = 1,
                                  .total_ns = (uint64_t)(end_ns - start_ns)};
    uint32_t before = session_launch_site_count(intake->session);
    session_add_launch_site(intake->session, &row);
    intake->sites_added += session_launch_site_count(intake->session) - before;
}
