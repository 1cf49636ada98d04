/*
 * A screen over a session made by hand, driven by keys and judged by what is drawn and by its state. One at a
 * time; a test begins it and ends it.
 */
#ifndef TESTS_UNIT_DRIVEN_SCREEN_H
#define TESTS_UNIT_DRIVEN_SCREEN_H

#include "tests/unit/fixture_session.h"
#include "tui/chart.h"
#include "tui/compare.h"
#include "tui/lab.h"
#include "tui/lane_map.h"
#include "tui/occupancy.h"
#include "tui/range.h"
#include "tui/roofline.h"
#include "tui/screen.h"
#include "tui/source.h"
#include "tui/view_amdahl.h"
#include "tui/view_device.h"
#include "tui/view_kernels.h"
#include "tui/view_overlap.h"
#include "tui/view_panel.h"
#include "tui/view_runs.h"
#include "tui/view_timeline.h"
#include "tui/view_workloads.h"
#include "tui/views.h"

extern struct fixture fixture;
extern struct screen screen;
extern struct canvas canvas;

void start(enum fixture_content content, int width, int height);
void stop(void);
void press(const char *keys); /* "j j ENTER": names as the help shows them */
void type(const char *text);
char *screen_text(void); /* all that is drawn now; the caller frees it */
/* Is the text on the screen? If not, the screen is printed. */
bool shows(const char *wanted);

#endif
