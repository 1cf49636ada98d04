/* The worst instruction of the case is shown: `panes` of the lane map's state has the host's answers. */
#include "tui/views/lanes/lane_beside.h"

#include "tui/frame/run_names.h"
#include "tui/frame/screen.h"
#include "tui/views/lab.h"
#include "tui/views/lab_own.h"
#include "tui/views/lanes/lane_map.h"
#include "tui/views/lanes/lane_recorded.h"

#include <stdio.h>

#define PICTURE_MOST 34 /* lines */
#define AROUND 5        /* lines of cost, source and legend */
#define WIDTH_LEAST 50

/* The query for the selected kernel; false: nothing is known of its addresses. */
static bool make_query(struct screen *screen, char spec[LAB_SPEC_SIZE], char own[LAB_OWN_SIZE],
                       struct tui_access_query *query)
{
    const struct session *session = screen->session;
    uint32_t run = session_kernel(session, screen->kernel)->run;
    uint32_t workload_name = session_run(session, run)->workload;
    const struct tui_workload *workload =
        workload_name != 0 ? lab_find_workload(screen, session_string(session, workload_name)) : NULL;
    *query = (struct tui_access_query){.spec = spec, .rules = screen_arch(screen), .stated = true};
    workload_pictures_make(screen, &lane_map_state(screen)->panes_variants, workload);
    if (workload != NULL && screen->host->accesses != NULL) {
        lab_spec_of_run(screen, workload, run, spec, LAB_SPEC_SIZE);
        query->own = lab_own_of_run(session, run, own, LAB_OWN_SIZE);
        return true;
    }
    snprintf(spec, LAB_SPEC_SIZE, "kernel %u of %u", screen->kernel, session_access_count(session));
    query->stated = false;
    query->recorded = true;
    query->kernel = screen->kernel;
    return lane_recorded_any(session, screen->kernel);
}

int lane_beside_lines(struct screen *screen, int width)
{
    struct lane_case *map = &lane_map_state(screen)->panes;
    char spec[LAB_SPEC_SIZE], own[LAB_OWN_SIZE];
    struct tui_access_query query;
    if (width < WIDTH_LEAST || screen->kernel == NONE || screen->on_run ||
        !make_query(screen, spec, own, &query))
        return 0;
    lane_case_ask(map, screen, &query);
    if (map->answer.got.count == 0)
        return 0;
    lane_case_show(map, lane_case_worst(&map->answer.got, 0), 0);
    return map->access != NULL ? AROUND + lane_picture_lines(&map->picture, width, PICTURE_MOST) : 0;
}

void lane_beside_draw(const struct screen *screen, struct canvas *canvas, struct rect area, bool focus)
{
    const struct lane_map *map = lane_map_state(screen);
    const struct lane_picture_options options = {.halves = true,
                                                 .color = screen->options.color && !screen->theme->mono};
    uint32_t run = session_kernel(screen->session, screen->kernel)->run;
    char name[200], title[240];
    run_name_print(screen->session, run, name, sizeof name);
    snprintf(title, sizeof title, "Lane map  %s",
             session_run(screen->session, run)->workload != 0 ? name : "");
    struct rect inside = view_frame(canvas, area, title, focus);
    lane_case_draw(&map->panes, &map->panes_variants, canvas, inside, &options);
}
