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
#include "simt/ptx/ptx_names.h"

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

/* ptx_parse.c: tokens, lists, error messages. */
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

/* ptx_parse_expression.c: a number with its sign, or a constant expression; FLOAT or INTEGER. */
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
/* ptx_parse_initial.c: after '='. A variable of one dimension without a size gets its size here. */
bool parse_initial(struct parser *parser, struct ptx_variable *variable, const uint64_t dimensions[],
                   uint32_t dimension_count);

/* ptx_parse_location.c: after the word .loc or .file. */
bool parse_location(struct parser *parser);
bool parse_file(struct parser *parser);

/* ptx_parse_module.c */
bool parse_module(struct parser *parser);
bool parse_pragma(struct parser *parser);
bool parse_function_directives(struct parser *parser, struct ptx_function *function);

/* ptx_parse_body.c: a function's body, from '{' to '}'. */
bool parse_body(struct parser *parser);

#endif
