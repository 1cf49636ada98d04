/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions, their instructions and what these cost. Line information names files by their paths on this
 * machine: such a path stays here, the session gets its short name, and the file's text where somebody reads
 * it.
 */
#include "core/intake/intake_internal.h"

#include "core/base/function_name.h"
#include "core/session/code.h"
#include "core/session/stacks.h"

#include <stdlib.h>
#include <string.h>

/* ---- code ---- */

#define FUNCTION_BYTES_MAX (1u << 30)
#define LINE_MAX_NUMBER (1u << 24)

void intake_set_sources(struct intake *intake, const char *folder, intake_read_source *read, void *context)
{
    intake->source_folder = folder;
    intake->read_source = read;
    intake->source_context = context;
}

static void keep_source(const struct intake *intake, uint32_t file, const char *path)
{
    char *text = NULL;
    size_t size_bytes = 0;
    if (!intake->read_source || session_source_text(intake->session, session_string(intake->session, file)))
        return;
    if (intake->read_source(intake->source_context, path, &text, &size_bytes))
        session_add_source(intake->session, file, text, size_bytes);
    free(text);
}

/* The session's string of the file name that is string `id`; 0: none. */
static uint32_t file_of(struct intake *intake, uint32_t id)
{
    uint32_t file = id == 0 ? 0 : idmap_find(&intake->file_ids, id);
    if (file != IDMAP_NONE)
        return file;
    char name[512];
    const char *path = intake_path(intake, id);
    if (!path)
        path = session_string(intake->session, intake_string(intake, id));
    code_file_name(path, intake->source_folder, name, sizeof name);
    file = session_add_string(intake->session, name, strlen(name));
    if (file != 0) {
        idmap_put(&intake->file_ids, id,
                  file); /* if there is no room, the name is computed again next time */
        keep_source(intake, file, path);
    }
    return file;
}

/* ---- what is announced ---- */
static uint32_t cubin_of(struct intake *intake, uint32_t id)
{
    const char *path = intake_path(intake, id);
    if (!path)
        return intake_string(intake, id);
    const char *base = strrchr(path, '/') + 1;
    return session_add_string(intake->session, base, strlen(base));
}

void intake_function(struct intake *intake, const struct event *event)
{
    struct function_row row = {.module = event->function.module,
                               .mangled = intake_string(intake, event->function.name),
                               .size_bytes = event->function.size_bytes,
                               .cubin = cubin_of(intake, event->function.cubin)};
    uint32_t function = NONE;
    if (event->function.id != 0 && row.mangled != 0 && row.size_bytes <= FUNCTION_BYTES_MAX &&
        (intake->functions.count < INTAKE_FUNCTIONS_MAX ||
         idmap_find(&intake->functions, event->function.id) != IDMAP_NONE)) {
        row.name = intake_readable(intake, row.mangled);
        function = session_add_function(intake->session, &row);
    }
    if (function == NONE || !idmap_put(&intake->functions, event->function.id, function))
        intake->stats.malformed++;
}

/* The row of an instruction; NONE if it is not possible. */
static uint32_t instruction_of(struct intake *intake, uint32_t function_id, uint32_t pc_offset)
{
    uint32_t function = idmap_find(&intake->functions, function_id);
    const struct function_row *row = session_function(intake->session, function);
    if (!row || pc_offset >= (row->size_bytes == 0 ? FUNCTION_BYTES_MAX : row->size_bytes))
        return NONE;
    if (intake->code_added >= INTAKE_CODE_MAX)
        return NONE;
    uint32_t before = session_instruction_count(intake->session);
    uint32_t instruction = session_add_instruction(intake->session, function, pc_offset);
    intake->code_added += session_instruction_count(intake->session) - before;
    return instruction;
}

void intake_instruction(struct intake *intake, const struct event *event)
{
    uint32_t instruction =
        event->instruction.line > LINE_MAX_NUMBER
            ? NONE
            : instruction_of(intake, event->instruction.function, event->instruction.pc_offset);
    if (instruction == NONE) {
        intake->stats.malformed++;
        return;
    }
    session_set_instruction(intake->session, instruction, intake_string(intake, event->instruction.text),
                            file_of(intake, event->instruction.file), event->instruction.line);
}

/* ---- what it cost ---- */
/* The run of a launch; without a launch the current run, or the last one. */
static uint32_t run_of(struct intake *intake, uint32_t correlation)
{
    const struct join *call = correlation == 0 ? NULL : joins_find(&intake->joins, correlation);
    uint32_t run = intake_run_at(intake, !call ? intake->last_ns : call->start_ns);
    return run == NONE && intake->run_count > 0 ? intake->runs[intake->run_count - 1].run : run;
}

/* The kernel row of a shape (0: not known) in that run; false if the shape was never announced. */
static bool kernel_of(struct intake *intake, const struct event *event, uint32_t shape, uint32_t run,
                      uint32_t *kernel)
{
    uint32_t row = shape == 0 ? NONE : intake_shape(intake, shape);
    *kernel = NONE;
    if (shape == 0 || (row != NONE && run == NONE))
        return true;
    if (row != NONE)
        *kernel = session_add_kernel(intake->session, run, row, intake_device(intake, event->device));
    return *kernel != NONE;
}

void intake_stalls(struct intake *intake, const struct event *event)
{
    struct stall_row row = {.run = run_of(intake, event->stalls.correlation),
                            .instruction =
                                instruction_of(intake, event->stalls.function, event->stalls.pc_offset),
                            .reason = intake_string(intake, event->stalls.reason),
                            .period_cycles = event->stalls.period_cycles,
                            .samples = event->stalls.samples};
    uint32_t before = session_stall_count(intake->session);
    if (row.instruction == NONE || intake->code_added >= INTAKE_CODE_MAX ||
        !kernel_of(intake, event, event->stalls.shape, row.run, &row.kernel) ||
        session_add_stall(intake->session, &row) == NONE)
        intake->stats.malformed++;
    intake->code_added += session_stall_count(intake->session) - before;
}

void intake_instruction_count(struct intake *intake, const struct event *event)
{
    struct tally_row row = {.run = run_of(intake, event->instruction_count.correlation),
                            .instruction = instruction_of(intake, event->instruction_count.function,
                                                          event->instruction_count.pc_offset),
                            .counter = intake_string(intake, event->instruction_count.counter),
                            .launches = 1,
                            .number = event->instruction_count.number};
    uint32_t before = session_tally_count(intake->session);
    if (row.instruction == NONE || intake->code_added >= INTAKE_CODE_MAX ||
        !kernel_of(intake, event, event->instruction_count.shape, row.run, &row.kernel) ||
        session_add_tally(intake->session, &row) == NONE)
        intake->stats.malformed++;
    intake->code_added += session_tally_count(intake->session) - before;
}

void intake_access(struct intake *intake, const struct event *event)
{
    struct access_row row = {.run = run_of(intake, 0),
                             .instruction =
                                 instruction_of(intake, event->access.function, event->access.pc_offset),
                             .addresses = intake_string(intake, event->access.addresses),
                             .block = event->access.block,
                             .warp = event->access.warp,
                             .part = event->access.part,
                             .transfers = event->access.transfers,
                             .ideal_transfers = event->access.ideal_transfers,
                             .requests = event->access.requests,
                             .all_transfers = event->access.all_transfers,
                             .all_ideal_transfers = event->access.all_ideal_transfers,
                             .space = event->access.space,
                             .width_bytes = event->access.width_bytes,
                             .flags = event->flags};
    if (row.instruction == NONE || intake->code_added >= INTAKE_CODE_MAX ||
        !kernel_of(intake, event, event->access.shape, row.run, &row.kernel) ||
        session_add_access(intake->session, &row) == NONE)
        intake->stats.malformed++;
    else
        intake->code_added++;
}

/* ---- call paths ---- */

/*
 * Call paths, and what was launched from them. A frame's file comes as a path of the machine: here it is
 * decided whether it is the program's own code, and the session gets a short name of it.
 */

#define LINE_MOST (1u << 24)

/* The text after the last `mark` in path; NULL: the mark is not in it. */
static const char *path_after(const char *path, const char *mark)
{
    const char *found = NULL;
    for (const char *at = strstr(path, mark); at; at = strstr(at + 1, mark))
        found = at + strlen(mark);
    return found;
}

/* A file of an installed package or of Python's standard library: the part of its path to show. NULL:
 * neither. */
static const char *path_of_package(const char *path)
{
    const char *found = path_after(path, "/site-packages/");
    if (!found)
        found = path_after(path, "/dist-packages/");
    if (found)
        return found;
    const char *version = path_after(path, "/lib/python3");
    const char *slash = !version ? NULL : strchr(version, '/');
    return !slash ? NULL : slash + 1;
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
    base = !base ? path : base + 1;
    return path_of_package(path) || (path[0] == '<' && !is_typed_in(path)) || path[0] == '(' ||
           strstr(path, "/torchinductor_") || strstr(base, ".so") ||
           (strncmp(base, "python", 6) == 0 && !strstr(base, ".py"));
}

static uint32_t stack_file_of(struct intake *intake, const char *path)
{
    char name[512];
    const char *package = path_of_package(path);
    if (!package) {
        code_file_name(path, intake->source_folder, name, sizeof name);
        package = name;
    }
    return session_add_string(intake->session, package, strlen(package));
}

/* The name of a library or program without its folders. */
static uint32_t object_of(struct intake *intake, const char *path)
{
    const char *base = strrchr(path, '/');
    base = !base ? path : base + 1;
    return session_add_string(intake->session, base, strlen(base));
}

void intake_stack(struct intake *intake, const struct event *event)
{
    uint32_t caller = event->stack.caller == 0 ? NONE : idmap_find(&intake->stacks, event->stack.caller);
    struct stack_row row = {.caller = caller, .line = event->stack.line};
    const char *path = intake_path(intake, event->stack.file);
    if (!path)
        path = session_string(intake->session, intake_string(intake, event->stack.file));
    row.name = intake_string(intake, event->stack.name);
    bool start = strcmp(session_string(intake->session, row.name), "_start") == 0; /* of the C library */
    row.flags = path[0] == '\0' || start || is_library(path) ? STACK_LIBRARY : 0;
    row.file = path[0] == '\0' ? 0 : row.line > 0 ? stack_file_of(intake, path) : object_of(intake, path);
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
    const struct shape_row *shape = !row ? NULL : session_shape(session, row->shape);
    bool stub = frame && shape && frame->name == shape->name && frame->caller != NONE;
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
