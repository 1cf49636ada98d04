/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of long names and their short ones. A short name is used only if the long one does not fit.
 */
#include "tui/widgets/brief.h"

#include "core/base/append.h"
#include "tui/terminal/text.h"

#include <stdio.h>
#include <string.h>

#define TEXT_BYTES 200

/* The first entry that the text begins with is replaced, then the entries that occur after it. */
static const struct {
    const char *words, *brief;
} table[] = {
    /* tracks */
    {"copies to the device", "H2D"},
    {"copies to the host", "D2H"},
    {"copies on the device", "D2D"},
    {"copies on the host", "H2H"},
    {"copies between devices", "P2P"},
    {"copy host to device", "copy H2D"},
    {"copy device to host", "copy D2H"},
    {"copy device to device", "copy D2D"},
    {"default stream", "default"},
    {"per-thread stream ", "thread "},
    {"calls of thread ", "calls "},
    {"ranges of thread ", "ranges "},
    {"waits of thread ", "waits "},
    {"overhead in thread ", "overhead "},
    {"replay of stream ", "replay "},
    {", context ", "/"},
    {"modelled ", "model "},
    /* charts */
    {"achieved occupancy", "occupancy"},
    {"instructions issued", "issued"},
    {"shared wavefronts", "wavefronts"},
    {"bank conflicts", "conflicts"},
    {"graphics and compute engine", "engine"},
    {"NVLink received", "NVLink in"},
    {"NVLink sent", "NVLink out"},
    {"counters over time", "counters"},
    {"active threads", "threads"},
    /* reasons for waits */
    {"the legacy default stream waits for all others", "default stream waits"},
    {"one copy engine per direction", "one copy engine"},
    {"pageable memory: the copy waits for the host", "pageable memory"},
    {"an allocation or another call that synchronises implicitly", "implicit sync"},
    {"an event of another stream", "event wait"},
    {"first to last, in the range", "first to last in it"},
    {"with all possible overlap", "at least"},
    {"streams busy at once", "streams"},
    {"hidden by kernels", "hidden"},
    {"copies and sets", "copies"},
};

void brief_text(const char *text, int cells, char *out, size_t size_bytes)
{
    char brief[TEXT_BYTES];
    size_t used = 0;
    if (text_width(text, cells + 1) <= cells) {
        text_cut(text, cells, out, size_bytes);
        return;
    }
    for (const char *at = text; *at != '\0' && used + 1 < sizeof brief;) {
        const char *words = NULL, *shorter = NULL;
        for (size_t i = 0; i < sizeof table / sizeof table[0] && !words; i++)
            if (strncmp(at, table[i].words, strlen(table[i].words)) == 0) {
                words = table[i].words;
                shorter = table[i].brief;
            }
        if (!words) {
            brief[used++] = *at++;
            continue;
        }
        append_text(brief, sizeof brief, &used, "%s", shorter);
        at += strlen(words);
    }
    brief[used] = '\0';
    text_cut(brief, cells, out, size_bytes);
}

const char *brief_of(const char *text)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(text, table[i].words) == 0)
            return table[i].brief;
    return text;
}

void brief_metric(enum metric metric, int cells, char *out, size_t size_bytes)
{
    const struct metric_info *info = metric_info(metric);
    text_cut(text_width(info->title, cells + 1) <= cells ? info->title : info->brief, cells, out, size_bytes);
}
