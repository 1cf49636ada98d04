/* All from core/analysis/launch_sites.h; paths whole in JSON alone. */
#include "cli/report/report_stacks.h"

#include "cli/output/memory.h"
#include "core/analysis/launch_sites.h"
#include "tui/terminal/text.h"
#include "tui/widgets/number.h"

#define SITES_SHOWN 15
#define PLACE_CELLS 66
#define CALLERS_SHOWN 3
#define WIDE_CELLS 1000
#define FRAME_BYTES 2600 /* a session's file and function names, cut here */

/* ---- the table ---- */
static void print_place(const struct session *session, uint32_t stack, int cells, FILE *out)
{
    char text[FRAME_BYTES], shown[FRAME_BYTES];
    session_stack_text(session, stack, text, sizeof text);
    text_shorten(text, cells, shown, sizeof shown);
    text_print(shown, out);
}

/* The program's own frames on the path, the innermost first. */
static void print_callers(const struct session *session, uint32_t stack, bool wide, FILE *out)
{
    uint32_t at = session_stack(session, stack)->caller;
    for (int shown = 0; at != NONE && (wide || shown < CALLERS_SHOWN); shown++) {
        at = session_stack_own(session, at);
        const struct stack_row *row = session_stack(session, at);
        if (row->flags & STACK_LIBRARY)
            return;
        fprintf(out, "%*s", 32, "by ");
        print_place(session, at, wide ? WIDE_CELLS : PLACE_CELLS, out);
        putc('\n', out);
        at = row->caller;
    }
}

static void print_share(uint64_t ns, uint64_t total_ns, uint64_t count, FILE *out)
{
    double share = total_ns > 0 ? 100.0 * (double)ns / (double)total_ns : 0;
    fprintf(out, "%6.1f %% %11s %9s ", share, number_time((int64_t)ns).text, number_short(count).text);
}

/* All work on the device that was traced on the wall clock, including work without a path. */
static struct launch_sites sum_of_work(const struct report_data *data)
{
    const struct report_times *times = &data->times[CLOCK_WALL];
    struct launch_sites all = {.total_ns = (uint64_t)times->gpu_ns};
    for (size_t i = 0; i < times->kernel_count; i++)
        all.launches += times->kernels[i].sum.count;
    for (size_t i = 0; i < times->copy_count; i++)
        all.launches += times->copies[i].sum.count;
    return all;
}

static void print_sites(const struct report_data *data, const struct launch_sites *sites, bool wide,
                        FILE *out)
{
    const struct session *session = data->session;
    struct launch_sites all = sum_of_work(data);
    size_t shown = wide || sites->count < SITES_SHOWN ? sites->count : SITES_SHOWN;
    bool rest = !data->evicted && all.launches > sites->launches && all.total_ns >= sites->total_ns;
    uint64_t total_ns = rest ? all.total_ns : sites->total_ns;
    fputs("\ncall paths: where kernels, copies and sets are called, by their time on the device\n", out);
    fprintf(out, "%8s %11s %9s %s\n", "share", "time", "count", "called at");
    for (size_t i = 0; i < shown; i++) {
        const struct launch_site *site = &sites->sites[i];
        print_share(site->total_ns, total_ns, site->launches, out);
        print_place(session, site->stack, wide ? WIDE_CELLS : PLACE_CELLS + 2, out);
        putc('\n', out);
        print_callers(session, site->stack, wide, out);
    }
    if (shown < sites->count)
        fprintf(out, "and %s more places (--wide)\n", number_exact((int64_t)(sites->count - shown)).text);
    if (rest) {
        print_share(all.total_ns - sites->total_ns, total_ns, all.launches - sites->launches, out);
        fputs("not known: by threads that run no Python (--stacks records their functions)\n", out);
    }
}

void report_stacks_table(const struct report_data *data, FILE *out, bool wide)
{
    struct launch_sites sites;
    memory_check(launch_sites_make(data->session, NONE, NONE, &sites, NULL));
    if (sites.count > 0)
        print_sites(data, &sites, wide, out);
    else
        fputs("\ncall paths: not recorded. Of native programs --record does so with --stacks.\n", out);
    launch_sites_fini(&sites);
}

/* ---- JSON ---- */
static void write_frame(struct json *json, const struct session *session, uint32_t stack)
{
    const struct stack_row *row = session_stack(session, stack);
    json_string(json, "function", session_string(session, row->name));
    if (row->file != 0)
        json_string(json, "file", session_string(session, row->file));
    else
        json_null(json, "file");
    if (row->line > 0)
        json_integer(json, "line", row->line);
    else
        json_null(json, "line");
    json_bool(json, "library", row->flags & STACK_LIBRARY);
}

void report_stacks_kernel_json(struct json *json, const struct session *session, uint32_t kernel)
{
    struct launch_sites sites;
    memory_check(launch_sites_make(session, NONE, kernel, &sites, NULL));
    if (sites.count > 0) {
        json_open(json, "launched_from", '[');
        for (size_t i = 0; i < sites.count; i++) {
            json_open(json, NULL, '{');
            write_frame(json, session, sites.sites[i].stack);
            json_integer(json, "launches", (int64_t)sites.sites[i].launches);
            json_integer(json, "time_ns", (int64_t)sites.sites[i].total_ns);
            json_close(json, '}');
        }
        json_close(json, ']');
    }
    launch_sites_fini(&sites);
}

static void write_path(struct json *json, const struct session *session, const struct launch_site_row *row)
{
    static const char *const kinds[] = {[ITEM_LAUNCH] = "launch", [ITEM_COPY] = "copy", [ITEM_SET] = "set"};
    const struct kernel_row *kernel = session_kernel(session, row->kernel);
    const struct shape_row *shape = kernel == NULL ? NULL : session_shape(session, kernel->shape);
    json_open(json, NULL, '{');
    json_string(json, "kind", kinds[row->kind]);
    if (shape != NULL)
        json_string(json, "kernel", session_string(session, shape->name));
    else
        json_null(json, "kernel");
    json_integer(json, "count", (int64_t)atomic_load_explicit(&row->launches, memory_order_relaxed));
    json_integer(json, "time_ns", (int64_t)atomic_load_explicit(&row->total_ns, memory_order_relaxed));
    json_open(json, "frames", '[');
    for (uint32_t at = row->stack; at != NONE; at = session_stack(session, at)->caller) {
        json_open(json, NULL, '{');
        write_frame(json, session, at);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

void report_stacks_run_json(struct json *json, const struct session *session, uint32_t run)
{
    bool open = false;
    for (uint32_t i = 0; i < session_launch_site_count(session); i++) {
        const struct launch_site_row *row = session_launch_site(session, i);
        if (row->run != run)
            continue;
        if (!open)
            json_open(json, "stacks", '[');
        open = true;
        write_path(json, session, row);
    }
    if (open)
        json_close(json, ']');
}
