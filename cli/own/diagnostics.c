/* A compiler's line is a place, a kind and a text; lines without a place and a kind (the source's text, a
 * caret, a sum) are left out. */
#include "cli/own/diagnostics.h"

#include "core/base/append.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void diagnostics_add(struct diagnostics *diagnostics, uint32_t line, bool warning, const char *text)
{
    diagnostics->errors += !warning;
    diagnostics->warnings += warning;
    if (diagnostics->count == DIAGNOSTICS_MAX)
        return;
    struct diagnostic *diagnostic = &diagnostics->list[diagnostics->count++];

    *diagnostic = (struct diagnostic){.line = line, .warning = warning};
    snprintf(diagnostic->text, sizeof diagnostic->text, "%s", text);
}

struct place {
    const char *file; /* into the output */
    int length;
    uint32_t line;
};

/* "FILE(5)" or "FILE:5:10" before `end`. */
static bool place_read(const char *begin, const char *end, struct place *place)
{
    const char *at = memchr(begin, '(', (size_t)(end - begin));
    char *after;

    if (!at)
        at = memchr(begin, ':', (size_t)(end - begin));
    if (!at || at == begin)
        return false;
    place->file = begin;
    place->length = (int)(at - begin);
    place->line = (uint32_t)strtoul(at + 1, &after, 10);
    while (place->length > 0 && memchr(place->file, '/', (size_t)place->length)) {
        place->file++;
        place->length--;
    }
    return after != at + 1;
}

/* The text after a kind; gcc's and the front end's own suffixes of options are left out. */
static void line_add(struct diagnostics *diagnostics, const char *begin, const char *end, const char *file)
{
    static const struct {
        const char *text;
        bool warning;
    } kinds[] = {{": fatal error: ", false},  {": catastrophic error: ", false},
                 {": error: ", false},        {": error #", false},
                 {": warning: ", true},       {": warning #", true},
                 {"ptxas error   : ", false}, {"ptxas fatal   : ", false}};
    struct place place = {.line = 0};
    char line[1024], text[DIAGNOSTIC_BYTES];

    snprintf(line, sizeof line, "%.*s", (int)(end - begin), begin);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *at = strstr(line, kinds[i].text), *said;

        if (!at)
            continue;
        said = at + strlen(kinds[i].text);
        if (said[-1] == '#' && strchr(said, ':')) /* the number of a message: "#177-D: " */
            said = strchr(said, ':') + 2;
        if (!place_read(line, at, &place) ||
            ((size_t)place.length == strlen(file) && strncmp(place.file, file, (size_t)place.length) == 0))
            snprintf(text, sizeof text, "%s", said);
        else {
            snprintf(text, sizeof text, "%.*s:%u: %s", place.length, place.file, place.line, said);
            place.line = 0;
        }
        diagnostics_add(diagnostics, place.line, kinds[i].warning, text);
        return;
    }
}

void diagnostics_read(struct diagnostics *diagnostics, const char *output, const char *file)
{
    while (*output) {
        const char *end = output + strcspn(output, "\n");

        line_add(diagnostics, output, end, file);
        output = end + (*end == '\n');
    }
}

void diagnostics_text(const struct diagnostics *diagnostics, char *text, size_t size_bytes)
{
    uint32_t shown = 0;
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < diagnostics->count; i++) {
        const struct diagnostic *diagnostic = &diagnostics->list[i];

        if (diagnostic->warning || used + DIAGNOSTIC_BYTES + 40 > size_bytes)
            continue;
        if (shown++)
            append_text(text, size_bytes, &used, "; ");
        if (diagnostic->line)
            append_text(text, size_bytes, &used, "line %u: ", diagnostic->line);
        append_text(text, size_bytes, &used, "%s", diagnostic->text);
    }
    if (shown < diagnostics->errors)
        append_text(text, size_bytes, &used, ", and %u more", diagnostics->errors - shown);
}
