/*
 * How a name is made to fit a width, without regard to other names but for the words that its family shares.
 * short_names.h makes the results differ. One thread.
 */
#ifndef TUI_WIDGETS_NAME_FIT_H
#define TUI_WIDGETS_NAME_FIT_H

#include "core/base/lookup.h"

#define NAME_TEXT_BYTES 2048

struct name_families { /* zeroed: none */
    struct family_word *rows;
    size_t count, room;
    struct lookup lookup;
};

/* Takes in the words of the name with this number. False: no memory. */
bool name_families_add(struct name_families *families, const char *tight, uint32_t number);
void name_families_fini(struct name_families *families);

/* The name whole if it fits into `cells`, else its tight form, else shortened; visible and terminated. */
void name_fit(const struct name_families *families, const char *whole, const char *tight, int cells,
              char *text, size_t size_bytes);
/* The beginning of a name, and what follows its byte `differs`: for names that look alike otherwise. */
void name_cut_around(const char *text, size_t differs, int cells, char *out, size_t size_bytes);

#endif
