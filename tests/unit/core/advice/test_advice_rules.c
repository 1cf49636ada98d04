/* SPDX-License-Identifier: Apache-2.0 */
/* The table of rules: each is whole, has a name of its own, and names a workload that there is. */
#include "core/advice/advice.h"
#include "core/replay/edits.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <string.h>

/* Is it something to do? */
static bool is_action(const char *text)
{
    static const char *const verbs[] = {"allocate", "allow", "choose", "copy",      "cut",  "do",      "fuse",
                                        "gather",   "issue", "launch", "let",       "load", "measure", "pad",
                                        "prefetch", "start", "stop",   "transpose", "use",  "write"};
    size_t length = strcspn(text, " :,");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strlen(verbs[i]) == length && strncmp(text, verbs[i], length) == 0)
            return true;
    return false;
}

Test(advice_rules, what_to_do_is_an_action)
{
    const struct advice_rule *rule;
    for (size_t i = 0; (rule = advice_rule_at(i)) != NULL; i++)
        cr_expect(is_action(rule->now), "%s: %s", rule->id, rule->now);
    cr_assert(!is_action("on average 32 lanes of a warp want different words of one bank"));
}

Test(advice_rules, every_rule_is_whole)
{
    const struct advice_rule *rule;
    for (size_t i = 0; (rule = advice_rule_at(i)) != NULL; i++) {
        cr_assert_lt(i, ADVICE_RULES_MAX);
        cr_assert_eq(advice_rule_find(rule->id), rule, "two rules are called %s", rule->id);
        cr_assert_neq(rule->of_kernel == NULL, rule->of_run == NULL, "%s", rule->id);
        const char *edit =
            advice_rule_edit(rule); /* that it explains; exchanges and what is fine have none */
        cr_assert(!edit || replay_edit_find(edit, strlen(edit)), "%s explains no edit %s", rule->id, edit);
        cr_assert(rule->gain && rule->now && rule->source && rule->limits[0].what, "%s", rule->id);
        for (size_t l = 0; l < ADVICE_LIMITS_MAX && rule->limits[l].what; l++)
            cr_assert_not_null(rule->limits[l].source, "%s: where is %g from?", rule->id,
                               rule->limits[l].number);
        cr_assert_not_null(workload_find(rule->taught), "%s is taught by %s, which there is not", rule->id,
                           rule->taught);
    }
    cr_assert_null(advice_rule_find("no such rule"));
}

/* What to do for an edit that no finding explains. */
Test(advice_rules, every_edit_says_what_to_do)
{
    const struct replay_edit *edit;
    for (size_t i = 0; (edit = replay_edit_at(i)); i++)
        cr_expect(edit->now && edit->title && edit->assumes &&
                      edit->assumes[strlen(edit->assumes) - 1] == '.',
                  "%s", edit->id);
}
