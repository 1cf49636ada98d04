/* A block for each device of the run: the span, then its classes in the order of the partition, each with
 * what most of it was: a call, a range, code. */
#include "cli/report/report_partition.h"

#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <string.h>

#define BAR_CELLS 16
#define TEXT_CELLS 60 /* cells of 100 columns, beside share, bar and time */

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

/* The classes of a device over a span; its description, which ends in a colon, is printed first. */
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

/* The text of what is described, its device and its classes. */
static void print_partition(const struct session *session, const struct partition *partition,
                            const char *what, FILE *out)
{
    fprintf(out, "\nwhere the time %s on ", what);
    print_device(session, partition, out);
    fputs(":\n", out);
    print_classes(session, partition, out);
}

void report_partition_table(const struct session *session, const struct report_facts *facts, FILE *out)
{
    const struct steps *steps = &facts->figures.steps;
    char what[400];
    for (size_t i = 0; i < facts->time.count; i++) {
        int64_t span_ns = partition_span_ns(&facts->time.items[i]);
        snprintf(what, sizeof what, "went, %s from the first operation to the last",
                 number_time(span_ns).text);
        if (span_ns > 0)
            print_partition(session, &facts->time.items[i], what, out);
    }
    for (size_t i = 0; i < facts->steps_time.count; i++) {
        snprintf(what, sizeof what, "of %s steps went, %s each with %s launches,",
                 number_exact((int64_t)steps->count).text,
                 number_time((steps->end_ns - steps->start_ns) / (int64_t)steps->count).text,
                 number_exact((int64_t)steps->launches).text);
        print_partition(session, &facts->steps_time.items[i], what, out);
    }
}
