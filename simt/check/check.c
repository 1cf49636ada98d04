/* Reports of a kernel's errors: selects the ones to keep, and writes their texts. */
#include "simt/check/check.h"

#include "core/base/demangle.h"
#include "simt/memory/mbarrier.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_ROW(id, text, cuda) [CHECK_##id] = {text, cuda},
static const struct {
    const char *text;
    uint32_t cuda_error;
} check_kinds[] = {CHECK_KIND_LIST(CHECK_ROW)};
#undef CHECK_ROW

const char *check_kind_text(enum check_kind kind)
{
    return (unsigned)kind < CHECK_KIND_COUNT ? check_kinds[kind].text : "unknown";
}

uint32_t check_cuda_error(enum check_kind kind)
{
    return (unsigned)kind < CHECK_KIND_COUNT ? check_kinds[kind].cuda_error : 0;
}

bool check_stops(enum check_kind kind)
{
    return check_cuda_error(kind) != 0;
}

/* Order in which reports are kept: first errors that stop a kernel, then by instruction and kind. */
static int check_compare(const struct check_report *a, const struct check_report *b)
{
    bool a_stops = check_stops(a->kind), b_stops = check_stops(b->kind);
    if (a_stops != b_stops)
        return a_stops ? -1 : 1;
    if ((a->own_program == NULL) != (b->own_program == NULL))
        return a->own_program == NULL ? -1 : 1;
    if (a->instruction != b->instruction)
        return a->instruction < b->instruction ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static bool check_is_in_lower_block(const struct check_report *a, const struct check_report *b)
{
    for (int i = 2; i >= 0; i--)
        if (a->block[i] != b->block[i])
            return a->block[i] < b->block[i];
    return false;
}

static void check_keep(struct check_result *result, const struct check_report *report)
{
    uint32_t at = 0;
    while (at < result->report_count && check_compare(&result->reports[at], report) < 0)
        at++;
    if (at == CHECK_REPORTS)
        return;
    struct check_report *place = &result->reports[at];
    if (at < result->report_count && check_compare(place, report) == 0) {
        uint64_t count = place->count + report->count;
        bool note = check_is_note(report), was_note = check_is_note(place);
        if (note == was_note ? check_is_in_lower_block(report, place) : was_note)
            *place = *report;
        place->count = count;
        return;
    }
    result->report_count += result->report_count < CHECK_REPORTS;
    memmove(place + 1, place, (result->report_count - 1 - at) * sizeof *place);
    *place = *report;
}

void check_add(struct check_result *result, const struct check_report *report)
{
    result->total[report->kind] += report->count;
    check_keep(result, report);
}

void check_merge(struct check_result *to, const struct check_result *from)
{
    for (int kind = 0; kind < CHECK_KIND_COUNT; kind++)
        to->total[kind] += from->total[kind];
    to->unwatched += from->unwatched;
    to->widened |= from->widened;
    for (uint32_t i = 0; i < from->report_count; i++)
        check_keep(to, &from->reports[i]);
}

/* ---- the end of a launch ---- */
#define GUESS_NAMES 64

struct names {
    uint32_t of[GUESS_NAMES], count;
};

static bool names_have(const struct names *names, uint32_t name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (names->of[i] == name)
            return true;
    return false;
}

static bool names_add(struct names *names, uint32_t name)
{
    if (name == PROGRAM_NO_SLOT || names->count == GUESS_NAMES || names_have(names, name))
        return false;
    names->of[names->count++] = name;
    return true;
}

/* Returns whether the value that an instruction loads is what a compare-and-swap compares with: straight, or
 * through moves. */
static bool is_guess(const struct program *program, uint32_t load)
{
    struct names compared = {.count = 0};
    for (uint32_t pc = 0; pc < program->instruction_count; pc++) {
        const struct program_instruction *instruction = &program->instructions[pc];
        if (instruction->op == PROGRAM_ATOM && instruction->sub == ATOMIC_CAS)
            names_add(&compared, program_names_at(program, pc).source[1]);
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t pc = 0; pc < program->instruction_count; pc++) {
            const struct program_names names = program_names_at(program, pc);
            bool moves = program->instructions[pc].op == PROGRAM_LANES &&
                         program->instructions[pc].source[1] == PROGRAM_NO_SLOT;
            if (moves && names_have(&compared, names.destination[0]))
                more |= names_add(&compared, names.source[0]);
        }
    }
    const struct program_names loaded = program_names_at(program, load);
    for (int i = 0; i < PROGRAM_VECTOR; i++)
        if (names_have(&compared, loaded.destination[i]))
            return true;
    return false;
}

static struct ptx_location check_location(const struct program *program, uint32_t instruction);

static uint64_t key_add(uint64_t key, uint64_t value)
{
    key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

/* A number for a source line; without lines, for an instruction. */
static uint64_t line_key(const struct program *program, uint32_t instruction)
{
    struct ptx_location location =
        program ? check_location(program, instruction) : (struct ptx_location){.line = 0};
    return key_add(location.line ? location.file + 1 : 0, location.line ? location.line : instruction);
}

/* Equal for reports of the same kind at the same two lines. */
static uint64_t report_key(const struct program *program, const struct check_report *report)
{
    program = report->own_program ? report->own_program : program;
    uint64_t key =
        key_add(1, (uint64_t)report->kind << 32 | (uint64_t)report->use << 8 | check_is_note(report));
    for (const char *at = program ? program->entry->name : ""; *at; at++)
        key = key_add(key, (unsigned char)*at);
    bool has_other = report->other_program && (report->has_other || report->use);
    uint64_t own = line_key(program, report->instruction);
    uint64_t other = line_key(has_other ? report->other_program : NULL, report->other_instruction);
    return key_add(key, has_other ? own + other : own); /* in any order: one barrier is missing */
}

void check_finish(const struct program *program, struct check_result *result)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < result->report_count; i++) {
        struct check_report *report = &result->reports[i];
        uint32_t read = report->write ? report->other_instruction : report->instruction;
        report->guess = report->guess && is_guess(program, read);
        uint64_t key = report_key(program, report);
        uint32_t same = 0;
        while (same < kept && report_key(program, &result->reports[same]) != key)
            same++;
        if (same < kept)
            result->reports[same].count += report->count;
        else
            result->reports[kept++] = *report;
    }
    result->report_count = kept;
}

bool check_see(struct check_seen *seen, const struct program *program, const struct check_report *report)
{
    struct check_report one = *report;
    uint64_t key = report_key(program, report);
    for (uint32_t i = 0; i < seen->count; i++) {
        if (seen->rows[i].key == key) {
            seen->rows[i].count += report->count;
            seen->rows[i].launches++;
            return false;
        }
    }
    if (seen->count == CHECK_SEEN)
        return false;
    struct check_seen_row *row = &seen->rows[seen->count++];
    *row = (struct check_seen_row){.key = key, .count = report->count, .launches = 1};
    one.count = 1;
    check_text(program, &one, row->text, sizeof row->text);
    return true;
}

bool check_seen_text(const struct check_seen_row *row, char *text, size_t size_bytes)
{
    if (row->launches < 2)
        return false;
    snprintf(text, size_bytes, "%llu times in %llu launches: %s", (unsigned long long)row->count,
             (unsigned long long)row->launches, row->text);
    return true;
}

/* ---- messages ---- */
struct check_writer {
    char *text;
    size_t size_bytes, used;
    const char *file; /* of the report; NULL: not known */
};

static __attribute__((format(printf, 2, 3))) void check_write(struct check_writer *writer, const char *format,
                                                              ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(writer->text + writer->used, writer->size_bytes - writer->used, format, arguments);
    va_end(arguments);
    size_t left = writer->size_bytes - writer->used - 1;
    writer->used += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left;
}

static const char *space_text(enum ptx_space space)
{
    switch (space) {
    case PTX_SHARED: return "shared";
    case PTX_LOCAL: return "local";
    case PTX_CONST: return "constant";
    case PTX_PARAM: return "parameter";
    default: return "global";
    }
}

static const char *plural_ending(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void check_write_access(struct check_writer *writer, const struct check_report *report)
{
    check_write(writer, " %s %llu byte%s at %s 0x%llx", report->write ? "writes" : "reads",
                (unsigned long long)report->width_bytes, plural_ending(report->width_bytes),
                space_text(report->space), (unsigned long long)report->address);
}

#define FAR_BYTES (UINT64_C(1) << 40)
#define NULL_BYTES 4096 /* an index into an array at a null pointer */

static void check_write_outside(struct check_writer *writer, const struct check_report *report)
{
    bool global = report->space == PTX_GLOBAL || report->space == PTX_GENERIC;
    uint64_t begin = report->range_address, end = begin + report->range_bytes;
    if (report->range_bytes == 0) {
        check_write(writer, "%s", global ? ": nothing is allocated" : ": the kernel has none");
        return;
    }
    if (global && report->address < NULL_BYTES) {
        check_write(writer, report->address ? ": %llu bytes from a null pointer" : ": a null pointer",
                    (unsigned long long)report->address);
        return;
    }
    if (report->host) {
        check_write(writer,
                    ": memory of the host, to which a kernel has no access: copy it with cudaMemcpy, or "
                    "allocate it with cudaMallocManaged");
        return;
    }
    if (report->owner) {
        check_write(writer, ", memory of GPU %u, to which this GPU has no peer access", report->owner - 1);
        return;
    }
    if (report->freed) {
        check_write(writer, ": it lies in the %llu bytes at 0x%llx that were freed",
                    (unsigned long long)report->range_bytes, (unsigned long long)begin);
        return;
    }
    /* Of other spaces an address is an index: it may be negative. */
    bool before = global ? report->address < begin : (int64_t)report->address < (int64_t)begin;
    uint64_t distance = before                   ? begin - report->address
                        : report->address >= end ? report->address - end
                                                 : report->address + report->width_bytes - end;
    const char *how = before                   ? "before the start"
                      : report->address >= end ? "past the end"
                                               : "of them past the end";
    if (global && distance > FAR_BYTES) {
        check_write(writer, ": no allocation is near");
        return;
    }
    check_write(writer, ": %llu byte%s %s of ", (unsigned long long)distance, plural_ending(distance), how);
    if (global) {
        check_write(writer, "the %llu bytes allocated at 0x%llx", (unsigned long long)report->range_bytes,
                    (unsigned long long)begin);
    } else {
        check_write(writer, "its %llu bytes", (unsigned long long)report->range_bytes);
    }
}

static void check_write_heap(struct check_writer *writer, const struct check_report *report)
{
    uint64_t end = report->range_address + report->range_bytes;
    if (report->range_bytes == 0)
        check_write(writer, " of the heap, where malloc in kernels has given nothing");
    else if (report->freed && report->address < end)
        check_write(writer, ": it lies in the %llu bytes at 0x%llx that free or delete has given back",
                    (unsigned long long)report->range_bytes, (unsigned long long)report->range_address);
    else if (report->address >= end)
        check_write(writer,
                    ": %llu byte%s past the end of the %llu bytes that malloc or new has given at 0x%llx",
                    (unsigned long long)(report->address - end), plural_ending(report->address - end),
                    (unsigned long long)report->range_bytes, (unsigned long long)report->range_address);
    else
        check_write(
            writer,
            ", of which %llu lie past the end of the %llu bytes that malloc or new has given at 0x%llx",
            (unsigned long long)(report->address + report->width_bytes - end),
            (unsigned long long)report->range_bytes, (unsigned long long)report->range_address);
}

/* "waits at the mbarrier at shared 0x10, to which 3 arrivals and 1024 bytes do not come". */
static void check_write_at_mbarrier(struct check_writer *writer, const struct check_report *report)
{
    uint32_t others = report->waiting_threads - 1;
    if (others)
        check_write(writer, " and %u other%s wait", others, plural_ending(others));
    else
        check_write(writer, " waits");
    check_write(writer, " at the mbarrier at shared 0x%llx: ", (unsigned long long)report->address);
    if (report->mbarrier_arrivals)
        check_write(writer, "%u arrival%s", report->mbarrier_arrivals,
                    plural_ending(report->mbarrier_arrivals));
    if (report->mbarrier_bytes > 0)
        check_write(writer, "%s%d bytes of copies", report->mbarrier_arrivals ? " and " : "",
                    report->mbarrier_bytes);
    if (report->mbarrier_arrivals || report->mbarrier_bytes > 0)
        check_write(writer, " of the phase do not come");
    if (report->mbarrier_bytes < 0)
        check_write(writer, "%s%d bytes more were copied than expect_tx names",
                    report->mbarrier_arrivals ? ", and " : "", -report->mbarrier_bytes);
}

static void check_write_mbarrier(struct check_writer *writer, const struct check_report *report)
{
    static const char *const texts[] = {
        [MBARRIER_IS_NONE] = "which is not initialised (mbarrier.init), or was invalidated",
        [MBARRIER_BAD_COUNT] = "with a count that is not in 1 to 1048575",
        [MBARRIER_TOO_MANY] = "more often than its phase expects arrivals",
        [MBARRIER_BYTES_BEYOND] = "with more than 1048575 bytes of copies in one phase"};
    check_write(writer, " uses the mbarrier at shared 0x%llx, %s", (unsigned long long)report->address,
                texts[report->mbarrier_fault]);
}

static void check_write_deadlock(struct check_writer *writer, const struct check_report *report)
{
    if (report->at_mbarrier) {
        check_write_at_mbarrier(writer, report);
        return;
    }
    if (report->at_cluster) {
        check_write(
            writer,
            " and %u other%s wait at the barrier of the cluster, at which not all of its threads arrive",
            report->waiting_threads - 1, plural_ending(report->waiting_threads - 1));
        return;
    }
    if (report->polls_host) {
        check_write(
            writer,
            " loops until the host changes one of the %llu bytes at 0x%llx, which never happens: the device "
            "model runs a kernel to its end when it is launched, before the host goes on",
            (unsigned long long)report->range_bytes, (unsigned long long)report->range_address);
        return;
    }
    if (report->blocks_left) {
        check_write(
            writer,
            " waits for memory to change, and so do all %llu blocks of this size that the device holds at "
            "once: %llu more begin only when one of them ends, as on a GPU. Launch at most %llu "
            "blocks",
            (unsigned long long)report->resident_blocks, (unsigned long long)report->blocks_left,
            (unsigned long long)report->resident_blocks);
        return;
    }
    if (report->waiting_threads == 0) {
        check_write(writer, " loops until memory changes, but no other thread is left to change it");
        return;
    }
    check_write(writer, " and %u other%s wait", report->waiting_threads - 1,
                plural_ending(report->waiting_threads - 1));
    if (report->barrier_threads)
        check_write(writer, " at barrier %u for %u threads in total", report->barrier,
                    report->barrier_threads);
    if (report->has_other) {
        check_write(writer, "; thread (%u,%u,%u) does not arrive", report->other_thread[0],
                    report->other_thread[1], report->other_thread[2]);
    }
}

/* A library's kernel can have a name of a thousand bytes, and the source line comes after it. */
#define NAME_BYTES_MAX 160

/* The kernel's name as in the source, without result and parameters, and cut if it is very long; the mangled
 * name if it cannot be demangled. */
static void check_write_kernel(struct check_writer *writer, const char *mangled)
{
    char *readable = demangle(mangled);
    const char *name = readable == NULL ? mangled : readable;
    int length = 0, depth = 0;
    if (strncmp(name, "void ", 5) == 0)
        name += 5;
    for (; name[length] != '\0' && (name[length] != '(' || depth > 0); length++)
        depth += (name[length] == '<') - (name[length] == '>');
    bool cut = length > NAME_BYTES_MAX;
    check_write(writer, "%.*s%s", cut ? NAME_BYTES_MAX : length, name, cut ? "..." : "");
    free(readable);
}

/* The source line; of code that was inlined from a header of the toolkit (atomicAdd), the kernel's. */
static struct ptx_location check_location(const struct program *program, uint32_t instruction)
{
    struct ptx_location location = program_location(program, instruction);
    const char *file = location.line ? ptx_file_name(program->module, location.file) : NULL;
    if (file && location.inlined_line && (strstr(file, "/include/") || strncmp(file, "cuda/", 5) == 0)) {
        location.file = location.inlined_file;
        location.line = location.inlined_line;
    }
    return location;
}

/* " at line LINE", or " at FILE:LINE" if the file is another one than that of the report, where the line is
 * known. */
static void check_write_line(struct check_writer *writer, const struct program *program, uint32_t instruction)
{
    struct ptx_location location = check_location(program, instruction);
    const char *file = location.line ? ptx_file_name(program->module, location.file) : NULL;
    if (file && writer->file && strcmp(file, writer->file) == 0)
        check_write(writer, " at line %u", location.line);
    else if (file)
        check_write(writer, " at %s:%u", file, location.line);
}

static void check_write_missing(struct check_writer *writer, const struct program *program,
                                const struct check_report *report)
{
    switch (report->missing) {
    case MISSING_BARRIER: check_write(writer, " without a barrier in between"); break;
    case MISSING_WARP_BARRIER: check_write(writer, " without a barrier of the warp in between"); break;
    case MISSING_LANE:
        check_write(writer,
                    "; only another lane of its warp has acquired that: a barrier of the warp is missing");
        break;
    case MISSING_ORDER:
        check_write(writer, "; nothing orders the two blocks: a fence and a flag of the device's scope, a "
                            "barrier of the grid, or another launch is missing");
        break;
    case MISSING_RELEASE:
        check_write(writer, " before it sets its flag");
        check_write_line(writer, program, report->flag_instruction);
        check_write(writer, ", without a fence in between");
        break;
    case MISSING_ACQUIRE:
        check_write(writer, "; its flag was observed, but without a fence after that");
        break;
    case MISSING_FENCE_SCOPE:
        check_write(writer, "; the fence or the flag that orders them reaches only its own block");
        break;
    case MISSING_ATOMIC_SCOPE: check_write(writer, "; the scope of one of the two is its own block"); break;
    case MISSING_LAUNCH_ORDER:
        check_write(writer, "; no stream, event or synchronisation orders the two");
        break;
    }
}

static void check_write_race(struct check_writer *writer, const struct program *program,
                             const struct check_report *report)
{
    const char *verb = report->other_write ? "writes" : "reads";
    check_write_access(writer, report);
    if (report->other_copy) {
        check_write(writer, ", which a %s in stream %u %s", report->other_copy, report->other_stream, verb);
        check_write_missing(writer, program, report);
        return;
    }
    check_write(writer, ", which thread (%u,%u,%u)", report->other_thread[0], report->other_thread[1],
                report->other_thread[2]);
    if (memcmp(report->block, report->other_block, sizeof report->block) != 0 ||
        report->other_program != program || report->missing == MISSING_LAUNCH_ORDER)
        check_write(writer, " of block (%u,%u,%u)", report->other_block[0], report->other_block[1],
                    report->other_block[2]);
    if (report->missing == MISSING_LAUNCH_ORDER) {
        check_write(writer, " of another launch, of ");
        check_write_kernel(writer, report->other_program->entry->name);
        check_write(writer, ",");
    }
    check_write(writer, " %s", verb);
    check_write_line(writer, report->other_program, report->other_instruction);
    check_write_missing(writer, program, report);
}

static void check_write_stale(struct check_writer *writer, const struct check_report *report)
{
    check_write_access(writer, report);
    check_write(writer, ", which thread (%u,%u,%u) of block (%u,%u,%u) writes", report->other_thread[0],
                report->other_thread[1], report->other_thread[2], report->other_block[0],
                report->other_block[1], report->other_block[2]);
    check_write_line(writer, report->other_program, report->other_instruction);
    check_write(writer, " in this launch: a fetch may return what was there before");
}

/* ", and branches on it at line 12": what became of the value. */
static void check_write_use(struct check_writer *writer, const struct check_report *report)
{
    const char *other = report->has_other ? "another thread " : "";
    switch (report->use) {
    case CHECK_USE_READ: return;
    case CHECK_USE_ADDRESS: check_write(writer, ", and %suses it in an address", other); break;
    case CHECK_USE_BRANCH: check_write(writer, ", and %sbranches on it", other); break;
    case CHECK_USE_OPERAND: check_write(writer, ", and %suses it as an operand", other); break;
    case CHECK_USE_HOST: check_write(writer, ", and what is stored of it"); break;
    }
    check_write_line(writer, report->other_program, report->other_instruction);
    if (report->use == CHECK_USE_HOST)
        check_write(writer, " is copied to the host");
}

/* The earlier access is of a copy in bulk; which completes at an mbarrier. */
static bool is_bulk(const struct check_report *report)
{
    return report->other_program->instructions[report->other_instruction].op == PROGRAM_BULK;
}

static bool waits_at_mbarrier(const struct check_report *report)
{
    return is_bulk(report) &&
           report->other_program->instructions[report->other_instruction].bulk->way != BULK_TO_GLOBAL;
}

static void check_write_body(struct check_writer *writer, const struct program *program,
                             const struct check_report *report)
{
    switch (report->kind) {
    case CHECK_OUT_OF_BOUNDS:
        check_write_access(writer, report);
        check_write_outside(writer, report);
        break;
    case CHECK_HEAP:
        check_write_access(writer, report);
        check_write_heap(writer, report);
        break;
    case CHECK_MISALIGNED:
        check_write_access(writer, report);
        check_write(writer, ", which is not a multiple of %llu", (unsigned long long)report->width_bytes);
        break;
    case CHECK_NO_TEXTURE:
        check_write(writer, " fetches from 0x%llx, which is not a texture object",
                    (unsigned long long)report->address);
        break;
    case CHECK_UNINITIALISED:
        check_write_access(writer, report);
        check_write(writer, ", which nothing has written before");
        check_write_use(writer, report);
        break;
    case CHECK_RETURNED_LANE:
        check_write(writer,
                    " gets the value of lane %llu, thread (%u,%u,%u), which has returned or does not exist",
                    (unsigned long long)report->address, report->other_thread[0], report->other_thread[1],
                    report->other_thread[2]);
        check_write_use(writer, report);
        break;
    case CHECK_RACE:
    case CHECK_GLOBAL_RACE: check_write_race(writer, program, report); break;
    case CHECK_EARLY_READ:
        check_write_access(writer, report);
        check_write(writer, ", which %s of thread (%u,%u,%u)", is_bulk(report) ? "cp.async.bulk" : "cp.async",
                    report->other_thread[0], report->other_thread[1], report->other_thread[2]);
        check_write_line(writer, report->other_program, report->other_instruction);
        check_write(writer, report->other_write ? " still copies" : " still reads");
        check_write(writer, waits_at_mbarrier(report) ? ": a wait for the phase of its mbarrier is missing"
                                                      : ": a wait for its group is missing");
        break;
    case CHECK_PROXY:
        check_write_access(writer, report);
        check_write(writer, " by a copy in bulk, which thread (%u,%u,%u) writes", report->other_thread[0],
                    report->other_thread[1], report->other_thread[2]);
        check_write_line(writer, report->other_program, report->other_instruction);
        check_write(writer, ": a fence.proxy.async between the two is missing");
        break;
    case CHECK_STALE_TEXEL: check_write_stale(writer, report); break;
    case CHECK_DIVERGENT_BARRIER:
        check_write(writer, " reaches a barrier without all the threads of its warp");
        break;
    case CHECK_SPLIT_BARRIER:
        check_write(writer, " waits at this barrier, and thread (%u,%u,%u) at another one",
                    report->other_thread[0], report->other_thread[1], report->other_thread[2]);
        check_write_line(writer, report->other_program, report->other_instruction);
        check_write(writer, ": all threads of a block must reach the same __syncthreads()");
        break;
    case CHECK_NOT_A_MEMBER:
    case CHECK_MASK:
        check_write(writer, " uses the member mask 0x%08x, which does not contain it", report->members);
        break;
    case CHECK_ILLEGAL_BARRIER:
        if (report->has_other) {
            check_write(writer,
                        " uses barrier %u, and thread (%u,%u,%u) of its warp uses another one at the same "
                        "instruction, which GPUs do not support",
                        report->barrier, report->other_thread[0], report->other_thread[1],
                        report->other_thread[2]);
            break;
        }
        check_write(
            writer,
            " uses barrier %u for %u threads: a block has barriers 0 to 15, for multiples of 32 threads",
            report->barrier, report->barrier_threads);
        break;
    case CHECK_MBARRIER: check_write_mbarrier(writer, report); break;
    case CHECK_BULK_SIZE:
        check_write(writer, " copies %llu bytes in bulk, which is not a multiple of 16",
                    (unsigned long long)report->width_bytes);
        break;
    case CHECK_DEADLOCK: check_write_deadlock(writer, report); break;
    case CHECK_ASSERT: check_write(writer, ": `%s` is false", report->asserted); break;
    case CHECK_FREE:
        check_write(writer, " frees 0x%llx, which is not the address of an allocated block",
                    (unsigned long long)report->address);
        break;
    case CHECK_NO_FUNCTION:
        check_write(writer, " calls 0x%llx, which is not a function of the module with these parameters",
                    (unsigned long long)report->address);
        break;
    case CHECK_STACK:
        check_write(writer, " overflows its stack of %llu bytes (cudaLimitStackSize)",
                    (unsigned long long)report->width_bytes);
        break;
    case CHECK_TRAP:
    case CHECK_KIND_COUNT: check_write(writer, " executes a trap instruction"); break;
    }
}

void check_text(const struct program *program, const struct check_report *report, char *text,
                size_t size_bytes)
{
    struct check_writer writer = {.text = text, .size_bytes = size_bytes};
    char instruction[160];
    if (size_bytes == 0)
        return;
    if (report->copy) {
        check_write(&writer, "%s: a %s in stream %u", check_kind_text(report->kind), report->copy,
                    report->stream);
        check_write_race(&writer, NULL, report);
        return;
    }
    program = report->own_program ? report->own_program : program;
    program_instruction_text(program, report->instruction, instruction, sizeof instruction);
    struct ptx_location location = check_location(program, report->instruction);
    const char *file = writer.file = location.line ? ptx_file_name(program->module, location.file) : NULL;
    check_write(&writer, "%s%s: in ", check_is_note(report) ? "note: " : "", check_kind_text(report->kind));
    check_write_kernel(&writer, program->entry->name);
    check_write(&writer, ", thread (%u,%u,%u) of block (%u,%u,%u)", report->thread[0], report->thread[1],
                report->thread[2], report->block[0], report->block[1], report->block[2]);
    check_write_body(&writer, program, report);
    if (report->guess)
        check_write(&writer, "; what is read is a guess, which the compare-and-swap verifies");
    else if (report->same)
        check_write(&writer, "; the same value is there already");
    if (report->count > 1)
        check_write(&writer, " (%llu times)", (unsigned long long)report->count);
    if (file)
        check_write(&writer, " (%s:%u, %s)", file, location.line, instruction);
    else
        check_write(&writer, " (%s)", instruction);
}

bool check_limits_text(const struct program *program, const struct check_result *result, char *text,
                       size_t size_bytes)
{
    struct check_writer writer = {.text = text, .size_bytes = size_bytes};
    if (!result->unwatched && !result->widened)
        return false;
    check_write(&writer, "In ");
    check_write_kernel(&writer, program->entry->name);
    if (result->unwatched)
        check_write(&writer,
                    " %llu accesses were not compared with others: the record of accesses that finds races "
                    "is full. Use a smaller size.",
                    (unsigned long long)result->unwatched);
    else
        check_write(&writer, " the order of blocks was too long to record: some races between blocks may not "
                             "be reported. Use a smaller grid.");
    return true;
}
