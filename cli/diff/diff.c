/* SPDX-License-Identifier: Apache-2.0 */
/* The command: opens both sides, matches their kernels, checks the limits, and writes the result last. */
#include "cli/diff/diff.h"

#include "cli/output/memory.h"
#include "cli/output/out_file.h"
#include "cli/output/sheet_print.h"
#include "cli/report/data/report_choice.h"

#include <stdlib.h>

/* A limit must not be met by values that do not come from the run: those expected by the rules do not count.
 * Values that follow from the launch (theoretical occupancy) do. */
static enum limit_state check_limit(const struct limit *limit, const struct compare_metric *compared)
{
    bool expected = compared->a.value.provenance == PROVENANCE_EXPECTED ||
                    compared->b.value.provenance == PROVENANCE_EXPECTED;
    return expected && !metric_from_launch(limit->metric)
               ? LIMIT_UNCHECKED
               : limit_check(limit, &compared->a.value, &compared->b.value);
}

static void check_limits(struct diff *diff)
{
    diff->states = memory_zeroed(diff->limit_count * diff->matches.count, sizeof *diff->states);
    for (size_t i = 0; i < diff->limit_count; i++) {
        for (size_t match = 0; match < diff->matches.count; match++) {
            struct compare_metric result =
                diff_metric(diff, &diff->matches.rows[match], diff->limits[i].metric);
            diff->states[i * diff->matches.count + match] = (uint8_t)check_limit(&diff->limits[i], &result);
        }
    }
}

static enum status write_out(const struct diff *diff, const struct options *options, FILE *out,
                             struct error *error)
{
    if (options->table)
        return sheet_option_print(diff_sheet_at, diff, options, out, error);
    const struct sheet_look look = {.form = SHEET_FORM_JSON, .most = options->top};
    struct diff whole = *diff;
    whole.wide = true;
    enum status status = options->format == REPORT_JSON
                             ? sheet_document_print(&diff_document, &whole, &look, out, error)
                             : diff_print(diff, sheet_option_look(options), out, error);
    return status == STATUS_OK ? out_flush(out, error) : status;
}

enum status diff_command(const struct options *options, FILE *out, int *exit_status, struct error *error)
{
    struct limit limits[OPTIONS_TEXTS_MAX];
    struct diff diff = {.limits = limits, .limit_count = options->limits.count, .wide = options->wide};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < options->limits.count; i++)
        status = limit_parse(&limits[i], options->limits.list[i], error);
    for (size_t s = 0; status == STATUS_OK && s < 2; s++)
        status = diff_side_open(&diff.sides[s], options->files[s], error);
    if (status == STATUS_OK) {
        memory_check(compare_match(&diff.matches, diff.sides[0].index, &diff.sides[0].pick,
                                   diff.sides[1].index, &diff.sides[1].pick, error));
        diff.names = report_names_of(diff.sides[0].session, diff.sides[1].session);
        check_limits(&diff);
        status = write_out(&diff, options, out, error);
    }
    if (status == STATUS_OK && !diff_is_fine(&diff))
        *exit_status = EXIT_CHECK;
    free(diff.states);
    short_names_destroy(diff.names);
    compare_matches_fini(&diff.matches);
    diff_side_close(&diff.sides[0]);
    diff_side_close(&diff.sides[1]);
    return status;
}
