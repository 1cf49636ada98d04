/* Kernels are added once, as they come, to a table by run and name. */
#include "tui/widgets/kernel_shapes.h"

#include "core/base/append.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

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

void kernel_shapes_fini(struct kernel_shapes *shapes)
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
    if (own == NULL || other == NULL)
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

void kernel_shapes_print(struct kernel_shapes *shapes, const struct session *session, uint32_t kernel,
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
