/*
 * The glossary: the rows "| term | meaning |" of docs/glossary.md, in their order. Pure; any thread.
 */
#ifndef TUI_FRAME_GLOSSARY_H
#define TUI_FRAME_GLOSSARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLOSSARY_TERM_BYTES 64
#define GLOSSARY_MEANING_BYTES 1000

struct glossary_term {
    char term[GLOSSARY_TERM_BYTES], meaning[GLOSSARY_MEANING_BYTES]; /* plain text */
};

uint32_t glossary_count(const char *text); /* text NULL: 0 */
/* False: there is no row of this index. */
bool glossary_at(const char *text, uint32_t index, struct glossary_term *term);

#endif
