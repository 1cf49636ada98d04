/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser's state, and the functions that its files share. Used only in ptx_parse*.c and ptx.c. A function
 * that returns bool returns false if the text is refused or memory ran out; the first error is then in the
 * caller's struct error, and the parser must not be used any more.
 *
 * Recursion (braces, brackets, parentheses) is limited by PARSE_DEPTH. Memory use is proportional to the size
 * of the text, whatever numbers it contains.
 */
#ifndef SIMT_PTX_PTX_PARSE_H
#define SIMT_PTX_PTX_PARSE_H

#include "core/base/idmap.h"
#include "simt/ptx/arena.h"
#include "simt/ptx/ptx.h"
#include "simt/ptx/ptx_lex.h"

/* ---- names and scopes ---- */

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

/* ---- the parser ---- */

#define PARSE_DEPTH 64
#define PARSE_INLINED (1u << 20)            /* maximum number of source lines that code was inlined at */
#define PARSE_MAX_BYTES (UINT64_C(1) << 40) /* maximum of one variable */
#define PARSE_MAX_INITIAL_BYTES (64u << 20) /* maximum of all variables */

struct parse_list { /* grows; its items are copied to the module's arena when complete */
    uint8_t *items;
    uint32_t count, capacity;
};

struct parse_inlined { /* the outermost source line that a line was inlined at */
    uint32_t file, line;
};

struct parser {
    struct arena *arena; /* owned by the module */
    const char *name;    /* of the text, for error messages */
    struct ptx_lexer lexer;
    struct ptx_token token; /* the current token, not yet consumed */
    uint32_t depth;
    struct error *error;
    enum status status;
    uint64_t initial_bytes; /* of all variables so far */
    struct names names;

    struct ptx_module *module;
    struct parse_list files, variables, functions; /* of the module */

    struct ptx_function *function; /* the function being parsed, or NULL */
    struct parse_list locals, instructions, labels;
    struct ptx_location location;
    struct idmap inlined_ids; /* maps a source line to its index in `inlined` */
    struct parse_list inlined;
};

/* Tokens, lists, error messages. */
bool parse_fail(struct parser *parser, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool parse_no_memory(struct parser *parser);
bool parse_expected(struct parser *parser, const char *what); /* fails with "expected WHAT, found ..." */
bool parse_next(struct parser *parser);                       /* consumes the token */
/* The token is the sign, word or dotted word `text`. */
bool parse_is(const struct parser *parser, const char *text);
/* Consumes the token `text`; fails if it is another. */
bool parse_take(struct parser *parser, const char *text, const char *where);
/* Consumes the token if it is `text`. */
bool parse_skip(struct parser *parser, const char *text, bool *found);
bool parse_word(struct parser *parser, const char *what, struct name **name);
bool parse_uint32(struct parser *parser, const char *what, uint32_t *value); /* reads it with parse_term */
bool parse_deeper(struct parser *parser); /* fails beyond PARSE_DEPTH; parse_shallower undoes it */
void parse_shallower(struct parser *parser);
void *parse_push(struct parser *parser, struct parse_list *list,
                 size_t item_bytes); /* zeroed; NULL: failed */
void parse_list_free(struct parse_list *list);
/* Moves the items from index `first` on into the arena; *items stays NULL if there are none. */
bool parse_keep(struct parser *parser, struct parse_list *list, uint32_t first, size_t item_bytes,
                const void **items, uint32_t *count);

/* A number with its sign, or a constant expression; FLOAT or INTEGER. */
bool parse_constant(struct parser *parser, struct ptx_operand *constant);
bool parse_integer(struct parser *parser, int64_t *value);
bool parse_term(
    struct parser *parser,
    int64_t *value); /* like parse_integer, but without binary operators: before '>' or another number */

/* ptx_parse_operand.c. list: '(' opens a list, not an expression. Names are stored as written. */
bool parse_operand(struct parser *parser, bool list, struct ptx_operand *operand);

/* ptx_parse_variable.c: from the state space to the ';'. */
bool parse_variable_attribute(struct parser *parser, bool *managed); /* .attribute(...) */
bool parse_is_space(const struct parser *parser);
bool parse_variables(struct parser *parser, bool external, bool visible, bool weak);
/* The current token is the opening parenthesis. */
bool parse_parameters(struct parser *parser, const struct ptx_variable **parameters, uint32_t *count);

/* After the word .loc: a source line. */
bool parse_location(struct parser *parser);

bool parse_pragma(struct parser *parser);
bool parse_function_directives(struct parser *parser, struct ptx_function *function);

/* ptx_parse_body.c: a function's body, from '{' to '}'. */
bool parse_body(struct parser *parser);

#endif
