/*
 * `spec`, `rules`, `block` and `warp` are what `got` is the answer to, also where the answer is an error;
 * `access` points into `got`.
 */
#include "tui/views/lane_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lane_case_fini(struct lane_case *of)
{
    free(of->got.items);
    of->got = (struct tui_accesses){0};
}

bool lane_case_ask(struct lane_case *of, const struct screen *screen, const struct tui_access_query *query)
{
    struct error error = {0};
    if (strcmp(query->spec, of->spec) == 0 && query->rules == of->rules && query->block == of->block &&
        query->warp == of->warp)
        return false;
    lane_case_fini(of);
    of->error[0] = '\0';
    of->access = NULL;
    of->picture.count = 0;
    if (screen->host->accesses(screen->host->context, query, &of->got, &error) != STATUS_OK)
        snprintf(of->error, sizeof of->error, "%.*s", (int)sizeof of->error - 1, error.text);
    snprintf(of->spec, sizeof of->spec, "%s", query->spec);
    of->rules = query->rules;
    of->block = query->block;
    of->warp = query->warp;
    return true;
}

void lane_case_show(struct lane_case *of, uint32_t site, uint32_t execution)
{
    of->access = NULL;
    for (uint32_t i = 0; i < of->got.count; i++) {
        const struct tui_access *one = &of->got.items[i];
        if (one->site == site && (of->access == NULL || one->execution <= execution))
            of->access = one;
    }
    of->picture.count = 0;
    if (of->access != NULL)
        lane_picture_make(&of->picture, of->rules, of->access);
}

/* ---- instructions ---- */

uint32_t lane_case_worst(const struct tui_accesses *got, uint32_t line)
{
    uint32_t worst = NONE, shared = NONE, site = NONE;
    uint64_t most = 0, excess = 0;
    for (uint32_t i = 0; i < got->count; i++) {
        const struct tui_access *one = &got->items[i];
        if (line != 0 && one->line != line)
            continue;
        excess = one->site == site ? excess : 0;
        site = one->site;
        excess += one->counted > one->counted_ideal ? one->counted - one->counted_ideal : 0;
        if (shared == NONE && one->space == TUI_SPACE_SHARED && !one->access.store)
            shared = site;
        if (worst == NONE || excess > most) {
            worst = site;
            most = excess;
        }
    }
    return most == 0 && shared != NONE ? shared : worst;
}

static bool same_kind(const struct tui_access *a, const struct tui_access *b)
{
    return a->space == b->space && a->atomic == b->atomic && a->access.store == b->access.store;
}

uint32_t lane_case_alike(const struct tui_accesses *of, uint32_t site, const struct tui_accesses *there)
{
    const struct tui_access *own = NULL;
    uint32_t before = 0, found = NONE;
    for (uint32_t i = 0; i < of->count && own == NULL; i++)
        own = of->items[i].site == site ? &of->items[i] : NULL;
    for (const struct tui_access *one = of->items; own != NULL && one < own; one++)
        before += same_kind(one, own) && one->execution == 0;
    for (uint32_t i = 0; i < there->count && own != NULL; i++) {
        if (there->items[i].execution != 0 || !same_kind(&there->items[i], own))
            continue;
        found = there->items[i].site;
        if (before-- == 0)
            break;
    }
    return found;
}
