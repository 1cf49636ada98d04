/* One table of factors gives the columns; shares come from core/analysis/amdahl.h. */
#include "cli/report/report_amdahl.h"

#include "cli/output/memory.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_name.h"
#include "cli/report/report.h"
#include "core/analysis/amdahl.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#include <math.h>
#include <string.h>

#define TABLE_ROWS 5
#define NAME_CELLS 41

static const struct {
    const char *id;
    double factor; /* 0: no end to it */
} factors[] = {{"2x", 2}, {"10x", 10}, {"infinite", 0}};
#define FACTORS (sizeof factors / sizeof factors[0])

static double speedup_of(const struct amdahl_share *share, int64_t whole_ns, size_t which)
{
    double factor = factors[which].factor > 0 ? factors[which].factor : (double)INFINITY;
    return amdahl_speedup(share->alone_ns, whole_ns, factor);
}

/* ---- JSON ---- */
/* The kernel's place among the run's; -1: not found. */
static int64_t place_of(const struct report_data *data, const struct report_run *run, uint32_t wanted)
{
    int64_t place = 0;
    for (uint32_t kernel = 0; kernel < kernel_index_count(data->index); kernel++) {
        if (report_run_has(data, run, kernel)) {
            if (kernel == wanted)
                return place;
            place++;
        }
    }
    return -1;
}

static void write_whole(struct json *json, const char *key, const struct amdahl_share *share,
                        int64_t whole_ns)
{
    json_open(json, key, '{');
    json_number(json, "share", whole_ns > 0 ? (double)share->alone_ns / (double)whole_ns : (double)NAN);
    for (size_t i = 0; i < FACTORS; i++)
        json_number(json, factors[i].id, speedup_of(share, whole_ns, i)); /* one without an end is null */
    json_close(json, '}');
}

enum status report_amdahl_json(struct json *json, const struct report_data *data,
                               const struct report_run *run, struct error *error)
{
    uint32_t traced = run->runs[RUN_TRACE];
    struct amdahl law;
    if (traced == NONE) {
        json_null(json, "amdahl");
        return STATUS_OK;
    }
    enum status status = memory_check(amdahl_compute(data->session, traced, &law, error));
    if (status == STATUS_OK) {
        bool model = session_run(data->session, traced)->clock == CLOCK_MODEL;
        json_open(json, "amdahl", '{');
        json_string(json, "provenance", provenance_text(model ? PROVENANCE_MODELLED : PROVENANCE_MEASURED));
        json_bool(json, "derived", true);
        json_string(json, "formula", AMDAHL_FORMULA);
        json_integer(json, "device_time_ns", law.times.ns[RUN_TIME_DEVICE]);
        json_integer(json, "run_ns", law.times.ns[RUN_TIME_WHOLE]);
        json_integer(json, "device_span_ns", law.times.ns[RUN_TIME_SPAN]);
        json_open(json, "kernels", '[');
        for (size_t i = 0; i < law.count; i++) {
            const struct amdahl_share *share = &law.shares[i];
            int64_t place = place_of(data, run, share->kernel);
            if (place < 0)
                continue;
            json_open(json, NULL, '{');
            json_integer(json, "kernel", place);
            json_integer(json, "busy_ns", share->busy_ns);
            json_integer(json, "alone_ns", share->alone_ns);
            write_whole(json, "of_device_time", share, law.times.ns[RUN_TIME_DEVICE]);
            write_whole(json, "of_run", share, law.times.ns[RUN_TIME_WHOLE]);
            write_whole(json, "of_device_span", share, law.times.ns[RUN_TIME_SPAN]);
            json_close(json, '}');
        }
        json_close(json, ']');
        json_close(json, '}');
    }
    amdahl_fini(&law);
    return status;
}

/* ---- table ---- */
static void print_share(const struct report_data *data, const struct amdahl_share *share, int64_t device_ns,
                        FILE *out, bool wide)
{
    const struct kernel_row *kernel = session_kernel(data->session, share->kernel);
    const char *whole = session_string(data->session, session_shape(data->session, kernel->shape)->name);
    char shown[4 * NAME_CELLS + 1];
    fprintf(out, "%7.2f %% %9s %9s ", 100.0 * (double)share->alone_ns / (double)device_ns,
            number_time(share->busy_ns).text, number_time(share->alone_ns).text);
    for (size_t i = 0; i < FACTORS; i++) {
        double factor = speedup_of(share, device_ns, i);
        if (isfinite(factor))
            fprintf(out, "%7.2fx ", factor);
        else
            fprintf(out, "%8s ", "no limit");
    }
    putc(' ', out);
    if (wide) {
        text_print(whole, out);
    } else {
        report_kernel_shorten(data, share->kernel, NAME_CELLS, false, shown, sizeof shown);
        fputs(shown, out);
    }
    putc('\n', out);
}

static enum status print_run(const struct report_data *data, const struct report_run *run, FILE *out,
                             bool wide, struct error *error)
{
    uint32_t traced = run->runs[RUN_TRACE];
    struct amdahl law;
    if (traced == NONE || session_run(data->session, traced)->workload)
        return STATUS_OK;
    enum status status = memory_check(amdahl_compute(data->session, traced, &law, error));
    if (status == STATUS_OK && law.count > 0 && law.times.ns[RUN_TIME_DEVICE] > 0) {
        char program[4 * NAME_CELLS + 1];
        text_shorten(session_string(data->session, session_run(data->session, traced)->program), NAME_CELLS,
                     program, sizeof program);
        fprintf(out, "\nthe %s of %s, %s of a %s of %s, if one kernel were faster\n",
                run_time_name(RUN_TIME_DEVICE), program, number_time(law.times.ns[RUN_TIME_DEVICE]).text,
                run_time_name(RUN_TIME_WHOLE), number_time(law.times.ns[RUN_TIME_WHOLE]).text);
        fprintf(out, "%9s %9s %9s %8s %8s %8s  kernel\n", "p", "busy", "alone", "2x", "10x", "infinite");
        for (size_t i = 0; i < law.count && i < TABLE_ROWS; i++)
            print_share(data, &law.shares[i], law.times.ns[RUN_TIME_DEVICE], out, wide);
        fputs("  = " AMDAHL_FORMULA "\n", out);
    }
    amdahl_fini(&law);
    return status;
}

enum status report_amdahl_table(const struct report_data *data, FILE *out, bool wide, struct error *error)
{
    for (size_t i = 0; i < data->run_count; i++) {
        enum status status = print_run(data, &data->runs[i], out, wide, error);
        if (status != STATUS_OK)
            return report_leave_out(out, "the whole, if one kernel were faster", status, error);
    }
    return STATUS_OK;
}
