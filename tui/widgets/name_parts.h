/*
 * The parts of a kernel's demangled name: its own name, and of what its templates were made, each with its
 * place in the tree of the name and with a rank. A short name shows some of them. Pure, any thread.
 */
#ifndef TUI_WIDGETS_NAME_PARTS_H
#define TUI_WIDGETS_NAME_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they are shown where names are alike without them. */
enum name_rank {
    NAME_OWN,           /* the kernel's own name */
    NAME_FUNCTOR,       /* what an elementwise kernel or a reduction does: a functor, or who wrote a lambda */
    NAME_CLASS,         /* other classes */
    NAME_TYPE,          /* types of data, and what stands behind a type: "const*" */
    NAME_LAMBDA_TYPE,   /* of a lambda's parameters */
    NAME_NUMBER,        /* numbers, truth values, casts */
    NAME_AFFIX,         /* "_kernel_cuda" of a functor */
    NAME_LAMBDA_NUMBER, /* "#2" */
    NAME_SCOPE,         /* namespaces and classes around a name */
    NAME_PARAMETERS     /* of functions, and all that a name has beyond NAME_PARTS_MAX */
};

#define NAME_PARTS_MAX 1024u

struct name_part {
    uint32_t from, length; /* of the name */
    uint32_t path; /* where it is in the tree, folded to 32 bits: equal places of two names are equal */
    uint16_t name; /* parts of one nested name have the same number */
    uint8_t depth; /* angle brackets around it */
    uint8_t rank;  /* enum name_rank */
    bool shown;
    bool dull;     /* left out of a name that has to be tight: "Kernel" of a kernel */
    bool scoped;   /* "::" is before it, when a part of the same name is */
    bool enclosed; /* in parentheses */
};

/* The parts of a name, in its order; at most NAME_PARTS_MAX, which *parts has room for. What a person would
 * say is shown. Returns how many. */
size_t name_parts_find(const char *name, struct name_part *parts);

/* What is shown, visible and terminated, as "reduce_kernel<sum>"; `tight`: without what is dull. Returns the
 * length; what has no room is left out. */
size_t name_parts_print(const char *name, const struct name_part *parts, size_t count, bool tight, char *text,
                        size_t size_bytes);

/* A kernel's demangled name without return type and parameters; and its own name alone, without namespaces
 * and template arguments. */
void name_print_plain(const char *name, char *text, size_t size_bytes);
void name_print_own(const char *name, char *text, size_t size_bytes);

#endif
