/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The letter, colour and short name of a kernel: letters are assigned to names in the order of first
 * appearance, the same in every view of a session. The tui's thread.
 */
#ifndef TUI_WIDGETS_NAMING_H
#define TUI_WIDGETS_NAMING_H

#include "core/session/session.h"

#include "tui/terminal/style.h"
#include "tui/widgets/short_names.h"

#define NAMING_NONE UINT16_MAX

struct naming {
    uint16_t *by_string; /* index of a name by its string id, NAMING_NONE for other strings */
    size_t capacity;
    uint32_t kernels_seen, count, shapes_seen;
    struct short_names *names;
};

void naming_fini(struct naming *naming);
/* Adds the kernels that are new. */
void naming_update(struct naming *naming, const struct session *session);

/* The index of the name of a kernel (or of a shape); NAMING_NONE if it is not known. */
uint16_t naming_of_kernel(const struct naming *naming, const struct session *session, uint32_t kernel);
uint16_t naming_of_shape(const struct naming *naming, const struct session *session, uint32_t shape);

char naming_letter(uint16_t index); /* A...Z, then a...z, over again; '?' for none */
enum color naming_color(uint16_t index);

#endif
