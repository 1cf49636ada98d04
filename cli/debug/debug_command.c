/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts what is to be debugged: a workload, also with a user's kernels, in a fork of this process; or a program under the
 * stand-in. The child has the other end of a socket; its number is in the program's environment. Standard input is not
 * theirs: the debugger reads it. On a terminal the screen; else commands from standard input, each printed before its answer.
 */
#include "cli/debug/debug_repl.h"
#include "cli/debug/debug_session.h"
#include "cli/debug/debug_text.h"
#include "cli/machine/device_choice.h"
#include "cli/model/model_counts.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/own/own_kernel.h"
#include "cli/process/launch.h"
#include "cli/run/steps.h"
#include "core/wire/standin_config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- what is debugged ---- */

static char own_folder[] = "/tmp/lanescope-debug-XXXXXX";
static struct own_kernel own;
static bool own_made;

/* The user's kernels of --kernel FILE.cu. */
static enum status own_prepare(const struct options *options, struct own_image **image, struct error *error)
{
    struct own_options wanted = {.path = options->own_file,
                                 .folder = own_folder,
                                 .texts = options->workloads,
                                 .text_count = options->workload_count};
    if (!options->own_file)
        return STATUS_OK;
    if (!mkdtemp(own_folder))
        return error_set_errno(error, STATUS_IO, errno, "There is no room for the compiled kernels in /tmp");
    own_made = true;
    enum status status = own_kernel_make(&wanted, &own, error);
    return status == STATUS_OK ? own_image_read(image, own.image, error) : status;
}

/* Removes what it has made on disk. */
static void debugged_discard(void)
{
    if (!own_made)
        return;
    own_kernel_discard(&own);
    rmdir(own_folder);
    own_made = false;
}

static void child_prepare(int output)
{
    int null = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(null, STDIN_FILENO);
    if (output >= 0) {
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
    }
    signal(SIGINT, SIG_DFL);
}

static _Noreturn void workload_child(const struct options *options, int socket)
{
    struct error error = {0};
    const struct gpu *model = device_model(options->model, &error);
    struct simt_options simt = {.gpu = model,
                                .rules = options->rules,
                                .workers = 1,
                                .check = true,
                                .keep_ptx = options->keep_ptx,
                                .reverse = options->reverse,
                                .stepper = debug_serve(socket, options->kernel_glob, 1)};
    enum status status = simt.stepper
                             ? model_case_run_sized(options->workloads[0],
                                                    options->problem != PROBLEM_DEFAULT, NULL, &simt, &error)
                             : error_no_memory(&error, "to step a kernel");
    if (status != STATUS_OK)
        fprintf(stderr, "lanescope: %s\n", error.text);
    fflush(stderr);
    _exit(status == STATUS_OK ? EXIT_FINE : EXIT_CHECK);
}

static _Noreturn void program_child(const struct options *options, const struct step *step, int socket)
{
    char number[16];
    snprintf(number, sizeof number, "%d", socket);
    for (size_t i = 0; step->variables[i].name; i++)
        setenv(step->variables[i].name, step->variables[i].value, 1);
    setenv(STANDIN_DEBUG_VARIABLE, number, 1);
    if (options->kernel_glob)
        setenv(STANDIN_STEPPED_VARIABLE, options->kernel_glob, 1);
    fcntl(socket, F_SETFD, 0);
    execvp(options->program[0], options->program);
    fprintf(stderr, "lanescope: %s cannot be started: %s.\n", options->program[0], strerror(errno));
    _exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

/* output: a descriptor for its standard output and errors; -1: those of this process. */
static enum status debugged_start(const struct options *options, int output, struct debug_session *session,
                                  struct error *error)
{
    static struct step step;
    const struct step_plan plan = {.mode = RUN_TRACE, .model = true};
    struct own_image *image = NULL;
    struct options checked = *options;
    int pair[2];
    enum status status = STATUS_OK;
    checked.check = true;
    if (!device_model(options->model, error))
        return STATUS_USAGE;
    status = options->program ? step_prepare(&step, &checked, &plan, false, "", error)
                              : own_prepare(options, &image, error);
    if (status != STATUS_OK)
        return status;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
        return error_set_errno(error, STATUS_IO, errno, "There is no socket to a debugged program");
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        child_prepare(output);
        if (options->program)
            program_child(options, &step, pair[1]);
        own_image_use(image);
        workload_child(options, pair[1]);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return error_set_errno(error, STATUS_IO, errno, "A process for the debugged program cannot be made");
    }
    return debug_session_begin(session, pair[0], pid, error);
}

/* ---- the command ---- */

/* For the handler of SIGINT. */
static struct debug_session *running;

static void pause_running(int number)
{
    (void)number;
    if (running)
        debug_pause(running);
}

/* A line without code is refused with the next one that has some. */
static void begin_at(struct debug_repl *repl, uint32_t line, char *message, size_t size_bytes)
{
    char text[32];

    snprintf(text, sizeof text, "line %" PRIu32, line);
    debug_repl_try(repl, text, message, size_bytes);
}

static void lines_execute(struct debug_repl *repl)
{
    char text[512];
    while (!repl->ended) {
        fflush(repl->out);
        if (!fgets(text, sizeof text, stdin))
            break;
        fprintf(repl->out, "> %s%s", text, strchr(text, '\n') ? "" : "\n");
        debug_repl_execute(repl, text);
    }
}

enum status debug_command(const struct options *options, int *exit_status, struct error *error)
{
    static struct debug_repl repl;
    struct sigaction act = {.sa_handler = pause_running, .sa_flags = SA_RESTART};
    struct kept_output output = {.fd = -1};
    bool screen = options->snapshot || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
    char refused[200] = "";
    repl.out = stdout;
    enum status status = screen ? kept_output_open(&output, error) : STATUS_OK;
    if (status == STATUS_OK)
        status = debugged_start(options, output.fd, &repl.session, error);
    if (status == STATUS_OK) {
        running = &repl.session;
        if (options->at_line > 0)
            begin_at(&repl, options->at_line, refused, sizeof refused);
        if (*refused)
            fprintf(stderr, "lanescope: %s\n", refused);
        sigaction(SIGINT, &act, NULL);
        if (options->snapshot) {
            status = debug_screen_snapshot(&repl, options, error);
        } else if (screen) {
            status = debug_screen_run(&repl, options, error);
        } else {
            debug_text_place(&repl.session, repl.out);
            lines_execute(&repl);
        }
        debug_session_end(&repl.session);
    }
    if (screen && !options->snapshot)
        kept_output_copy(&output, stderr);
    kept_output_close(&output);
    (void)exit_status;
    debugged_discard();
    return status;
}
