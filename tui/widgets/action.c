/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of actions, one row per action in the order of enum action. No two actions share a key: a unit
 * test checks it.
 */
#include "tui/widgets/action.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define ACTION_ROW(name, part, first, second, hinted, helped) \
    [ACTION_##name] = {                                       \
        .id = #name, .section = SECTION_##part, .key = {first, second}, .hint = hinted, .help = helped},
static const struct action_info table[ACTION_COUNT] = {ACTION_LIST(ACTION_ROW)};
#undef ACTION_ROW

const struct action_info *action_info(enum action action)
{
    return action > ACTION_NONE && action < ACTION_COUNT ? &table[action] : NULL;
}

enum action action_of_key(uint32_t key)
{
    if (key == '\n')
        key = KEY_RETURN;
    for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++)
        for (int i = 0; i < 2; i++)
            if (key != 0 && table[action].key[i] == key)
                return action;
    return ACTION_NONE;
}

bool action_writes(enum action action)
{
    return action == ACTION_KEEP || action == ACTION_OWN;
}

const char *action_section_text(enum action_section section)
{
    static const char *const texts[SECTION_COUNT] = {
        [SECTION_MOVE] = "Moving and choosing",
        [SECTION_TIME] = "Time",
        [SECTION_LIST] = "Lists",
        [SECTION_VIEW] = "Views",
    };
    return texts[section];
}

/* Is the name in a list such as "chart, source"? */
static bool is_among(const char *name, const char *names, size_t size_bytes)
{
    size_t length = strlen(name);
    for (const char *at = names; at + length <= names + size_bytes; at += strspn(at, ", ")) {
        size_t word = strcspn(at, ",:");
        if (word == length && strncasecmp(at, name, length) == 0)
            return true;
        at += word;
    }
    return false;
}

void action_help_in(enum action action, const char *view, char *text, size_t size_bytes)
{
    const char *help = table[action].help;
    size_t general = strlen(help); /* up to the first part about another view */
    for (const char *part = help; *part != '\0';) {
        size_t length = strcspn(part, ";"), names = strcspn(part, ":");
        if (names < length && is_among(view, part, names)) {
            snprintf(text, size_bytes, "%.*s", (int)(length - names - 2), part + names + 2);
            return;
        }
        if (names < length && help[strcspn(help, ":;")] == ';' && (size_t)(part - help) < general)
            general = (size_t)(part - help) - strlen("; ");
        part += length;
        part += strspn(part, "; ");
    }
    snprintf(text, size_bytes, "%.*s", (int)general, help);
}

void action_keys(enum action action, char *text, size_t size_bytes)
{
    char first[16], second[16] = "";
    key_text(table[action].key[0], first, sizeof first);
    if (table[action].key[1] != 0)
        key_text(table[action].key[1], second, sizeof second);
    snprintf(text, size_bytes, "%s%s%s", first, second[0] != '\0' ? " " : "", second);
}

const char *const *action_mouse_help(void)
{
    static const char *const lines[] = {
        "click          select the pane, the row and, on the timeline, the time; a device's - folds it",
        "               the heading of a column: sort by it, again: reverse; the bar of keys: as the key",
        "double click   open the row, as ENTER does",
        "wheel          timeline: zoom at the pointer; lists: three rows up or down",
        "drag           timeline: mark a range; with another button, or Ctrl: pan",
        NULL,
    };
    return lines;
}

void action_print(FILE *out)
{
    for (enum action_section section = 0; section < SECTION_COUNT; section++) {
        fprintf(out, "%s%s\n", section == 0 ? "" : "\n", action_section_text(section));
        for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
            char keys[40];
            if (table[action].section != section)
                continue;
            action_keys(action, keys, sizeof keys);
            fprintf(out, "  %-14s %s\n", keys, table[action].help);
        }
    }
    fprintf(out, "\nMouse\n");
    for (const char *const *line = action_mouse_help(); *line; line++)
        fprintf(out, "  %s\n", *line);
}
