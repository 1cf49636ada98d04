/* A block for each device of the run: the span, then its classes in the order of the partition, each with
 * what most of it was: a call, a range, code. */
#include "cli/report/report_partition.h"

#include "cli/output/memory.h"
#include "core/analysis/steps.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <string.h>

#define BAR_CELLS 16
#define TEXT_CELLS 60 /* of 100 columns, beside share, bar and time */

static const struct partition_blame *blame_of(const struct partition *partition, int part)
{
    for (uint32_t i = 0; i < partition->blame_count; i++) /* longest first */
        if (partition->blames[i].part == part && partition->blames[i].name != 0)
            return &partition->blames[i];
    return NULL;
}

static void print_class(const struct session *session, const struct partition *partition, int part, FILE *out)
{
    int64_t ns = partition->ns[part], span_ns = partition_span_ns(partition);
    double share = (double)ns / (double)span_ns;
    int cells = (int)(share * BAR_CELLS + 0.5);
    char bar[BAR_CELLS + 1];
    for (int i = 0; i < BAR_CELLS; i++)
        bar[i] = i < cells ? '#' : ' ';
    bar[BAR_CELLS] = '\0';
    const char *text = partition_class_text((enum partition_class)part);
    fprintf(out, "%9.2f %% %s %9s  %s", 100 * share, bar, number_time(ns).text, text);
    const struct partition_blame *blame = blame_of(partition, part);
    if (blame != NULL && part >= PARTITION_IDLE_FIRST) {
        char shown[4 * TEXT_CELLS + 1], name[400];
        partition_blame_name(session, blame, name, sizeof name);
        text_shorten(name, TEXT_CELLS - 3 - (int)strlen(text), shown, sizeof shown);
        fprintf(out, " (%s)", shown);
    }
    putc('\n', out);
}

/* The classes of a device over a span whose description ends in a colon. */
static void print_classes(const struct session *session, const struct partition *partition, FILE *out)
{
    for (int part = 0; part < PARTITION_COUNT; part++)
        if (partition->ns[part] > 0)
            print_class(session, partition, part, out);
}

static void print_device(const struct session *session, const struct partition *partition, FILE *out)
{
    const struct device_row *device = session_device(session, partition->device);
    if (device != NULL)
        text_print(device->info.name, out);
    else
        fputs("the device", out);
}

/* The steps of a loop, where there is one: what is typical of the run, without its set-up. */
static enum status print_steps(const struct session *session, uint32_t run, FILE *out, struct error *error)
{
    struct steps steps;
    struct partition_list list = {0};
    enum status status = memory_check(steps_find(session, run, &steps, error));
    if (status == STATUS_OK && steps.count > 0)
        status = memory_check(partition_compute(session, run, steps.start_ns, steps.end_ns, &list, error));
    for (size_t i = 0; i < list.count; i++) {
        int64_t step_ns = (steps.end_ns - steps.start_ns) / (int64_t)steps.count;
        fprintf(out, "\nwhere the time of %s steps went, %s each with %s launches, on ",
                number_exact((int64_t)steps.count).text, number_time(step_ns).text,
                number_exact((int64_t)steps.launches).text);
        print_device(session, &list.items[i], out);
        fputs(":\n", out);
        print_classes(session, &list.items[i], out);
    }
    partition_free(&list);
    return status;
}

enum status report_partition_table(const struct session *session, uint32_t run, FILE *out,
                                   struct error *error)
{
    struct partition_list list;
    enum status status = memory_check(partition_compute(session, run, INT64_MIN, INT64_MAX, &list, error));
    for (size_t i = 0; i < list.count; i++) {
        if (partition_span_ns(&list.items[i]) <= 0)
            continue;
        fprintf(out, "\nwhere the time went, %s from the first operation to the last on ",
                number_time(partition_span_ns(&list.items[i])).text);
        print_device(session, &list.items[i], out);
        fputs(":\n", out);
        print_classes(session, &list.items[i], out);
    }
    partition_free(&list);
    return status == STATUS_OK ? print_steps(session, run, out, error) : status;
}

static void write_partition(struct json *json, const struct session *session,
                            const struct partition *partition)
{
    json_open(json, NULL, '{');
    json_integer(json, "span_ns", partition_span_ns(partition));
    json_open(json, "classes", '{');
    for (int part = 0; part < PARTITION_COUNT; part++)
        json_integer(json, partition_class_id((enum partition_class)part), partition->ns[part]);
    json_close(json, '}');
    json_integer(json, "copies_hidden_ns", partition->copy_hidden_ns);
    json_integer(json, "collectives_hidden_ns", partition->collective_hidden_ns);
    json_open(json, "idle", '[');
    for (uint32_t i = 0; i < partition->blame_count; i++) {
        const struct partition_blame *blame = &partition->blames[i];
        json_open(json, NULL, '{');
        json_string(json, "class", partition_class_id((enum partition_class)blame->part));
        char name[400];
        partition_blame_name(session, blame, name, sizeof name);
        if (blame->name != 0)
            json_string(json, "name", name);
        else
            json_null(json, "name");
        json_integer(json, "ns", blame->ns);
        json_integer(json, "times", (int64_t)blame->times);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void write_partitions(struct json *json, const struct session *session,
                             const struct partition_list *list)
{
    json_open(json, "time", '[');
    for (size_t i = 0; i < list->count; i++)
        write_partition(json, session, &list->items[i]);
    json_close(json, ']');
}

enum status report_partition_json(struct json *json, const struct session *session, uint32_t run,
                                  struct error *error)
{
    struct partition_list list;
    if (run == NONE) {
        json_null(json, "time");
        return STATUS_OK;
    }
    enum status status = memory_check(partition_compute(session, run, INT64_MIN, INT64_MAX, &list, error));
    if (status == STATUS_OK)
        write_partitions(json, session, &list);
    partition_free(&list);
    return status;
}

enum status report_steps_json(struct json *json, const struct session *session, uint32_t run,
                              struct error *error)
{
    struct steps steps = {0};
    struct partition_list list = {0};
    enum status status = run == NONE ? STATUS_OK : memory_check(steps_find(session, run, &steps, error));
    if (status == STATUS_OK && steps.count == 0) {
        json_null(json, "steps");
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        status = memory_check(partition_compute(session, run, steps.start_ns, steps.end_ns, &list, error));
    if (status == STATUS_OK) {
        json_open(json, "steps", '{');
        json_integer(json, "count", (int64_t)steps.count);
        json_integer(json, "launches", (int64_t)steps.launches);
        json_integer(json, "start_ns", steps.start_ns);
        json_integer(json, "end_ns", steps.end_ns);
        write_partitions(json, session, &list);
        json_close(json, '}');
    }
    partition_free(&list);
    return status;
}
