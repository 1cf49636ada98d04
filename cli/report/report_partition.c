/* A block for each device of the run: the span, then its classes in the order of the partition, each with
 * what most of it was: a call, a range, code. */
#include "cli/report/report_partition.h"

#include "cli/output/memory.h"
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
        char shown[4 * TEXT_CELLS + 1];
        text_shorten(session_string(session, blame->name), TEXT_CELLS - 3 - (int)strlen(text), shown,
                     sizeof shown);
        fprintf(out, " (%s)", shown);
    }
    putc('\n', out);
}

static void print_partition(const struct session *session, const struct partition *partition, FILE *out)
{
    int64_t span_ns = partition_span_ns(partition);
    const struct device_row *device = session_device(session, partition->device);
    if (span_ns <= 0)
        return;
    fprintf(out, "\nwhere the time went, of %s from the first operation on ", number_time(span_ns).text);
    text_print(device == NULL ? "the device" : device->info.name, out);
    fputs(" to the last\n", out);
    for (int part = 0; part < PARTITION_COUNT; part++)
        if (partition->ns[part] > 0)
            print_class(session, partition, part, out);
}

enum status report_partition_table(const struct session *session, uint32_t run, FILE *out,
                                   struct error *error)
{
    struct partition_list list;
    enum status status = memory_check(partition_compute(session, run, INT64_MIN, INT64_MAX, &list, error));
    for (size_t i = 0; i < list.count; i++)
        print_partition(session, &list.items[i], out);
    partition_free(&list);
    return status;
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
        if (blame->name != 0)
            json_string(json, "name", session_string(session, blame->name));
        else
            json_null(json, "name");
        json_integer(json, "ns", blame->ns);
        json_integer(json, "times", (int64_t)blame->times);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
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
    if (status != STATUS_OK)
        return status;
    json_open(json, "time", '[');
    for (size_t i = 0; i < list.count; i++)
        write_partition(json, session, &list.items[i]);
    json_close(json, ']');
    partition_free(&list);
    return STATUS_OK;
}
