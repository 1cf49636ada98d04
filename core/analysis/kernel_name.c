/*
 * kernel_display_name: the part of a demangled name that people say. Demanglers write a return type only
 * before templates, and a kernel's is always void; the argument list begins at the first parenthesis outside
 * of all brackets that is not part of the name itself.
 */
#include "core/analysis/kernel_metrics.h"

#include <string.h>

#define DEPTH_MAX 64
#define SCOPES_FOLDED 3 /* so many before the name, and only the outermost is shown */

static bool starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Length of a piece that belongs to the name although it has brackets in it; 0 if there is none here. */
static size_t name_piece(const char *text)
{
    static const char *const pieces[] = {
        "(anonymous namespace)", "operator()", "operator<<", "operator>>", "operator<=", "operator>=",
        "operator->*",           "operator->", "operator<",  "operator>"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        if (starts_with(text, pieces[i]))
            return strlen(pieces[i]);
    return 0;
}

/* Length of the bracketed text at *text, brackets included; 0 when it does not close. */
static size_t bracket_length(const char *text)
{
    char open[DEPTH_MAX];
    size_t depth = 0;
    for (size_t i = 0; text[i]; i++) {
        char c = text[i], closes = '\0';
        if (c == '<' || c == '(' || c == '{' || c == '[') {
            if (depth == DEPTH_MAX)
                return 0;
            open[depth++] = c;
            continue;
        }
        closes = c == '>' ? '<' : c == ')' ? '(' : c == '}' ? '{' : c == ']' ? '[' : '\0';
        if (!closes || (c == '>' && (open[depth - 1] != '<' || text[i - 1] == '-')))
            continue; /* a comparison or an arrow */
        while (depth > 0 && open[depth - 1] != closes)
            depth--; /* a comparison's '<' */
        if (depth == 0)
            return 0;
        if (--depth == 0)
            return i + 1;
    }
    return 0;
}

static void append_bytes(char *text, size_t size_bytes, size_t *at, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count && *at + 1 < size_bytes; i++)
        text[(*at)++] = bytes[i];
}

/* Length of what is taken over as a whole: a piece of a name, what is in brackets, or a character; 0: the
 * name ends. */
static size_t unit_length(const char *from, bool begun)
{
    size_t piece = name_piece(from);
    if (piece > 0)
        return piece;
    if (*from == '\0' || (*from == '(' && begun))
        return 0;
    size_t inside = *from == '<' || *from == '{' || *from == '(' ? bracket_length(from) : 0;
    return inside ? inside : 1;
}

struct scopes {
    const char *outer, *inner; /* what follows the first and the last "::" of a name */
    size_t count;
};

static struct scopes find_scopes(const char *name)
{
    struct scopes scopes = {0};
    size_t length;
    for (const char *from = name; (length = unit_length(from, from > name)) > 0; from += length) {
        if (starts_with(from, "::")) {
            length = 2;
            scopes.inner = from + length;
            scopes.outer = scopes.count++ ? scopes.outer : scopes.inner;
        }
    }
    return scopes;
}

/* A kernel's return type is always void. */
static const char *without_type(const char *demangled)
{
    return starts_with(demangled, "void ") ? demangled + strlen("void ") : demangled;
}

void kernel_own_name(const char *demangled, char *text, size_t size_bytes)
{
    const char *name = without_type(demangled), *own = find_scopes(name).inner;
    size_t at = 0, length;
    if (size_bytes == 0)
        return;
    own = own ? own : name;
    for (const char *from = own; (length = unit_length(from, from > own)) > 0; from += length)
        if (*from != '<' || length == 1)
            append_bytes(text, size_bytes, &at, from, length);
    text[at] = '\0';
}

void kernel_display_name(const char *demangled, bool fold, char *text, size_t size_bytes)
{
    if (size_bytes == 0)
        return;
    const char *name = without_type(demangled), *from = name;
    struct scopes scopes = fold ? find_scopes(name) : (struct scopes){0};
    size_t at = 0, length;
    while ((length = unit_length(from, from > name)) > 0) {
        if (scopes.count >= SCOPES_FOLDED && from == scopes.outer) {
            append_bytes(text, size_bytes, &at, "..::", 4);
            from = scopes.inner;
            scopes.count = 0;
            continue;
        }
        bool folded = fold && *from == '<' && length > 1;
        append_bytes(text, size_bytes, &at, folded ? "<...>" : from, folded ? strlen("<...>") : length);
        from += length;
    }
    text[at] = '\0';
}
