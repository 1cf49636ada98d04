/*
 * Advice as lines of the report and as JSON. A kernel's list is made when it is printed and kept nowhere; the
 * table remembers which rules spoke, to say once behind all what each says to do.
 */
#include "cli/report/report_advice.h"

#include "cli/model/line_costs.h"
#include "cli/output/memory.h"
#include "cli/report/data/report_facts.h"
#include "cli/report/data/report_name.h"
#include "core/advice/advice_lines.h"
#include "core/advice/session_advice.h"
#include "core/advice/verdict.h"
#include "tui/terminal/text.h"

#include <stdlib.h>
#include <string.h>

void report_advice_of_kernel(const struct report_data *data, uint32_t kernel, struct advice_list *list)
{
    struct code_listing listing;
    struct tui_source source;
    session_advise_indexed(data->index, kernel, list);
    if (advice_wants_lines(list)) {
        memory_check(code_listing_make(data->session, kernel, &listing, NULL));
        memory_check(advice_name_lines(list, &listing));
        code_listing_fini(&listing);
    }
    if (data->ask_model && advice_wants_lines(list) &&
        line_costs_of_kernel(data->session, kernel, &source, NULL) == STATUS_OK) {
        memory_check(advice_name_lines(list, &source.listing));
        code_listing_fini(&source.listing);
    }
}

/* ---- JSON ---- */
static void write_evidence(struct json *json, const struct advice *advice)
{
    json_open(json, "evidence", '[');
    for (size_t i = 0; i < advice->evidence_count; i++) {
        const struct advice_evidence *evidence = &advice->evidence[i];
        json_open(json, NULL, '{');
        json_string(json, "id", evidence->id);
        json_number(json, "value", evidence->value.number);
        json_string(json, "unit", evidence->unit);
        json_string(json, "provenance", provenance_text(evidence->value.provenance));
        json_string(json, "bound", value_bound_text(evidence->value.bound));
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* Within an object. */
static void write_advice(struct json *json, const struct advice *advice)
{
    const struct advice_rule *rule = advice->rule;
    json_string(json, "id", rule->id);
    json_bool(json, "fine", advice->fine);
    json_string(json, "text", advice->text);
    if (advice->where[0] != '\0')
        json_string(json, "where", advice->where);
    else
        json_null(json, "where");
    json_string(json, "provenance", provenance_text(advice->provenance));
    json_number(json, "gain_at_most", advice->gain);
    if (advice->gain_ns > 0)
        json_number(json, "gain_at_most_ns", advice->gain_ns);
    else
        json_null(json, "gain_at_most_ns");
    json_string(json, "gain_formula", rule->gain);
    if (advice->how[0] != '\0')
        json_string(json, "how", advice->how);
    else
        json_null(json, "how");
    json_string(json, "now", rule->now);
    json_string(json, "taught", rule->taught);
    if (rule->priority)
        json_string(json, "priority", advice_priority_text(rule->priority));
    else
        json_null(json, "priority");
    write_evidence(json, advice);
}

static void write_list(struct json *json, const struct advice *items, size_t count)
{
    json_open(json, "advice", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        write_advice(json, &items[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void report_advice_kernel_json(struct json *json, const struct report_data *data, uint32_t kernel)
{
    struct advice_list list;
    report_advice_of_kernel(data, kernel, &list);
    json_string(json, "state", advice_state_text(list.state));
    if (list.said[0] != '\0')
        json_string(json, "said", list.said);
    else
        json_null(json, "said");
    write_list(json, list.items, list.count);
}

enum status report_advice_run_json(struct json *json, const struct report_data *data,
                                   const struct report_run *run, struct error *error)
{
    const struct report_facts *facts = NULL;
    enum status status = run->runs[RUN_TRACE] == NONE ? STATUS_OK : report_facts(data, run, &facts, error);
    if (status == STATUS_OK)
        write_list(json, facts == NULL ? NULL : facts->advice, facts == NULL ? 0 : facts->advice_count);
    return status;
}

enum status report_verdict_json(struct json *json, const struct report_data *data,
                                const struct report_run *run, struct error *error)
{
    uint32_t traced = run->runs[RUN_TRACE];
    const struct report_facts *facts;
    if (traced == NONE) {
        json_null(json, "verdict");
        return STATUS_OK;
    }
    enum status status = report_facts(data, run, &facts, error);
    if (status != STATUS_OK)
        return status;
    const struct verdict *verdict = report_verdict(data, run);
    json_open(json, "verdict", '{');
    json_number(json, "span_ns", verdict->span_ns);
    json_number(json, "uncounted_ns", verdict->uncounted_ns);
    json_integer(json, "left_out", (int64_t)verdict->more);
    json_open(json, "findings", '[');
    for (size_t i = 0; i < verdict->count; i++) {
        const struct finding *finding = &verdict->findings[i];
        json_open(json, NULL, '{');
        if (finding->kernel == NONE) {
            json_null(json, "kernel");
        } else {
            const struct kernel_row *row = session_kernel(data->session, finding->kernel);
            json_string(json, "kernel",
                        session_string(data->session, session_shape(data->session, row->shape)->name));
        }
        json_open(json, "advice", '{');
        write_advice(json, &finding->advice);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
    return STATUS_OK;
}

/* ---- the table ---- */
/* The rules that fired, so that each one's `now` is printed once. */
struct spoken {
    bool rule[ADVICE_RULES_MAX], any;
};

#define COLUMNS 100
void report_print_words(const char *text, int column, FILE *out)
{
    int at = column;
    while (*text != '\0') {
        char word[COLUMNS];
        size_t length = strcspn(text, " ");
        length = length < sizeof word - 1 ? length : sizeof word - 1;
        memcpy(word, text, length);
        word[length] = '\0';
        int cells = 1 + text_width(word, COLUMNS);
        if (at + cells > COLUMNS && at > column) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        }
        putc(' ', out);
        text_print(word, out);
        at += cells;
        text += length + strspn(text + length, " ");
    }
    putc('\n', out);
}

#define LIST_COLUMN 11
/* `facts`: of the run that they are about; NULL: a kernel. */
static void print_list(const struct report_data *data, const struct report_facts *facts,
                       const struct advice *items, size_t count, FILE *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct advice *advice = &items[i];
        char line[sizeof advice->text + 40];
        snprintf(line, sizeof line, "%s (%s)", advice->text, provenance_text(advice->provenance));
        if (advice->fine)
            fprintf(out, "%-*s", LIST_COLUMN, "  nothing");
        else
            fprintf(out, "  <= %4.1f %%",
                    100 * (facts != NULL ? report_gain(data->session, facts, advice) : advice->gain));
        report_print_words(line, LIST_COLUMN, out);
        if (advice->how[0] != '\0') {
            char todo[sizeof advice->how + 4];
            snprintf(todo, sizeof todo, "do: %s", advice->how);
            fprintf(out, "%*s", LIST_COLUMN, "");
            report_print_words(todo, LIST_COLUMN, out);
        }
    }
}

static void print_advice(const struct report_data *data, const struct report_run *run, uint32_t kernel,
                         const struct report_facts *facts, const struct advice *items, size_t count,
                         FILE *out, bool wide, struct spoken *spoken)
{
    if (count == 0)
        return;
    if (!spoken->any)
        fputs("\nadvice: the most that a change could gain, as a share of the kernel's or the run's time\n",
              out);
    spoken->any = true;
    for (size_t rule = 0; advice_rule_at(rule) != NULL; rule++)
        for (size_t i = 0; i < count; i++)
            spoken->rule[rule] |= items[i].rule == advice_rule_at(rule);
    report_name_print(data, run, kernel, out, wide);
    putc('\n', out);
    print_list(data, facts, items, count, out);
}

static void print_what_to_do(const struct spoken *spoken, FILE *out)
{
    if (spoken->any)
        fputs("what to do now\n", out);
    for (size_t i = 0; advice_rule_at(i) != NULL; i++) {
        const struct advice_rule *rule = advice_rule_at(i);
        if (spoken->rule[i]) {
            char line[600], taught[ADVICE_TAUGHT_TEXT];
            snprintf(line, sizeof line, "%s: %s (%s)", rule->id, rule->now, advice_taught_text(rule, taught));
            putc(' ', out);
            report_print_words(line, 1, out);
        }
    }
}

enum status report_advice_table(const struct report_data *data, FILE *out, bool wide, struct error *error)
{
    struct advice_list list;
    struct spoken spoken = {0};
    enum status status = STATUS_OK; /* of the runs; stops at the first one that cannot be judged */
    for (size_t i = 0; i < data->run_count; i++) {
        const struct report_run *run = &data->runs[i];
        for (uint32_t kernel = 0; kernel < kernel_index_count(data->index); kernel++) {
            if (report_run_has(data, run, kernel)) {
                report_advice_of_kernel(data, kernel, &list);
                print_advice(data, run, kernel, NULL, list.items, list.count, out, wide, &spoken);
            }
        }
        if (data->kernels || status != STATUS_OK || run->runs[RUN_TRACE] == NONE) /* of these alone */
            continue;
        const struct report_facts *facts;
        status = report_facts(data, run, &facts, error);
        if (status == STATUS_OK)
            print_advice(data, run, NONE, facts, facts->advice, facts->advice_count, out, wide, &spoken);
    }
    print_what_to_do(&spoken, out);
    return status;
}
