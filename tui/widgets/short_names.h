/*
 * The short names of kernels: of a set of full (demangled) names, names that fit a width and differ wherever
 * the full names do. What all names of one kernel share is left out: parameters, namespaces, equal template
 * arguments; what tells them apart is kept: the functor of an elementwise kernel, the tile of a product.
 * Where the width leaves no difference, names have numbers by the order of the full names: "k..x#2".
 *
 * A name is worked out once for each change of the set and width. One thread; the full names are copied.
 */
#ifndef TUI_WIDGETS_SHORT_NAMES_H
#define TUI_WIDGETS_SHORT_NAMES_H

#include "core/session/session.h"

struct short_names;

/* NULL: no memory. */
struct short_names *short_names_create(void);
void short_names_destroy(struct short_names *names);

/* A name that is there already changes nothing. False: no memory. */
bool short_names_add(struct short_names *names, const char *full);
/* The names of the session's kernels that are new since the last call for this session. */
bool short_names_add_session(struct short_names *names, const struct session *session, uint32_t *shapes_seen);

/* The name in at most `cells` cells, visible and terminated; SHORT_NAME_WHOLE: the short name, uncut. A name
 * that was not added, or NULL names: as if it were the only one; so is one when memory ran out, and then
 * false is returned. */
#define SHORT_NAME_WHOLE 0
bool short_names_print(struct short_names *names, const char *full, int cells, char *text, size_t size_bytes);

/* Of a kernel of a session; and of a string of it that names one. */
bool short_names_print_kernel(struct short_names *names, const struct session *session, uint32_t kernel,
                              int cells, char *text, size_t size_bytes);
const char *kernel_full_name(const struct session *session, uint32_t kernel); /* demangled; "" */

/* How often names were worked out: for tests. */
uint64_t short_names_worked(const struct short_names *names);

#endif
