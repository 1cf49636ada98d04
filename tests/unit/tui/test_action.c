/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/tui.h"
#include "tui/widgets/action.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(action, no_key_means_two_things)
{
    for (enum action a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
        cr_assert_neq(action_info(a)->key[0], 0, "%s has no key", action_info(a)->id);
        for (int i = 0; i < 2; i++)
            if (action_info(a)->key[i] != 0)
                cr_assert_eq(action_of_key(action_info(a)->key[i]), a, "%s shares its key",
                             action_info(a)->id);
    }
    cr_assert_eq(action_of_key(0), ACTION_NONE);
    cr_assert_eq(action_of_key('\n'), ACTION_OPEN);
    cr_assert_eq(action_of_key(0x10fffe), ACTION_NONE);
    cr_assert_null(action_info(ACTION_NONE));
    cr_assert_null(action_info(ACTION_COUNT));
}

/* What the help shows can be given back to --keys. */
Test(action, names_of_keys_can_be_parsed)
{
    for (enum action a = ACTION_NONE + 1; a < ACTION_COUNT; a++) {
        for (int i = 0; i < 2 && action_info(a)->key[i] != 0; i++) {
            char name[16];
            key_text(action_info(a)->key[i], name, sizeof name);
            cr_assert_eq(key_parse(name, strlen(name)), action_info(a)->key[i], "'%s'", name);
        }
    }
    cr_assert_eq(key_parse("Tab", 3), KEY_TAB);
    cr_assert_eq(key_parse("TABS", 4), 0);
    cr_assert_eq(key_parse("C-1", 3), 0);
    cr_assert_eq(key_parse("", 0), 0);
    cr_assert_eq(key_parse("ENTERx", 5), KEY_RETURN);
    cr_assert_eq(key_parse("\xc3\xa9", 2), 0xe9);
}

Test(action, the_manual_has_every_action)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tui_print_keys(out);
    fclose(out);
    for (enum action a = ACTION_NONE + 1; a < ACTION_COUNT; a++)
        cr_assert(strstr(text, action_info(a)->help) != NULL, "%s is missing", action_info(a)->id);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        cr_assert_leq(strcspn(line, "\n"), 120, "too long: %.60s", line);
    free(text);
}

Test(action, help_has_a_part_for_a_view)
{
    static const struct {
        enum action action;
        const char *view, *help;
    } cases[] = {
        {ACTION_DOWN, "Chart", "the next metric"},
        {ACTION_DOWN, "Runs", "one row down"},
        {ACTION_RIGHT, "Timeline", "cursor right"},
        {ACTION_RIGHT, "Lane map", "larger"},
        {ACTION_RIGHT, "Source", "right"},
        {ACTION_RIGHT, "Map",
         "timeline: cursor right; lab, lane map, occupancy: larger; chart, source: right"},
        {ACTION_FREEZE, "Lab", "freeze the screen; collection and recording continue"},
        {ACTION_AMDAHL, "Lab", "Amdahl's law: the gain of the whole run from a faster kernel"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        action_help_in(cases[i].action, cases[i].view, text, sizeof text);
        cr_assert_str_eq(text, cases[i].help, "%s: '%s'", cases[i].view, text);
    }
}
