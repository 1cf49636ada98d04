/* SPDX-License-Identifier: Apache-2.0 */
/*
 * by_string has a number for each string of the session that names a kernel, and NAMING_NONE for the others.
 * Numbers are given in the order in which kernels appear, so they never change.
 */
#include "tui/widgets/naming.h"

#include <stdlib.h>

void naming_fini(struct naming *naming)
{
    free(naming->by_string);
    short_names_destroy(naming->names);
    *naming = (struct naming){0};
}

static bool reserve_strings(struct naming *naming, size_t string)
{
    if (string < naming->capacity)
        return true;
    size_t capacity = naming->capacity < 256 ? 256 : naming->capacity;
    while (capacity <= string)
        capacity *= 2;
    uint16_t *grown = realloc(naming->by_string, capacity * sizeof *grown);
    if (!grown)
        return false;
    for (size_t i = naming->capacity; i < capacity; i++)
        grown[i] = NAMING_NONE;
    naming->by_string = grown;
    naming->capacity = capacity;
    return true;
}

void naming_update(struct naming *naming, const struct session *session)
{
    uint32_t kernels = session_kernel_count(session);
    if (!naming->names)
        naming->names = short_names_create();
    if (naming->names)
        short_names_add_session(naming->names, session, &naming->shapes_seen);
    for (; naming->kernels_seen < kernels; naming->kernels_seen++) {
        const struct kernel_row *kernel = session_kernel(session, naming->kernels_seen);
        uint32_t name = session_shape(session, kernel->shape)->name;
        if (!reserve_strings(naming, name))
            return;
        if (naming->by_string[name] == NAMING_NONE && naming->count < NAMING_NONE)
            naming->by_string[name] = (uint16_t)naming->count++;
    }
}

uint16_t naming_of_shape(const struct naming *naming, const struct session *session, uint32_t shape)
{
    if (shape >= session_shape_count(session))
        return NAMING_NONE;
    uint32_t name = session_shape(session, shape)->name;
    return name < naming->capacity ? naming->by_string[name] : NAMING_NONE;
}

uint16_t naming_of_kernel(const struct naming *naming, const struct session *session, uint32_t kernel)
{
    if (kernel >= session_kernel_count(session))
        return NAMING_NONE;
    return naming_of_shape(naming, session, session_kernel(session, kernel)->shape);
}

char naming_letter(uint16_t index)
{
    if (index == NAMING_NONE)
        return '?';
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[index % 52];
}

enum color naming_color(uint16_t index)
{
    return index == NAMING_NONE ? COLOR_DIM : (enum color)(COLOR_KERNEL + index % STYLE_KERNEL_COLORS);
}
