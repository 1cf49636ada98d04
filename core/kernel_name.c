/*
 * kernel_display_name: the part of a demangled name that people say. Demanglers write a return type only
 * before templates, and a kernel's is always void; the argument list begins at the first parenthesis outside
 * of all brackets that is not part of the name itself.
 */
#include "core/kernel_metrics.h"

#include <string.h>

#define DEPTH_MAX 64

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Length of a piece that belongs to the name although it has brackets in it; 0 if there is none here. */
static size_t name_piece(const char *text)
{
    static const char *const pieces[] = {
        "(anonymous namespace)", "operator()", "operator<<", "operator>>", "operator<=", "operator>=",
        "operator->*",           "operator->", "operator<",  "operator>"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        if (starts(text, pieces[i])) {
            return strlen(pieces[i]);
        }
    }
    return 0;
}

/* Length of the bracketed text at *text, brackets included; 0 when it does not close. */
static size_t bracketed(const char *text)
{
    char open[DEPTH_MAX];
    size_t depth = 0;
    for (size_t i = 0; text[i]; i++) {
        char c = text[i], closes = '\0';
        if (c == '<' || c == '(' || c == '{' || c == '[') {
            if (depth == DEPTH_MAX) {
                return 0;
            }
            open[depth++] = c;
            continue;
        }
        closes = c == '>' ? '<' : c == ')' ? '(' : c == '}' ? '{' : c == ']' ? '[' : '\0';
        if (!closes || (c == '>' && (open[depth - 1] != '<' || text[i - 1] == '-'))) {
            continue; /* a comparison or an arrow */
        }
        while (depth > 0 && open[depth - 1] != closes) {
            depth--; /* a comparison's '<' */
        }
        if (depth == 0) {
            return 0;
        }
        if (--depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

static void append(char *text, size_t size_bytes, size_t *at, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count && *at + 1 < size_bytes; i++) {
        text[(*at)++] = bytes[i];
    }
}

void kernel_display_name(const char *demangled, bool fold, char *text, size_t size_bytes)
{
    if (size_bytes == 0) {
        return;
    }
    const char *from = starts(demangled, "void ") ? demangled + strlen("void ") : demangled;
    size_t at = 0;
    while (*from) {
        size_t piece = name_piece(from);
        if (piece > 0) {
            append(text, size_bytes, &at, from, piece);
            from += piece;
            continue;
        }
        if (*from == '(' && at > 0) {
            break;
        }
        size_t inside = *from == '<' || *from == '{' || *from == '(' ? bracketed(from) : 0;
        if (inside > 0 && *from == '<' && fold) {
            append(text, size_bytes, &at, "<...>", strlen("<...>"));
        } else {
            append(text, size_bytes, &at, from, inside ? inside : 1);
        }
        from += inside ? inside : 1;
    }
    text[at] = '\0';
}
