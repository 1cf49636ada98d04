/*
 * The names of a PTX text and their scopes. Each text is stored once, so that equal names are equal pointers.
 * Holds the module's names and, while a function's body is parsed, its scopes. A name in a scope hides the
 * same name outside. A function's variables and labels end up in one flat list, so each gets a unique text:
 * the second `x` of a function is "x#2". Owned by the parser; the texts lie in the module's arena and outlive
 * this table.
 *
 * A range of variables, %r<5>, is one declaration; a member becomes a variable when it is first used. Source:
 * PTX ISA 9.0, 4.4, 5.1, 5.2, 5.4.6 (ranges), 4.3.1 (labels).
 */
#ifndef SIMT_PTX_PTX_NAMES_H
#define SIMT_PTX_PTX_NAMES_H

#include "simt/ptx/arena.h"
#include "simt/ptx/ptx.h"

#define NAMES_DEPTH 64 /* maximum nesting of scopes */

enum name_kind { NAME_NOTHING, NAME_VARIABLE, NAME_FUNCTION };

struct name_binding;
struct name_member;

struct name {
    const char *text;
    size_t size_bytes;
    uint64_t hash;
    enum name_kind module_kind; /* kind of the module-level declaration, and its index */
    uint32_t module_index;
    struct name *next;
    /* In the function being parsed: */
    uint32_t function, times;      /* number of declarations of this name in function number `function` */
    struct name_binding *variable; /* the innermost one that is visible */
    struct name_binding *range;    /* the innermost range with this text as prefix */
    struct name_binding *label;
    struct name_member *member; /* the innermost range of which this is a member */
};

struct name_pending { /* a use that may refer to a label or to a name of the module: resolved later */
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
struct name *names_intern(struct names *names, const char *text, size_t size_bytes); /* NULL: out of memory */

void names_begin_function(struct names *names); /* no scope must be open */
enum name_result names_open(struct names *names);
/* Closes the scope: resolves pending uses of its labels and removes its declarations. */
void names_close(struct names *names);

/* Declares a name in the innermost scope. *text is its name in the flat list. With an owner the text is also
 * unique in the module: "owner::x". */
enum name_result names_declare(struct names *names, struct name *name, const char *owner, const char **text);
enum name_result names_declare_label(struct names *names, struct name *name, const char **text);
/* `like` describes each member, without its name; it must live as long as the scope. */
enum name_result names_declare_range(struct names *names, struct name *prefix, uint32_t count,
                                     const struct ptx_variable *like);

/*
 * The text of the variable that a name means: *text. *like is NULL, or the type of the range if this is
 * the first use of the member: the caller then adds the variable. NAME_UNKNOWN: no such variable is visible.
 */
enum name_result names_use(struct names *names, struct name *name, const char **text,
                           const struct ptx_variable **like);
/* Stores the meaning of the name into *place when the scopes are closed. */
enum name_result names_use_later(struct names *names, struct name *name, uint32_t line, const char **place);

bool names_is_special(const char *text); /* %tid.x, %laneid ... (PTX ISA chapter 10) */

#endif
