/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes one PTX text of several that were compiled apart (nvcc -rdc=true): functions and variables that one
 * text declares .extern and another defines are found by name, as nvlink does. Texts to texts; pure, any
 * thread.
 *
 * Source: PTX ISA 9.0, 5.7 and 11.6 (linking directives): names without .visible, .extern, .weak or .common
 * belong to their text; of several weak definitions of one name the first stays.
 */
#ifndef SIMT_PTX_PTX_LINK_H
#define SIMT_PTX_PTX_LINK_H

#include "core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_text {
    const char *text;
    size_t size_bytes;
    bool replaceable; /* what another text defines under a name takes the place of this text's definition */
};

/* *linked: terminated, freed by the caller. FORMAT: a text cannot be read as PTX; MEMORY. Two definitions of
 * one name of which none is weak stay as they are: ptx_parse refuses them with their line. */
enum status ptx_link(const struct ptx_text *texts, uint32_t count, char **linked, size_t *size_bytes,
                     struct error *error);

/* *groups (of `count`, the caller's): the number of the first text that text i belongs to: texts of which one
 * defines what another declares .extern are one group. FORMAT, MEMORY. */
enum status ptx_link_groups(const struct ptx_text *texts, uint32_t count, uint32_t *groups,
                            struct error *error);

#endif
