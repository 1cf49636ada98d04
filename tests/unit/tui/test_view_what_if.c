/* SPDX-License-Identifier: Apache-2.0 */
/* The what-if view: edits chosen by key, numbers from what is known, states in which nothing is replayed. */
#include "tests/shared/fixture/driven_screen.h"
#include "tests/shared/fixture/fixture_what_if.h"

#include <criterion/criterion.h>

static void settle_screen(void)
{
    while (screen_work(&screen))
        continue;
    screen_update(&screen, canvas.width, canvas.height);
}

static int64_t left_ns(void)
{
    int64_t after_ns = 0;
    cr_assert(what_if_after(what_if_state(&screen), what_if_state(&screen)->chosen, &after_ns));
    return after_ns;
}

Test(view_what_if, opens_with_the_edits_that_rest_on_the_trace)
{
    start(FIXTURE_TIMELINE, 120, 40);
    press(";");
    cr_assert(shows("Replaying the run"), "the screen does not wait");
    settle_screen();
    cr_assert(shows("[x] 1 gaps") && shows("ASSUMED: ") && shows("measured") && shows("predicted"));
    const struct what_if_view *view = what_if_state(&screen);
    for (size_t i = 0; i < view->row.result.count; i++) {
        const struct what_if_step *step = &view->row.result.steps[i];
        struct what_if_gain gain;
        cr_assert(what_if_gain(view, (int)i, &gain));
        cr_expect_eq(gain.before_ns, step->before_ns, "%s", step->edit->id);
        cr_expect_eq(gain.after_ns, step->after_ns, "%s", step->edit->id);
        cr_expect_eq((view->chosen & what_if_bit(view, (int)i)) != 0, !step->assumed);
    }
    stop();
}

/* The next key is answered from what was replayed ahead: no question, and the picture is there. */
Test(view_what_if, answers_a_key_from_what_is_known)
{
    start(FIXTURE_TIMELINE, 120, 40);
    press(";");
    settle_screen();
    int64_t all_ns = left_ns();
    uint64_t asked = fixture_what_if_count();
    press("1");
    cr_expect_gt(left_ns(), all_ns);
    cr_expect_not_null(what_if_drawn(what_if_state(&screen)));
    cr_expect_eq(fixture_what_if_count(), asked);
    settle_screen();
    press("1");
    cr_expect_eq(left_ns(), all_ns, "the same edits take the same time");
    press("SPACE j SPACE");
    cr_expect_eq(__builtin_popcount(what_if_state(&screen)->chosen), 2, "the first two are left out");
    cr_expect_not(screen.frozen, "SPACE chooses");
    stop();
}

Test(view_what_if, draws_the_same_work_in_both)
{
    start(FIXTURE_TIMELINE, 120, 40);
    press(";");
    settle_screen();
    uint64_t all = what_if_state(&screen)->row.result.facts.operations;
    press("+ +");
    settle_screen();
    struct replay_stretch stretch = what_if_state(&screen)->stretch;
    cr_expect_lt(stretch.end - stretch.first, all);
    press("l");
    settle_screen();
    cr_expect_gt(what_if_state(&screen)->stretch.first, stretch.first);
    press("0");
    settle_screen();
    const struct replay_picture *picture = what_if_drawn(what_if_state(&screen));
    cr_assert_not_null(picture);
    cr_expect_eq(picture->stretch.end - picture->stretch.first, all);
    cr_expect_eq(picture->measured.path_ns, what_if_state(&screen)->row.result.facts.measured_ns,
                 "the path is as long as the loop");
    cr_expect_leq(picture->edited.length_ns, picture->measured.length_ns);
    stop();
}

Test(view_what_if, says_why_nothing_is_replayed)
{
    start(FIXTURE_EMPTY, 80, 24);
    press("j ;");
    cr_expect(shows("Nothing has run yet"));
    stop();
    start(FIXTURE_TIMELINE, 80, 24);
    fixture.state.loading = true;
    press(";");
    cr_expect(shows("is replayed when the recording is loaded"));
    stop();
    start(FIXTURE_TIMELINE, 30, 7);
    press(";");
    cr_expect(shows("larger window"));
    stop();
}
