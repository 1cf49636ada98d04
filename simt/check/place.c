/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A barrier orders two accesses if every way from the one that comes first in the program to the other passes it. The
 * instructions that all ways pass are the dominators of the other in the graph that begins at the first (cfg.h); ways
 * that already pass a barrier do not count. Instructions that the compiler moved there from elsewhere are left out by
 * their lines.
 */
#include "simt/check/place.h"

#include "core/base/array.h"
#include "simt/program/cfg.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines ---- */

/* Whether the line is of a header of the toolkit: of an installation, of its packages for Python, or of NVRTC. */
static bool is_toolkit(const struct program *program, struct ptx_location location)
{
    const char *file = location.line ? ptx_file_name(program->module, location.file) : NULL;
    if (!file || strncmp(file, "cuda/", 5) == 0)
        return file;
    return strstr(file, "/include/") && (strncmp(file, "/usr/", 5) == 0 || strstr(file, "/targets/") ||
                                         strstr(file, "/nvidia/") || strstr(file, "/cuda/include/"));
}

struct ptx_location place_of(const struct program *program, uint32_t instruction)
{
    struct ptx_location location = program_location(program, instruction);
    if (location.caller_line && is_toolkit(program, location)) {
        location.file = location.caller_file;
        location.line = location.caller_line;
        location.caller_line = 0;
    }
    if (location.inlined_line && is_toolkit(program, location)) {
        location.file = location.inlined_file;
        location.line = location.inlined_line;
        location.caller_line = location.inlined_line = 0;
    }
    return location;
}

/* *call: the next one of report.returns that leads out of the function of the result. */
static struct ptx_location find_place(const struct program *program, const struct check_report *report,
                                      int *call)
{
    struct ptx_location location = place_of(program, report->instruction);
    for (*call = 0; *call < CHECK_CALLS && report->returns[*call] && is_toolkit(program, location); ++*call)
        location = place_of(program, report->returns[*call] - 1);
    return location;
}

struct ptx_location place_of_report(const struct program *program, const struct check_report *report)
{
    int call;
    return find_place(program, report, &call);
}

struct ptx_location place_of_call(const struct program *program, const struct check_report *report)
{
    int call;
    struct ptx_location location = find_place(program, report, &call);
    if (location.caller_line)
        return (struct ptx_location){.file = location.caller_file, .line = location.caller_line};
    if (call < CHECK_CALLS && report->returns[call])
        return place_of(program, report->returns[call] - 1);
    return (struct ptx_location){.line = 0};
}

/* ---- keys ---- */
static uint64_t key_add(uint64_t key, uint64_t value)
{
    key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

/* A number for a source line; without lines, for an instruction. */
static uint64_t line_key(struct ptx_location location, uint32_t instruction)
{
    return key_add(location.line ? location.file + 1 : 0, location.line ? location.line : instruction);
}

/* A number for a kernel, of its mangled name. Instantiations of a template have the same at a source line: the names in
 * it end before their arguments (Itanium C++ ABI, 5.1). */
static uint64_t kernel_key(uint64_t key, const char *name, bool has_line)
{
    const char *end = name + strlen(name), *at = name;
    if (has_line && strncmp(name, "_Z", 2) == 0) {
        at += name[2] == 'N' || name[2] == 'L' ? 3 : 2;
        for (char *part; *at >= '0' && *at <= '9'; at = part) {
            unsigned long length = strtoul(at, &part, 10);
            part += length < (size_t)(end - part) ? length : (size_t)(end - part);
        }
        end = *at == 'I' ? at : end;
    }
    for (at = name; at < end; at++)
        key = key_add(key, (unsigned char)*at);
    return key;
}

static bool names_other(const struct check_report *report)
{
    return report->other_program && (report->has_other || report->use);
}

uint64_t place_key(const struct program *program, const struct check_report *report)
{
    program = report->own_program ? report->own_program : program;
    uint64_t key =
        key_add(1, (uint64_t)report->kind << 32 | (uint64_t)report->use << 8 | check_is_note(report));
    const struct ptx_location none = {.line = 0};
    const struct ptx_location at = program ? place_of_report(program, report) : none;
    const struct ptx_location call = program ? place_of_call(program, report) : none;
    key = kernel_key(key, program ? program->entry->name : "", at.line != 0);
    if (call.line)
        key = key_add(key, line_key(call, 0));
    uint64_t own = line_key(at, report->instruction);
    uint64_t other =
        line_key(names_other(report) ? place_of(report->other_program, report->other_instruction) : none,
                 report->other_instruction);
    return key_add(key, names_other(report) ? own + other : own); /* in any order: one barrier is missing */
}

/* ---- ways ---- */
/* Whether a way ends at this instruction since it orders what comes after it: a barrier; for a copy that was not
 * awaited, a wait. */
static bool is_barrier(const struct program_instruction *at, const struct check_report *report)
{
    if (report->kind == CHECK_EARLY_READ)
        return at->op == PROGRAM_CP_ASYNC_WAIT || at->op == PROGRAM_MBARRIER_WAIT ||
               at->op == PROGRAM_BULK_WAIT;
    if (report->missing == MISSING_WARP_BARRIER && at->op == PROGRAM_BAR_WARP)
        return true;
    return (report->missing == MISSING_BARRIER || report->missing == MISSING_WARP_BARRIER) &&
           (at->op == PROGRAM_BAR_SYNC || at->op == PROGRAM_BAR_RED || at->op == PROGRAM_CLUSTER_WAIT);
}

/* stops[i]: instruction i is such a barrier, or calls a function that has one. */
static void find_stops(const struct program *program, const struct check_report *report, bool *stops)
{
    for (uint32_t i = 0; i < program->instruction_count; i++)
        stops[i] = is_barrier(&program->instructions[i], report);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < program->instruction_count; i++) {
            const struct program_instruction *at = &program->instructions[i];
            if (at->op != PROGRAM_CALL || stops[i] || at->target >= program->instruction_count)
                continue;
            const struct ptx_function *called = program_function(program, at->target);
            for (uint32_t pc = at->target;
                 pc < program->instruction_count && !stops[i] && program_function(program, pc) == called;
                 pc++)
                stops[i] = stops[pc];
            more |= stops[i];
        }
    }
}

/* The ways from one access to the other. Node `count` of the graph is the other access as an end, since the two may be
 * one instruction in a loop. */
struct ways {
    const struct program *program;
    bool calls; /* into and out of functions, too; a function returns to all its callers */
    uint32_t *first, *to, *dominator;
    uint32_t edges, room;
    bool *stops;
};

static void add_edge(struct ways *ways, uint32_t to)
{
    if (to < ways->program->instruction_count && array_grow(ways->to, ways->room, ways->edges, 1))
        ways->to[ways->edges++] = to;
}

static void add_returns(struct ways *ways, const struct ptx_function *function)
{
    const struct program *program = ways->program;
    for (uint32_t pc = 0; pc < program->instruction_count; pc++) {
        const struct program_instruction *at = &program->instructions[pc];
        if (at->op == PROGRAM_CALL && at->target < program->instruction_count &&
            program_function(program, at->target) == function)
            add_edge(ways, pc + 1);
    }
}

static void add_edges(struct ways *ways, uint32_t pc, bool stops)
{
    const struct program *program = ways->program;
    const struct program_instruction *at = &program->instructions[pc];
    if (at->op == PROGRAM_CALL && ways->calls)
        add_edge(ways, at->target);
    if (stops)
        return;
    if (at->guard != PROGRAM_NO_SLOT ||
        (at->op != PROGRAM_BRA && at->op != PROGRAM_RET && at->op != PROGRAM_EXIT && at->op != PROGRAM_TRAP &&
         at->op != PROGRAM_BRX)) {
        if (pc + 1 < program->instruction_count &&
            program_function(program, pc + 1) == program_function(program, pc))
            add_edge(ways, pc + 1);
    }
    if (at->op == PROGRAM_RET && ways->calls)
        add_returns(ways, program_function(program, pc));
    if (at->op == PROGRAM_BRA)
        add_edge(ways, at->target);
    for (uint32_t i = 0; at->op == PROGRAM_BRX && i < at->immediate; i++)
        add_edge(ways, program->targets[at->target + i]);
}

static bool ways_find(struct ways *ways, uint32_t from, uint32_t target)
{
    const uint32_t end = ways->program->instruction_count;
    ways->edges = 0;
    for (uint32_t pc = 0; pc < end; pc++) {
        ways->first[pc] = ways->edges;
        add_edges(ways, pc, ways->stops[pc] && pc != from);
        for (uint32_t i = ways->first[pc]; i < ways->edges; i++)
            if (ways->to[i] == target)
                ways->to[i] = end;
    }
    ways->first[end] = ways->first[end + 1] = ways->edges;
    const struct cfg_graph graph = {.count = end + 1, .first = ways->first, .to = ways->to};
    return cfg_dominators(&graph, from, ways->dominator) && ways->dominator[end] != PTX_NONE;
}

/* ---- gaps ---- */

/* The line of the kernel that leads to it, and the line itself. */
struct nested_line {
    uint64_t outer_file, outer, file, line;
};

static struct nested_line nested_line(const struct program *program, uint32_t instruction)
{
    const struct ptx_location at = place_of(program, instruction);
    return (struct nested_line){.outer_file = at.inlined_line ? at.inlined_file : at.file,
                                .outer = at.inlined_line ? at.inlined_line : at.line,
                                .file = at.file,
                                .line = at.line ? at.line : instruction};
}

static bool is_between(uint64_t from, uint64_t line, uint64_t to)
{
    return from < to ? line >= from && line <= to : line >= from || line <= to;
}

/* Whether a line is between two others of the program, or after the one or before the other on the way round a loop. */
static bool is_on_the_way(const struct nested_line *from, const struct nested_line *at,
                          const struct nested_line *to)
{
    if (from->outer_file != to->outer_file || from->outer_file != at->outer_file)
        return true;
    if (from->outer != to->outer)
        return is_between(from->outer, at->outer, to->outer);
    return from->file != to->file || from->file != at->file || is_between(from->line, at->line, to->line);
}

static void gap_add(struct check_gap *gap, uint64_t line)
{
    for (uint32_t i = 0; i < gap->count; i++)
        if (gap->lines[i] == line)
            return;
    if (gap->count < CHECK_GAP_LINES)
        gap->lines[gap->count++] = line;
}

/* The lines of the instructions that all ways pass, the last first. */
static void gap_fill(struct check_gap *gap, const struct ways *ways, uint32_t from, uint32_t target)
{
    const struct program *program = ways->program;
    const struct nested_line first = nested_line(program, from), last = nested_line(program, target);
    const uint64_t own = line_key(place_of(program, from), from);
    if (own == line_key(place_of(program, target), target))
        gap_add(gap, key_add(own, 1)); /* within the line */
    uint32_t node = program->instruction_count;
    do {
        const uint32_t pc = node == program->instruction_count ? target : node;
        const struct nested_line at = nested_line(program, pc);
        const uint64_t line = line_key(place_of(program, pc), pc);
        if (line != own && is_on_the_way(&first, &at, &last))
            gap_add(gap, line);
        node = ways->dominator[node];
    } while (node != from);
}

/* The first barrier, in the order of the program, that leads to an instruction without another one in between; a
 * number that is not 0. */
static uint64_t barrier_before(const struct ways *ways, uint32_t instruction)
{
    const struct program *program = ways->program;
    const struct ptx_function *function = program_function(program, instruction);
    uint32_t begin = instruction;
    while (begin > 0 && program_function(program, begin - 1) == function)
        begin--;
    for (uint32_t pc = begin; pc < instruction; pc++)
        if (ways->stops[pc])
            begin = pc;
    return line_key(place_of(program, begin), begin) | 1;
}

static uint64_t gap_family(const struct program *program, const struct check_report *report)
{
    enum check_missing missing = report->missing == MISSING_WARP_BARRIER && report->kind != CHECK_EARLY_READ
                                     ? MISSING_BARRIER
                                     : report->missing;
    uint64_t key = key_add(2, (uint64_t)report->kind << 16 | (uint64_t)missing << 8 | report->guess);
    return kernel_key(key, program->entry->name, place_of_report(program, report).line != 0) | 1;
}

/* Of two accesses of one program: first without calls, since ways that return to another caller are none. */
static void find_between(const struct program *program, const struct check_report *report,
                         struct check_gap *gap)
{
    const uint32_t count = program->instruction_count, a = report->instruction, b = report->other_instruction;
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    struct ways ways = {.program = program,
                        .first = malloc((count + 2) * sizeof *ways.first),
                        .dominator = malloc((count + 1) * sizeof *ways.dominator),
                        .stops = malloc(count * sizeof *ways.stops)};
    if (ways.first && ways.dominator && ways.stops) {
        find_stops(program, report, ways.stops);
        for (int calls = 0; calls < 2 && gap->count == 0; calls++) {
            ways.calls = calls;
            if (low != high && ways_find(&ways, low, high))
                gap_fill(gap, &ways, low, high);
            else if (ways_find(&ways, high, low))
                gap_fill(gap, &ways, high, low);
        }
        if (report->missing == MISSING_WARP_BARRIER && report->kind == CHECK_RACE)
            gap->steps = barrier_before(&ways, low);
    }
    free(ways.first);
    free(ways.to);
    free(ways.dominator);
    free(ways.stops);
}

bool place_gap_find(const struct program *program, const struct check_report *report, struct check_gap *gap)
{
    program = report->own_program ? report->own_program : program;
    gap->family = gap->count = 0;
    gap->steps = 0;
    bool race = report->kind == CHECK_RACE || report->kind == CHECK_GLOBAL_RACE ||
                report->kind == CHECK_EARLY_READ || report->kind == CHECK_PROXY;
    if (!race || !program || !names_other(report) || report->missing == MISSING_ATOMIC_SCOPE)
        return false;
    if (report->missing == MISSING_LAUNCH_ORDER)
        gap_add(gap, kernel_key(3, report->other_program->entry->name, false));
    else if (report->other_program != program)
        return false;
    else if (report->missing == MISSING_RELEASE) /* the fence is missing before the flag */
        gap_add(gap, line_key(place_of(program, report->flag_instruction), report->flag_instruction));
    else
        find_between(program, report, gap);
    gap->family = gap_family(program, report);
    return gap->count > 0;
}

bool place_gap_join(struct check_gap *to, const struct check_gap *from)
{
    uint32_t kept = 0;
    if (to->family != from->family || to->family == 0)
        return false;
    for (uint32_t i = 0; i < to->count; i++)
        for (uint32_t j = 0; j < from->count; j++)
            if (to->lines[i] == from->lines[j]) {
                to->lines[kept++] = to->lines[i];
                break;
            }
    to->count = kept > 0 ? kept : to->count;
    to->steps = kept == 0 || to->steps == from->steps ? to->steps : 0;
    return kept > 0;
}

bool place_gap_follows(const struct check_gap *gap, const struct check_gap *other)
{
    return gap->family && gap->family == other->family && gap->steps && gap->steps == other->steps;
}
