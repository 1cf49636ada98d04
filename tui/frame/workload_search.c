/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The texts of a workload are searched in the order of `fields`; a word's match is the first text that
 * contains it.
 */
#include "tui/frame/workload_search.h"

#include "core/base/name_distance.h"
#include "tui/terminal/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WORD_BYTES 64
#define LINE_BYTES 1000
#define BEFORE_BYTES 20 /* most bytes of a lesson that are shown before the match */
#define BLANKS " \n"

/* Copies the next word of a text and moves the text past it; false: there is none. */
static bool next_word(const char **text, const char *between, char word[WORD_BYTES])
{
    *text += strspn(*text, between);
    size_t length = strcspn(*text, between);
    snprintf(word, WORD_BYTES, "%.*s", (int)length, *text);
    *text += length;
    return length > 0;
}

/* Copies the words around the match at `at`. */
static void copy_word(const char *text, const char *at, size_t length, char *hit, size_t size_bytes)
{
    const char *begin = at, *end = at + length;
    while (begin > text && !strchr(BLANKS ",", begin[-1]))
        begin--;
    end += strcspn(end, BLANKS ",");
    snprintf(hit, size_bytes, "%.*s", (int)(end - begin), begin);
}

/* Copies the text around `at` as one line, without the marks of Markdown. */
static void copy_about(const char *text, const char *at, char *hit, size_t size_bytes)
{
    const char *begin = at;
    while (begin > text && begin[-1] != '\n' && at - begin < BEFORE_BYTES)
        begin--;
    while (begin > text && begin < at && !strchr(BLANKS, begin[-1]))
        begin++;
    size_t used =
        (size_t)snprintf(hit, size_bytes, "%s", begin > text && begin[-1] != '\n' ? text_cut_mark() : "");
    for (; *begin != '\0' && used + 1 < size_bytes; begin++)
        if (!strchr("`*|#", *begin))
            hit[used++] = *begin == '\n' ? ' ' : *begin;
    hit[used] = '\0';
}

static enum workload_match find_word(const struct tui_workload *workload, const char *word, char *hit,
                                     size_t size_bytes)
{
    char variants[LINE_BYTES];
    const struct {
        const char *text;
        enum workload_match match;
    } fields[] = {
        {workload->name, workload->exercise ? MATCH_TITLE : MATCH_NAME}, /* a workload comes first */
        {workload->title, MATCH_TITLE},
        {workload->chapter_name, MATCH_TITLE},
        {workload->words, MATCH_WORDS},
        {variants, MATCH_WORDS},
        {workload->meaning, MATCH_LESSON},
        {workload->lesson, MATCH_LESSON},
    };
    workload_variants_line(workload, variants, sizeof variants);
    *hit = '\0';
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const char *at = fields[i].text ? strcasestr(fields[i].text, word) : NULL;
        if (!at)
            continue;
        if (fields[i].match == MATCH_WORDS)
            copy_word(fields[i].text, at, strlen(word), hit, size_bytes);
        if (fields[i].match == MATCH_LESSON)
            copy_about(fields[i].text, at, hit, size_bytes);
        return fields[i].match;
    }
    return MATCH_NONE;
}

enum workload_match workload_search(const struct tui_workload *workload, const char *text, char *hit,
                                    size_t size_bytes)
{
    enum workload_match worst = MATCH_NAME_BEGINS;
    char word[WORD_BYTES], found[LINE_BYTES];
    const char *rest = text;
    *hit = '\0';
    if (strncasecmp(workload->name, text, strlen(text)) == 0)
        return MATCH_NAME_BEGINS;
    if (workload->exercise && strcasecmp(workload->exercise->name, text) == 0)
        return MATCH_NAME;
    while (next_word(&rest, BLANKS, word)) {
        enum workload_match match = find_word(workload, word, found, sizeof found);
        if (match == MATCH_NONE)
            return MATCH_NONE;
        if (match > worst) {
            worst = match;
            snprintf(hit, size_bytes, "%.*s", (int)size_bytes - 1, found);
        }
    }
    return worst;
}

static bool finds_any(const struct tui_workload *workloads, size_t count, const char *word)
{
    char hit[2];
    for (size_t i = 0; i < count; i++)
        if (workload_search(&workloads[i], word, hit, sizeof hit) != MATCH_NONE)
            return true;
    return false;
}

static void make_lower(char *text)
{
    for (; *text != '\0'; text++)
        *text = (char)tolower((unsigned char)*text);
}

const struct tui_workload *workload_search_nearest(const struct tui_workload *workloads, size_t count,
                                                   const char *text, char *word, size_t size_bytes)
{
    const struct tui_workload *nearest = NULL;
    size_t least = SIZE_MAX;
    char typed[WORD_BYTES] = "", candidate[WORD_BYTES];
    do
        if (!next_word(&text, BLANKS, typed))
            return NULL; /* each word finds a workload, but no workload has all of them */
    while (finds_any(workloads, count, typed));
    make_lower(typed);
    for (size_t i = 0; i < count; i++) {
        const char *fields[] = {workloads[i].name, workloads[i].title, workloads[i].chapter_name,
                                workloads[i].words};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            for (const char *rest = fields[k]; rest && next_word(&rest, " ,:()", candidate);) {
                make_lower(candidate);
                if (!name_is_nearer(typed, candidate, &least))
                    continue;
                nearest = &workloads[i];
                snprintf(word, size_bytes, "%s", candidate);
            }
        }
    }
    return nearest;
}
