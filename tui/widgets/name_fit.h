/*
 * How a name is made to fit a width, without regard to other names but for the words that its family shares.
 * short_names.h makes the results differ. And back: the kernels that somebody means who types such a name.
 * One thread.
 */
#ifndef TUI_WIDGETS_NAME_FIT_H
#define TUI_WIDGETS_NAME_FIT_H

#include "core/base/lookup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The pattern (fnmatch) of a name as a table shows it, short or cut, for mangled or demangled names:
 * "*[0-9]vec*Fill*" of "vec..<Fill<int>>"; mangled names have no words for int and the like. False: the text
 * has nothing that only a shown name has, and is a pattern or a plain name itself. */
bool name_print_pattern(const char *shown, bool mangled, char *pattern, size_t size_bytes);

#endif
