/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sentences of what a check found. Each is one line, "KIND: in KERNEL, thread (X,Y,Z) of block (X,Y,Z) ..." with the
 * place and the instruction in brackets at its end; finding.c reads them back. Pure functions; any thread.
 */
#include "simt/check/check.h"

#include "core/base/function_name.h"
#include "simt/check/place.h"
#include "simt/memory/mbarrier.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    if (report->range_bytes == 0) {
        check_write(writer, "%s", global ? ": nothing is allocated" : ": the kernel has none");
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
    const char *name = !readable ? mangled : readable;
    int length = 0, depth = 0;
    if (strncmp(name, "void ", 5) == 0)
        name += 5;
    for (; name[length] != '\0' && (name[length] != '(' || depth > 0); length++)
        depth += (name[length] == '<') - (name[length] == '>');
    bool cut = length > NAME_BYTES_MAX;
    check_write(writer, "%.*s%s", cut ? NAME_BYTES_MAX : length, name, cut ? "..." : "");
    free(readable);
}

/* " at line LINE", or " at FILE:LINE" if the file is another one than that of the report, where the line is
 * known. */
static void check_write_line(struct check_writer *writer, const struct program *program, uint32_t instruction)
{
    struct ptx_location location = place_of(program, instruction);
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

/* "lines 98 and 87": of a listed pair; a file's name where it is not the report's. */
static void check_write_pair_line(struct check_writer *writer, const struct program *program,
                                  uint32_t instruction)
{
    const struct ptx_location location = place_of(program, instruction);
    const char *file = ptx_file_name(program->module, location.file);
    const bool other = file && writer->file && strcmp(file, writer->file) != 0;

    check_write(writer, "%s%s%u", other ? file : "", other ? ":" : "", location.line);
}

/* Do both accesses of the pair stand in the same line of the same file? */
static bool is_one_line(const struct program *program, const struct check_pair *pair)
{
    const struct ptx_location a = place_of(program, pair->instruction),
                              b = place_of(pair->other_program, pair->other_instruction);
    const char *left = ptx_file_name(program->module, a.file),
               *right = ptx_file_name(pair->other_program->module, b.file);
    return a.line == b.line && left && right && strcmp(left, right) == 0;
}

/* The other pairs of lines between which the same is missing. */
static void check_write_pairs(struct check_writer *writer, const struct program *program,
                              const struct check_report *report)
{
    uint32_t listed = !writer->file ? 0 : report->pair_count < CHECK_PAIRS ? report->pair_count : CHECK_PAIRS;
    const char *what = writer->file ? "lines" : "instructions";
    bool one = true; /* of the pair before: a line with itself */
    for (uint32_t i = 0; i < listed; i++) {
        const struct check_pair *pair = &report->pairs[i];
        const bool before = one;
        one = is_one_line(program, pair);
        check_write(writer, i ? ", %s" : CHECK_PAIRS_TEXT "%s",
                    one      ? CHECK_PAIRS_ONE
                    : before ? CHECK_PAIRS_TWO
                             : "");
        check_write_pair_line(writer, program, pair->instruction);
        if (one)
            continue;
        check_write(writer, " and ");
        check_write_pair_line(writer, pair->other_program, pair->other_instruction);
    }
    if (report->pair_count > listed)
        check_write(writer, "%s %u more pair%s of %s", listed ? ", and" : "; the same is missing between",
                    report->pair_count - listed, plural_ending(report->pair_count - listed), what);
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
        check_write(writer, " gets the value of lane %llu, ", (unsigned long long)report->address);
        if (report->barrier_threads)
            check_write(writer, "which has no thread: the block has %u", report->barrier_threads);
        else
            check_write(writer, "thread (%u,%u,%u), which has returned", report->other_thread[0],
                        report->other_thread[1], report->other_thread[2]);
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

/* "called at line 30, ": of a function of the program's own, whose lines are those of each call. */
static void check_write_call(struct check_writer *writer, const struct program *program,
                             const struct check_report *report)
{
    const struct ptx_location call = place_of_call(program, report);
    const char *file = call.line ? ptx_file_name(program->module, call.file) : NULL;
    if (file && strcmp(file, writer->file) == 0)
        check_write(writer, "called at line %u, ", call.line);
    else if (file)
        check_write(writer, "called at %s:%u, ", file, call.line);
}

void check_text(const struct program *program, const struct check_report *report, char *text,
                size_t size_bytes)
{
    struct check_writer writer = {.text = text, .size_bytes = size_bytes};
    char instruction[160];
    if (size_bytes == 0)
        return;
    if (report->copy && report->kind == CHECK_UNINITIALISED) {
        check_write(&writer, "%s: a %s", check_kind_text(report->kind), report->copy);
        check_write_access(&writer, report);
        check_write(&writer, ", of which nothing has written any");
        return;
    }
    if (report->copy) {
        check_write(&writer, "%s: a %s in stream %u", check_kind_text(report->kind), report->copy,
                    report->stream);
        check_write_race(&writer, NULL, report);
        return;
    }
    program = report->own_program ? report->own_program : program;
    program_instruction_text(program, report->instruction, instruction, sizeof instruction);
    struct ptx_location location = place_of_report(program, report);
    const char *file = writer.file = location.line ? ptx_file_name(program->module, location.file) : NULL;
    check_write(&writer, "%s%s: in ", check_is_note(report) ? "note: " : "", check_kind_text(report->kind));
    check_write_kernel(&writer, program->entry->name);
    check_write(&writer, ", thread (%u,%u,%u) of block (%u,%u,%u)", report->thread[0], report->thread[1],
                report->thread[2], report->block[0], report->block[1], report->block[2]);
    check_write_body(&writer, program, report);
    check_write_pairs(&writer, program, report);
    if (report->guess)
        check_write(&writer, "; what is read is a guess, which the compare-and-swap verifies");
    else if (report->same)
        check_write(&writer, "; the same value is there already");
    if (report->count > 1)
        check_write(&writer, " (%llu times)", (unsigned long long)report->count);
    if (file) {
        check_write(&writer, " (%s:%u, ", file, location.line);
        check_write_call(&writer, program, report);
        check_write(&writer, "%s)", instruction);
    } else {
        check_write(&writer, " (%s)", instruction);
    }
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
