/*
 * The timeline is above the other parts, as it is above the panes: for a lesson about overlap on any screen
 * that has room for two parts, else where the other parts keep TALL lines. Below it, if there is no room for
 * three parts side by side and below each other, or one was maximised, only the focused one is shown.
 */
#include "tui/views/lab_places.h"
#include "tui/views/lab_own.h"

#include <string.h>

#define SPLIT_WIDTH 76
#define SPLIT_HEIGHT 12
#define TALL 28          /* lines that a timeline leaves if the lesson is not about overlap */
#define TIMELINE_LEAST 8 /* lines: frame, axis, read-out and four rows */
#define TIMELINE_FRAME 5 /* lines of it that are no rows */
#define LESSON_LEAST 5   /* lines below which the lesson takes the form's place when it has the focus */
#define VALUES_WIDTH_MAX 78
#define MAP_WIDTH_MIN 50 /* beside the values */
#define LEFT_WIDTH_MIN 56
#define MAP_OF_TWO_COLUMNS 74 /* of lanes, with their names */
#define LESSON_WIDTH_MIN 46
#define OWN_WIDTH 60      /* code that is less wide is wrapped too often: it gets all of the width */
#define LEFT_WIDTH_MAX 84 /* cells; longer lines of the lesson are hard to read */

bool lab_is_of_transfers(const struct lab *lab)
{
    return strcmp(lab->workload->chapter, CHAPTER_TRANSFERS) == 0;
}

bool lab_has_timeline(const struct lab *lab)
{
    return lab->run != NONE;
}

static int clamp_cells(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* The lines of the timeline; 0: it has no room beside the other parts. */
static int timeline_lines(const struct screen *screen, struct rect area)
{
    const struct lab *lab = lab_state(screen);
    int most = lab_is_of_transfers(lab) ? area.height * 9 / 20 : area.height - TALL;
    if (!lab_has_timeline(lab) || most < TIMELINE_LEAST || area.height - most < SPLIT_HEIGHT)
        return 0;
    most = most < area.height * 9 / 20 ? most : area.height * 9 / 20;
    return clamp_cells(screen->timeline_rows + TIMELINE_FRAME, TIMELINE_LEAST, most);
}

/* Form and lesson, one below the other; the lesson needs LESSON_LEAST lines, or else the focus. */
static void place_left(const struct lab *lab, struct rect left, struct rect part[LAB_PART_COUNT])
{
    int form = lab->form.count + LAB_FORM_TAIL + 2, most = left.height / 2 + 3;
    form = form > most ? most : form;
    if (left.height - form < LESSON_LEAST) {
        part[lab->focus == LAB_LESSON ? LAB_LESSON : LAB_FORM] = left;
        return;
    }
    part[LAB_FORM] = (struct rect){left.x, left.y, left.width, form};
    part[LAB_LESSON] = (struct rect){left.x, left.y + form, left.width, left.height - form};
}

struct lab_places lab_places_of(const struct screen *screen, struct rect area)
{
    const struct lab *lab = lab_state(screen);
    struct lab_places places = {0};
    if (screen->maximised || area.width < SPLIT_WIDTH || area.height < SPLIT_HEIGHT + 2) {
        places.part[lab->focus] = area;
        if (lab->focus == LAB_VALUES && lab->kernel == NONE)
            places.map = area;
        return places;
    }
    int timeline = timeline_lines(screen, area);
    if (timeline == 0 && lab->focus == LAB_TIMELINE) {
        places.part[LAB_TIMELINE] = area;
        return places;
    }
    places.part[LAB_TIMELINE] = (struct rect){area.x, area.y, timeline > 0 ? area.width : 0, timeline};
    area.y += timeline;
    area.height -= timeline;
    int values = area.width * 52 / 100;
    values = values > VALUES_WIDTH_MAX ? VALUES_WIDTH_MAX : values;
    int left = area.width - values, map = 0;
    if (left >= LEFT_WIDTH_MIN + MAP_WIDTH_MIN) {
        map = left - left * LEFT_WIDTH_MIN / (LEFT_WIDTH_MIN + MAP_WIDTH_MIN);
        left -= map;
        if (left > LEFT_WIDTH_MAX) {
            map += left - LEFT_WIDTH_MAX;
            left = LEFT_WIDTH_MAX;
        }
    }
    if (lab->kernel == NONE && left > LESSON_WIDTH_MIN &&
        area.width >= LESSON_WIDTH_MIN + MAP_OF_TWO_COLUMNS) { /* the map is in the place of the values */
        left = clamp_cells(area.width - MAP_OF_TWO_COLUMNS, LESSON_WIDTH_MIN, left);
        values = area.width - left - map;
    }
    if (left < OWN_WIDTH && lab_own_is_shown(screen)) {
        int form = lab->form.count + LAB_FORM_TAIL + 2, most = area.height / 3;
        form = form < most ? form : most;
        places.part[LAB_FORM] = (struct rect){area.x, area.y, left, form};
        places.part[LAB_VALUES] = (struct rect){area.x + left, area.y, area.width - left, form};
        places.part[LAB_LESSON] = (struct rect){area.x, area.y + form, area.width, area.height - form};
        return places;
    }
    place_left(lab, (struct rect){area.x, area.y, left, area.height}, places.part);
    places.part[LAB_VALUES] = (struct rect){area.x + left + map, area.y, values, area.height};
    places.map = (struct rect){area.x + left, area.y, map, area.height};
    if (lab->kernel == NONE) {
        places.map.width += values;
        places.part[LAB_VALUES] = places.map;
    }
    return places;
}
