/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader of lines: "kernel NAME <<<shape>>>" begins a kernel; below it each line has a count of the kernel,
 * or a place (FILE:LINE) and its counts. The files of a run have no counts of kernels: they are the sums of
 * their lines. Baselines have both, and are checked: sums that do not agree are those of a bad merge in git.
 *
 * The lines of two kernels are aligned as texts are by diff: the cheapest way to make one list the other,
 * where a line whose counts are equal costs nothing and one that is changed costs less than one that is new
 * and one that has gone.
 */
#include "cli/gate/gate_compare.h"

#include "cli/output/memory.h"
#include "core/base/function_name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = TALLY_FIRST_LINE, last_line[] = TALLY_LAST_LINE;

const char *gate_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void gate_kernel_shape(const struct gate_kernel *kernel, char text[GATE_SHAPE_BYTES])
{
    const uint32_t *grid = kernel->grid, *block = kernel->block;

    snprintf(text, GATE_SHAPE_BYTES, "<<<%ux%ux%u, %ux%ux%u, %u>>>", grid[0], grid[1], grid[2], block[0],
             block[1], block[2], kernel->shared_bytes);
}

/* ---- reading ---- */
static bool parse_count(const char *text, uint64_t *count)
{
    char *end;

    errno = 0;
    *count = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno;
}

static int find_count(const char *id)
{
    for (int i = 0; i < TALLY_COUNTS; i++)
        if (strcmp(tally_count_id((enum tally_count)i), id) == 0)
            return i;
    return TALLY_COUNTS;
}

/* "ID NUMBER ID NUMBER ...": adds to the counts. */
static bool parse_counts(char *rest, uint64_t counts[TALLY_COUNTS])
{
    char *id, *number;
    uint64_t count;

    while ((id = strsep(&rest, " "))) {
        int which = find_count(id);

        number = strsep(&rest, " ");
        if (which == TALLY_COUNTS || !number || !parse_count(number, &count))
            return false;
        counts[which] += count;
    }
    return true;
}

static char *keep_text(struct gate_counts *counts, char *text)
{
    memory_grow(counts->texts, counts->text_room, counts->text_count, 1);
    return counts->texts[counts->text_count++] = text;
}

static bool parse_kernel(struct gate_counts *counts, char *words)
{
    struct gate_kernel kernel = {0};
    uint32_t *grid = kernel.grid, *block = kernel.block;
    char *shape = NULL, *demangled, again[GATE_SHAPE_BYTES];

    for (char *next = strstr(words, " <<<"); next; next = strstr(next + 1, " <<<"))
        shape = next;
    if (!shape || sscanf(shape, " <<<%ux%ux%u, %ux%ux%u, %u>>>", &grid[0], &grid[1], &grid[2], &block[0],
                         &block[1], &block[2], &kernel.shared_bytes) != 7)
        return false;
    gate_kernel_shape(&kernel, again);
    if (strcmp(shape + 1, again) != 0)
        return false;
    *shape = '\0';
    demangled = demangle(words);
    kernel.name = demangled ? keep_text(counts, demangled) : words;
    memory_grow(counts->kernels, counts->kernel_room, counts->kernel_count, 1);
    counts->kernels[counts->kernel_count++] = kernel;
    return true;
}

static bool parse_place(struct gate_kernel *kernel, char *place, char *rest)
{
    struct gate_line line = {.file = place};
    char *colon = strrchr(place, ':');
    uint64_t number;

    if (!colon || !parse_count(colon + 1, &number) || number > UINT32_MAX || !parse_counts(rest, line.counts))
        return false;
    *colon = '\0';
    line.line = (uint32_t)number;
    memory_grow(kernel->lines, kernel->line_room, kernel->line_count, 1);
    kernel->lines[kernel->line_count++] = line;
    return true;
}

/* One line below a kernel. */
static bool parse_row(struct gate_kernel *kernel, char *row)
{
    char *rest = row, *word = strsep(&rest, " ");
    uint64_t number;

    if (strchr(word, ':'))
        return parse_place(kernel, word, rest);
    if (!rest || !parse_count(rest, &number))
        return false;
    int which = find_count(word);
    if (strcmp(word, "launches") == 0)
        kernel->launches = number;
    else if (strcmp(word, "ns") == 0)
        kernel->ns = (double)number;
    else if (which < TALLY_COUNTS)
        kernel->counts[which] = number;
    else
        return false;
    return true;
}

static bool sum_is_right(const struct gate_kernel *kernel)
{
    for (int i = 0; i < TALLY_COUNTS; i++) {
        uint64_t sum = 0;

        for (size_t k = 0; k < kernel->line_count; k++)
            sum += kernel->lines[k].counts[i];
        if (sum != kernel->counts[i])
            return false;
    }
    return true;
}

static void add_up_lines(struct gate_kernel *kernel)
{
    memset(kernel->counts, 0, sizeof kernel->counts);
    for (size_t k = 0; k < kernel->line_count; k++)
        for (int i = 0; i < TALLY_COUNTS; i++)
            kernel->counts[i] += kernel->lines[k].counts[i];
}

static enum status bad_line(const char *path, unsigned number, struct error *error)
{
    return error_set(
        error, STATUS_FORMAT,
        "Line %u of %.300s is not one that lanescope gate writes: take the file back from git, or "
        "write it again with --update.",
        number, path);
}

enum status gate_counts_read(struct gate_counts *counts, const char *path, char *text, struct error *error)
{
    char *rest = keep_text(counts, text), *line;
    size_t first = counts->kernel_count;
    bool ended = false, baseline = false;

    for (unsigned number = 1; (line = strsep(&rest, "\n")); number++) {
        struct gate_kernel *kernel =
            counts->kernel_count > first ? &counts->kernels[counts->kernel_count - 1] : NULL;
        bool good = true;

        line[strcspn(line, "\r")] = '\0'; /* git may check files out so */
        if (ended && *line)
            return bad_line(path, number, error);
        if (number == 1)
            good = strcmp(line, first_line) == 0;
        else if (strncmp(line, "device ", 7) == 0) {
            snprintf(counts->device, sizeof counts->device, "%s", line + 7);
            baseline = true;
        } else if (strncmp(line, "kernel ", 7) == 0)
            good = parse_kernel(counts, line + 7);
        else if (strncmp(line, "  ", 2) == 0)
            good = kernel && parse_row(kernel, line + 2);
        else if (strcmp(line, last_line) == 0)
            ended = true;
        else
            good = !*line;
        if (!good)
            return bad_line(path, number, error);
    }
    if (!ended)
        return error_set(error, STATUS_FORMAT, "%.300s has no end: it was not written completely.", path);
    for (size_t i = first; i < counts->kernel_count; i++) {
        if (!baseline)
            add_up_lines(&counts->kernels[i]);
        else if (!sum_is_right(&counts->kernels[i]))
            return error_set(
                error, STATUS_FORMAT,
                "The lines of kernel %.200s in %.300s do not add up to its counts, as after a merge "
                "of two versions: write it again with --update.",
                counts->kernels[i].name, path);
    }
    return STATUS_OK;
}

/* ---- settling ---- */
int gate_kernel_compare_shapes(const struct gate_kernel *a, const struct gate_kernel *b)
{
    const uint32_t x[] = {a->grid[0],  a->grid[1],  a->grid[2],     a->block[0],
                          a->block[1], a->block[2], a->shared_bytes},
                   y[] = {b->grid[0],  b->grid[1],  b->grid[2],     b->block[0],
                          b->block[1], b->block[2], b->shared_bytes};

    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int compare_kernels(const void *a, const void *b)
{
    const struct gate_kernel *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : gate_kernel_compare_shapes(x, y);
}

static int line_order(const void *a, const void *b)
{
    const struct gate_line *x = a, *y = b;
    int order = strcmp(gate_base_name(x->file), gate_base_name(y->file));

    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void settle_lines(struct gate_kernel *kernel)
{
    size_t kept = 0;

    if (kernel->line_count)
        qsort(kernel->lines, kernel->line_count, sizeof *kernel->lines, line_order);
    for (size_t i = 0; i < kernel->line_count; i++) {
        if (kept == 0 || line_order(&kernel->lines[kept - 1], &kernel->lines[i]) != 0) {
            kernel->lines[kept++] = kernel->lines[i];
            continue;
        }
        for (int k = 0; k < TALLY_COUNTS; k++)
            kernel->lines[kept - 1].counts[k] += kernel->lines[i].counts[k];
    }
    kernel->line_count = kept;
}

static void join_kernels(struct gate_kernel *to, struct gate_kernel *from)
{
    to->launches += from->launches;
    to->ns += from->ns;
    for (int i = 0; i < TALLY_COUNTS; i++)
        to->counts[i] += from->counts[i];
    memory_grow(to->lines, to->line_room, to->line_count, from->line_count);
    if (from->line_count)
        memcpy(to->lines + to->line_count, from->lines, from->line_count * sizeof *from->lines);
    to->line_count += from->line_count;
    free(from->lines);
}

void gate_counts_settle(struct gate_counts *counts)
{
    size_t kept = 0;

    if (counts->kernel_count)
        qsort(counts->kernels, counts->kernel_count, sizeof *counts->kernels, compare_kernels);
    for (size_t i = 0; i < counts->kernel_count; i++)
        if (kept > 0 && compare_kernels(&counts->kernels[kept - 1], &counts->kernels[i]) == 0)
            join_kernels(&counts->kernels[kept - 1], &counts->kernels[i]);
        else
            counts->kernels[kept++] = counts->kernels[i];
    counts->kernel_count = kept;
    for (size_t i = 0; i < kept; i++)
        settle_lines(&counts->kernels[i]);
}

/* ---- writing ---- */
static void write_line(const struct gate_line *line, FILE *file)
{
    fprintf(file, "  %s:%" PRIu32, gate_base_name(line->file), line->line);
    for (int i = 0; i < TALLY_COUNTS; i++)
        if (line->counts[i])
            fprintf(file, " %s %" PRIu64, tally_count_id((enum tally_count)i), line->counts[i]);
    putc('\n', file);
}

void gate_counts_write(const struct gate_counts *counts, const char *device, FILE *file)
{
    fprintf(file, "%s\ndevice %s\n", first_line, device);
    for (size_t i = 0; i < counts->kernel_count; i++) {
        const struct gate_kernel *kernel = &counts->kernels[i];
        char shape[GATE_SHAPE_BYTES];

        gate_kernel_shape(kernel, shape);
        fprintf(file, "kernel %s %s\n  launches %" PRIu64 "\n", kernel->name, shape, kernel->launches);
        for (int k = 0; k < TALLY_COUNTS; k++)
            if (kernel->counts[k])
                fprintf(file, "  %s %" PRIu64 "\n", tally_count_id((enum tally_count)k), kernel->counts[k]);
        for (size_t k = 0; k < kernel->line_count; k++)
            write_line(&kernel->lines[k], file);
    }
    fprintf(file, "%s\n", last_line);
}

void gate_counts_fini(struct gate_counts *counts)
{
    for (size_t i = 0; i < counts->kernel_count; i++)
        free(counts->kernels[i].lines);
    for (size_t i = 0; i < counts->text_count; i++)
        free(counts->texts[i]);
    free(counts->kernels);
    free(counts->texts);
    *counts = (struct gate_counts){0};
}

#define COST_CHANGED 2u              /* a line is changed, and 1 more for each of its counts that is */
#define COST_ALONE 7u                /* a line is new, or has gone */
#define CELLS_MOST ((size_t)1 << 24) /* beyond this lines are paired in their order */

const char *gate_change_text(enum gate_change change)
{
#define CHANGE_TEXT(id, alarm, words) [GATE_##id] = words,
    static const char *const texts[GATE_CHANGES] = {GATE_CHANGE_LIST(CHANGE_TEXT)};
#undef CHANGE_TEXT

    return texts[change];
}

bool gate_change_alarms(enum gate_change change)
{
#define CHANGE_ALARM(id, alarm, words) [GATE_##id] = alarm,
    static const bool alarms[GATE_CHANGES] = {GATE_CHANGE_LIST(CHANGE_ALARM)};
#undef CHANGE_ALARM

    return alarms[change];
}

/* ---- lines ---- */
static uint32_t count_differences(const uint64_t a[TALLY_COUNTS], const uint64_t b[TALLY_COUNTS])
{
    uint32_t differences = 0;

    for (int i = 0; i < TALLY_COUNTS; i++)
        differences += a[i] != b[i];
    return differences;
}

static uint32_t cost_of_pair(const struct gate_line *a, const struct gate_line *b)
{
    uint32_t differences = count_differences(a->counts, b->counts);

    return differences ? COST_CHANGED + differences : 0;
}

static void add_line(struct gate_pair *pair, const struct gate_line *before, const struct gate_line *after)
{
    if (before && after && count_differences(before->counts, after->counts) == 0)
        return;
    pair->lines[pair->line_count++] = (struct gate_line_pair){before, after};
}

static void pair_in_order(struct gate_pair *pair)
{
    const struct gate_kernel *before = pair->before, *after = pair->after;

    for (size_t i = 0; i < before->line_count || i < after->line_count; i++)
        add_line(pair, i < before->line_count ? &before->lines[i] : NULL,
                 i < after->line_count ? &after->lines[i] : NULL);
}

static uint32_t choose_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* costs[i * (m + 1) + j]: of making the lines from i on those from j on. */
static void align_lines(struct gate_pair *pair)
{
    const struct gate_line *before = pair->before->lines, *after = pair->after->lines;
    const size_t n = pair->before->line_count, m = pair->after->line_count, wide = m + 1;
    uint32_t *costs = memory_zeroed((n + 1) * wide, sizeof *costs);
    size_t i, j;

    for (i = n + 1; i-- > 0;) {
        for (j = m + 1; j-- > 0;) {
            uint32_t *cost = &costs[i * wide + j];

            if (i == n || j == m) {
                *cost = (uint32_t)(n - i + m - j) * COST_ALONE;
                continue;
            }
            *cost = choose_least(costs[(i + 1) * wide + j], costs[i * wide + j + 1]) + COST_ALONE;
            *cost = choose_least(*cost, costs[(i + 1) * wide + j + 1] + cost_of_pair(&before[i], &after[j]));
        }
    }
    for (i = 0, j = 0; i < n || j < m;) {
        uint32_t cost = costs[i * wide + j];

        if (i < n && j < m && cost == costs[(i + 1) * wide + j + 1] + cost_of_pair(&before[i], &after[j]))
            add_line(pair, &before[i++], &after[j++]);
        else if (i < n && cost == costs[(i + 1) * wide + j] + COST_ALONE)
            add_line(pair, &before[i++], NULL);
        else
            add_line(pair, NULL, &after[j++]);
    }
    free(costs);
}

static bool has_lines(const struct gate_kernel *kernel)
{
    for (size_t i = 0; i < kernel->line_count; i++)
        if (kernel->lines[i].line)
            return true;
    return false;
}

static void compare_lines(struct gate_pair *pair)
{
    size_t n = pair->before->line_count, m = pair->after->line_count;

    if (!has_lines(pair->before) || !has_lines(pair->after))
        return;
    pair->lines = memory_zeroed(n + m + 1, sizeof *pair->lines);
    if ((n + 1) * (m + 1) <= CELLS_MOST)
        align_lines(pair);
    else
        pair_in_order(pair);
}

/* ---- kernels ---- */
static bool counts_differ(const struct gate_kernel *a, const struct gate_kernel *b)
{
    return a->launches != b->launches || count_differences(a->counts, b->counts) > 0;
}

static bool is_same_under_other_name(const struct gate_kernel *a, const struct gate_kernel *b)
{
    if (gate_kernel_compare_shapes(a, b) != 0 || counts_differ(a, b) || a->line_count != b->line_count)
        return false;
    for (size_t i = 0; i < a->line_count; i++)
        if (count_differences(a->lines[i].counts, b->lines[i].counts) > 0)
            return false;
    return true;
}

static bool is_same(const struct gate_kernel *a, const struct gate_kernel *b)
{
    return strcmp(a->name, b->name) == 0 && gate_kernel_compare_shapes(a, b) == 0;
}

static bool has_same_name(const struct gate_kernel *a, const struct gate_kernel *b)
{
    return strcmp(a->name, b->name) == 0;
}

struct pairing {
    const struct gate_counts *before, *after;
    const struct gate_kernel **partner; /* by kernel of `after` */
    bool *taken;                        /* by kernel of `before` */
};

/* Gives kernels that have no partner the first one that fits. */
static void find_partners(struct pairing *pairing,
                          bool (*fits)(const struct gate_kernel *, const struct gate_kernel *))
{
    for (size_t k = 0; k < pairing->after->kernel_count; k++) {
        for (size_t i = 0; i < pairing->before->kernel_count && !pairing->partner[k]; i++) {
            if (pairing->taken[i] || !fits(&pairing->before->kernels[i], &pairing->after->kernels[k]))
                continue;
            pairing->partner[k] = &pairing->before->kernels[i];
            pairing->taken[i] = true;
        }
    }
}

static enum gate_change change_of(const struct gate_kernel *before, const struct gate_kernel *after)
{
    if (!before)
        return GATE_NEW;
    if (!after)
        return GATE_GONE;
    if (strcmp(before->name, after->name) != 0)
        return GATE_RENAMED;
    if (gate_kernel_compare_shapes(before, after) != 0)
        return GATE_SHAPE;
    return counts_differ(before, after) ? GATE_COUNTS : GATE_EQUAL;
}

static void add_pair(struct gate_result *result, const struct gate_kernel *before,
                     const struct gate_kernel *after)
{
    struct gate_pair *pair = &result->pairs[result->pair_count++];

    *pair = (struct gate_pair){.before = before, .after = after, .change = change_of(before, after)};
    result->alarms += gate_change_alarms(pair->change);
    if (pair->change == GATE_COUNTS || pair->change == GATE_SHAPE)
        compare_lines(pair);
}

void gate_compare(const struct gate_counts *before, const struct gate_counts *after,
                  struct gate_result *result)
{
    struct pairing pairing = {.before = before,
                              .after = after,
                              .partner = memory_zeroed(after->kernel_count, sizeof *pairing.partner),
                              .taken = memory_zeroed(before->kernel_count, sizeof *pairing.taken)};

    *result = (struct gate_result){
        .pairs = memory_zeroed(before->kernel_count + after->kernel_count, sizeof *result->pairs)};
    find_partners(&pairing, is_same);
    find_partners(&pairing, is_same_under_other_name);
    find_partners(&pairing, has_same_name);
    for (size_t k = 0; k < after->kernel_count; k++)
        add_pair(result, pairing.partner[k], &after->kernels[k]);
    for (size_t i = 0; i < before->kernel_count; i++)
        if (!pairing.taken[i])
            add_pair(result, &before->kernels[i], NULL);
    free(pairing.partner);
    free(pairing.taken);
}

void gate_result_fini(struct gate_result *result)
{
    for (size_t i = 0; i < result->pair_count; i++)
        free(result->pairs[i].lines);
    free(result->pairs);
    *result = (struct gate_result){0};
}
