/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases of all texts are collected first. Each case is then one run: RUN_BEGIN, its expected values, its
 * launches, RUN_END.
 */
#include "cli/children/workload_child.h"

#include "cli/children/run_reporter.h"
#include "cli/machine/device_choice.h"
#include "cli/options/options.h"
#include "cli/process/paths.h"
#include "core/base/run_params.h"
#include "workloads/cuda/cuda.h"
#include "workloads/frame/own_image.h"
#include "workloads/frame/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- variants of CUDA's libraries ---- */

/*
 * The program lanescope-ladder is started with the same arguments and waited for; its exit status is the
 * status of the libraries' cases.
 */

extern char **environ;

size_t library_cases_keep(struct workload_case *cases, size_t count, bool libraries)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if ((cases[i].variant->library != NULL) == libraries)
            cases[kept++] = cases[i];
    return kept;
}

bool library_program_found(void)
{
    char path[PATH_BYTES];

    return path_of_ladder(path, NULL) == STATUS_OK;
}

bool library_cases_can_run(const struct workload_child_options *options)
{
    uint32_t gpus = 0;

    /* If there is no GPU, this child says so, and must not start another one that says it too. */
    return strcmp(options->device, "cuda") == 0 && options->mode != RUN_LINES && library_program_found() &&
           cuda_count_devices(CUDA_LIBRARY, &gpus, NULL) == STATUS_OK && options->gpu < gpus;
}

static int wait_for(pid_t child, struct error *error)
{
    int wait_status = 0;

    while (waitpid(child, &wait_status, 0) < 0) {
        if (errno != EINTR) {
            error_set_errno(error, STATUS_IO, errno, "Cannot wait for lanescope-ladder");
            return EXIT_FAILED;
        }
    }
    if (WIFSIGNALED(wait_status)) {
        error_set(error, STATUS_DEVICE, "lanescope-ladder was ended by signal %d.", WTERMSIG(wait_status));
        return EXIT_FAILED;
    }
    if (WEXITSTATUS(wait_status) != EXIT_FINE)
        error_set(error, STATUS_CHECK, "The library variants failed with status %d, see above.",
                  WEXITSTATUS(wait_status));
    return WEXITSTATUS(wait_status);
}

int library_program_run(const struct workload_child_options *options, struct error *error)
{
    char **argv = calloc(options->text_count + 6, sizeof *argv), path[PATH_BYTES], gpu[16];
    size_t used = 0;
    pid_t child;

    if (!argv || path_of_ladder(path, error) != STATUS_OK) {
        if (!argv)
            error_no_memory(error, "to start lanescope-ladder");
        free(argv);
        return EXIT_FAILED;
    }
    snprintf(gpu, sizeof gpu, "%u", options->gpu);
    argv[used++] = path;
    argv[used++] = (char *)(uintptr_t)run_mode_text(options->mode);
    argv[used++] = (char *)(uintptr_t)options->device;
    argv[used++] = gpu;
    argv[used++] = (char *)(options->small ? "small" : "default");
    for (size_t i = 0; i < options->text_count; i++)
        argv[used++] = options->texts[i];
    int result = posix_spawn(&child, path, NULL, NULL, argv, environ);
    free(argv);
    if (result) {
        error_set_errno(error, STATUS_IO, result, "Cannot start lanescope-ladder");
        return EXIT_FAILED;
    }
    return wait_for(child, error);
}

/* A kernel's time and counts are taken from this many launches; a schedule of many launches is repeated less
 * often. */
#define TRACE_LAUNCHES 8
#define TRACE_ROUNDS 3
/* Counters are measured once, and the device model gives the same numbers every time. */
#define ONCE 1
#define RANGE_IDS (UINT64_C(1) << 32) /* ids from here on are not used by CUPTI's markers */

struct workload_run {
    const struct workload_child_options *options;
    struct run_reporter reporter;
    struct workbench bench;
    const struct arch *arch;
    uint32_t run;             /* id of the current one, 1... */
    struct error first;       /* why the first failing case failed */
    uint64_t ranges;          /* told so far */
    uint32_t gpus, gpus_told; /* of the model's: how many there are, how many of them were told */
    struct own_image *own;    /* the user's kernels; NULL: none */
};

/* Words before the texts: "--own IMAGE", "--model ID", "--cc X.Y", "--check", "--no-merge",
 * "--reverse". */
static enum status parse_model(struct workload_child_options *options, struct error *error)
{
    while (options->text_count > 0) {
        const char *word = options->texts[0], *value = options->text_count > 1 ? options->texts[1] : "";
        size_t taken = 2;

        if (strcmp(word, "--model") == 0) {
            options->model = device_model(value, error);
            if (!options->model)
                return STATUS_USAGE;
        } else if (strcmp(word, "--own") == 0) {
            options->own = value;
        } else if (strcmp(word, "--cc") == 0) {
            options->rules = arch_parse(value);
            if (!options->rules)
                return error_set(error, STATUS_USAGE, "--workload-child: there are no rules '%.20s'.", value);
        } else {
            taken = 1;
            if (strcmp(word, "--check") == 0)
                options->check = true;
            else if (strcmp(word, "--no-merge") == 0)
                options->keep_ptx = true;
            else if (strcmp(word, "--reverse") == 0)
                options->reverse = true;
            else
                return STATUS_OK;
        }
        options->texts += taken;
        options->text_count -= taken;
    }
    return STATUS_OK;
}

enum status workload_child_parse(int argc, char **argv, struct workload_child_options *options,
                                 struct error *error)
{
    char *end;

    if (argc < 4)
        return error_set(error, STATUS_USAGE,
                         "--workload-child takes MODE DEVICE GPU SIZE [TEXT...], and got %d words.", argc);
    *options =
        (struct workload_child_options){.device = argv[1], .texts = argv + 4, .text_count = (size_t)argc - 4};
    options->mode = run_mode_find(argv[0]);
    if (options->mode == RUN_MODE_COUNT)
        return error_set(error, STATUS_USAGE,
                         "--workload-child: MODE is trace, counters, memory or lines, not '%.40s'.", argv[0]);
    errno = 0;
    long gpu = strtol(argv[2], &end, 10);
    if (errno || end == argv[2] || *end || gpu < 0 || gpu > 65535)
        return error_set(error, STATUS_USAGE, "--workload-child: GPU is a number from 0, not '%.40s'.",
                         argv[2]);
    options->gpu = (uint32_t)gpu;
    if (strcmp(argv[3], "small") == 0)
        options->small = true;
    else if (strcmp(argv[3], "default") != 0)
        return error_set(error, STATUS_USAGE, "--workload-child: SIZE is small or default, not '%.40s'.",
                         argv[3]);
    return parse_model(options, error);
}

/* All cases that were requested, in order. The caller frees *cases. */
static enum status cases_collect(const struct workload_child_options *options, struct workload_case **cases,
                                 size_t *count, struct error *error)
{
    *cases = NULL;
    *count = 0;
    if (options->text_count == 0 || strcmp(options->texts[0], "--all") == 0)
        return workload_all(cases, count, error);
    for (size_t i = 0; i < options->text_count; i++) {
        struct workload_case *more = NULL, *both;
        size_t more_count = 0;
        enum status status = workload_parse(options->texts[i], &more, &more_count, error);

        if (status == STATUS_OK) {
            both = reallocarray(*cases, *count + more_count, sizeof *both);
            if (both) {
                memcpy(both + *count, more, more_count * sizeof *both);
                *cases = both;
                *count += more_count;
            } else {
                status = error_set(error, STATUS_MEMORY, "No memory for %zu cases. Ask for fewer.",
                                   *count + more_count);
            }
        }
        free(more);
        if (status) {
            free(*cases);
            *cases = NULL;
            return status;
        }
    }
    return STATUS_OK;
}

/* Does the case run one of the user's kernels? */
static bool case_is_own(const struct workload_run *child, const struct workload_case *c)
{
    for (size_t k = 0; k < c->variant->kernel_count; k++)
        if ((!c->kernel || c->kernel == &c->variant->kernels[k]) &&
            own_image_has(child->own, c->variant->kernels[k].kernel))
            return true;
    return false;
}

/* Whose kernel it was is a parameter of the run, the first: every list, report and comparison shows
 * it. */
static struct event run_event(const struct workload_run *child, const struct workload_case *c)
{
    char all[256], params[sizeof all + OWN_LABEL_BYTES + 16];
    const bool own = case_is_own(child, c);

    workload_params_text(c, all, sizeof all);
    snprintf(params, sizeof params, "%s%s%s%s", own ? RUN_PARAM_KERNEL "=" : "", own ? child->own->label : "",
             own && *all ? "," : "", all);
    struct event event = reporter_run(&child->reporter, c->workload->name, c->variant->name, params,
                                      child->options->rules, child->options->keep_ptx);
    event.run.id = child->run;
    event.run.effective_bytes = c->effective_bytes;
    event.run.kernel = reporter_string(&child->reporter, c->effective_kernel);
    return event;
}

static bool metric_is_local(enum metric metric)
{
    const struct metric_info *info = metric_info(metric);

    return info->how == HOW_SCALED ? metric_is_local(info->of) : info->accesses.space == ACCESS_LOCAL;
}

/* Sends one EXPECTED for each metric that the rules give: those of memory accesses. */
static void expected_emit(struct workload_run *child, const struct workload_case *c,
                          const struct kernel_sites *kernel)
{
    struct access_totals totals;
    bool countable = !kernel->data_dependent && child->arch;

    if (countable)
        access_totals_count(c, kernel, child->arch, &totals);
    for (int metric = 0; metric < METRIC_COUNT; metric++) {
        const struct metric_info *info = metric_info((enum metric)metric);
        struct event event = {0};

        if (!metric_follows_from_accesses((enum metric)metric) ||
            (metric_is_local((enum metric)metric) && !kernel->tells_local))
            continue;
        struct value value = countable ? metric_of_accesses((enum metric)metric, &totals, PROVENANCE_EXPECTED)
                                       : workload_expected(c, kernel, (enum metric)metric, child->arch);
        event.expected.run = child->run;
        event.expected.kernel = reporter_string(&child->reporter, kernel->kernel);
        event.expected.metric = reporter_string(&child->reporter, info->id);
        event.expected.number = value.available ? value.number : (double)NAN;
        event.expected.why = value.available ? 0 : reporter_string(&child->reporter, value.why);
        reporter_emit(&child->reporter, EVENT_EXPECTED, event);
    }
}

/* Runs one case between its RUN_BEGIN and RUN_END. An error means that the device is lost: nothing more can
 * run. */
static enum status case_run(struct workload_run *child, struct workload_case *c)
{
    struct device *device = child->bench.device;
    struct workload_result result = {.verified = -1};
    struct error failure = {0};
    enum status status = STATUS_OK;

    c->info = device->ops->info(device);
    c->small = child->options->small;
    child->bench.digest = 0;
    child->bench.seed = workload_seed(c);
    status = c->workload->resolve(c, &failure);
    child->run++;
    struct event event = run_event(child, c);
    event.run.time_ns = reporter_now_ns(&child->reporter);
    reporter_emit(&child->reporter, EVENT_RUN_BEGIN, event);
    if (status == STATUS_OK) {
        /* The counter run before a memory run has sent them already; a lines run counts something else. */
        bool announce = child->reporter.producer && child->options->mode != RUN_MEMORY &&
                        child->options->mode != RUN_LINES;
        for (size_t k = 0; announce && k < c->variant->kernel_count; k++)
            if ((!c->kernel || c->kernel == &c->variant->kernels[k]) &&
                !own_image_has(child->own,
                               c->variant->kernels[k].kernel)) /* nothing is stated of the user's */
                expected_emit(child, c, &c->variant->kernels[k]);
        status = c->workload->run(c, &child->bench, &result, &failure);
    }
    if (status == STATUS_UNSUPPORTED && child->reporter.on_model) {
        snprintf(result.detail, sizeof result.detail, "Not run: %.240s", failure.text);
        result.verified = -1;
        failure = (struct error){0};
        status = STATUS_OK;
    }
    if (status == STATUS_OK && result.verified == 0 && case_is_own(child, c))
        error_set(&failure, STATUS_CHECK, "%s:%s computed a wrong result with %s: %s.", c->workload->name,
                  c->variant->name, child->own->label, result.detail);
    else if (status == STATUS_OK && result.verified == 0)
        error_set(&failure, STATUS_CHECK,
                  "%s:%s computed a wrong result: %s. The kernel or the device is faulty.", c->workload->name,
                  c->variant->name, result.detail);
    else if (status == STATUS_OK && result.verified > 0 && child->bench.digest && !*result.detail)
        snprintf(result.detail, sizeof result.detail, RUN_DIGEST_TEXT "%016" PRIx64, child->bench.digest);
    if (child->first.status == STATUS_OK)
        child->first = failure;
    event.run.time_ns = reporter_now_ns(&child->reporter);
    event.run.verified = result.verified;
    event.run.detail = child->reporter.producer
                           ? reporter_string(&child->reporter, status ? failure.text : result.detail)
                           : 0;
    reporter_emit(&child->reporter, EVENT_RUN_END, event);
    reporter_emit(&child->reporter, EVENT_WATERMARK,
                  (struct event){.watermark = {.time_ns = reporter_now_ns(&child->reporter)}});
    workbench_case_ended(&child->bench);
    /* After a kernel's fault every call fails, including this one. */
    return status == STATUS_DEVICE ? device->ops->sync(device, NULL) : STATUS_OK;
}

int child_exit_status(enum status status)
{
    switch (status) {
    case STATUS_OK: return EXIT_FINE;
    case STATUS_CHECK: return EXIT_CHECK;
    case STATUS_USAGE: return EXIT_USAGE;
    case STATUS_NO_DEVICE:
    case STATUS_UNSUPPORTED: return EXIT_NO_DEVICE;
    case STATUS_PERMISSION: return EXIT_NO_PERMISSION;
    default: return EXIT_FAILED;
    }
}

/* The next GPU, or the first after the last, for cases that need two; NULL: there is none, and the case says
 * so. */
static struct device *peer_open(const struct workload_run *child, const struct workload_case *cases,
                                size_t count)
{
    struct device *peer = NULL;
    bool needed = false;

    for (size_t i = 0; i < count; i++)
        needed |= cases[i].workload->devices_needed > 1;
    if (!needed || child->reporter.on_model)
        return NULL;
    if (workload_device_open(child->options->device, child->options->gpu + 1, &peer, NULL) != STATUS_OK &&
        (child->options->gpu == 0 ||
         workload_device_open(child->options->device, 0, &peer, NULL) != STATUS_OK))
        return NULL;
    return peer;
}

/* How many the model has for the cases. */
static uint32_t gpus_modelled(const struct workload_case *cases, size_t count)
{
    uint32_t gpus = 1;

    for (size_t i = 0; i < count; i++)
        if (cases[i].workload->gpus_modelled > gpus)
            gpus = cases[i].workload->gpus_modelled;
    return gpus;
}

/* A further GPU of the model is reported when it is used. */
static struct device *gpu_select(void *listener, uint32_t number)
{
    struct workload_run *child = listener;
    struct device *device = child->bench.device;

    for (; child->gpus_told < number; child->gpus_told++)
        reporter_tell_gpu(&child->reporter, child->gpus_told + 1);
    simt_device_select(device, number);
    return device;
}

static void host_ran(void *listener, uint32_t thread, int64_t start_ns, int64_t end_ns)
{
    struct workload_run *child = listener;
    struct event range = {.range = {.id = RANGE_IDS + ++child->ranges,
                                    .name = reporter_string(&child->reporter, DEVICE_HOST_FUNCTION_TEXT),
                                    .thread = thread,
                                    .time_ns = start_ns}};

    reporter_emit(&child->reporter, EVENT_RANGE_BEGIN, range);
    range.range.time_ns = end_ns;
    reporter_emit(&child->reporter, EVENT_RANGE_END, range);
}

/* Ranges of a case do not contain each other: the last one that began is the one that ends. */
static void bench_told(void *listener, enum workbench_tell what, const char *text)
{
    /* The end of a run is the next one's, and on the model no time passes until then. */
    const int64_t now_ns =
        reporter_now_ns(&((struct workload_run *)listener)->reporter) - (what == WORKBENCH_MARK);
    static const enum event_kind kinds[] = {[WORKBENCH_RANGE_BEGIN] = EVENT_RANGE_BEGIN,
                                            [WORKBENCH_RANGE_END] = EVENT_RANGE_END,
                                            [WORKBENCH_MARK] = EVENT_MARK};
    struct workload_run *child = listener;

    child->ranges += what != WORKBENCH_RANGE_END;
    reporter_emit(&child->reporter, kinds[what],
                  (struct event){.range = {.id = RANGE_IDS + child->ranges,
                                           .name = reporter_string(&child->reporter, text),
                                           .thread = child->reporter.on_model ? 1 : (uint32_t)gettid(),
                                           .time_ns = now_ns}});
}

/* Runs the cases, with the device open; returns the status of all of them. */
static enum status cases_run(struct workload_run *child, struct device *device, struct workload_case *cases,
                             size_t count, struct error *error)
{
    enum run_mode mode = child->reporter.on_model ? RUN_COUNTERS : child->options->mode;
    bool often = mode == RUN_TRACE || mode == RUN_LINES; /* samples of a short kernel are few */
    enum status status = STATUS_OK;

    workbench_init(&child->bench, device, often ? TRACE_LAUNCHES : ONCE,
                   mode == RUN_TRACE ? TRACE_ROUNDS : ONCE);
    child->arch = child->options->rules ? child->options->rules
                                        : arch_find(device->ops->info(device)->compute_capability);
    child->bench.peer = peer_open(child, cases, count);
    child->bench.library = child->options->library;
    child->bench.gpu = child->gpus > 1 ? gpu_select : NULL;
    child->bench.host_ran = child->reporter.on_model ? NULL : host_ran;
    child->bench.tell = bench_told;
    child->bench.listener = child;
    child->bench.replayed = mode == RUN_COUNTERS && !child->reporter.on_model;
    child->bench.exact = child->reporter.on_model && (child->own || child->options->check);
    for (size_t i = 0; i < count && status == STATUS_OK && !(reporter_is_alone(&child->reporter)); i++)
        status = case_run(child, &cases[i]);
    struct device *peer = child->bench.peer;
    workbench_fini(&child->bench);
    if (peer)
        peer->ops->close(peer);
    /* A race says more of a user's kernel than the wrong result that comes of it. */
    if (child->reporter.first.status && (!child->first.status || child->own))
        child->first = child->reporter.first;
    if (child->first.status)
        return error_set(error, child->first.status == STATUS_USAGE ? STATUS_USAGE : STATUS_CHECK, "%s",
                         child->first.text);
    return status;
}

int workload_child_run(const struct workload_child_options *options, struct device *device,
                       struct error *error)
{
    struct workload_run child = {.options = options};
    struct workload_case *cases = NULL;
    size_t count = 0;
    enum status status = cases_collect(options, &cases, &count, error);

    if (status == STATUS_OK)
        status = reporter_connect(&child.reporter, options->mode, options->device, options->gpu, error);
    if (status == STATUS_OK) {
        reporter_use_device(&child.reporter, device);
        status = cases_run(&child, device, cases, count, error);
    }
    reporter_close(&child.reporter);
    free(cases);
    return child_exit_status(status);
}

int workload_child_main(const struct workload_child_options *options, struct error *error)
{
    struct workload_run child = {.options = options};
    struct simt_options model = {.gpu = options->model,
                                 .rules = options->rules,
                                 .check = options->check,
                                 .keep_ptx = options->keep_ptx,
                                 .reverse = options->reverse};
    struct workload_case *cases = NULL;
    struct device *device = NULL;
    size_t asked = 0, count;
    bool apart = options->library || (strcmp(options->device, "cuda") == 0 && library_program_found());
    enum status status = cases_collect(options, &cases, &asked,
                                       error); /* first: mistakes in the texts are found without a device */
    int theirs = EXIT_FINE, ours = EXIT_FINE;
    char scratch[4096] = "";

    if (status == STATUS_OK && options->own)
        status = own_image_read(&child.own, options->own, error);
    own_image_use(child.own);
    if (options->own && strrchr(options->own, '/'))
        snprintf(scratch, sizeof scratch, "%.*s", (int)(strrchr(options->own, '/') + 1 - options->own),
                 options->own);
    child.reporter.scratch = scratch;
    count = apart ? library_cases_keep(cases, asked, options->library != NULL) : asked;
    if (status == STATUS_OK)
        status = reporter_connect(&child.reporter, options->mode, options->device, options->gpu, error);
    /* Before this process launches anything: a process that uses a GPU's counters keeps them until it ends.
     */
    bool run_theirs =
        status == STATUS_OK && !options->library && count < asked && library_cases_can_run(options);
    if (run_theirs)
        theirs = library_program_run(options, error);
    if (count > 0 || !run_theirs) {
        if (status == STATUS_OK && child.reporter.on_model)
            child.reporter.tally = tally_open();
        model.workers = tally_workers(child.reporter.tally);
        model.gpus = child.gpus = child.reporter.on_model ? gpus_modelled(cases, count) : 1;
        if (status == STATUS_OK)
            status = reporter_open_device(&child.reporter, &model, &device, error);
        if (status == STATUS_OK) {
            status = cases_run(&child, device, cases, count, error);
            if (tally_close(child.reporter.tally, status == STATUS_OK ? error : NULL) != STATUS_OK &&
                status == STATUS_OK)
                status = STATUS_IO;
            child.reporter.tally = NULL;
            reporter_close_device(&child.reporter, device);
        }
        tally_discard(child.reporter.tally); /* of a device that did not open */
        ours = child_exit_status(status);
    }
    reporter_close(&child.reporter);
    own_image_use(NULL);
    own_image_destroy(child.own);
    free(cases);
    return ours ? ours : theirs;
}
