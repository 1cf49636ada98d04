/*
 * The names of a PTX text and their scopes: each text once, so that equal names are equal pointers; the
 * module's names; and, while a function's body is parsed, its scopes. A scope's names hide those outside.
 * Since a function's variables and labels end up in one flat list, each gets a text of its own: the second
 * `x` of a function is "x#2". Owned by the parser; texts lie in the module's arena and outlive this.
 *
 * A range of registers, %r<5>, is one declaration; its members become variables when they are first used.
 * Source: PTX ISA 9.0, 4.4, 5.1, 5.2 (registers), 4.3.1 (labels).
 */
#ifndef SIMT_PTX_PTX_NAMES_H
#define SIMT_PTX_PTX_NAMES_H

#include "simt/ptx/arena.h"
#include "simt/ptx/ptx.h"

#define NAMES_DEPTH 64 /* scopes within scopes */

enum name_kind { NAME_NOTHING, NAME_VARIABLE, NAME_FUNCTION };

struct name_binding;
struct name_member;

struct name {
    const char *text;
    size_t size_bytes;
    uint64_t hash;
    enum name_kind module_kind; /* what it is at module level, and its index there */
    uint32_t module_index;
    struct name *next;
    /* In the function that is parsed: */
    uint32_t function, times;      /* declared that often in function number `function` */
    struct name_binding *variable; /* the innermost that is visible */
    struct name_binding *range;    /* ... of ranges with this text as prefix */
    struct name_binding *label;
    struct name_member *member; /* ... as a member of a range */
};

struct name_pending { /* a use that a label, or the module, may explain later */
    const char **place;
    struct name *name;
    uint32_t line;
};

struct name_scope {
    struct name_binding *bindings;
    uint32_t first_pending;
};

struct names {
    struct arena *texts;
    struct arena scratch;
    struct name **slots;
    uint32_t slot_count, count;
    uint32_t function;
    struct name_scope scopes[NAMES_DEPTH];
    uint32_t scope_count;
    struct name_pending *pendings;
    uint32_t pending_count, pending_capacity;
};

enum name_result { NAME_OK, NAME_TAKEN, NAME_UNKNOWN, NAME_TOO_DEEP, NAME_NO_MEMORY };

void names_init(struct names *names, struct arena *texts);
void names_fini(struct names *names);
struct name *names_intern(struct names *names, const char *text, size_t size_bytes); /* NULL: no memory */

void names_begin_function(struct names *names); /* with no scope open */
enum name_result names_open(struct names *names);
/* Explains pending uses by the labels of the scope, and forgets what was declared in it. */
void names_close(struct names *names);

/* Declares it in the innermost scope. *text is what the flat list is to call it; with an owner, a text that
 * no name of the module has either: "owner::x". */
enum name_result names_declare(struct names *names, struct name *name, const char *owner, const char **text);
enum name_result names_declare_label(struct names *names, struct name *name, const char **text);
/* `registers` is what each member is, without its name; it must last as long as the scope. */
enum name_result names_declare_range(struct names *names, struct name *prefix, uint32_t count,
                                     const struct ptx_variable *registers);

/*
 * A variable's text for its name: *text. *registers is NULL, or the range's type when this was the first use
 * of this member: the caller then adds the variable. NAME_UNKNOWN: no variable has that name here.
 */
enum name_result names_use(struct names *names, struct name *name, const char **text,
                           const struct ptx_variable **registers);
/* *place is to become what the name turns out to be when scopes close. */
enum name_result names_use_later(struct names *names, struct name *name, uint32_t line, const char **place);

bool names_is_special(const char *text); /* %tid.x, %laneid ... of PTX ISA chapter 10 */

#endif
