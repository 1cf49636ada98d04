/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a kernel's demangled name: its own name, and the types and values of its template arguments,
 * each with its place in the tree of the name and with a rank. A short name shows some of them. Pure, any
 * thread.
 *
 * A name is fitted into a width regardless of other names, except for the words that its family shares;
 * short_names.h makes the results differ. And the inverse: a pattern for the kernels that the user means by
 * typing such a name. One thread.
 */
#ifndef TUI_WIDGETS_NAME_PARTS_H
#define TUI_WIDGETS_NAME_PARTS_H

#include "core/base/lookup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_TEXT_BYTES 2048

struct name_families { /* all zeros: empty */
    struct family_word *rows;
    size_t count, room;
    struct lookup lookup;
};

/* Adds the words of the name with this number. False: out of memory. */
bool name_families_add(struct name_families *families, const char *name, uint32_t number);
void name_families_fini(struct name_families *families);

/* The name if it fits into `cells`, else with one mark where it is cut; visible and terminated. */
void name_fit(const struct name_families *families, const char *name, int cells, char *text,
              size_t size_bytes);
/* For names that look alike otherwise: the name with one cut that leaves what is at its byte `differs`; "" if
 * it has no room. */
void name_cut_around(const char *text, size_t differs, int cells, char *out, size_t size_bytes);

/* The pattern (fnmatch) for a name as a table shows it, short or cut, to match mangled or demangled names:
 * "*[0-9]vec*Fill*" for "vec..<Fill<int>>"; mangled names have no words for int and other basic types. False:
 * the text has none of the signs of a shown name, so it is a pattern or a plain name itself. */
bool name_print_pattern(const char *shown, bool mangled, char *pattern, size_t size_bytes);

/* In the order in which parts are added while names look alike without them. */
enum name_rank {
    NAME_OWN,     /* the kernel's own name */
    NAME_FUNCTOR, /* the operation of an elementwise kernel or a reduction: a functor, or the function that
                     contains the lambda */
    NAME_CLASS,   /* other classes */
    NAME_TYPE,    /* data types, and the suffix of a type: "const*" */
    NAME_LAMBDA_TYPE,   /* types of a lambda's parameters */
    NAME_NUMBER,        /* numbers, truth values, casts */
    NAME_AFFIX,         /* suffix of a functor, "_kernel_cuda" */
    NAME_LAMBDA_NUMBER, /* "#2" */
    NAME_SCOPE,         /* namespaces and classes around a name */
    NAME_PARAMETERS     /* parameters of functions, and all that a name has beyond NAME_PARTS_MAX */
};

#define NAME_PARTS_MAX 1024u

struct name_part {
    uint32_t from, length; /* in the name */
    uint32_t path;         /* the place in the tree, hashed to 32 bits: equal in two names for equal places */
    uint16_t name;         /* the parts of one nested name have the same number */
    uint8_t depth;         /* number of angle brackets around it */
    uint8_t rank;          /* enum name_rank */
    bool shown;
    bool dull;     /* the suffix "Kernel" of a kernel's name, "Functor" of a functor's */
    bool scoped;   /* separated by "::" from the part before it if that belongs to the same name */
    bool enclosed; /* in parentheses */
};

/* Finds the parts of a name, in its order; at most NAME_PARTS_MAX, for which *parts must have room. Sets
 * `shown` on the parts that a person would say. Returns the number of parts. */
size_t name_parts_find(const char *name, struct name_part *parts);

/* Prints the parts that are shown, visible and terminated, as "reduce_kernel<sum>". Returns the length;
 * text beyond size_bytes is left out. */
size_t name_parts_print(const char *name, const struct name_part *parts, size_t count, char *text,
                        size_t size_bytes);

/* name_print_plain: a kernel's demangled name without return type and parameters; name_print_own: only its
 * own name, without namespaces and template arguments. */
void name_print_plain(const char *name, char *text, size_t size_bytes);
void name_print_own(const char *name, char *text, size_t size_bytes);

#endif
