/* Uses screen->run and its verdict; kernels->run_lines has the number of lines. */
#include "tui/views/kernels/kernel_run.h"

#include "tui/views/kernels/view_kernels.h"
#include "tui/widgets/number.h"
#include "tui/widgets/time_bar.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BAR_CELLS_LEAST 10
#define RUN_SINCE 6 /* list's lines with room for it */

static const struct partition *run_time(const struct screen *screen)
{
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    return verdict->known && verdict->time.operations > 0 ? &verdict->time : NULL;
}

void kernel_run_update(struct screen *screen, int height)
{
    struct kernel_list *kernels = kernels_state(screen);
    bool known = run_time(screen) != NULL;
    kernels->run_lines = (known || screen->state.loading) && height >= RUN_SINCE && kernels->list.count > 0;
    if (!kernels->chosen && !screen->state.live && kernels->one_run && kernels->filter[0] == '\0' &&
        run_verdicts_of(&screen->verdicts, screen->run)->wrong > 0)
        screen->on_run = true; /* until the user chooses */
    if (height > 0 && !(known && kernels->run_lines > 0))
        screen->on_run = false;
}

void kernel_run_draw(const struct screen *screen, struct canvas *canvas, struct rect inside)
{
    int lines = kernels_state(screen)->run_lines;
    const struct run_verdict *verdict = run_verdicts_of(&screen->verdicts, screen->run);
    const struct partition *time = run_time(screen);
    char text[200], device[40] = "", steps[40] = "";
    if (lines == 0 || time == NULL)
        return;
    if (verdict->devices > 1 && time->device != NONE)
        snprintf(device, sizeof device, "GPU %" PRIu32 " of %zu",
                 session_device(screen->session, time->device)->ordinal, verdict->devices);
    if (verdict->steps > 0)
        snprintf(steps, sizeof steps, "%" PRIu64 " steps:", verdict->steps);
    snprintf(text, sizeof text, "%s%s%s %s", device, device[0] != '\0' ? ", " : "",
             verdict->steps > 0 ? steps : run_time_name(RUN_TIME_SPAN),
             number_time(partition_span_ns(time)).text);
    int64_t beside_ns =
        verdict->steps > 0 && verdict->devices == 1 ? partition_copies_beside_ns(&verdict->whole, time) : 0;
    char beside[100] = ""; /* only where the bar has room beside it */
    if (beside_ns > 0)
        snprintf(beside, sizeof beside, ", copies outside %s", number_time(beside_ns).text);
    if ((int)(strlen(text) + strlen(beside)) + BAR_CELLS_LEAST + 2 < inside.width)
        strcat(text, beside);
    uint8_t ground = screen->on_run ? COLOR_SELECTED : COLOR_NONE;
    canvas_fill(canvas, (struct rect){inside.x, inside.y, inside.width, 1}, ' ',
                STYLE(COLOR_TEXT, ground, 0));
    if (screen->on_run)
        canvas_glyph(canvas, inside.x, inside.y, GLYPH_SELECTED, STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD));
    int taken = 2 + canvas_text(canvas, inside.x + 1, inside.y, inside.width - 1,
                                STYLE(COLOR_TITLE, ground, ATTRIBUTE_BOLD), text);
    if (taken + BAR_CELLS_LEAST < inside.width)
        time_bar_draw(time, canvas, inside.x + taken, inside.y, inside.width - taken - 1);
}

bool kernel_run_choose(struct screen *screen, enum action action)
{
    struct kernel_list *kernels = kernels_state(screen);
    bool first = kernels->run_lines > 0 && run_time(screen) != NULL && kernels->list.selected == 0;
    if (!(action == ACTION_UP && first) && !(action == ACTION_DOWN && screen->on_run))
        return false;
    screen->on_run = action == ACTION_UP;
    kernels->chosen = true;
    screen->follows_runs = false;
    return true;
}
