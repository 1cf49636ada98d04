/*
 * Reports the program's run to lanescope: the stand-in is a producer of the wire in an agent's role, so that
 * the process is one run, on the model's clock. Without a collector nothing is sent. Under the lock of
 * standin.c.
 */
#include "standin/standin.h"

#include "standin/interrupt.h"
#include "standin/told_code.h"
#include "standin/waiting.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/demangle.h"
#include "core/base/rank.h"
#include "core/wire/wire.h"
#include "simt/check/finding.h"
#include "simt/device/tally.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct wire_producer *producer; /* NULL: nobody listens */
    uint32_t reports;               /* errors, without notes */
    struct check_seen seen;
    bool limits_told;
    uint64_t launches, uncounted;    /* uncounted: those that were not counted */
    const struct program **programs; /* that were launched, each once */
    size_t program_count, program_capacity;
    char approximate[160]; /* their approximate functions: "ex2.approx, sin.approx" */
    size_t approximate_used;
    struct known_findings *known; /* of --suppress; NULL: none, or not read yet */
    struct check_seen seen_known;
    uint32_t suppressed, uses[CHECK_USE_HOST + 1]; /* uses: what became of what was never written */
    uint32_t refused, unwritten; /* sentences of refusals; reports of reads of memory never written */
    enum check_kind stopped;     /* of the last launch */
    uint64_t polls, polls_most;  /* looks at memory that had not changed: all, and of one launch */
    char polls_kernel[100];      /* of that launch */
    struct progress cut;         /* of the launch that a signal cancelled; blocks 0: none */
    char cut_kernel[100];
    struct tally *tally; /* NULL: nobody asked for one */
} told = {.stopped = CHECK_KIND_COUNT};

static void emit_event(struct event event, enum event_kind kind)
{
    event.kind = (uint8_t)kind;
    if (told.producer)
        wire_emit(told.producer, &event);
}

void told_notice(enum severity severity, enum status status, const char *text)
{
    struct device *device = standin_device();

    told.refused += severity == SEVERITY_ERROR && status == STATUS_UNSUPPORTED;
    if (told.producer)
        emit_event((struct event){.notice = {.time_ns = device ? simt_device_now_ns(device) : 0,
                                             .text = wire_string(told.producer, text),
                                             .severity = (uint8_t)severity,
                                             .status = (uint8_t)status}},
                   EVENT_NOTICE);
}

void told_range(enum event_kind kind, uint64_t id, const char *text, const char *domain)
{
    struct device *device = standin_device();

    if (!told.producer || !device)
        return;
    emit_event((struct event){.range = {.time_ns = simt_device_now_ns(device),
                                        .id = id,
                                        .name = text && *text ? wire_string(told.producer, text) : 0,
                                        .domain = domain && *domain ? wire_string(told.producer, domain) : 0,
                                        .thread = standin_thread()}},
               kind);
}

/* A file that cannot be read suppresses nothing, and is an error once. */
static bool told_known_open(const char *path)
{
    static bool failed;
    struct error error;

    if (!told.known && !failed && known_findings_open(path, &told.known, &error) != STATUS_OK) {
        failed = true;
        standin_refuse("%s", error.text);
    }
    return told.known != NULL;
}

/* ---- the model's sink ---- */
static void sink_emit(void *owner, const struct event *event)
{
    (void)owner;
    if (told.producer)
        wire_emit(told.producer, event);
}

static uint32_t sink_string(void *owner, const char *text)
{
    (void)owner;
    return told.producer && text && *text ? wire_string(told.producer, text) : 0;
}

/* The reason for which a finding is suppressed; NULL: it is not. The file is read when the first one is
 * there. */
static const char *reason_of(const char *text)
{
    const char *path = getenv(STANDIN_KNOWN_VARIABLE);
    struct finding finding;

    return path && told_known_open(path) && finding_read(text, &finding)
               ? known_findings_find(told.known, &finding)
               : NULL;
}

static void tell_report(const struct program *program, const struct check_report *report)
{
    char text[1024];
    const char *reason = NULL; /* for which it is suppressed */
    const bool note = check_is_note(report);

    check_text(program, report, text, sizeof text);
    if (!check_stops(report->kind) && !note)
        reason = reason_of(text);
    told.reports += !note && !reason;
    if (!check_see(reason ? &told.seen_known : &told.seen, program, report))
        return;
    if (report->kind == CHECK_UNINITIALISED && !note) {
        told.unwritten++;
        told.uses[report->use]++;
    }
    if (reason) {
        told.suppressed++;
        finding_add_reason(text, sizeof text, reason);
        told_notice(SEVERITY_INFO, STATUS_CHECK, text);
        return;
    }
    if (!check_stops(report->kind)) /* else the launch's own message says it */
        fprintf(stderr, "lanescope: %s\n", text);
    told_notice(note ? SEVERITY_INFO : SEVERITY_ERROR, note ? STATUS_OK : STATUS_CHECK, text);
}

/* What came again in later launches. */
static void tell_again(void)
{
    for (uint32_t i = 0; i < told.seen.count; i++) {
        char text[1024];
        if (!check_seen_text(&told.seen.rows[i], text, sizeof text))
            continue;
        fprintf(stderr, "lanescope: %s\n", text);
        told_notice(SEVERITY_INFO, STATUS_OK, text);
    }
}

static void readable_name(const char *kernel, char *name, size_t size_bytes)
{
    char *demangled = demangle(kernel);

    progress_kernel_name(demangled ? demangled : kernel, name, size_bytes);
    free(demangled);
}

/* Notes the approximate functions of a program that is launched for the first time. */
static void program_note(const struct program *program)
{
    char text[200], name[32];

    for (size_t i = 0; i < told.program_count; i++)
        if (told.programs[i] == program)
            return;
    if (!array_grow(told.programs, told.program_capacity, told.program_count, 1))
        return;
    told.programs[told.program_count++] = program;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        program_instruction_text(program, i, text, sizeof text);
        const char *first = strncmp(text, "@", 1) == 0 ? strchr(text, ' ') : text; /* after a guard */
        const char *mark = first ? strstr(first, ".approx") : NULL;
        if (!mark || (strchr(first, '%') && mark > strchr(first, '%')))
            continue;
        first += *first == ' ';
        snprintf(name, sizeof name, "%.*s", (int)(mark + strlen(".approx") - first), first);
        if (!strstr(told.approximate, name))
            append_text(told.approximate, sizeof told.approximate, &told.approximate_used, ", %s", name);
    }
}

static void sink_launched(void *owner, const struct simt_launch *launch)
{
    const struct check_result *checks = &launch->result->checks;
    char limits[400];

    (void)owner;
    told.launches++;
    told.uncounted += launch->uncounted;
    if (launch->program)
        program_note(launch->program);
    told.polls += launch->result->counter.polls;
    if (launch->result->counter.polls > told.polls_most) {
        told.polls_most = launch->result->counter.polls;
        readable_name(launch->program->entry->name, told.polls_kernel, sizeof told.polls_kernel);
    }
    if (told.producer)
        told_code(told.producer, launch);
    tally_add(told.tally, launch);
    told.stopped = CHECK_KIND_COUNT;
    for (uint32_t i = 0; i < checks->report_count; i++) {
        if (told.stopped == CHECK_KIND_COUNT && check_stops(checks->reports[i].kind))
            told.stopped = checks->reports[i].kind;
        tell_report(launch->program, &checks->reports[i]);
    }
    if (!told.limits_told && check_limits_text(launch->program, checks, limits, sizeof limits)) {
        told.limits_told = true;
        fprintf(stderr, "lanescope: %s\n", limits);
        told_notice(SEVERITY_WARNING, STATUS_OK, limits);
    }
}

enum check_kind told_stopped(void)
{
    enum check_kind kind = told.stopped;

    told.stopped = CHECK_KIND_COUNT;
    return kind;
}

static void sink_reported(void *owner, const struct program *program, const struct check_report *report)
{
    (void)owner;
    tell_report(program, report);
}

bool told_found(void)
{
    return told.reports > 0;
}

static void sink_progress(void *owner, const char *kernel, const struct progress *progress)
{
    (void)owner;
    if (told.producer)
        wire_progress(told.producer, kernel, progress);
    waiting_tell(kernel, progress);
    if (!progress->over || !atomic_load(interrupt_flag()))
        return;
    told.cut = *progress;
    readable_name(kernel, told.cut_kernel, sizeof told.cut_kernel);
}

/* Writes through the program's own stream, so that the order with the program's own output is kept. */
static void sink_printed(void *owner, bool asserted, const char *text, size_t size_bytes)
{
    (void)owner;
    fwrite(text, 1, size_bytes, asserted ? stderr : stdout);
}

/* ---- begin and end ---- */
void told_connect(struct simt_options *options)
{
    const char *path = getenv(WIRE_SOCKET_VARIABLE);
    const struct wire_hello hello = {.role = WIRE_ROLE_AGENT,
                                     .start_ns = clock_real_ns(),
                                     .clock = CLOCK_MODEL,
                                     .run_mode = RUN_TRACE,
                                     .rank = rank_of_job()};
    struct error error;

    told.tally = tally_open();
    options->workers = tally_workers(told.tally);
    options->sink = (struct simt_sink){.emit = sink_emit,
                                       .string = sink_string,
                                       .launched = sink_launched,
                                       .reported = sink_reported,
                                       .progress = sink_progress,
                                       .printed = sink_printed};
    if (path && *path && wire_producer_create(&told.producer, path, &hello, 0, &error) != STATUS_OK)
        fprintf(stderr, "lanescope: %s\n", error.text);
    options->costliest = told.producer != NULL;
}

void told_begin(struct device *device, uint32_t gpus)
{
    for (uint32_t gpu = 0; told.producer && gpu < gpus; gpu++) {
        struct device_info info = *device->ops->info(device);
        info.uuid[sizeof info.uuid - 1] ^= (uint8_t)gpu;
        wire_emit_blob(told.producer, BLOB_DEVICE, gpu, &info, sizeof info);
    }
}

/* Not an error: the end of the program frees it, and many programs leave it at that. */
void told_leaks(struct device *device)
{
    struct simt_live live = simt_device_live(device);
    char text[200];

    if (live.count == 0)
        return;
    snprintf(text, sizeof text, "%llu allocation%s of the device, %llu bytes in all, %s not freed.",
             (unsigned long long)live.count, live.count == 1 ? "" : "s", (unsigned long long)live.bytes,
             live.count == 1 ? "was" : "were");
    fprintf(stderr, "lanescope: %s\n", text);
    told_notice(SEVERITY_WARNING, STATUS_OK, text);
}

/* What the file of --suppress was good for; rows that fit nothing hide what is to come. */
static void told_known(char *text, size_t size_bytes)
{
    const char *path = getenv(STANDIN_KNOWN_VARIABLE);
    unsigned line = 0;
    size_t used = 0;

    if (!path || !standin_checks() || !told_known_open(path))
        return;
    size_t unmet = known_findings_unmet(told.known, &line);
    append_text(text, size_bytes, &used, "%u finding%s of --check %s known by %.200s.", told.suppressed,
                told.suppressed == 1 ? "" : "s", told.suppressed == 1 ? "is" : "are", path);
    if (unmet)
        append_text(text, size_bytes, &used,
                    " %zu of its rows fit%s none, the first in line %u: remove what is mended.", unmet,
                    unmet == 1 ? "s" : "", line);
    fprintf(stderr, "lanescope: %s\n", text);
    told_notice(unmet ? SEVERITY_WARNING : SEVERITY_INFO, STATUS_OK, text);
    known_findings_close(told.known);
    told.known = NULL;
}

static void append_uses(char *text, size_t size_bytes, size_t *used)
{
    static const char *const places[] = {[CHECK_USE_READ] = "in a read",
                                         [CHECK_USE_ADDRESS] = "in an address",
                                         [CHECK_USE_BRANCH] = "in a branch",
                                         [CHECK_USE_OPERAND] = "in a mask or size",
                                         [CHECK_USE_HOST] = "at the host"};

    append_text(text, size_bytes, used, "; effects of memory never written: %u (", told.unwritten);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (told.uses[i])
            append_text(text, size_bytes, used, "%u %s, ", told.uses[i], places[i]);
    append_text(text, size_bytes, used, "the errors say where)");
}

/* What of the run is exact, and what is not: one sentence, which report, JSON and screen show. */
static void fidelity_text(char *text, size_t size_bytes)
{
    size_t used = 0;

    if (told.launches)
        append_text(text, size_bytes, &used,
                    STANDIN_FIDELITY "exact: what kernels compute, and the counts of %llu of %llu launches; "
                                     "approximated: times, cache hits%s; ",
                    (unsigned long long)(told.launches - told.uncounted), (unsigned long long)told.launches,
                    told.approximate);
    else
        append_text(text, size_bytes, &used,
                    STANDIN_FIDELITY "no kernel was launched; approximated: times; ");
    append_text(text, size_bytes, &used,
                "work completes when it is issued, so that a missing synchronisation does not show; the "
                "host's own time "
                "is not modelled; ");
    if (told.refused)
        append_text(text, size_bytes, &used, "refused: %u (the errors say what)", told.refused);
    else
        append_text(text, size_bytes, &used, "refused: nothing");
    if (!standin_checks())
        append_text(text, size_bytes, &used, "; effects of memory never written: not looked for (--check)");
    else if (told.unwritten)
        append_uses(text, size_bytes, &used);
    else
        append_text(text, size_bytes, &used, "; effects of memory never written: none");
    append_text(text, size_bytes, &used, ".");
}

void told_end(struct device *device)
{
    char text[400], fidelity[700];
    struct error error;

    snprintf(
        text, sizeof text,
        "Warps looked at memory %llu times without finding a change, while they waited for other threads, "
        "most in %s (%llu times in a launch). These polls are counted here, not as instructions: their "
        "number on a GPU depends on time.",
        (unsigned long long)told.polls, told.polls_kernel, (unsigned long long)told.polls_most);
    if (told.polls)
        told_notice(SEVERITY_INFO, STATUS_OK, text);

    snprintf(text, sizeof text,
             "%llu launches were executed but not counted: only the first ones of each kernel and shape are "
             "counted. "
             "The others have the time of the last counted one. --launches 0 counts all.",
             (unsigned long long)told.uncounted);
    if (told.uncounted)
        told_notice(SEVERITY_INFO, STATUS_OK, text);
    tell_again();
    told_known(text, sizeof text);
    fidelity_text(fidelity, sizeof fidelity);
    told_notice(SEVERITY_INFO, STATUS_OK, fidelity);
    simt_device_caller(device, (struct simt_caller){
                                   .call = UINT64_MAX, .name = "end of the program", .thread = MODEL_THREAD});
    device->ops->sync(device, NULL); /* on a GPU, too, the process waits for what it has issued */
    if (tally_close(told.tally, &error) != STATUS_OK)
        fprintf(stderr, "lanescope: %s\n", error.text);
    told.tally = NULL;

    emit_event((struct event){.watermark = {.time_ns = simt_device_now_ns(device)}}, EVENT_WATERMARK);
}

void told_signal(int signal_number)
{
    char text[400];
    const char *name = signal_number == SIGINT ? "INT" : signal_number == SIGTERM ? "TERM" : "HUP";

    if (told.cut.ended < told.cut.blocks)
        snprintf(text, sizeof text,
                 "The program was ended by SIG%s. Kernel %s, launch %llu, ran for %.1f s: %u %% of its %llu "
                 "block%s had ended. "
                 "This launch is not counted; what ended before it is kept.",
                 name, told.cut_kernel, (unsigned long long)told.cut.launch,
                 1e-9 * (double)told.cut.elapsed_ns, progress_percent(&told.cut),
                 (unsigned long long)told.cut.blocks, told.cut.blocks == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "The program was ended by SIG%s. What ended before is kept.", name);
    fprintf(stderr, "lanescope: %s\n", text);
    told_notice(SEVERITY_ERROR, STATUS_STATE, text); /* the recording is of a part of the run */
    tally_discard(told.tally);                       /* not all of the program's launches are in it */
    told.tally = NULL;
}

void told_close(void)
{
    if (!told.producer)
        return;
    emit_event((struct event){.goodbye = {.time_ns = 0}}, EVENT_GOODBYE);
    wire_producer_destroy(told.producer);
    told.producer = NULL;
    free(told.programs);
    told.programs = NULL;
    told.program_count = told.program_capacity = 0;
}

void told_forget(void)
{
    if (told.producer)
        wire_producer_abandon(told.producer);
    told.producer = NULL;
    tally_discard(told.tally);
    told.tally = NULL;
}
