/*
 * The parser's own parts: its state, and what its files give each other. Inside ptx_parse*.c and ptx.c only.
 * A function that returns bool returns false when the text is refused or memory ran out; the first sentence
 * about it is then in the caller's struct error, and the parser is of no more use.
 *
 * Recursion (braces, brackets, parentheses) is bounded by PARSE_DEPTH. What is allocated is proportional to
 * the text, whatever numbers stand in it.
 */
#ifndef SIMT_PTX_PTX_PARSE_H
#define SIMT_PTX_PTX_PARSE_H

#include "core/base/idmap.h"
#include "simt/ptx/arena.h"
#include "simt/ptx/ptx.h"
#include "simt/ptx/ptx_lex.h"
#include "simt/ptx/ptx_names.h"

#define PARSE_DEPTH 64
#define PARSE_INLINED (1u << 20)            /* places of a function that inlined code comes from */
#define PARSE_MAX_BYTES (UINT64_C(1) << 40) /* of one variable */
#define PARSE_MAX_INITIAL_BYTES (64u << 20) /* of all variables */

struct parse_list { /* grows; its items go to the module's arena when they are complete */
    uint8_t *items;
    uint32_t count, capacity;
};

struct parse_inlined { /* the outermost place that a place was inlined at */
    uint32_t file, line;
};

struct parser {
    struct arena *arena; /* the module's */
    const char *name;    /* of the text, for sentences */
    struct ptx_lexer lexer;
    struct ptx_token token; /* the next one, not yet taken */
    uint32_t depth;
    struct error *error;
    enum status status;
    uint64_t initial_bytes; /* of all variables so far */
    struct names names;

    struct ptx_module *module;
    struct parse_list files, variables, functions; /* of the module */

    struct ptx_function *function; /* whose body is parsed, or NULL */
    struct parse_list locals, instructions, labels;
    struct ptx_location location;
    struct idmap inlined_ids; /* place -> index into `inlined` */
    struct parse_list inlined;
};

/* ptx_parse.c: tokens, lists, sentences. */
bool parse_fail(struct parser *parser, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool parse_no_memory(struct parser *parser);
bool parse_expected(struct parser *parser, const char *what); /* fails: "expected WHAT, found ..." */
bool parse_next(struct parser *parser);                       /* takes the token */
bool parse_is(const struct parser *parser, const char *text); /* sign, word or dotted as text has it */
bool parse_take(struct parser *parser, const char *text, const char *where); /* or fails */
bool parse_skip(struct parser *parser, const char *text, bool *found);       /* takes it if it is there */
bool parse_word(struct parser *parser, const char *what, struct name **name);
bool parse_uint32(struct parser *parser, const char *what, uint32_t *value); /* parse_term's */
bool parse_deeper(struct parser *parser); /* fails past PARSE_DEPTH; parse_shallower undoes it */
void parse_shallower(struct parser *parser);
void *parse_push(struct parser *parser, struct parse_list *list,
                 size_t item_bytes); /* zeroed; NULL: failed */
void parse_list_free(struct parse_list *list);
/* Moves the items behind `first` into the arena; *items stays NULL when there are none. */
bool parse_keep(struct parser *parser, struct parse_list *list, uint32_t first, size_t item_bytes,
                const void **items, uint32_t *count);

/* ptx_parse_expression.c: a number with its sign, or a constant expression. FLOAT or INTEGER. */
bool parse_constant(struct parser *parser, struct ptx_operand *constant);
bool parse_integer(struct parser *parser, int64_t *value);
bool parse_term(
    struct parser *parser,
    int64_t *value); /* ... or what binds closer than any operator: before '>', or another number */

/* ptx_parse_operand.c. list: a '(' opens a list, not an expression. Names stand as written. */
bool parse_operand(struct parser *parser, bool list, struct ptx_operand *operand);

/* ptx_parse_variable.c: from the state space on, through the ';'. */
bool parse_skip_attribute(struct parser *parser); /* .attribute(...) */
bool parse_is_space(const struct parser *parser);
bool parse_variables(struct parser *parser, bool external, bool visible, bool weak);
/* The token in hand is the opening parenthesis. */
bool parse_parameters(struct parser *parser, const struct ptx_variable **parameters, uint32_t *count);
/* ptx_parse_initial.c: behind '='. A variable of one dimension without a size gets its size here. */
bool parse_initial(struct parser *parser, struct ptx_variable *variable, const uint64_t dimensions[],
                   uint32_t dimension_count);

/* ptx_parse_location.c: .loc and .file, behind the word. */
bool parse_location(struct parser *parser);
bool parse_file(struct parser *parser);

/* ptx_parse_module.c */
bool parse_module(struct parser *parser);
bool parse_pragma(struct parser *parser);
bool parse_function_directives(struct parser *parser, struct ptx_function *function);

/* ptx_parse_body.c: a function's body, from its '{' through its '}'. */
bool parse_body(struct parser *parser);

#endif
