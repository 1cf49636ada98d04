/*
 * What was asked of the host is kept beside its answer (`asked...`); it is asked again as soon as what is
 * set differs. A chosen instruction stays chosen as long as the workload and variant do.
 */
#include "tui/views/lane_map.h"
#include "core/base/run_params.h"
#include "tui/frame/screen.h"
#include "tui/views/lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

/* Of the run that is looked at, if it was counted by others than its device's. */
static const struct arch *rules_of_run(const struct screen *screen)
{
    uint32_t run = screen_run_looked_at(screen);
    struct run_param cc;
    char text[ARCH_TEXT_BYTES];
    if (run >= session_run_count(screen->session) ||
        !run_param_find(session_string(screen->session, session_run(screen->session, run)->params), "cc",
                        &cc))
        return NULL;
    snprintf(text, sizeof text, "%.*s", cc.value_length, cc.value);
    return arch_parse(text);
}

void lane_map_open(struct screen *screen)
{
    struct subject subject = screen_subject(screen);
    const char *name = subject.workload;
    const struct tui_workload *workload = name[0] != '\0' ? lab_find_workload(screen, name) : NULL;
    if (workload == NULL || screen->host->accesses == NULL) {
        screen_message(
            screen, SEVERITY_INFO,
            "The lane map shows a bundled workload: select a kernel of one, or choose one with w.");
        return;
    }
    if (subject.line != NONE) { /* its instruction */
        lane_map_state(screen)->wanted_line = subject.line;
        lane_map_state(screen)->asked[0] = '\0';
    }
    if (lane_map_state(screen)->rules == NULL)
        lane_map_state(screen)->rules = rules_of_run(screen); /* before the lab, which has no run yet */
    if (!lab_has_keys(screen))
        lab_open(screen, (size_t)(workload - screen->host->workloads));
    if (lane_map_state(screen)->rules == NULL)
        lane_map_state(screen)->rules = screen_arch(screen);
    screen_open(screen, VIEW_LANE_MAP);
}

void lane_map_fini(struct screen *screen)
{
    free(lane_map_state(screen)->got.items);
}

/* ---- what is shown ---- */

const struct tui_access *lane_map_access(const struct lane_map *map)
{
    const struct tui_access *found = NULL;
    for (uint32_t i = 0; i < map->got.count; i++) {
        const struct tui_access *one = &map->got.items[i];
        if (one->site == map->site && (found == NULL || one->execution <= map->execution))
            found = one;
    }
    return found;
}

uint32_t lane_map_worst(const struct tui_accesses *got, uint32_t line)
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

static void choose_site(struct lane_map *map)
{
    uint32_t of_line = map->wanted_line != 0 ? lane_map_worst(&map->got, map->wanted_line) : NONE;
    if (of_line != NONE)
        map->execution = 0;
    if (of_line != NONE || !map->chosen || map->site >= map->got.sites)
        map->site = of_line != NONE ? of_line : lane_map_worst(&map->got, 0);
    map->chosen = map->chosen || of_line != NONE;
    map->wanted_line = 0;
}

static void ask_host(struct screen *screen, const char *spec)
{
    struct lane_map *map = lane_map_state(screen);
    const struct tui_access_query query = {
        .spec = spec, .rules = map->rules, .block = map->block, .warp = map->warp};
    struct error error = {0};
    free(map->got.items);
    map->got = (struct tui_accesses){0};
    map->error[0] = '\0';
    if (screen->host->accesses(screen->host->context, &query, &map->got, &error) != STATUS_OK)
        snprintf(map->error, sizeof map->error, "%.*s", (int)sizeof map->error - 1, error.text);
    snprintf(map->asked, sizeof map->asked, "%s", spec);
    map->asked_rules = map->rules;
    map->asked_block = map->block;
    map->asked_warp = map->warp;
    choose_site(map);
}

/* What comes before the parameters is another workload or variant: other instructions. */
static bool same_case(const char *a, const char *b)
{
    size_t length = strcspn(a, ",");
    return length == strcspn(b, ",") && memcmp(a, b, length) == 0;
}

void lane_map_make(struct screen *screen)
{
    struct lane_map *map = lane_map_state(screen);
    char spec[LAB_SPEC_SIZE];
    if (lab_state(screen)->workload == NULL || screen->host->accesses == NULL)
        return;
    lab_spec(lab_state(screen), spec, sizeof spec);
    if (strcmp(spec, map->asked) != 0 || map->rules != map->asked_rules || map->block != map->asked_block ||
        map->warp != map->asked_warp) {
        if (!same_case(spec, map->asked))
            map->chosen = false;
        ask_host(screen, spec);
    }
    const struct tui_access *access = lane_map_access(map);
    if (access != NULL)
        lane_picture_make(&map->picture, map->rules, access);
    else
        map->picture.count = 0;
    if (access == NULL || map->step > map->picture.steps)
        map->step = 0;
}

/* ---- changing it ---- */

static void step_rules(struct lane_map *map, int by)
{
    size_t at = 0;
    while (arch_rules_at(at) != NULL && arch_rules_at(at) != map->rules)
        at++;
    if (by < 0 ? at > 0 : arch_rules_at(at + 1) != NULL)
        map->rules = arch_rules_at(by < 0 ? at - 1 : at + 1);
}

void lane_map_turn(struct lane_map *map, int by)
{
    uint32_t sites = map->got.sites;
    if (sites == 0)
        return;
    map->site = (map->site + sites + (by < 0 ? sites - 1 : 1)) % sites;
    map->execution = 0;
    map->chosen = true;
    map->top = 0;
    map->step = 0;
}

void lane_map_walk(struct lane_map *map)
{
    map->step = map->picture.count > 0 && map->step < map->picture.steps ? map->step + 1 : 0;
}

static uint32_t executions_of(const struct lane_map *map)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->got.count; i++)
        count += map->got.items[i].site == map->site;
    return count;
}

void lane_map_step(struct screen *screen, int by)
{
    struct lane_map *map = lane_map_state(screen);
    int row = map->form.selected - lab_case_rows(lab_state(screen));
    if (row < 0) {
        lab_state(screen)->form.selected = map->form.selected;
        lab_step(screen, by);
        return;
    }
    bool less = by < 0;
    switch ((enum lane_row_kind)row) {
    case LANE_ROW_INSTRUCTION: lane_map_turn(map, by); return;
    case LANE_ROW_EXECUTION:
        if (less ? map->execution > 0 : map->execution + 1 < executions_of(map))
            map->execution += less ? UINT32_MAX : 1;
        return;
    case LANE_ROW_BLOCK:
        if (less ? map->block > 0 : map->block + 1 < map->got.blocks)
            map->block += less ? UINT64_MAX : 1;
        return;
    case LANE_ROW_WARP:
        if (less ? map->warp > 0 : map->warp + 1 < map->got.warps)
            map->warp += less ? UINT32_MAX : 1;
        return;
    case LANE_ROW_RULES: step_rules(map, by); return;
    case LANE_ROW_COUNT: return;
    }
}
