/* SPDX-License-Identifier: Apache-2.0 */
/* The contract: docs/diff.schema.json says what each field is. */
#include "cli/diff/diff.h"
#include "cli/output/json.h"
#include "cli/report/data/report_choice.h"

#define DIFF_SCHEMA 1
#define LINES_DEPTH 4 /* one line per metric */
#define TEXT_BYTES 2048

static void write_kernel(struct json *json, const char *key, const struct diff *diff, int s, uint32_t kernel)
{
    const struct diff_side *side = &diff->sides[s];
    const struct session *session = side->session;
    const struct kernel_row *row = session_kernel(session, kernel);
    const struct run_row *run = session_run(session, row->run);
    const struct shape_row *shape = session_shape(session, row->shape);
    char device[TEXT_BYTES], name[TEXT_BYTES];
    report_short_name(diff->names, kernel_full_name(session, kernel), SHORT_NAME_WHOLE, name, sizeof name);
    diff_side_device(side, kernel, device, sizeof device);
    json_open(json, key, '{');
    json_string(json, "name", session_string(session, shape->name));
    json_string(json, "short_name", name);
    json_string(json, run->workload ? "workload" : "program",
                session_string(session, run->workload ? run->workload : run->program));
    json_string(json, "variant", session_string(session, run->variant));
    json_string(json, "params", session_string(session, run->params));
    json_string(json, "device", device);
    for (int dimensions = 0; dimensions < 2; dimensions++) {
        json_open(json, dimensions ? "block" : "grid", '[');
        for (int i = 0; i < 3; i++)
            json_integer(json, NULL, dimensions ? shape->block[i] : shape->grid[i]);
        json_close(json, ']');
    }
    json_integer(json, "dynamic_shared_bytes", shape->dynamic_shared_bytes);
    json_close(json, '}');
}

static void write_value(struct json *json, const char *key, const struct kernel_statistic *statistic)
{
    const struct value *value = &statistic->value;
    bool number = value->available && !value->word;
    json_open(json, key, '{');
    if (value->available && value->word)
        json_string(json, "value", value->word);
    else
        json_known_number(json, "value", number, value->number);
    json_string(json, "provenance", provenance_text(value->provenance));
    json_string(json, "bound", value_bound_text(value->available ? value->bound : VALUE_EXACT));
    json_integer(json, "n", value->available ? statistic->n : 0);
    json_known_number(json, "min", number, statistic->min);
    json_known_number(json, "max", number, statistic->max);
    if (value->available)
        json_null(json, "why");
    else
        json_string(json, "why", value->why ? value->why : "not known");
    json_close(json, '}');
}

static void write_sum(struct json *json, const struct compare_kernel *a, const struct compare_kernel *b,
                      enum metric metric)
{
    struct compare_sums sums = compare_sums(a, b, metric);
    if (!sums.change.known) {
        json_null(json, "sum");
        return;
    }
    json_open(json, "sum", '{');
    json_number(json, "a", sums.sums[0]);
    json_number(json, "b", sums.sums[1]);
    json_known_number(json, "ratio", sums.change.has_ratio, sums.change.ratio);
    json_string(json, "b_is", compare_change_text(&sums.change));
    json_close(json, '}');
}

/* Whether the two sides did the same work, and what differs. */
static void write_work(struct json *json, const struct compare_kernel *a, const struct compare_kernel *b)
{
    const struct compare_kernel *sides[] = {a, b};
    char text[300];
    compare_work_difference(a, b, text, sizeof text);
    json_string(json, "work", compare_work_text(compare_work(a, b)));
    if (*text)
        json_string(json, "work_difference", text);
    else
        json_null(json, "work_difference");
    json_bool(json, "same_clock", compare_same_clock(a, b));
    json_open(json, "launches", '[');
    for (int s = 0; s < 2; s++)
        json_integer(json, NULL, (int64_t)kernel_index_times(sides[s]->index, sides[s]->kernel).launches);
    json_close(json, ']');
}

static void write_match(struct json *json, const struct diff *diff, const struct compare_match *match)
{
    struct compare_kernel a = diff_kernel(diff, match, 0), b = diff_kernel(diff, match, 1);
    json_open(json, NULL, '{');
    json_string(json, "matched_by", compare_how_text(match->how));
    write_kernel(json, "a", diff, 0, match->a);
    write_kernel(json, "b", diff, 1, match->b);
    write_work(json, &a, &b);
    json_open(json, "metrics", '{');
    for (enum metric metric = 0; metric < METRIC_COUNT; metric++) {
        struct compare_metric compared = diff_metric(diff, match, metric);
        const struct compare_change *change = &compared.change;
        json_open(json, metric_info(metric)->id, '{');
        json_string(json, "unit", metric_info(metric)->unit);
        write_value(json, "a", &compared.a);
        write_value(json, "b", &compared.b);
        json_known_number(json, "difference", change->known, change->difference);
        json_known_number(json, "ratio", change->known && change->has_ratio, change->ratio);
        json_string(json, "b_is", compare_change_text(change));
        json_string(json, "weight", compare_weight_text(compared.weight));
        json_number(json, "chance", compared.chance);
        write_sum(json, &a, &b, metric);
        json_close(json, '}');
    }
    json_close(json, '}');
    json_close(json, '}');
}

static void write_limit(struct json *json, const struct diff *diff, size_t limit)
{
    const struct limit *row = &diff->limits[limit];
    json_open(json, NULL, '{');
    json_string(json, "text", row->text);
    json_string(json, "metric", metric_info(row->metric)->id);
    json_string(json, "state", limit_state_text(diff_limit(diff, limit)));
    json_open(json, "kernels", '[');
    for (size_t match = 0; match < diff->matches.count; match++)
        json_string(json, NULL, limit_state_text(diff_state(diff, limit, match)));
    json_close(json, ']');
    json_close(json, '}');
}

static enum status write_runs(struct json *json, const struct diff *diff, struct error *error)
{
    struct diff_runs runs;
    enum status status = diff_runs_make(&runs, diff, error);
    json_open(json, "runs", '[');
    for (size_t i = 0; status == STATUS_OK && i < runs.count; i++) {
        const struct compare_run *run = &runs.rows[i];
        double factor = compare_run_factor(run);
        json_open(json, NULL, '{');
        for (int s = 0; s < 2; s++) {
            char name[TEXT_BYTES];
            diff_side_run_name(&diff->sides[s], runs.kernels[s][i], name, sizeof name);
            json_string(json, s ? "b" : "a", name);
        }
        json_open(json, "device_time_ns", '[');
        json_integer(json, NULL, run->device_ns[0]);
        json_integer(json, NULL, run->device_ns[1]);
        json_close(json, ']');
        json_string(json, "work", compare_work_text(run->work));
        json_bool(json, "same_clock", run->same_clock);
        json_known_number(json, "times_as_fast", factor > 0, factor);
        json_close(json, '}');
    }
    json_close(json, ']');
    diff_runs_fini(&runs);
    return status;
}

enum status diff_json(const struct diff *diff, FILE *out, struct error *error)
{
    struct json json;
    json_init(&json, out, LINES_DEPTH);
    json_open(&json, NULL, '{');
    json_integer(&json, "schema", DIFF_SCHEMA);
    json_string(&json, "a", diff->sides[0].text);
    json_string(&json, "b", diff->sides[1].text);
    json_string(&json, "result",
                diff->matches.count == 0 ? "nothing-compared"
                : diff_is_fine(diff)     ? "fine"
                                         : "limits-failed");
    json_open(&json, "limits", '[');
    for (size_t i = 0; i < diff->limit_count; i++)
        write_limit(&json, diff, i);
    json_close(&json, ']');
    enum status status = write_runs(&json, diff, error);
    json_open(&json, "kernels", '[');
    for (size_t i = 0; status == STATUS_OK && i < diff->matches.count; i++)
        write_match(&json, diff, &diff->matches.rows[i]);
    if (status != STATUS_OK)
        return status;
    json_close(&json, ']');
    for (int s = 0; s < 2; s++) {
        json_open(&json, s ? "only_b" : "only_a", '[');
        for (size_t i = 0; i < diff->matches.only_count[s]; i++)
            write_kernel(&json, NULL, diff, s, diff->matches.only[s][i]);
        json_close(&json, ']');
    }
    json_close(&json, '}');
    return STATUS_OK;
}
