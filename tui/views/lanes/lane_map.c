/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host is queried again as soon as the settings differ from the last query. A chosen instruction stays
 * chosen as long as workload and variant do; beside it stands the corresponding instruction of the other
 * variant.
 */
#include "tui/views/lanes/lane_map.h"
#include "core/base/run_params.h"
#include "tui/frame/screen.h"
#include "tui/views/lab.h"
#include "tui/views/lab_own.h"
#include "tui/views/lanes/lane_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

const struct arch *lane_map_rules_of_run(const struct screen *screen, uint32_t run)
{
    struct run_param cc;
    char text[ARCH_TEXT_BYTES];
    if (run >= session_run_count(screen->session) ||
        !run_param_find(session_string(screen->session, session_run(screen->session, run)->params), "cc",
                        &cc))
        return NULL;
    snprintf(text, sizeof text, "%.*s", cc.value_length, cc.value);
    return arch_parse(text);
}

static void open_recorded(struct screen *screen, const struct subject *subject)
{
    struct lane_map *map = lane_map_state(screen);
    if (!map->recorded || map->kernel != subject->kernel)
        map->chosen = false;
    map->recorded = true;
    map->kernel = subject->kernel;
    map->beside = 0;
    map->rules = screen_arch(screen);
    screen_open(screen, VIEW_LANE_MAP);
}

static void open_workload(struct screen *screen, const struct tui_workload *workload)
{
    struct lane_map *map = lane_map_state(screen);
    const struct arch *of_run = lane_map_rules_of_run(
        screen, screen_run_looked_at(screen)); /* before lab_choose: the lab has no run yet */
    if (map->recorded || map->chosen_for != screen_arch(screen))
        map->chosen_for = NULL;
    map->recorded = false;
    if (!lab_has_keys(screen))
        lab_choose(screen, (size_t)(workload - screen->host->workloads));
    if (of_run)
        map->rules = of_run;
    else if (!map->chosen_for || !map->rules)
        map->rules = screen_arch(screen);
    screen_open(screen, VIEW_LANE_MAP);
}

void lane_map_open(struct screen *screen)
{
    struct subject subject = screen_subject(screen);
    const char *name = subject.workload;
    const struct tui_workload *workload = name[0] != '\0' ? lab_find_workload(screen, name) : NULL;
    bool recorded = !workload && lane_recorded_any(screen->session, subject.kernel);
    if (!recorded && (!workload || !screen->host->accesses)) {
        screen_message(screen, SEVERITY_INFO,
                       "The lane map shows bundled workloads, and programs that ran on the device model "
                       "(--device simt): select a kernel of one, or choose one with w.");
        return;
    }
    if (subject.line != NONE) /* the line's instruction */
        lane_map_state(screen)->wanted_line = subject.line;
    lane_map_state(screen)->step = 0;
    if (recorded)
        open_recorded(screen, &subject);
    else
        open_workload(screen, workload);
}

void lane_map_fini(struct screen *screen)
{
    for (int i = 0; i < LANE_SIDES; i++)
        lane_case_fini(&lane_map_state(screen)->side[i]);
    lane_case_fini(&lane_map_state(screen)->panes);
}

/* ---- what is shown ---- */

static void choose_site(struct lane_map *map)
{
    const struct tui_accesses *got = &map->side[0].answer.got;
    uint32_t of_line = map->wanted_line != 0 ? lane_case_worst(got, map->wanted_line) : NONE;
    if (of_line != NONE)
        map->execution = 0;
    if (of_line != NONE || !map->chosen || map->site >= got->sites)
        map->site = of_line != NONE ? of_line : lane_case_worst(got, 0);
    map->chosen = map->chosen || of_line != NONE;
    map->wanted_line = 0;
}

/* The text before the parameters is the workload and variant: if it differs, so do the instructions. */
static bool same_case(const char *a, const char *b)
{
    size_t length = strcspn(a, ",");
    return length == strcspn(b, ",") && memcmp(a, b, length) == 0;
}

bool lane_map_leaves_out(const struct lab *lab, size_t param)
{
    return param_is_size(&lab->workload->params[param]) &&
           strtoll(lab->value[param], NULL, 10) > LANE_SIZE_MAX;
}

/* The spec of the case for the model. */
static void print_spec(const struct screen *screen, int variant, char *spec, size_t size_bytes)
{
    struct lab lab = *lab_state(screen);
    lab.variant = variant;
    for (size_t i = 0; i < lab.workload->param_count; i++)
        if (lane_map_leaves_out(&lab, i))
            snprintf(lab.value[i], sizeof lab.value[i], "0");
    lab_spec(&lab, spec, size_bytes);
}

/* Makes the corresponding instruction of the variant beside. */
static void make_beside(struct screen *screen, struct tui_access_query *query)
{
    struct lane_map *map = lane_map_state(screen);
    char spec[LAB_SPEC_SIZE];
    print_spec(screen, map->beside - 1, spec, sizeof spec);
    query->spec = spec;
    query->own = NULL;
    lane_case_ask(&map->side[1], screen, query);
    lane_case_show(&map->side[1],
                   lane_case_alike(&map->side[0].answer.got, map->site, &map->side[1].answer.got),
                   map->execution);
}

/* More may be recorded of the kernel while the program runs. */
static void make_recorded(struct screen *screen)
{
    struct lane_map *map = lane_map_state(screen);
    char spec[80];
    snprintf(spec, sizeof spec, "kernel %u of %u", map->kernel, session_access_count(screen->session));
    const struct tui_access_query query = {
        .spec = spec, .rules = map->rules, .recorded = true, .kernel = map->kernel};
    if (lane_case_ask(&map->side[0], screen, &query) || map->wanted_line != 0)
        choose_site(map);
    lane_case_show(&map->side[0], map->site, 0);
    if (map->step > lane_map_steps(map))
        map->step = 0;
}

/* With a new workload no variant is shown beside. */
static void take_workload(struct lane_map *map, const struct tui_workload *workload)
{
    if (map->workload != workload)
        map->beside = 0;
    map->workload = workload;
}

void lane_map_make(struct screen *screen)
{
    struct lane_map *map = lane_map_state(screen);
    const struct tui_workload *workload = lab_state(screen)->workload;
    char spec[LAB_SPEC_SIZE];
    if (map->recorded) {
        make_recorded(screen);
        return;
    }
    if (!workload || !screen->host->accesses)
        return;
    print_spec(screen, lab_state(screen)->variant, spec, sizeof spec);
    if (!same_case(spec, map->side[0].answer.spec))
        map->chosen = false;
    take_workload(map, workload);
    workload_pictures_make(screen, &map->variants, workload, map->rules);
    struct tui_access_query query = {.background = true,
                                     .spec = spec,
                                     .rules = map->rules ? map->rules : screen_arch(screen),
                                     .block = map->block,
                                     .warp = map->warp,
                                     .own = lab_own_label(screen)};
    if (lane_case_ask(&map->side[0], screen, &query) || map->wanted_line != 0)
        choose_site(map);
    lane_case_show(&map->side[0], map->site, map->execution);
    query.background = false;
    if (map->beside > 0 && !map->side[0].answer.got.counting)
        make_beside(screen, &query);
    if (map->step > lane_map_steps(map))
        map->step = 0;
}

uint32_t lane_map_steps(const struct lane_map *map)
{
    uint32_t steps = 0;
    for (int i = 0; i < lane_map_sides(map); i++) {
        const struct lane_case *side = &map->side[i];
        steps = side->access && side->picture.steps > steps ? side->picture.steps : steps;
    }
    return steps;
}

/* ---- the rows of the form ---- */
static const enum lane_row_kind recorded_rows[] = {LANE_ROW_INSTRUCTION, LANE_ROW_BLOCK, LANE_ROW_WARP,
                                                   LANE_ROW_RULES};
#define RECORDED_ROWS ((int)(sizeof recorded_rows / sizeof recorded_rows[0]))

int lane_map_case_rows(const struct screen *screen)
{
    return lane_map_state(screen)->recorded ? 0 : lab_case_rows(lab_state(screen));
}

int lane_map_rows(const struct screen *screen)
{
    return lane_map_state(screen)->recorded ? RECORDED_ROWS : lane_map_case_rows(screen) + LANE_ROW_COUNT;
}

enum lane_row_kind lane_map_row_kind(const struct screen *screen, int row)
{
    return lane_map_state(screen)->recorded
               ? row >= 0 && row < RECORDED_ROWS ? recorded_rows[row] : LANE_ROW_COUNT
               : (enum lane_row_kind)(row - lane_map_case_rows(screen));
}

/* ---- changing it ---- */

static void step_rules(struct lane_map *map, int by)
{
    size_t at = 0;
    while (arch_rules_at(at) && arch_rules_at(at) != map->rules)
        at++;
    if (by < 0 ? at > 0 : arch_rules_at(at + 1) != NULL)
        map->rules = arch_rules_at(by < 0 ? at - 1 : at + 1);
}

/* Steps from none through the variants. */
static void step_beside(struct lane_map *map, int by)
{
    int count = (int)map->workload->variant_count + 1;
    map->beside = (map->beside + count + by) % count;
}

void lane_map_compare(struct screen *screen)
{
    struct lane_map *map = lane_map_state(screen);
    if (map->recorded) {
        screen_message(screen, SEVERITY_INFO,
                       "Only bundled workloads have variants to show beside each other.");
        return;
    }
    int variant = lab_state(screen)->variant, count = (int)lab_state(screen)->workload->variant_count;
    take_workload(map, lab_state(screen)->workload); /* the map may not be made yet */
    if (count < 2)
        screen_message(screen, SEVERITY_INFO, "%s has no other variant to show beside it.",
                       lab_state(screen)->workload->name);
    else if (variant == LAB_ALL_VARIANTS || map->beside > 0)
        map->beside = map->beside > 0 ? 0 : 2;
    else /* the next one; beside the last the one before it: the first is often a bound of another kind */
        map->beside = (variant + 1 < count ? variant + 1 : variant - 1) + 1;
}

void lane_map_turn(struct lane_map *map, int by)
{
    uint32_t sites = map->side[0].answer.got.sites;
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
    map->step = map->step < lane_map_steps(map) ? map->step + 1 : 0;
}

static uint32_t executions_of(const struct lane_map *map)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->side[0].answer.got.count; i++)
        count += map->side[0].answer.got.items[i].site == map->site;
    return count;
}

void lane_map_step_rules(struct screen *screen, int by)
{
    struct lane_map *map = lane_map_state(screen);
    const struct arch *from = map->rules ? map->rules : screen_arch(screen), *before;
    map->rules = from;
    map->chosen_for = screen_arch(screen);
    do {
        before = map->rules;
        step_rules(map, by);
    } while (map->rules != before && (map->rules->mode || map->rules->global_rules == from->global_rules));
}

void lane_map_step(struct screen *screen, int by)
{
    struct lane_map *map = lane_map_state(screen);
    if (map->form.selected < lane_map_case_rows(screen)) {
        lab_state(screen)->form.selected = map->form.selected;
        lab_step(screen, by);
        return;
    }
    bool less = by < 0;
    switch (lane_map_row_kind(screen, map->form.selected)) {
    case LANE_ROW_INSTRUCTION: lane_map_turn(map, by); return;
    case LANE_ROW_EXECUTION:
        if (less ? map->execution > 0 : map->execution + 1 < executions_of(map))
            map->execution += less ? UINT32_MAX : 1;
        return;
    case LANE_ROW_BLOCK:
        if (less ? map->block > 0 : map->block + 1 < map->side[0].answer.got.blocks)
            map->block += less ? UINT64_MAX : 1;
        return;
    case LANE_ROW_WARP:
        if (less ? map->warp > 0 : map->warp + 1 < map->side[0].answer.got.warps)
            map->warp += less ? UINT32_MAX : 1;
        return;
    case LANE_ROW_RULES: step_rules(map, by); return;
    case LANE_ROW_BESIDE: step_beside(map, by); return;
    case LANE_ROW_COUNT: return;
    }
}
