/* SPDX-License-Identifier: Apache-2.0 */
/* A field is always in quotes; a quote in it is doubled. */
#include "cli/output/csv.h"

#include "tui/terminal/text.h"

#include <string.h>

void csv_text(FILE *out, const char *text)
{
    struct text_reader reader;
    struct text_glyph glyph;
    text_reader_init(&reader, text, strlen(text));
    putc('"', out);
    while (text_next(&reader, &glyph)) {
        char bytes[4];
        if (glyph.codepoint == '"')
            putc('"', out);
        fwrite(bytes, 1, text_encode(glyph.codepoint, bytes), out);
    }
    putc('"', out);
}
