/*
 * Fits a name into a width, regardless of other names, except for the words that its family shares;
 * short_names.h makes the results differ. And the inverse: a pattern for the kernels that the user means by
 * typing such a name. One thread.
 */
#ifndef TUI_WIDGETS_NAME_FIT_H
#define TUI_WIDGETS_NAME_FIT_H

#include "core/base/lookup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_TEXT_BYTES 2048

struct name_families { /* all zeros: empty */
    struct family_word *rows;
    size_t count, room;
    struct lookup lookup;
};

/* Adds the words of the name with this number. False: out of memory. */
bool name_families_add(struct name_families *families, const char *name, uint32_t number);
void name_families_fini(struct name_families *families);

/* The name if it fits into `cells`, else with one mark where it is cut; visible and terminated. */
void name_fit(const struct name_families *families, const char *name, int cells, char *text,
              size_t size_bytes);
/* For names that look alike otherwise: the name with one cut that leaves what is at its byte `differs`; "" if
 * it has no room. */
void name_cut_around(const char *text, size_t differs, int cells, char *out, size_t size_bytes);

/* The pattern (fnmatch) for a name as a table shows it, short or cut, to match mangled or demangled names:
 * "*[0-9]vec*Fill*" for "vec..<Fill<int>>"; mangled names have no words for int and other basic types. False:
 * the text has none of the signs of a shown name, so it is a pattern or a plain name itself. */
bool name_print_pattern(const char *shown, bool mangled, char *pattern, size_t size_bytes);

#endif
