/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row per program and shape, whose sums are kept for the kernel and for each of its lines. The lines of a
 * program are numbered once, in the order of their numbers; line 0 collects instructions without a line.
 */
#include "simt/device/tally.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "core/base/lookup.h"
#include "core/wire/standin_config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tally_program {
    const struct program *program;
    const char *file; /* NULL: no line information */
    uint32_t *lines;  /* ascending, each once */
    uint32_t *index;  /* by instruction: its line among them */
    uint32_t line_count;
};

struct tally_key {
    uint32_t program, grid[3], block[3], shared_bytes;
};

struct tally_shape {
    struct tally_key key;
    uint64_t launches;
    double ns;
    uint64_t *counts; /* TALLY_COUNTS of each line */
};

struct tally {
    const char *folder;
    struct tally_program *programs;
    struct tally_shape *rows;
    struct lookup known;
    size_t program_count, program_room, row_count, row_room;
    bool incomplete; /* there was no memory */
};

const char *tally_count_id(enum tally_count count)
{
#define TALLY_ID(name, id, meaning) [TALLY_##name] = id,
    static const char *const ids[TALLY_COUNTS] = {TALLY_COUNT_LIST(TALLY_ID)};
#undef TALLY_ID
    return ids[count];
}

struct tally *tally_open(void)
{
    const char *folder = getenv(TALLY_FOLDER_VARIABLE);
    struct tally *tally = folder && *folder ? calloc(1, sizeof *tally) : NULL;
    if (tally)
        tally->folder = folder;
    return tally;
}

uint32_t tally_workers(const struct tally *tally)
{
    const char *text = getenv(MODEL_WORKERS_VARIABLE);
    return text ? (uint32_t)strtoul(text, NULL, 10) : tally ? 1 : 0;
}

/* ---- adding ---- */
static int compare_lines(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool number_lines(struct tally_program *made, const struct program *program)
{
    uint32_t count = program->instruction_count;
    *made = (struct tally_program){.program = program,
                                   .file = line_cost_file(program),
                                   .lines = calloc(count + 1u, sizeof *made->lines),
                                   .index = calloc(count + 1u, sizeof *made->index)};
    if (!made->lines || !made->index)
        return false;
    for (uint32_t i = 0; i < count; i++)
        made->lines[i] = line_cost_line(program, i, made->file);
    qsort(made->lines, count, sizeof *made->lines, compare_lines);
    for (uint32_t i = 0; i < count; i++)
        if (made->line_count == 0 || made->lines[made->line_count - 1] != made->lines[i])
            made->lines[made->line_count++] = made->lines[i];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = line_cost_line(program, i, made->file);
        const uint32_t *found =
            bsearch(&line, made->lines, made->line_count, sizeof *made->lines, compare_lines);
        made->index[i] = (uint32_t)(found - made->lines);
    }
    return true;
}

/* UINT32_MAX: no memory. */
static uint32_t program_number(struct tally *tally, const struct program *program)
{
    struct tally_program made;
    for (size_t i = tally->program_count; i-- > 0;)
        if (tally->programs[i].program == program)
            return (uint32_t)i;
    if (!array_grow(tally->programs, tally->program_room, tally->program_count, 1))
        return UINT32_MAX;
    if (!number_lines(&made, program)) {
        free(made.lines);
        free(made.index);
        return UINT32_MAX;
    }
    tally->programs[tally->program_count] = made;
    return (uint32_t)tally->program_count++;
}

static bool row_equals(const void *context, uint32_t row, const void *key)
{
    return memcmp(&((const struct tally_shape *)context)[row].key, key, sizeof(struct tally_key)) == 0;
}

/* NULL: no memory. */
static struct tally_shape *find_row(struct tally *tally, const struct simt_launch *launch)
{
    struct tally_key key = {.program = program_number(tally, launch->program),
                            .shared_bytes = launch->launch->dynamic_shared_bytes};
    memcpy(key.grid, launch->launch->grid, sizeof key.grid);
    memcpy(key.block, launch->launch->block, sizeof key.block);
    if (key.program == UINT32_MAX)
        return NULL;
    uint32_t hash = lookup_hash(0, &key, sizeof key);
    uint32_t found = lookup_find(&tally->known, hash, row_equals, tally->rows, &key);
    if (found != LOOKUP_NONE)
        return &tally->rows[found];
    uint64_t *counts = calloc(tally->programs[key.program].line_count + 1u, sizeof *counts * TALLY_COUNTS);
    if (!counts || !array_grow(tally->rows, tally->row_room, tally->row_count, 1) ||
        !lookup_reserve(&tally->known)) {
        free(counts);
        return NULL;
    }
    lookup_add(&tally->known, hash, (uint32_t)tally->row_count);
    tally->rows[tally->row_count] = (struct tally_shape){.key = key, .counts = counts};
    return &tally->rows[tally->row_count++];
}

static void add_instruction(uint64_t counts[TALLY_COUNTS], const struct counter *counter,
                            uint32_t instruction)
{
    struct count_totals totals = {0};
    count_totals_add(&totals, counter, instruction);
    const struct count_instruction *const global[] = {&totals.global[0], &totals.global[1],
                                                      &totals.global_atomics};
    const struct count_instruction *const shared[] = {&totals.shared[0],      &totals.shared[1],
                                                      &totals.shared_atomics, &totals.shared_fills,
                                                      &totals.matrices[0],    &totals.matrices[1]};
    counts[TALLY_INSTRUCTIONS] += totals.warp_instructions;
    counts[TALLY_THREADS] += totals.thread_instructions;
    for (size_t i = 0; i < sizeof global / sizeof global[0]; i++) {
        counts[TALLY_GLOBAL_REQUESTS] += global[i]->requests;
        counts[TALLY_GLOBAL_SECTORS] += global[i]->transfers;
    }
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        counts[TALLY_SHARED_REQUESTS] += shared[i]->requests;
        counts[TALLY_SHARED_WAVEFRONTS] += shared[i]->transfers;
    }
    counts[TALLY_LOCAL_SECTORS] += totals.local[0].transfers + totals.local[1].transfers;
    counts[TALLY_TEXTURE_SECTORS] += totals.textures.transfers;
    counts[TALLY_DIVERGENT] += totals.divergent_branches;
}

void tally_add(struct tally *tally, const struct simt_launch *launch)
{
    if (!tally || launch->uncounted || !launch->result->counter.program)
        return;
    struct tally_shape *row = find_row(tally, launch);
    if (!row) {
        tally->incomplete = true;
        return;
    }
    row->launches++;
    row->ns += launch->timing ? launch->timing->ns : 0;
    const uint32_t *index = tally->programs[row->key.program].index;
    for (uint32_t i = 0; i < launch->program->instruction_count; i++)
        add_instruction(row->counts + (size_t)index[i] * TALLY_COUNTS, &launch->result->counter, i);
}

/* ---- writing ---- */
static void write_counts(FILE *file, const uint64_t counts[TALLY_COUNTS])
{
    for (int count = 0; count < TALLY_COUNTS; count++)
        if (counts[count])
            fprintf(file, " %s %" PRIu64, tally_count_id((enum tally_count)count), counts[count]);
    putc('\n', file);
}

/* Blanks and controls of a file's name would end the word. */
static void write_place(FILE *file, const char *name, uint32_t line)
{
    if (line == 0)
        name = "-";
    for (; *name; name++)
        putc((unsigned char)*name <= ' ' ? '_' : *name, file);
    fprintf(file, ":%" PRIu32, line);
}

static void write_row(const struct tally *tally, const struct tally_shape *row, FILE *file)
{
    const struct tally_program *program = &tally->programs[row->key.program];
    const uint32_t *grid = row->key.grid, *block = row->key.block;
    fprintf(file, "kernel %s <<<%ux%ux%u, %ux%ux%u, %u>>>\n", program->program->entry->name, grid[0], grid[1],
            grid[2], block[0], block[1], block[2], row->key.shared_bytes);
    fprintf(file, "  launches %" PRIu64 "\n  ns %.0f\n", row->launches, row->ns);
    for (uint32_t i = 0; i < program->line_count; i++) {
        fputs("  ", file);
        write_place(file, program->file ? program->file : "-", program->lines[i]);
        write_counts(file, row->counts + (size_t)i * TALLY_COUNTS);
    }
}

/* A new file; a process may have had several devices, and numbers of processes come again. */
static FILE *file_open(const struct tally *tally, char *path, size_t size_bytes)
{
    for (int i = 0; i < 1000; i++) {
        snprintf(path, size_bytes, "%s/%ld.%d", tally->folder, (long)getpid(), i);
        int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor >= 0)
            return fdopen(descriptor, "w");
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}

void tally_discard(struct tally *tally)
{
    if (!tally)
        return;
    for (size_t i = 0; i < tally->program_count; i++) {
        free(tally->programs[i].lines);
        free(tally->programs[i].index);
    }
    for (size_t i = 0; i < tally->row_count; i++)
        free(tally->rows[i].counts);
    lookup_fini(&tally->known);
    free(tally->programs);
    free(tally->rows);
    free(tally);
}

enum status tally_close(struct tally *tally, struct error *error)
{
    char path[4096];
    if (!tally)
        return STATUS_OK;
    bool incomplete = tally->incomplete;
    FILE *file = file_open(tally, path, sizeof path);
    int failure = errno;
    if (file) {
        fputs(TALLY_FIRST_LINE "\n", file);
        for (size_t i = 0; i < tally->row_count; i++)
            write_row(tally, &tally->rows[i], file);
        if (!incomplete)
            fputs(TALLY_LAST_LINE "\n", file);
        bool failed = ferror(file) != 0;
        if (fclose(file) != 0 || failed) {
            failure = errno;
            file = NULL;
        }
    }
    tally_discard(tally);
    if (!file)
        return error_set_errno(error, STATUS_IO, failure, "The counts could not be written to %.400s", path);
    return incomplete ? error_no_memory(error, "for the counts of the kernels") : STATUS_OK;
}

/* ---- cost of lines ---- */
/* Reads a launch's counters by instruction, and a program's lines. */

static const char *outer_file(const struct program *program, const struct ptx_location *place)
{
    return ptx_file_name(program->module, place->inlined_line != 0 ? place->inlined_file : place->file);
}

const char *line_cost_file(const struct program *program)
{
    const char *file = NULL;
    for (uint32_t i = 0; i < program->instruction_count && !file; i++) {
        struct ptx_location place = program_location(program, i);
        file = place.line > 0 ? outer_file(program, &place) : NULL;
    }
    return file;
}

uint32_t line_cost_line(const struct program *program, uint32_t instruction, const char *file)
{
    struct ptx_location place = program_location(program, instruction);
    const char *inner = ptx_file_name(program->module, place.file), *outer = outer_file(program, &place);
    if (place.line == 0 || !file)
        return 0;
    if (inner && strcmp(inner, file) == 0)
        return place.line;
    return place.inlined_line != 0 && outer && strcmp(outer, file) == 0 ? place.inlined_line : 0;
}

void line_cost_add(double costs[CODE_COST_COUNT], const struct counter *counter, uint32_t instruction)
{
    struct count_totals totals = {0};
    count_totals_add(&totals, counter, instruction);
    const struct count_instruction *const global[] = {&totals.global[0], &totals.global[1],
                                                      &totals.global_atomics};
    const struct count_instruction *const shared[] = {&totals.shared[0],      &totals.shared[1],
                                                      &totals.shared_atomics, &totals.shared_fills,
                                                      &totals.matrices[0],    &totals.matrices[1]};
    costs[CODE_INSTRUCTIONS] += (double)totals.warp_instructions;
    costs[CODE_THREADS] += (double)totals.thread_instructions;
    for (size_t i = 0; i < sizeof global / sizeof global[0]; i++) {
        costs[CODE_SECTORS] += (double)global[i]->transfers;
        costs[CODE_IDEAL_SECTORS] += (double)global[i]->ideal_transfers;
    }
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        costs[CODE_WAVEFRONTS] += (double)shared[i]->transfers;
        costs[CODE_IDEAL_WAVEFRONTS] += (double)shared[i]->ideal_transfers;
    }
    costs[CODE_LOCAL_SECTORS] += (double)(totals.local[0].transfers + totals.local[1].transfers);
    costs[CODE_TEXTURE_SECTORS] += (double)totals.textures.transfers;
    costs[CODE_PASSES] += (double)totals.global_atomics.passes;
    costs[CODE_ATOMIC_SECTORS] += (double)totals.global_atomics.transfers;
    costs[CODE_DIVERGENT] += (double)totals.divergent_branches;
}

/* ---- what was checked ---- */
struct checked_kernel {
    char *name;
    uint32_t instruction_count, ran_count;
    bool *ran; /* by instruction, in a counted launch; NULL: it was not checked */
};

struct checked {
    struct checked_kernel *kernels;
    size_t count, room, last; /* last: the one that was found last */
    uint64_t launches, checked_launches;
    bool incomplete; /* there was no memory */
};

struct checked *checked_open(void)
{
    return calloc(1, sizeof(struct checked));
}

static bool is_kernel(const struct checked *checked, size_t i, const struct program *program)
{
    return i < checked->count && checked->kernels[i].instruction_count == program->instruction_count &&
           strcmp(checked->kernels[i].name, program->entry->name) == 0;
}

static struct checked_kernel *checked_kernel(struct checked *checked, const struct program *program)
{
    if (is_kernel(checked, checked->last, program))
        return &checked->kernels[checked->last];
    for (checked->last = 0; checked->last < checked->count; checked->last++)
        if (is_kernel(checked, checked->last, program))
            return &checked->kernels[checked->last];
    char *name = strdup(program->entry->name);
    if (!name || !array_grow(checked->kernels, checked->room, checked->count, 1)) {
        free(name);
        return NULL;
    }
    checked->kernels[checked->count] =
        (struct checked_kernel){.name = name, .instruction_count = program->instruction_count};
    return &checked->kernels[checked->count++];
}

void checked_add(struct checked *checked, const struct simt_launch *launch)
{
    const struct counter *counter = &launch->result->counter;
    if (!checked || !counter->program)
        return;
    struct checked_kernel *kernel = checked_kernel(checked, launch->program);
    checked->launches++;
    checked->checked_launches += launch->checked;
    if (kernel && launch->checked && !kernel->ran)
        kernel->ran = calloc(kernel->instruction_count, sizeof *kernel->ran);
    checked->incomplete |= !kernel || (launch->checked && !kernel->ran);
    for (uint32_t i = 0; kernel && kernel->ran && !launch->uncounted && i < kernel->instruction_count; i++) {
        struct count_totals totals = {0};
        if (kernel->ran[i])
            continue;
        count_totals_add(&totals, counter, i);
        kernel->ran[i] = totals.warp_instructions > 0;
        kernel->ran_count += kernel->ran[i];
    }
}

void checked_text(const struct checked *checked, char *text, size_t size_bytes)
{
    static const struct checked nothing;
    size_t used = 0, kernels = 0;
    uint64_t instructions = 0, ran = 0;
    checked = checked ? checked : &nothing;
    for (size_t i = 0; i < checked->count; i++) {
        const struct checked_kernel *kernel = &checked->kernels[i];
        kernels += kernel->ran != NULL;
        instructions += kernel->ran ? kernel->instruction_count : 0;
        ran += kernel->ran_count;
    }
    append_text(text, size_bytes, &used,
                CHECKED_TEXT "%zu of %zu kernels, %" PRIu64 " of %" PRIu64 " launches", kernels,
                checked->count, checked->checked_launches, checked->launches);
    if (kernels > 0)
        append_text(
            text, size_bytes, &used,
            ", of whose instructions %" PRIu64 " of %" PRIu64
            " ran: races, accesses, uninitialised reads, barriers. Not checked: what did not run, other "
            "orders of blocks and warps (--reverse)",
            ran, instructions);
    if (kernels > 0 && kernels < checked->count)
        append_text(text, size_bytes, &used, ", kernels that --check= leaves out");
    append_text(text, size_bytes, &used,
                checked->incomplete ? "; there was no memory to note all of them." : ".");
}

void checked_close(struct checked *checked)
{
    for (size_t i = 0; checked && i < checked->count; i++) {
        free(checked->kernels[i].name);
        free(checked->kernels[i].ran);
    }
    if (checked)
        free(checked->kernels);
    free(checked);
}
