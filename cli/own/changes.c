/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are equal at both ends are left out first; the table has the length of the longest common
 * subsequence of what follows each pair of lines. */
#include "cli/own/changes.h"

#include <stdlib.h>
#include <string.h>

struct changed_line {
    const char *text;
    size_t length;
};

uint32_t changes_lines(const char *text)
{
    uint32_t count = 0;

    for (; *text; count++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return count;
}

static struct changed_line *lines_make(const char *text, uint32_t count)
{
    struct changed_line *lines = calloc((size_t)count + 1, sizeof *lines);

    for (uint32_t i = 0; lines && i < count; i++) {
        lines[i] = (struct changed_line){text, strcspn(text, "\n")};
        text += lines[i].length;
        text += *text == '\n';
    }
    return lines;
}

static bool line_equals(const struct changed_line *a, const struct changed_line *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* False: no memory. */
static bool changes_mark(const struct changed_line *ours, uint32_t our_count,
                         const struct changed_line *theirs, uint32_t their_count, bool *changed)
{
    const size_t width = (size_t)their_count + 1;
    uint16_t *longest = calloc(((size_t)our_count + 1) * width, sizeof *longest);

    if (!longest)
        return false;
    for (uint32_t i = our_count; i-- > 0;)
        for (uint32_t k = their_count; k-- > 0;) {
            const uint16_t *here = &longest[i * width + k];
            const uint16_t down = here[width], right = here[1];

            longest[i * width + k] = line_equals(&ours[i], &theirs[k]) ? (uint16_t)(here[width + 1] + 1)
                                     : down > right                    ? down
                                                                       : right;
        }
    for (uint32_t i = 0, k = 0; i < our_count;) {
        const uint16_t *here = &longest[i * width + k];

        if (k < their_count && line_equals(&ours[i], &theirs[k])) {
            i++;
            k++;
        } else if (k < their_count && here[1] >= here[width]) {
            k++;
        } else {
            changed[i++] = true;
        }
    }
    free(longest);
    return true;
}

bool changes_find(const char *text, const char *before, bool *changed)
{
    uint32_t count = changes_lines(text), old = changes_lines(before), first = 0;
    const uint32_t all = count;
    struct changed_line *ours = lines_make(text, count), *theirs = lines_make(before, old);
    bool made = ours && theirs;

    memset(changed, 0, count * sizeof *changed);
    while (made && first < count && first < old && line_equals(&ours[first], &theirs[first]))
        first++;
    while (made && count > first && old > first && line_equals(&ours[count - 1], &theirs[old - 1])) {
        count--;
        old--;
    }
    if (made && (count - first > CHANGES_LINES_MAX || old - first > CHANGES_LINES_MAX))
        memset(changed + first, 1, (count - first) * sizeof *changed);
    else
        made = made && (all == 0 || changes_mark(ours + first, count - first, theirs + first, old - first,
                                                 changed + first));
    free(ours);
    free(theirs);
    return made;
}
