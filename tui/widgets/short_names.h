/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The short names of kernels: for a set of full (demangled) names, names that fit a width and differ wherever
 * the full names do. Parts that all names of one kernel share are left out: parameters, namespaces, equal
 * template arguments; parts that distinguish them are kept: the functor of an elementwise kernel, the tile of
 * a matrix product. If the width leaves no difference, names get numbers in the order of the full names:
 * "k..x#2".
 *
 * Names are computed once for each change of the set or the width. One thread; the full names are copied.
 */
#ifndef TUI_WIDGETS_SHORT_NAMES_H
#define TUI_WIDGETS_SHORT_NAMES_H

#include "core/session/session.h"

struct short_names;

/* NULL: out of memory. */
struct short_names *short_names_create(void);
void short_names_destroy(struct short_names *names);

/* A name that is already in the set changes nothing. False: out of memory. */
bool short_names_add(struct short_names *names, const char *full);
/* Adds the names of the session's kernels that are new since the last call for this session. */
bool short_names_add_session(struct short_names *names, const struct session *session, uint32_t *shapes_seen);

/* The name in at most `cells` cells, visible and terminated; SHORT_NAME_WHOLE: the short name, uncut. A name
 * that was not added, or any name if `names` is NULL, is shortened as if it were the only one. So is every
 * name if memory runs out; the function then returns false. */
#define SHORT_NAME_WHOLE 0
bool short_names_print(struct short_names *names, const char *full, int cells, char *text, size_t size_bytes);

/* The same for a kernel of a session, with its launch where its name alone is that of several kernels of the
 * run (struct kernel_shapes), unless `names` is NULL. */
bool short_names_print_kernel(struct short_names *names, const struct session *session, uint32_t kernel,
                              int cells, char *text, size_t size_bytes);
/* The whole name with the brief launch, if there is one: "scale grid 512"; else "". */
void short_names_print_brief(struct short_names *names, const struct session *session, uint32_t kernel,
                             char *text, size_t size_bytes);
const char *kernel_full_name(const struct session *session, uint32_t kernel); /* demangled; "" */

/* The number of times that names were computed: for tests. */
uint64_t short_names_worked(const struct short_names *names);

#endif
