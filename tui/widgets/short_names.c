/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each name has its parts (name_parts.h). At first the parts that a person would say are shown; names that
 * then look alike get one more part, that of the lowest rank in which they differ and that separates the most
 * names, until they differ. The result is the short name. In a width that it does not fit, one part of it is
 * cut out, with a mark (name_fit). Names that then look alike are cut around their first difference, and at
 * last numbered.
 *
 * Short names are distinct, and so are the texts of one width, since each goes through a set of texts
 * (unique_add) that adds a number to a text it has already. Everything is computed again when a name was
 * added; the last WIDTHS_KEPT widths are kept, so that frames only look up.
 *
 * Kernels of one run that have the same name and differ only in how they were launched get their launch
 * behind the name, as CUDA writes it: "scale <<<64,128>>>" (struct kernel_shapes). Kernels are added once, as
 * they come, to a table by run and name.
 */
#include "tui/widgets/short_names.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "core/base/lookup.h"
#include "core/session/session.h"
#include "tui/terminal/text.h"
#include "tui/widgets/name_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The others of its run with its name. */
struct kernel_alike {
    uint32_t next;              /* of them; NONE: the last */
    bool any;                   /* one has another launch */
    bool same_grid, same_block; /* one of these has the same grid, the same block */
};

struct kernel_shapes {
    const struct session *session;
    struct kernel_alike *alike; /* by kernel */
    uint32_t seen, room;
    struct lookup first; /* by run and name: the first kernel */
};

struct key {
    uint32_t run, name;
};

static struct key key_of(const struct session *session, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = session_shape(session, row->shape);
    return (struct key){row->run, shape ? shape->name : 0};
}

static bool has_key(const void *context, uint32_t kernel, const void *wanted)
{
    struct key key = key_of(context, kernel);
    return memcmp(&key, wanted, sizeof key) == 0;
}

/* a zeroed one is empty */
static void kernel_shapes_fini(struct kernel_shapes *shapes)
{
    free(shapes->alike);
    lookup_fini(&shapes->first);
    *shapes = (struct kernel_shapes){0};
}

static bool is_same_grid(const struct shape_row *a, const struct shape_row *b)
{
    return memcmp(a->grid, b->grid, sizeof a->grid) == 0;
}

static bool is_same_block(const struct shape_row *a, const struct shape_row *b)
{
    return memcmp(a->block, b->block, sizeof a->block) == 0;
}

static void compare_launches(struct kernel_shapes *shapes, uint32_t kernel, uint32_t with)
{
    const struct shape_row *own =
                               session_shape(shapes->session, session_kernel(shapes->session, kernel)->shape),
                           *other =
                               session_shape(shapes->session, session_kernel(shapes->session, with)->shape);
    if (!own || !other)
        return;
    bool grid = is_same_grid(own, other), block = is_same_block(own, other);
    if (grid && block && own->dynamic_shared_bytes == other->dynamic_shared_bytes)
        return;
    for (int i = 0; i < 2; i++) {
        struct kernel_alike *alike = &shapes->alike[i == 0 ? kernel : with];
        alike->any = true;
        alike->same_grid |= grid;
        alike->same_block |= block;
    }
}

#define COMPARED_MOST 1000 /* kernels of one name; of more the newest are not compared with each other */

static void kernel_add(struct kernel_shapes *shapes, uint32_t kernel)
{
    struct key key = key_of(shapes->session, kernel);
    uint32_t hash = lookup_hash(2, &key, sizeof key);
    uint32_t first = lookup_find(&shapes->first, hash, has_key, shapes->session, &key);
    shapes->alike[kernel].next = NONE;
    if (first == LOOKUP_NONE) {
        if (lookup_reserve(&shapes->first))
            lookup_add(&shapes->first, hash, kernel);
        return;
    }
    uint32_t with = first;
    for (int compared = 0; with != NONE && compared < COMPARED_MOST; compared++) {
        compare_launches(shapes, kernel, with);
        with = shapes->alike[with].next;
    }
    shapes->alike[kernel].same_grid |= with != NONE; /* not known to be alone */
    shapes->alike[kernel].same_block |= with != NONE;
    shapes->alike[kernel].next = shapes->alike[first].next;
    shapes->alike[first].next = kernel;
}

/* Reads the kernels that came since the last call. False: no memory. */
static bool kernels_take(struct kernel_shapes *shapes, const struct session *session)
{
    uint32_t count = session_kernel_count(session);
    if (shapes->session != session || count < shapes->seen) {
        kernel_shapes_fini(shapes);
        shapes->session = session;
    }
    if (count > shapes->seen &&
        !array_grow_zeroed(shapes->alike, shapes->room, shapes->seen, count - shapes->seen))
        return false;
    for (; shapes->seen < count; shapes->seen++)
        kernel_add(shapes, shapes->seen);
    return true;
}

static void append_extent(char *text, size_t size_bytes, size_t *used, uint32_t x, uint32_t y, uint32_t z)
{
    append_text(text, size_bytes, used, "%u", x);
    if (y > 1 || z > 1)
        append_text(text, size_bytes, used, "x%u", y);
    if (z > 1)
        append_text(text, size_bytes, used, "x%u", z);
}

/* "<<<8x4,256>>>", with the bytes of dynamic shared memory where they alone may differ; "" where the name
 * alone tells the kernel apart, or memory ran out. Brief: "grid 512" or "block 64", if that alone is of no
 * other launch. Another session than at the last call: begins again. */
static void kernel_shapes_print(struct kernel_shapes *shapes, const struct session *session, uint32_t kernel,
                                bool brief, char *text, size_t size_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    if (!kernels_take(shapes, session) || kernel >= shapes->seen || !shapes->alike[kernel].any)
        return;
    const struct shape_row *shape = session_shape(session, session_kernel(session, kernel)->shape);
    if (brief && shapes->alike[kernel].same_grid && shapes->alike[kernel].same_block)
        return;
    if (brief) {
        const bool block = shapes->alike[kernel].same_grid;
        append_text(text, size_bytes, &used, block ? "block " : "grid ");
        append_extent(text, size_bytes, &used, block ? shape->block[0] : shape->grid[0],
                      block ? shape->block[1] : shape->grid[1], block ? shape->block[2] : shape->grid[2]);
        return;
    }
    append_text(text, size_bytes, &used, "<<<");
    append_extent(text, size_bytes, &used, shape->grid[0], shape->grid[1], shape->grid[2]);
    append_text(text, size_bytes, &used, ",");
    append_extent(text, size_bytes, &used, shape->block[0], shape->block[1], shape->block[2]);
    if (shape->dynamic_shared_bytes > 0)
        append_text(text, size_bytes, &used, ",%u", shape->dynamic_shared_bytes);
    append_text(text, size_bytes, &used, ">>>");
}

#define WIDTHS_KEPT 6
#define ENDLESS (1 << 20) /* cells */

struct short_name {
    char *full, *text;
    struct name_part *parts;
    size_t part_count;
};

struct width_texts {
    int cells;
    uint64_t used; /* time of the last use: the oldest one is replaced */
    char **texts;
};

struct short_names {
    struct short_name *rows; /* sorted by the full name, once computed */
    size_t count, room;
    struct lookup by_full;
    bool stale;
    struct width_texts widths[WIDTHS_KEPT];
    uint64_t uses, worked;
    struct kernel_shapes shapes[2]; /* a comparison has two sessions */
};

/* ---- the set ---- */

static uint32_t hash_text(const char *text)
{
    return lookup_hash(1, text, strlen(text));
}

static bool is_full_name(const void *context, uint32_t row, const void *key)
{
    const struct short_names *names = context;
    return strcmp(names->rows[row].full, key) == 0;
}

struct short_names *short_names_create(void)
{
    return calloc(1, sizeof(struct short_names));
}

static void forget_texts(struct short_names *names)
{
    for (size_t w = 0; w < WIDTHS_KEPT; w++) {
        for (size_t i = 0; names->widths[w].texts && i < names->count; i++)
            free(names->widths[w].texts[i]);
        free(names->widths[w].texts);
        names->widths[w] = (struct width_texts){0};
    }
    for (size_t i = 0; i < names->count; i++) {
        free(names->rows[i].text);
        free(names->rows[i].parts);
        names->rows[i].text = NULL;
        names->rows[i].parts = NULL;
    }
}

void short_names_destroy(struct short_names *names)
{
    if (!names)
        return;
    forget_texts(names);
    for (size_t i = 0; i < names->count; i++)
        free(names->rows[i].full);
    free(names->rows);
    lookup_fini(&names->by_full);
    for (int i = 0; i < 2; i++)
        kernel_shapes_fini(&names->shapes[i]);
    free(names);
}

bool short_names_add(struct short_names *names, const char *full)
{
    uint32_t hash = hash_text(full);
    if (lookup_find(&names->by_full, hash, is_full_name, names, full) != LOOKUP_NONE)
        return true;
    char *copy = strdup(full);
    if (!copy || !lookup_reserve(&names->by_full) || !array_grow(names->rows, names->room, names->count, 1)) {
        free(copy);
        return false;
    }
    forget_texts(names);
    lookup_add(&names->by_full, hash, (uint32_t)names->count);
    names->rows[names->count++] = (struct short_name){.full = copy};
    names->stale = true;
    return true;
}

bool short_names_add_session(struct short_names *names, const struct session *session, uint32_t *shapes_seen)
{
    for (; *shapes_seen < session_shape_count(session); ++*shapes_seen)
        if (!short_names_add(names, session_string(session, session_shape(session, *shapes_seen)->name)))
            return false;
    return true;
}

/* ---- texts that differ ---- */

struct unique {
    char **texts; /* by row; NULL: not set yet */
    struct lookup lookup;
};

static bool is_text(const void *context, uint32_t row, const void *key)
{
    const struct unique *unique = context;
    return strcmp(unique->texts[row], key) == 0;
}

static bool unique_has(const struct unique *unique, const char *text)
{
    return lookup_find(&unique->lookup, hash_text(text), is_text, unique, text) != LOOKUP_NONE;
}

/* Sets the row's text: this one, or if another row has it, the text with a number, in `cells` cells; `whole`:
 * the text before it was cut. */
static bool unique_add(struct unique *unique, uint32_t row, const char *text, const char *whole, int cells)
{
    char numbered[NAME_TEXT_BYTES + 32], number[16];
    snprintf(numbered, sizeof numbered, "%s", text);
    for (unsigned n = 2; unique_has(unique, numbered); n++) {
        int length = snprintf(number, sizeof number, "#%u", n);
        int left = cells > length ? cells - length : 0;
        if (text_width(text, left + 1) <= left)
            snprintf(numbered, sizeof numbered, "%s", text);
        else
            text_shorten(whole, left, numbered, sizeof numbered - sizeof number);
        strcat(numbered, number);
    }
    unique->texts[row] = strdup(numbered);
    if (!unique->texts[row] || !lookup_reserve(&unique->lookup))
        return false;
    lookup_add(&unique->lookup, hash_text(numbered), row);
    return true;
}

/* ---- short names ---- */

static int compare_full(const void *a, const void *b)
{
    return strcmp(((const struct short_name *)a)->full, ((const struct short_name *)b)->full);
}

static int compare_text(const void *a, const void *b, void *context)
{
    const struct short_name *rows = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    int order = strcmp(rows[left].text, rows[right].text);
    return order ? order : left < right ? -1 : left > right;
}

/* A part that is not shown yet, of one of several names that look alike. */
struct choice {
    uint8_t rank;
    uint32_t path, text, at; /* text: its hash; at: its place in the name */
};

static int compare_choices(const void *a, const void *b)
{
    const struct choice *left = a, *right = b;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    if (left->path != right->path)
        return left->path < right->path ? -1 : 1;
    return left->text < right->text ? -1 : left->text > right->text;
}

/* Chooses the part of the lowest rank in which the names differ; of several such parts the one with the most
 * different texts, then the first. *any: there is one. False: out of memory. */
static bool choose_part(const struct short_name *rows, const uint32_t *members, size_t count, uint32_t *path,
                        bool *any)
{
    size_t made = 0, room = 0, best = 1;
    uint32_t best_at = 0;
    struct choice *choices = NULL;
    for (size_t m = 0; m < count; m++) {
        const struct short_name *row = &rows[members[m]];
        if (!array_grow(choices, room, made, row->part_count)) {
            free(choices);
            return false;
        }
        for (size_t i = 0; i < row->part_count; i++) {
            const struct name_part *part = &row->parts[i];
            if (!part->shown)
                choices[made++] =
                    (struct choice){.rank = part->rank,
                                    .path = part->path,
                                    .text = lookup_hash(1, row->full + part->from, part->length),
                                    .at = (uint32_t)i};
        }
    }
    if (made > 0)
        qsort(choices, made, sizeof *choices, compare_choices);
    for (size_t i = 0, end; i < made && (best == 1 || choices[i].rank == choices[i - 1].rank); i = end) {
        size_t texts = 1;
        for (end = i + 1;
             end < made && choices[end].rank == choices[i].rank && choices[end].path == choices[i].path;
             end++)
            texts += choices[end].text != choices[end - 1].text;
        texts += end - i < count; /* some names have no such part */
        if (texts > best || (texts == best && best > 1 && choices[i].at < best_at)) {
            best = texts;
            best_at = choices[i].at;
            *path = choices[i].path;
        }
    }
    free(choices);
    *any = best > 1;
    return true;
}

static bool print_row(struct short_name *row)
{
    char text[NAME_TEXT_BYTES];
    name_parts_print(row->full, row->parts, row->part_count, text, sizeof text);
    free(row->text);
    row->text = strdup(text);
    return row->text != NULL;
}

static bool part_alike(struct short_name *rows, uint32_t *members, size_t count);

/* Adds a part to names with the same text, until they differ. */
static bool refine_names(struct short_name *rows, uint32_t *members, size_t count)
{
    uint32_t path = 0;
    bool any;
    if (!choose_part(rows, members, count, &path, &any))
        return false;
    if (!any)
        return true; /* numbers will distinguish them */
    for (size_t m = 0; m < count; m++) {
        struct short_name *row = &rows[members[m]];
        for (size_t i = 0; i < row->part_count; i++)
            row->parts[i].shown |= row->parts[i].path == path;
        if (!print_row(row))
            return false;
    }
    return part_alike(rows, members, count);
}

static bool part_alike(struct short_name *rows, uint32_t *members, size_t count)
{
    bool done = true;
    qsort_r(members, count, sizeof *members, compare_text, rows);
    for (size_t i = 0, end; i < count && done; i = end) {
        for (end = i + 1; end < count && strcmp(rows[members[end]].text, rows[members[i]].text) == 0;)
            end++;
        if (end - i > 1)
            done = refine_names(rows, members + i, end - i);
    }
    return done;
}

static bool find_parts(struct short_name *row)
{
    static _Thread_local struct name_part parts[NAME_PARTS_MAX];
    row->part_count = name_parts_find(row->full, parts);
    row->parts = malloc((row->part_count + 1) * sizeof *parts);
    if (!row->parts)
        return false;
    memcpy(row->parts, parts, row->part_count * sizeof *parts);
    return print_row(row);
}

static bool index_rows(struct short_names *names)
{
    lookup_fini(&names->by_full);
    names->by_full = (struct lookup){0};
    for (size_t i = 0; i < names->count; i++) {
        if (!lookup_reserve(&names->by_full))
            return false;
        lookup_add(&names->by_full, hash_text(names->rows[i].full), (uint32_t)i);
    }
    return true;
}

/* Returns false if memory runs out; no name is then known. */
static bool work_out(struct short_names *names)
{
    struct short_name *rows = names->rows;
    uint32_t *members = malloc((names->count + 1) * sizeof *members);
    struct unique unique = {.texts = calloc(names->count + 1, sizeof(char *))};
    bool done = members && unique.texts;
    if (done && names->count > 0)
        qsort(rows, names->count, sizeof *rows, compare_full);
    done = done && index_rows(names);
    for (size_t i = 0; done && i < names->count; i++) {
        members[i] = (uint32_t)i;
        done = find_parts(&rows[i]);
    }
    done = done && part_alike(rows, members, names->count);
    for (size_t i = 0; done && i < names->count; i++)
        done = unique_add(&unique, (uint32_t)i, rows[i].text, rows[i].text, ENDLESS);
    for (size_t i = 0; i < names->count && unique.texts; i++) {
        free(rows[i].text);
        rows[i].text = unique.texts[i];
        free(rows[i].parts);
        rows[i].parts = NULL;
    }
    lookup_fini(&unique.lookup);
    free(unique.texts);
    free(members);
    names->stale = !done;
    names->worked += names->count;
    if (!done)
        forget_texts(names);
    return done;
}

/* ---- widths ---- */

static size_t shared_length(const char *a, const char *b)
{
    size_t length = 0;
    while (a[length] != '\0' && a[length] == b[length])
        length++;
    return length;
}

/* Where the name differs first from one of those that look like it; `member` is its place among them. */
static size_t first_difference(const struct short_names *names, const uint32_t *members, size_t count,
                               size_t member)
{
    const char *own = names->rows[members[member]].text;
    size_t differs = 0;
    for (size_t other = 0; other < count; other++) {
        size_t shared = shared_length(own, names->rows[members[other]].text);
        differs = other != member && (differs == 0 || shared < differs) ? shared : differs;
    }
    return differs;
}

/* Names that look alike in their cells: cuts each where it differs from the next of them. */
static bool part_fitted(const struct short_names *names, char **fitted, uint32_t *members, int cells)
{
    struct short_name *rows = calloc(names->count + 1, sizeof *rows);
    if (!rows)
        return false;
    for (size_t i = 0; i < names->count; i++) {
        members[i] = (uint32_t)i;
        rows[i].text = fitted[i];
    }
    qsort_r(members, names->count, sizeof *members, compare_text, rows);
    bool done = true;
    for (size_t i = 0, end; i < names->count && done; i = end) {
        for (end = i + 1; end < names->count && strcmp(fitted[members[end]], rows[members[i]].text) == 0;)
            end++;
        char text[NAME_TEXT_BYTES];
        for (size_t m = i; end - i > 1 && m < end && done; m++) {
            const char *own = names->rows[members[m]].text;
            name_cut_around(own, first_difference(names, members + i, end - i, m - i), cells, text,
                            sizeof text);
            if (text[0] != '\0')
                done = (fitted[members[m]] = strdup(text)) != NULL;
        }
    }
    for (size_t i = 0; i < names->count; i++)
        if (rows[i].text != fitted[i])
            free(rows[i].text);
    free(rows);
    return done;
}

static bool fit_all(struct short_names *names, struct width_texts *width, int cells)
{
    struct name_families families = {0};
    struct unique unique = {.texts = calloc(names->count + 1, sizeof(char *))};
    char **fitted = calloc(names->count + 1, sizeof *fitted);
    uint32_t *members = calloc(names->count + 1, sizeof *members);
    bool done = unique.texts && fitted && members;
    for (size_t i = 0; i < names->count && done; i++)
        done = name_families_add(&families, names->rows[i].text, (uint32_t)i);
    for (size_t i = 0; i < names->count && done; i++) {
        char text[NAME_TEXT_BYTES];
        name_fit(&families, names->rows[i].text, cells, text, sizeof text);
        done = (fitted[i] = strdup(text)) != NULL;
    }
    done = done && part_fitted(names, fitted, members, cells);
    for (size_t i = 0; i < names->count && done; i++)
        done = unique_add(&unique, (uint32_t)i, fitted[i], names->rows[i].text, cells);
    for (size_t i = 0; i < names->count && fitted; i++)
        free(fitted[i]);
    for (size_t i = 0; i < names->count && !done && unique.texts; i++)
        free(unique.texts[i]);
    if (done)
        *width = (struct width_texts){.cells = cells, .texts = unique.texts};
    else
        free(unique.texts);
    name_families_fini(&families);
    lookup_fini(&unique.lookup);
    free(fitted);
    free(members);
    names->worked += names->count;
    return done;
}

/* The texts of a width; NULL: out of memory. */
static const struct width_texts *texts_of(struct short_names *names, int cells)
{
    struct width_texts *oldest = &names->widths[0];
    for (size_t w = 0; w < WIDTHS_KEPT; w++) {
        struct width_texts *width = &names->widths[w];
        if (width->texts && width->cells == cells) {
            width->used = ++names->uses;
            return width;
        }
        if (width->used < oldest->used)
            oldest = width;
    }
    for (size_t i = 0; i < names->count && oldest->texts; i++)
        free(oldest->texts[i]);
    free(oldest->texts);
    *oldest = (struct width_texts){0};
    if (!fit_all(names, oldest, cells))
        return NULL;
    oldest->used = ++names->uses;
    return oldest;
}

/* Prints a name regardless of others. False: out of memory. */
static bool print_alone(const char *full, int cells, char *text, size_t size_bytes)
{
    struct short_name row = {.full = (char *)full};
    bool done = find_parts(&row);
    name_fit(&(struct name_families){0}, done ? row.text : full, cells, text, size_bytes);
    free(row.text);
    free(row.parts);
    return done;
}

bool short_names_print(struct short_names *names, const char *full, int cells, char *text, size_t size_bytes)
{
    bool done = !names || !names->stale || work_out(names);
    uint32_t row = LOOKUP_NONE;
    if (size_bytes == 0)
        return true;
    if (names && done)
        row = lookup_find(&names->by_full, hash_text(full), is_full_name, names, full);
    if (cells == SHORT_NAME_WHOLE)
        cells = ENDLESS;
    if (row == LOOKUP_NONE)
        return print_alone(full, cells, text, size_bytes) && done;
    const struct width_texts *width = cells < ENDLESS ? texts_of(names, cells) : NULL;
    text_cut(width ? width->texts[row] : names->rows[row].text, cells, text, size_bytes);
    return width || cells == ENDLESS;
}

const char *kernel_full_name(const struct session *session, uint32_t kernel)
{
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct shape_row *shape = row ? session_shape(session, row->shape) : NULL;
    return shape ? session_string(session, shape->name) : "";
}

#define NAME_BEFORE_SHAPE 6 /* cells; where fewer are left, the launch is left out */

static struct kernel_shapes *shapes_of(struct short_names *names, const struct session *session)
{
    struct kernel_shapes *shapes = names->shapes;
    return !shapes[0].session || shapes[0].session == session ? &shapes[0] : &shapes[1];
}

bool short_names_print_kernel(struct short_names *names, const struct session *session, uint32_t kernel,
                              int cells, char *text, size_t size_bytes)
{
    char shape[120] = "", brief[120];
    const char *name = kernel_full_name(session, kernel);
    bool whole = short_names_print(names, name, cells, text, size_bytes);
    if (names)
        kernel_shapes_print(shapes_of(names, session), session, kernel, false, shape, sizeof shape);
    int taken = shape[0] != '\0' ? (int)strlen(shape) + 1 : 0;
    if (taken > 0 && cells != SHORT_NAME_WHOLE && text_width(text, cells) > cells - taken) {
        kernel_shapes_print(shapes_of(names, session), session, kernel, true, brief, sizeof brief);
        if (brief[0] != '\0')
            taken = (int)strlen(strcpy(shape, brief)) + 1;
    }
    if (cells != SHORT_NAME_WHOLE && cells - taken < NAME_BEFORE_SHAPE)
        taken = 0;
    if (taken > 0 && cells != SHORT_NAME_WHOLE)
        whole = short_names_print(names, name, cells - taken, text, size_bytes);
    size_t used = strlen(text);
    if (taken > 0)
        append_text(text, size_bytes, &used, " %s", shape);
    return whole;
}

void short_names_print_brief(struct short_names *names, const struct session *session, uint32_t kernel,
                             char *text, size_t size_bytes)
{
    char brief[120] = "";
    text[0] = '\0';
    if (names)
        kernel_shapes_print(shapes_of(names, session), session, kernel, true, brief, sizeof brief);
    if (brief[0] == '\0')
        return;
    short_names_print(names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, text, size_bytes);
    size_t used = strlen(text);
    append_text(text, size_bytes, &used, " %s", brief);
}

uint64_t short_names_worked(const struct short_names *names)
{
    return names->worked;
}
