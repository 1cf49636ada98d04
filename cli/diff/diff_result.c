/* The result: `states` has a row for each match, with the state of each limit. */
#include "cli/diff/diff_result.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "tui/widgets/name_parts.h"

struct compare_kernel diff_kernel(const struct diff *diff, const struct compare_match *match, int side)
{
    return (struct compare_kernel){diff->sides[side].index, side == 0 ? match->a : match->b};
}

struct compare_metric diff_metric(const struct diff *diff, const struct compare_match *match,
                                  enum metric metric)
{
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    struct compare_metric result;
    memory_check(compare_metric(&a, &b, metric, &result, NULL));
    return result;
}

enum limit_state diff_state(const struct diff *diff, size_t limit, size_t match)
{
    return (enum limit_state)diff->states[limit * diff->matches.count + match];
}

enum limit_state diff_limit(const struct diff *diff, size_t limit)
{
    enum limit_state worst = LIMIT_UNCHECKED;
    for (size_t match = 0; match < diff->matches.count; match++) {
        enum limit_state state = diff_state(diff, limit, match);
        worst = state > worst ? state : worst;
    }
    return worst;
}

bool diff_is_fine(const struct diff *diff)
{
    bool fine = diff->matches.count > 0;
    for (size_t i = 0; i < diff->limit_count; i++)
        fine = fine && diff_limit(diff, i) == LIMIT_KEPT;
    return fine;
}

void diff_kernel_name(const struct diff *diff, int side, uint32_t kernel, char *text, size_t size_bytes)
{
    const struct session *session = diff->sides[side].session;
    if (diff->wide)
        name_print_plain(kernel_full_name(session, kernel), text, size_bytes);
    else
        report_short_name(diff->names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, text, size_bytes);
}
