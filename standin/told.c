/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports the program's run to lanescope: the stand-in is a producer of the wire in an agent's role, so that
 * the process is one run, on the model's clock. Without a collector nothing is sent. Under the lock of
 * standin.c.
 */
#include "standin/standin.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/function_name.h"
#include "core/base/lookup.h"
#include "core/base/rank.h"
#include "core/wire/dormant.h"
#include "core/wire/standin_config.h"
#include "core/wire/wire.h"
#include "simt/check/finding.h"
#include "simt/device/device.h"
#include "simt/device/tally.h"
#include "simt/engine/capture.h"
#include "standin/interrupt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- how far a launch is ---- */

/*
 * Says on standard error how far a launch is that runs for long, if lanescope asks for it
 * (STANDIN_WAITING_VARIABLE). On a terminal: one line below the cursor, from the launch's second second on,
 * removed at its end. Elsewhere: one line in the run, after the seconds that the variable gives. Only while a
 * launch runs, so that the program's own thread does not write at the same time.
 *
 * The cursor stays where the program left it, possibly behind text without an end of line: ESC D makes sure
 * that there is a line below, ESC 7 and ESC 8 save and restore the cursor.
 */

#define LINE_AFTER_NS (2 * (int64_t)NS_PER_S)
#define LINE_BYTES 300

static struct {
    bool wanted, on_terminal;
    bool shown;          /* the line on the terminal */
    bool said;           /* the one line elsewhere */
    int64_t sentence_ns; /* when that may be said, by the monotonic clock */
} waiting;

void waiting_begin(void)
{
    const char *seconds = getenv(STANDIN_WAITING_VARIABLE);

    waiting.wanted = seconds != NULL;
    waiting.on_terminal = isatty(STDERR_FILENO);
    waiting.sentence_ns = clock_monotonic_ns() + (seconds ? atoi(seconds) : 0) * (int64_t)NS_PER_S;
}

static unsigned terminal_columns(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void line_print(const char *text)
{
    char bytes[LINE_BYTES + 40];
    int length = snprintf(bytes, sizeof bytes, "%s\0337\033[B\r\033[K%.*s\0338",
                          *text && !waiting.shown ? "\033D\033[A" : "", (int)terminal_columns() - 1, text);

    if (write(STDERR_FILENO, bytes, (size_t)length) != length)
        waiting.wanted = false;
    waiting.shown = *text != '\0';
}

static void waiting_tell(const char *kernel, const struct progress *progress)
{
    char text[LINE_BYTES];

    if (!waiting.wanted)
        return;
    if (progress->over) {
        if (waiting.shown)
            line_print("");
        return;
    }
    bool line = waiting.on_terminal && progress->elapsed_ns >= LINE_AFTER_NS;
    bool sentence = !waiting.on_terminal && !waiting.said && clock_monotonic_ns() >= waiting.sentence_ns;
    if (!line && !sentence)
        return;
    char *demangled = demangle(kernel);
    char name[100];
    progress_kernel_name(demangled ? demangled : kernel, name, sizeof name);
    progress_text(progress, name, text, sizeof text);
    free(demangled);
    if (line)
        line_print(text);
    else
        fprintf(stderr, "lanescope: %s\n", text);
    waiting.said |= sentence;
}

/* ---- costs of source lines ---- */

/*
 * The costs of source lines on the wire. Under the lock of standin.c.
 *
 * What the lines of the program's kernels cost: the first counted launch of each kernel and shape is sent as
 * an agent sends the counts of instructions (docs/wire.md), with the counters "model." and the name of a
 * cost. A function's instructions are sent once, its number is that of its row. With the costs go the
 * addresses of the costliest execution of each memory instruction, for the lane map. Under the lock of
 * standin.c.
 */

#define TEXT_BYTES 120 /* of an instruction */
/* Of a process: a program with thousands of shapes would fill the recording with addresses. */
#define ACCESSES_MAX 8192u

struct sent_launch {
    const struct program *program; /* stays until the device is closed */
    uint32_t grid[3], block[3], shared_bytes;
};

static const struct program **functions;
static size_t function_count, function_capacity;
static struct sent_launch *launches;
static size_t launch_count, launch_capacity;
static struct lookup known_launches;
static uint32_t accesses_sent;
static struct capture parts; /* of one access */

static bool launch_equals(const void *context, uint32_t row, const void *key)
{
    return memcmp((const struct sent_launch *)context + row, key, sizeof(struct sent_launch)) == 0;
}

/* False: it was sent before, or there is no memory to remember it. */
static bool launch_is_new(const struct simt_launch *launch)
{
    struct sent_launch key;
    memset(&key, 0, sizeof key);
    key.program = launch->program;
    memcpy(key.grid, launch->launch->grid, sizeof key.grid);
    memcpy(key.block, launch->launch->block, sizeof key.block);
    key.shared_bytes = launch->launch->dynamic_shared_bytes;
    uint32_t hash = lookup_hash(0, &key, sizeof key);
    if (lookup_find(&known_launches, hash, launch_equals, launches, &key) != LOOKUP_NONE ||
        !array_grow(launches, launch_capacity, launch_count, 1) || !lookup_reserve(&known_launches))
        return false;
    launches[launch_count] = key;
    lookup_add(&known_launches, hash, (uint32_t)launch_count++);
    return true;
}

static void instructions_send(struct wire_producer *producer, const struct program *program,
                              uint32_t function)
{
    const char *file = line_cost_file(program);
    struct event event = {.kind = EVENT_FUNCTION};
    event.function.id = function;
    event.function.name = wire_string(producer, program->entry->name);
    event.function.module = function;
    event.function.size_bytes = program->instruction_count;
    wire_emit(producer, &event);
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        char text[TEXT_BYTES];
        program_instruction_text(program, i, text, sizeof text);
        event = (struct event){.kind = EVENT_INSTRUCTION};
        event.instruction.function = function;
        event.instruction.pc_offset = i;
        event.instruction.text = wire_string(producer, text);
        event.instruction.line = line_cost_line(program, i, file);
        event.instruction.file = event.instruction.line > 0 ? wire_string(producer, file) : 0;
        wire_emit(producer, &event);
    }
}

/* From 1; 0: no memory. */
static uint32_t function_number(struct wire_producer *producer, const struct program *program)
{
    for (size_t i = 0; i < function_count; i++)
        if (functions[i] == program)
            return (uint32_t)i + 1;
    if (!array_grow(functions, function_capacity, function_count, 1))
        return 0;
    functions[function_count++] = program;
    instructions_send(producer, program, (uint32_t)function_count);
    return (uint32_t)function_count;
}

static uint32_t counter_name(struct wire_producer *producer, enum code_cost cost)
{
    char name[60];
    snprintf(name, sizeof name, CODE_COST_OF_MODEL "%s", code_cost_info(cost)->id);
    return wire_string(producer, name);
}

static uint16_t limit_16(uint64_t number)
{
    return number < UINT16_MAX ? (uint16_t)number : UINT16_MAX;
}

static void access_send(struct wire_producer *producer, const struct costliest_access *of,
                        const struct capture_access *part, const struct count_instruction *all,
                        struct event event)
{
    const struct program_instruction *instruction =
        &parts.kernels[part->kernel]->instructions[of->instruction];
    char text[ACCESS_TEXT_BYTES];
    access_print(&part->access, text);
    event.kind = EVENT_ACCESS;
    event.flags =
        (uint8_t)((part->access.store ? ACCESS_IS_STORE : 0) | (part->atomic ? ACCESS_IS_ATOMIC : 0) |
                  (part->atomic && instruction->sub == ATOMIC_CAS ? ACCESS_IS_SWAP : 0) |
                  (part->atomic && of->space == PTX_GLOBAL ? ACCESS_IS_PASSES : 0) |
                  (part->whole ? ACCESS_IS_ALONE : 0) |
                  (part->access.l1 == ACCESS_L1_ON    ? ACCESS_IS_L1_ON
                   : part->access.l1 == ACCESS_L1_OFF ? ACCESS_IS_L1_OFF
                                                      : 0));
    event.access.pc_offset = of->instruction;
    event.access.addresses = wire_string(producer, text);
    event.access.block = of->block;
    event.access.warp = limit_16(of->warp);
    event.access.part = limit_16(part->part);
    event.access.transfers = limit_16(part->transfers);
    event.access.ideal_transfers = limit_16(part->ideal_transfers);
    event.access.space = of->space == PTX_SHARED  ? ACCESS_SHARED
                         : of->space == PTX_LOCAL ? ACCESS_LOCAL
                                                  : ACCESS_GLOBAL;
    event.access.width_bytes = (uint8_t)part->access.width_bytes;
    event.access.requests = all->requests < UINT32_MAX ? (uint32_t)all->requests : UINT32_MAX;
    event.access.all_transfers = count_steps(all);
    event.access.all_ideal_transfers = all->ideal_transfers;
    if (event.access.addresses && access_width_valid(part->access.width_bytes))
        wire_emit(producer, &event);
}

/* ptxas makes several instructions of some: each has a picture of its own. */
static void accesses_send(struct wire_producer *producer, const struct simt_launch *launch, uint32_t function)
{
    const struct costliest *costliest = &launch->result->costliest;
    const struct count_instruction none = {0};
    const struct event event = {.access = {.function = function, .shape = launch->shape}};
    parts.kernels[0] = launch->program;
    parts.kernel_count = 1;
    for (uint32_t i = 0; i < costliest->count; i++) {
        const struct costliest_access *of = &costliest->accesses[i];
        const struct count_instruction *all =
            count_so_far(&launch->result->counter, of->instruction, of->space);
        parts.count = 0;
        capture_add(&parts, of->instruction, of->space, &of->access, &none, &of->cost);
        for (uint32_t part = 0; part < parts.count && accesses_sent < ACCESSES_MAX; part++, accesses_sent++)
            access_send(producer, of, &parts.accesses[part], all, event);
    }
}

static void told_code(struct wire_producer *producer, const struct simt_launch *launch)
{
    const struct counter *counter = &launch->result->counter;
    if (launch->uncounted || !launch->timing || !counter->program || !launch_is_new(launch))
        return;
    uint32_t function = function_number(producer, launch->program);
    for (uint32_t i = 0; function && i < launch->program->instruction_count; i++) {
        double costs[CODE_COST_COUNT] = {0};
        line_cost_add(costs, counter, i);
        for (int cost = 0; cost < CODE_COST_COUNT; cost++) {
            if (costs[cost] <= 0)
                continue;
            struct event event = {.kind = EVENT_INSTRUCTION_COUNT};
            event.instruction_count.function = function;
            event.instruction_count.pc_offset = i;
            event.instruction_count.counter = counter_name(producer, (enum code_cost)cost);
            event.instruction_count.number = (uint64_t)costs[cost];
            event.instruction_count.shape = launch->shape;
            wire_emit(producer, &event);
        }
    }
    if (function)
        accesses_send(producer, launch, function);
}

/* ---- the run ---- */

static struct {
    struct wire_producer *producer; /* NULL: nobody listens, and nobody may attach */
    _Atomic int64_t newest_ns;      /* end of the newest event, on the model's clock */
    _Atomic int64_t begin_ns;       /* of a capture that was attached: what newest_ns was */
    uint32_t reports;               /* what --check found, without notes and what is known */
    struct check_seen seen;
    bool limits_told;
    struct checked *checked; /* NULL: nothing was launched, or --check was not given */
    bool checked_any, checked_told;
    bool optimised;                  /* one of its programs was not built with -G */
    bool is_cut;                     /* the run was ended before its end */
    _Atomic bool gpus_asked;         /* the program asked how many GPUs there are */
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

/* The times of an event; NULL: it has none. */
static void event_times(struct event *event, int64_t **start_ns, int64_t **end_ns)
{
    *start_ns = *end_ns = NULL;
    switch (event->kind) {
    case EVENT_KERNEL: *end_ns = &event->kernel.end_ns; break;
    case EVENT_COPY: *end_ns = &event->copy.end_ns; break;
    case EVENT_SET: *end_ns = &event->set.end_ns; break;
    case EVENT_CALL: *end_ns = &event->call.end_ns; break;
    case EVENT_SYNC: *end_ns = &event->sync.end_ns; break;
    case EVENT_OVERHEAD: *end_ns = &event->overhead.end_ns; break;
    case EVENT_MEASUREMENT: *end_ns = &event->measurement.end_ns; break;
    case EVENT_CALL_BEGIN:
    case EVENT_RANGE_BEGIN:
    case EVENT_RANGE_END:
    case EVENT_MARK:
    case EVENT_RUN_BEGIN:
    case EVENT_RUN_END:
    case EVENT_WATERMARK:
    case EVENT_DROPPED:
    case EVENT_NOTICE:
    case EVENT_GOODBYE:
    case EVENT_SAMPLE: break;
    default: return;
    }
    *start_ns = &event->kernel.start_ns; /* all of them have it first */
}

/* Where lanescope has attached, the model's time begins with the capture. */
static void wire_tell(struct event event)
{
    int64_t *start_ns, *end_ns;

    if (!told.producer)
        return;
    event_times(&event, &start_ns, &end_ns);
    if (end_ns && *end_ns > atomic_load_explicit(&told.newest_ns, memory_order_relaxed))
        atomic_store_explicit(&told.newest_ns, *end_ns, memory_order_relaxed);
    const int64_t begin_ns = atomic_load_explicit(&told.begin_ns, memory_order_relaxed);
    if (start_ns)
        *start_ns = *start_ns > begin_ns ? *start_ns - begin_ns : 0;
    if (end_ns)
        *end_ns = *end_ns > begin_ns ? *end_ns - begin_ns : 0;
    wire_emit(told.producer, &event);
}

static void emit_event(struct event event, enum event_kind kind)
{
    event.kind = (uint8_t)kind;
    wire_tell(event);
}

void told_notice(enum severity severity, enum status status, const char *text)
{
    struct device *device = standin_device();

    told.refused += severity == SEVERITY_ERROR && status == STATUS_UNSUPPORTED;
    told.reports += severity == SEVERITY_ERROR && status == STATUS_CHECK;
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
    wire_tell(*event);
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
    told.optimised = told.optimised || !program->module->debug;
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
    if (standin_checks() && !told.checked)
        told.checked = checked_open();
    told.checked_any |= launch->checked;
    checked_add(told.checked, launch);
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

/* ---- a dormant program ---- */

static struct wire_hello hello_make(void)
{
    return (struct wire_hello){.role = WIRE_ROLE_AGENT,
                               .start_ns = clock_real_ns(),
                               .clock = CLOCK_MODEL,
                               .run_mode = RUN_TRACE,
                               .rank = rank_of_job()};
}

static enum status attach_begin(const char *socket, const char *config, struct error *error)
{
    const struct wire_hello hello = hello_make();

    (void)config; /* the model has no agent's settings */
    atomic_store(&told.begin_ns, atomic_load(&told.newest_ns));
    return wire_producer_connect(told.producer, socket, &hello, error);
}

static bool attach_goes_on(void)
{
    return !wire_producer_orphaned(told.producer);
}

static void attach_end(void)
{
    emit_event((struct event){.goodbye = {.time_ns = 0}}, EVENT_GOODBYE);
    wire_producer_disconnect(told.producer);
}

static void dormant_begin(void)
{
    static const struct dormant_process process = {attach_begin, attach_goes_on, attach_end};
    struct error error;

    if (!getenv(DORMANT_VARIABLE) || wire_producer_create_dormant(&told.producer, &error) != STATUS_OK)
        return;
    if (!dormant_start(&process)) {
        wire_producer_destroy(told.producer);
        told.producer = NULL;
    }
}

/* ---- begin and end ---- */
void told_connect(struct simt_options *options)
{
    const char *path = getenv(WIRE_SOCKET_VARIABLE);
    const struct wire_hello hello = hello_make();
    struct error error;

    told.tally = tally_open();
    options->workers = tally_workers(told.tally);
    options->sink = (struct simt_sink){.emit = sink_emit,
                                       .string = sink_string,
                                       .launched = sink_launched,
                                       .reported = sink_reported,
                                       .progress = sink_progress,
                                       .printed = sink_printed};
    if (!path || !*path)
        dormant_begin();
    else if (wire_producer_create(&told.producer, path, &hello, 0, &error) != STATUS_OK)
        fprintf(stderr, "lanescope: %s\n", error.text);
    options->costliest = told.producer != NULL;
}

void told_begin(struct device *device, uint32_t gpus)
{
    for (uint32_t gpu = 0; told.producer && gpu < gpus; gpu++) {
        struct device_info info = *simt_device_info(device);
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

void told_gpus_asked(void)
{
    atomic_store(&told.gpus_asked, true);
}

/* A program that wants two GPUs often ends in silence where there is one. */
static void told_few_gpus(void)
{
    static const char text[] =
        "The program asked for the number of GPUs, which is 1 here, and launched no kernel. "
        "If it wants two, --gpus 2 shows it two.";

    if (told.launches || !atomic_load(&told.gpus_asked) || standin_gpus() != 1)
        return;
    fprintf(stderr, "lanescope: %s\n", text);
    told_notice(SEVERITY_WARNING, STATUS_OK, text);
}

/* What --check looked at: where it found nothing, that is all that is known to be clean. */
static void told_checked(void)
{
    char text[500];

    if (!standin_checks() || told.checked_told)
        return;
    told.checked_told = true;
    checked_text(told.checked, text, sizeof text);
    checked_close(told.checked);
    told.checked = NULL;
    fprintf(stderr, "lanescope: %s\n", text);
    told_notice(SEVERITY_INFO, STATUS_OK, text);
}

/* What was not found may have been optimised away. */
static void told_optimised(void)
{
    static const char text[] =
        "--check found nothing in what nvcc left: its optimiser may remove accesses that race. "
        "A build with -G keeps them all.";

    if (!told.checked_any || told.reports || told.suppressed || told.is_cut || !told.optimised)
        return;
    fprintf(stderr, "lanescope: %s\n", text);
    told_notice(SEVERITY_INFO, STATUS_OK, text);
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
                "work completes when it is issued, so that a missing synchronisation does not show; what a "
                "clock of the host measures is this CPU's time; ");
    if (told.refused)
        append_text(text, size_bytes, &used, "refused: %u (the errors say what)", told.refused);
    else
        append_text(text, size_bytes, &used, "refused: nothing");
    if (!standin_checks())
        append_text(text, size_bytes, &used,
                    "; races, and effects of memory never written: not looked for (--check looks)");
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
    told_few_gpus();
    told_checked();
    told_optimised();
    told_known(text, sizeof text);
    fidelity_text(fidelity, sizeof fidelity);
    told_notice(SEVERITY_INFO, STATUS_OK, fidelity);
    simt_device_caller(device, (struct simt_caller){
                                   .call = UINT64_MAX, .name = "end of the program", .thread = MODEL_THREAD});
    simt_device_sync(device, NULL); /* on a GPU, too, the process waits for what it has issued */
    if (tally_close(told.tally, &error) != STATUS_OK)
        fprintf(stderr, "lanescope: %s\n", error.text);
    told.tally = NULL;

    emit_event((struct event){.watermark = {.time_ns = simt_device_now_ns(device)}}, EVENT_WATERMARK);
}

void told_cut(const char *how)
{
    char text[500];

    if (told.cut.ended < told.cut.blocks)
        snprintf(text, sizeof text,
                 "The program was ended %s. Kernel %s, launch %llu, ran for %.1f s: %u %% of its %llu "
                 "block%s had ended. "
                 "This launch is not counted; what ended before it is kept.",
                 how, told.cut_kernel, (unsigned long long)told.cut.launch,
                 1e-9 * (double)told.cut.elapsed_ns, progress_percent(&told.cut),
                 (unsigned long long)told.cut.blocks, told.cut.blocks == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "The program was ended %s. What ended before is kept.", how);
    told.is_cut = true;
    fprintf(stderr, "lanescope: %s\n", text);
    told_notice(SEVERITY_ERROR, STATUS_STATE, text); /* the recording is of a part of the run */
    told_checked();
    tally_discard(told.tally); /* not all of the program's launches are in it */
    told.tally = NULL;
}

void told_close(void)
{
    if (!told.producer)
        return;
    dormant_stop();
    emit_event((struct event){.goodbye = {.time_ns = 0}}, EVENT_GOODBYE);
    wire_producer_destroy(told.producer);
    told.producer = NULL;
    free(told.programs);
    told.programs = NULL;
    told.program_count = told.program_capacity = 0;
}

void told_forget(void)
{
    dormant_abandon();
    if (told.producer)
        wire_producer_abandon(told.producer);
    told.producer = NULL;
    tally_discard(told.tally);
    told.tally = NULL;
}
