/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A case: arrays on a device of the model, the plan of its calls, and after each what is in the arrays beside what the reference
 * makes of the same values. Probes ask more: where a changed input changes what the reference makes, it must change what FILE makes. It runs in a process of its own with an alarm, since a kernel may never end; the result lies in memory
 * that both share.
 */
#include "cli/judge/judge.h"

#include "core/base/clock.h"
#include "simt/count/count.h"
#include "simt/device/device.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define IMAGE "judged"
#define ALLOCATIONS_MAX 64
#define WORDS_MAX 64 /* arguments of a kernel */
#define ARGUMENT_BYTES_MAX 4096
#define SECTOR_BYTES 32

struct allocation {
    uint64_t named, bytes, real; /* named: in the plan; real 0: it was freed */
};

struct running {
    const struct judge_reference *reference;
    struct judge_case drawn;
    struct device *device;
    struct judge_result *result;
    uint64_t addresses[2 * JUDGE_ARGUMENTS_MAX]; /* of the first calls, of the last */
    void *given[JUDGE_ARGUMENTS_MAX];            /* values of this call, before it; of a number the number */
    struct allocation allocations[ALLOCATIONS_MAX];
    size_t allocation_count;
    void *base[JUDGE_ARGUMENTS_MAX],
        *base_expected[JUDGE_ARGUMENTS_MAX]; /* of the call that probes are compared with */
    void (*make_expected)(void **arguments);
    int64_t start_ns;
    unsigned call;
    bool skipped; /* the call: time is short, and it only asks more */
};

static bool is_last(const struct running *running)
{
    return running->call == running->drawn.calls - 1;
}

static const char *judged_ptx; /* the model's function that finds an image has no context */

static const char *find_ptx(const char *image, size_t *size_bytes)
{
    if (strcmp(image, IMAGE) != 0 || !judged_ptx)
        return NULL;
    *size_bytes = strlen(judged_ptx);
    return judged_ptx;
}

__attribute__((format(printf, 3, 4))) static void break_rule(struct running *running, const char *rule,
                                                             const char *format, ...)
{
    va_list arguments;
    if (*running->result->rule)
        return;
    snprintf(running->result->rule, sizeof running->result->rule, "%s", rule);
    va_start(arguments, format);
    vsnprintf(running->result->sentence, sizeof running->result->sentence, format, arguments);
    va_end(arguments);
}

/* ---- what was counted ---- */
static void take_launch(void *owner, const struct simt_launch *launch)
{
    struct running *running = owner;
    struct judge_result *result = running->result;
    struct count_totals totals;
    char text[500];
    if (!launch->result->counter.program)
        return;
    for (uint32_t i = 0; i < launch->result->checks.report_count; i++) {
        const struct check_report *report = &launch->result->checks.reports[i];
        if (check_is_note(report))
            continue;
        check_text(launch->program, report, text, sizeof text);
        break_rule(running, "check", "%s", text);
    }
    if (!is_last(running))
        return;
    count_totals(&launch->result->counter, &totals);
    result->launches++;
    result->modelled_ns += launch->timing ? launch->timing->ns : 0;
    result->read_bytes += SECTOR_BYTES * (double)(totals.global[0].transfers + totals.textures.transfers +
                                                  totals.bulk[0].transfers + totals.global_atomics.transfers);
    result->written_bytes += SECTOR_BYTES * (double)(totals.global[1].transfers + totals.bulk[1].transfers +
                                                     totals.global_atomics.transfers);
    for (int i = 0; i < CLASS_COUNT; i++)
        result->operations += (double)totals.operations[i];
}

/* ---- the plan ---- */
static uint64_t real_address(const struct running *running, uint64_t named)
{
    for (size_t i = running->allocation_count; i-- > 0;) {
        const struct allocation *at = &running->allocations[i];
        if (named >= at->named && named < at->named + at->bytes)
            return at->real ? at->real + (named - at->named) : named;
    }
    return named;
}

static enum status run_alloc(struct running *running, uint64_t named, uint64_t bytes, struct error *error)
{
    struct allocation *made = &running->allocations[running->allocation_count];
    if (running->allocation_count == ALLOCATIONS_MAX)
        return error_set(error, STATUS_CHECK, "launch() allocates memory more than %d times.",
                         ALLOCATIONS_MAX);
    *made = (struct allocation){.named = named, .bytes = bytes};
    running->allocation_count++;
    return running->device->ops->memory_alloc(running->device, bytes, &made->real, error);
}

static enum status run_free(struct running *running, uint64_t named, struct error *error)
{
    for (size_t i = 0; i < running->allocation_count; i++) {
        struct allocation *at = &running->allocations[i];
        if (at->named != named || !at->real)
            continue;
        const uint64_t real = at->real;
        at->real = 0;
        return running->device->ops->memory_free(running->device, real, error);
    }
    return error_set(error, STATUS_CHECK, "launch() frees memory that it did not allocate.");
}

/* "SIZE:HEX" */
static bool read_argument(const struct running *running, const char *word, unsigned char *bytes, size_t room,
                          size_t *size)
{
    char *at;
    *size = strtoul(word, &at, 10);
    if (*at != ':' || *size > room || strlen(at + 1) < 2 * *size)
        return false;
    for (size_t i = 0; i < *size; i++) {
        unsigned byte;
        if (sscanf(at + 1 + 2 * i, "%2x", &byte) != 1)
            return false;
        bytes[i] = (unsigned char)byte;
    }
    for (size_t i = 0; i + 8 <= *size; i += 8) {
        uint64_t address;
        memcpy(&address, bytes + i, 8);
        address = real_address(running, address);
        memcpy(bytes + i, &address, 8);
    }
    return true;
}

static enum status run_launch(struct running *running, char *words, struct error *error)
{
    static _Alignas(16) unsigned char bytes[ARGUMENT_BYTES_MAX];
    void *arguments[WORDS_MAX];
    struct device_launch launch = {.image = IMAGE, .arguments = arguments};
    size_t used = 0, size, count;
    launch.kernel = strsep(&words, " ");
    for (int i = 0; i < 6 && words; i++)
        (i < 3 ? launch.grid : launch.block)[i % 3] = (uint32_t)strtoul(strsep(&words, " "), NULL, 10);
    const unsigned long shared = words ? strtoul(strsep(&words, " "), NULL, 10) : 0;
    count = words ? strtoul(strsep(&words, " "), NULL, 10) : 0;
    if (shared > UINT32_MAX || count >= WORDS_MAX)
        return error_set(error, STATUS_CHECK,
                         "A launch has more shared memory or arguments than a GPU takes.");
    launch.dynamic_shared_bytes = (uint32_t)shared;
    for (size_t i = 0; i < count; i++, used = (used + size + 15) & ~(size_t)15) {
        arguments[i] = bytes + used;
        if (!words || !read_argument(running, strsep(&words, " "), bytes + used, sizeof bytes - used, &size))
            return error_set(error, STATUS_CHECK, "A launch's arguments are no plan of the judge's.");
    }
    return running->device->ops->launch(running->device, &launch, error);
}

static enum status run_line(struct running *running, char *line, struct error *error)
{
    const struct device_ops *ops = running->device->ops;
    uint64_t first = 0, second = 0, third = 0;
    char *rest = line, *word = strsep(&rest, " ");
    if (strcmp(word, "refuse") == 0) {
        break_rule(running, "host", "%s", rest ? rest : "");
        return STATUS_OK;
    }
    if (running->skipped && strcmp(word, "alloc") != 0 && strcmp(word, "free") != 0)
        return STATUS_OK;
    if (strcmp(word, "launch") == 0 && rest)
        return run_launch(running, rest, error);
    if (rest)
        sscanf(rest, "%" SCNu64 " %" SCNu64 " %" SCNu64, &first, &second, &third);
    if (strcmp(word, "alloc") == 0)
        return run_alloc(running, first, second, error);
    if (strcmp(word, "free") == 0)
        return run_free(running, first, error);
    if (is_last(running) && (strcmp(word, "set") == 0 || strcmp(word, "copy") == 0))
        running->result->written_bytes += (double)third;
    if (is_last(running) && strcmp(word, "copy") == 0)
        running->result->read_bytes += (double)third;
    if (strcmp(word, "set") == 0)
        return ops->set(running->device, real_address(running, first), (uint8_t)second, third, 0, error);
    if (strcmp(word, "copy") == 0)
        return ops->copy(running->device, DEVICE_COPY_ON_DEVICE, real_address(running, first),
                         real_address(running, second), third, 0, false, error);
    return STATUS_OK;
}

/* ---- the arrays ---- */
static uint64_t *addresses_of(struct running *running)
{
    return running->addresses + (is_last(running) ? running->reference->count : 0);
}

static size_t bytes_of(const struct running *running, size_t index)
{
    return running->drawn.lengths[index] * judge_element_bytes(&running->reference->arguments[index]);
}

static enum status begin_call(struct running *running, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < running->reference->count && status == STATUS_OK; i++) {
        const struct judge_argument *argument = &running->reference->arguments[i];
        if (!*argument->length)
            continue;
        judge_fill(argument, &running->drawn, running->call, i, running->given[i]);
        status = running->device->ops->copy(running->device, DEVICE_COPY_TO_DEVICE, addresses_of(running)[i],
                                            device_host_address(running->given[i]), bytes_of(running, i), 0,
                                            false, error);
    }
    return status;
}

static bool is_near(const struct judge_argument *argument, double distance, double expected)
{
    return distance <= argument->tolerance * fmax(1, fabs(expected)); /* NAN: no */
}

/* A double does not hold every long. */
static double read_distance(const struct judge_argument *argument, const void *got, const void *expected,
                            size_t at)
{
    if (judge_element_bytes(argument) != 8 || !argument->whole)
        return fabs(judge_value(argument, got, at) - judge_value(argument, expected, at));
    const int64_t have = ((const int64_t *)got)[at], want = ((const int64_t *)expected)[at];
    return (double)(have > want ? (uint64_t)have - (uint64_t)want : (uint64_t)want - (uint64_t)have);
}

/* Would zeros, or one number everywhere, pass? Then a pass says nothing. */
static void check_tolerance(struct running *running, size_t index, const void *expected)
{
    const struct judge_argument *argument = &running->reference->arguments[index];
    const double first = judge_value(argument, expected, 0);
    bool zeros = true, same = running->drawn.lengths[index] > 1;
    for (size_t i = 0; i < running->drawn.lengths[index] && (zeros || same); i++) {
        const double value = judge_value(argument, expected, i);
        zeros &= is_near(argument, fabs(value), value);
        same &= is_near(argument, fabs(first - value), value);
    }
    if (zeros || same)
        break_rule(running, "reference",
                   "The reference accepts %s in all of %s: narrow its tolerance or widen its inputs.",
                   zeros ? "zeros" : "one number", argument->name);
}

static void compare_array(struct running *running, size_t index, const void *got, const void *expected)
{
    const struct judge_argument *argument = &running->reference->arguments[index];
    const size_t width = judge_element_bytes(argument), length = running->drawn.lengths[index];
    size_t wrong = 0, unwritten = 0, first = 0;
    for (size_t i = 0; i < length; i++) {
        const double distance = read_distance(argument, got, expected, i);
        running->result->worst_error = fmax(running->result->worst_error, distance);
        if (is_near(argument, distance, judge_value(argument, expected, i)))
            continue;
        first = wrong++ == 0 ? i : first;
        unwritten += memcmp((const char *)got + i * width, (const char *)running->given[index] + i * width,
                            width) == 0;
    }
    if (wrong == 0)
        return;
    if (!argument->out)
        break_rule(running, "input_changed",
                   "%zu of %zu elements of the input %s were changed, the first is [%zu].", wrong, length,
                   argument->name, first);
    else if (unwritten == wrong)
        break_rule(running, "never_written",
                   "%zu of %zu elements of %s were never written in call %u, the first is [%zu].", unwritten,
                   length, argument->name, running->call + 1, first);
    else
        break_rule(running, "wrong",
                   "%zu of %zu elements of %s are wrong in call %u: [%zu] is %.9g, expected %.9g.", wrong,
                   length, argument->name, running->call + 1, first, judge_value(argument, got, first),
                   judge_value(argument, expected, first));
}

/* ---- probes ---- */

/* What a change of an output must exceed, relative to the output, to be more than rounding: in float if any argument is. */
static double response_limit(const struct running *running, enum judge_probe probe)
{
    bool single = false;
    for (size_t i = 0; i < running->reference->count; i++)
        single |= strcmp(running->reference->arguments[i].type, "float") == 0;
    if (probe == JUDGE_ELEMENT)
        return single ? 0x1p-20 : 0x1p-40;
    return single ? 0x1p-16 : 0x1p-36;
}

/* How many elements of an output the probe changes for the reference, and how many of these FILE has changed. */
static void count_response(const struct running *running, enum judge_probe probe, size_t index,
                           const void *got, const void *expected, size_t *moved, size_t *answered)
{
    const struct judge_argument *argument = &running->reference->arguments[index];
    const size_t width = judge_element_bytes(argument);
    const double limit = argument->whole ? 0 : response_limit(running, probe);
    if (argument->whole && probe != JUDGE_ELEMENT)
        return;
    for (size_t i = 0; i < running->drawn.lengths[index]; i++) {
        const double distance = read_distance(argument, expected, running->base_expected[index], i);
        if (!(distance > limit * fmax(fabs(judge_value(argument, expected, i)),
                                      fabs(judge_value(argument, running->base_expected[index], i)))))
            continue;
        ++*moved;
        *answered +=
            memcmp((const char *)got + i * width, (const char *)running->base[index] + i * width, width) != 0;
    }
}

static void check_response(struct running *running, void *const *got, void *const *expected)
{
    const struct judge_reference *reference = running->reference;
    const enum judge_probe probe = judge_probe_of(&running->drawn, running->call);
    size_t moved = 0, answered = 0;
    if (probe != JUDGE_ELEMENT && probe != JUDGE_LOW_ONES)
        return;
    for (size_t i = 0; i < reference->count; i++)
        if (reference->arguments[i].out && running->base[i])
            count_response(running, probe, i, got[i], expected[i], &moved, &answered);
    if (probe == JUDGE_ELEMENT && moved > 0 && answered == 0)
        break_rule(
            running, "unread",
            "%s[%zu] was changed: %zu elements of the reference's outputs changed with it, and none of "
            "the file's.",
            reference->arguments[judge_probed_input(&running->drawn, running->call)].name,
            judge_probed_element(&running->drawn, running->call), moved);
    else if (probe == JUDGE_LOW_ONES && 2 * answered < moved)
        break_rule(
            running, "precision",
            "The last binary digits of the inputs were changed: %zu elements of the reference's outputs "
            "changed with them, and %zu of the file's, so it computes with fewer digits.",
            moved, answered);
}

/* Keeps the arrays that later probes are compared with, or frees them. */
static void keep_arrays(struct running *running, void **got, void **expected)
{
    const bool keep = running->call == 1 || judge_probe_of(&running->drawn, running->call) == JUDGE_LOW_ZEROS;
    for (size_t i = 0; i < running->reference->count; i++) {
        free(keep ? running->base[i] : got[i]);
        free(keep ? running->base_expected[i] : expected[i]);
        if (keep) {
            running->base[i] = got[i];
            running->base_expected[i] = expected[i];
        }
    }
}

static enum status end_call(struct running *running, struct error *error)
{
    const struct judge_reference *reference = running->reference;
    void *got[JUDGE_ARGUMENTS_MAX] = {0}, *expected[JUDGE_ARGUMENTS_MAX] = {0};
    enum status status = running->device->ops->sync(running->device, error);
    if (running->skipped)
        return status;
    for (size_t i = 0; i < reference->count && status == STATUS_OK; i++) {
        const size_t bytes = *reference->arguments[i].length ? bytes_of(running, i) : 8;
        expected[i] = malloc(bytes);
        got[i] = malloc(bytes);
        if (!expected[i] || !got[i])
            status = error_no_memory(error, "for the arrays of a call");
        else
            memcpy(expected[i], running->given[i], bytes);
    }
    if (status == STATUS_OK)
        running->make_expected(expected);
    for (size_t i = 0; i < reference->count && status == STATUS_OK; i++) {
        if (!*reference->arguments[i].length)
            continue;
        status = running->device->ops->copy(running->device, DEVICE_COPY_TO_HOST, device_host_address(got[i]),
                                            addresses_of(running)[i], bytes_of(running, i), 0, false, error);
        if (status == STATUS_OK && reference->arguments[i].out)
            check_tolerance(running, i, expected[i]);
        if (status == STATUS_OK)
            compare_array(running, i, got[i], expected[i]);
    }
    if (status == STATUS_OK)
        check_response(running, got, expected);
    keep_arrays(running, got, expected);
    return status;
}

/* ---- the case ---- */
static enum status begin_case(struct running *running, const struct judge_folder *folder, uint64_t seed,
                              bool probed, struct error *error)
{
    const struct judge_reference *reference = running->reference;
    char path[PATH_BYTES + 32];
    size_t used = 0;
    snprintf(path, sizeof path, "%s/reference.so", folder->path);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *(void **)&running->make_expected = library ? dlsym(library, "judge_reference") : NULL;
    if (!running->make_expected)
        return error_set(error, STATUS_IO, "The reference cannot be loaded: %.300s", dlerror());
    enum status status = judge_case_draw(reference, seed, probed, &running->drawn, error);
    const struct simt_options options = {
        .check = true, .ptx = find_ptx, .sink = {.launched = take_launch, .owner = running}};
    if (status == STATUS_OK)
        status = simt_device_open(&options, &running->device, error);
    for (size_t i = 0; i < reference->count && status == STATUS_OK; i++) {
        const struct judge_argument *argument = &reference->arguments[i];
        running->given[i] = calloc(1, *argument->length ? bytes_of(running, i) : 8);
        if (!running->given[i])
            return error_no_memory(error, "for an array");
        if (*argument->length) {
            running->result->least_read_bytes += argument->in ? (double)bytes_of(running, i) : 0;
            running->result->least_written_bytes += argument->out ? (double)bytes_of(running, i) : 0;
            for (size_t set = 0; set < 2 && status == STATUS_OK; set++)
                status = running->device->ops->memory_alloc(running->device, bytes_of(running, i),
                                                            &running->addresses[set * reference->count + i],
                                                            error);
            continue;
        }
        const double value = running->drawn.values[i];
        if (strcmp(argument->type, "float") == 0)
            *(float *)running->given[i] = (float)value;
        else if (strcmp(argument->type, "double") == 0)
            *(double *)running->given[i] = value;
        else
            *(int64_t *)running->given[i] = (int64_t)value; /* little-endian: an int is its first bytes */
        used += (size_t)snprintf(running->result->sizes + used, sizeof running->result->sizes - used,
                                 "%s%s=%g", used > 0 ? "," : "", argument->name, value);
        used = used < sizeof running->result->sizes ? used : sizeof running->result->sizes - 1;
    }
    if (status == STATUS_OK && *reference->operations)
        status = judge_expression(reference, running->drawn.values, reference->operations,
                                  &running->result->least_operations, error);
    return status;
}

/* The narrow types of PTX, none of which an argument has. */
static void check_precision(struct running *running)
{
    static const char *const narrow[] = {".f16", ".bf16", ".tf32", ".e4m3", ".e5m2"};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        if (strstr(judged_ptx, narrow[i]))
            break_rule(running, "precision", "It computes in %s, and its arguments are of 32 bits or more.",
                       narrow[i] + 1);
}

/* Registers by which a kernel could tell this device, or this call, from another. */
static void check_registers(struct running *running)
{
    static const char *const telling[] = {"%clock", "%globaltimer", "%nsmid", "%envreg", "%gridid", "%pm0"};
    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++)
        if (strstr(judged_ptx, telling[i]))
            break_rule(running, "clock",
                       "A kernel reads %s: what it does must not depend on when and where it runs.",
                       telling[i]);
}

static void check_least(struct running *running)
{
    const struct judge_result *result = running->result;
    if (result->launches == 0)
        break_rule(running, "no_kernel", "The last call launched no kernel.");
    if (result->read_bytes < result->least_read_bytes || result->written_bytes < result->least_written_bytes)
        break_rule(running, "below_least",
                   "It reads %.0f and writes %.0f bytes, and the problem needs %.0f and %.0f.",
                   result->read_bytes, result->written_bytes, result->least_read_bytes,
                   result->least_written_bytes);
    if (result->operations < result->least_operations / 2)
        break_rule(running, "below_least", "It computes %.0f operations, and the problem needs %.0f.",
                   result->operations, result->least_operations);
}

static enum status run_case(struct running *running, const struct judge_folder *folder, uint64_t seed,
                            bool probed, struct error *error)
{
    char *text = NULL, *ptx = NULL, *rest, *line;
    bool begun = false;
    enum status status = begin_case(running, folder, seed, probed, error);
    if (status == STATUS_OK)
        status =
            judge_plan(running->reference, &running->drawn, running->addresses, folder, &text, &ptx, error);
    if (status != STATUS_OK)
        return status;
    judged_ptx = ptx;
    rest = text;
    while (status == STATUS_OK && (line = strsep(&rest, "\n")) && strcmp(line, "end") != 0) {
        if (strncmp(line, "call ", 5) != 0) {
            status = run_line(running, line, error);
            continue;
        }
        status = begun ? end_call(running, error) : STATUS_OK;
        running->call = (unsigned)strtoul(line + 5, NULL, 10) % running->drawn.calls;
        running->skipped = running->call > 1 && !is_last(running) &&
                           (double)(clock_real_ns() - running->start_ns) > JUDGE_SECONDS / 8 * NS_PER_S;
        begun = true;
        if (status == STATUS_OK && !running->skipped)
            status = begin_call(running, error);
    }
    if (status == STATUS_OK)
        status = end_call(running, error);
    if (status == STATUS_OK) {
        check_least(running);
        check_precision(running);
        check_registers(running);
    }
    return status;
}

/* The child: whatever goes wrong with FILE is a verdict. */
static _Noreturn void case_main(const struct judge_reference *reference, const struct judge_folder *folder,
                                uint64_t seed, bool probed, struct judge_result *result)
{
    static struct running running;
    struct error error = {0};
    running.reference = reference;
    running.result = result;
    running.start_ns = clock_real_ns();
    alarm((unsigned)JUDGE_SECONDS);
    const enum status status = run_case(&running, folder, seed, probed, &error);
    if (status == STATUS_USAGE && !judged_ptx)
        break_rule(&running, "reference", "%s", error.text);
    else if (status != STATUS_OK)
        break_rule(&running, judged_ptx ? "fault" : "host", "%s", error.text);
    _exit(0);
}

enum status judge_execute(const struct judge_reference *reference, const struct judge_folder *folder,
                          uint64_t seed, bool probed, struct judge_result *result, struct error *error)
{
    int wait_status = 0;
    struct judge_result *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return error_no_memory(error, "for the result of a case");
    shared->seed = seed;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        case_main(reference, folder, seed, probed, shared);
    while (child > 0 && waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
        continue;
    *result = *shared;
    munmap(shared, sizeof *shared);
    if (child < 0)
        return error_set_errno(error, STATUS_IO, errno, "Cannot start the process of a case");
    if (wait_status != 0 && !*result->rule) {
        const bool limit = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGALRM;
        snprintf(result->rule, sizeof result->rule, "limit");
        snprintf(result->sentence, sizeof result->sentence,
                 limit ? "It was still running after %.0f s." : "The model was ended by it.", JUDGE_SECONDS);
    }
    return STATUS_OK;
}
