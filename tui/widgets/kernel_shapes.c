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

static bool is_same_launch(const struct shape_row *a, const struct shape_row *b)
{
    return memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           memcmp(a->block, b->block, sizeof a->block) == 0 &&
           a->dynamic_shared_bytes == b->dynamic_shared_bytes;
}

static void kernel_add(struct kernel_shapes *shapes, uint32_t kernel)
{
    struct key key = key_of(shapes->session, kernel);
    uint32_t hash = lookup_hash(2, &key, sizeof key);
    uint32_t first = lookup_find(&shapes->first, hash, has_key, shapes->session, &key);
    if (first == LOOKUP_NONE) {
        if (lookup_reserve(&shapes->first))
            lookup_add(&shapes->first, hash, kernel);
        return;
    }
    const struct shape_row *own =
                               session_shape(shapes->session, session_kernel(shapes->session, kernel)->shape),
                           *other =
                               session_shape(shapes->session, session_kernel(shapes->session, first)->shape);
    if (own && other && !is_same_launch(own, other))
        shapes->alike[kernel] = shapes->alike[first] = true;
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
                         char *text, size_t size_bytes)
{
    size_t used = 0;
    text[0] = '\0';
    if (!kernels_take(shapes, session) || kernel >= shapes->seen || !shapes->alike[kernel])
        return;
    const struct shape_row *shape = session_shape(session, session_kernel(session, kernel)->shape);
    append_text(text, size_bytes, &used, "<<<");
    append_extent(text, size_bytes, &used, shape->grid[0], shape->grid[1], shape->grid[2]);
    append_text(text, size_bytes, &used, ",");
    append_extent(text, size_bytes, &used, shape->block[0], shape->block[1], shape->block[2]);
    if (shape->dynamic_shared_bytes > 0)
        append_text(text, size_bytes, &used, ",%u", shape->dynamic_shared_bytes);
    append_text(text, size_bytes, &used, ">>>");
}
