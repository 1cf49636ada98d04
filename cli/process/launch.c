/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child has its own process group, and is given the terminal if there is one. lanescope waits for its end
 * by a pidfd, or polls where the kernel has no pidfd. Times are of the monotonic clock.
 */
#include "cli/process/launch.h"

#include "core/base/clock.h"
#include "core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILL_AFTER_MS 5000
#define GROUP_GRACE_MS 800 /* after the SIGTERM, for processes that outlive the child */
#define POLL_MS 50

extern char **environ;

struct launch {
    pid_t pid;
    int pidfd;        /* -1 on a kernel without pidfd_open */
    int wake_fd;      /* eventfd: stop or released was set */
    bool terminal;    /* it has our terminal */
    int64_t limit_ms; /* monotonic; INT64_MAX none */
    atomic_bool stop, released;
};

/* The child's environment: ours with variables set or removed. The caller frees only the array, and the texts
 * from index `*own` on. NULL if memory runs out. */
static char **make_environment(const struct launch_variable *variables, size_t *own)
{
    size_t count = 0, extra = 0, used = 0;
    char **made;

    while (environ[count])
        count++;
    while (variables && variables[extra].name)
        extra++;
    made = calloc(count + extra + 1, sizeof *made);
    if (!made)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        bool replaced = false;

        for (size_t k = 0; k < extra && !replaced; k++) {
            size_t length = strlen(variables[k].name);

            replaced = strncmp(environ[i], variables[k].name, length) == 0 && environ[i][length] == '=';
        }
        if (!replaced)
            made[used++] = environ[i];
    }
    *own = used;
    for (size_t k = 0; k < extra; k++) {
        if (!variables[k].value)
            continue;
        size_t size = strlen(variables[k].name) + strlen(variables[k].value) + 2;
        made[used] = malloc(size);
        if (!made[used]) {
            while (used > *own)
                free(made[--used]);
            free(made);
            return NULL;
        }
        stpcpy(stpcpy(stpcpy(made[used], variables[k].name), "="), variables[k].value);
        used++;
    }
    return made;
}

static bool file_is_elf(const char *path)
{
    char head[4] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool whole = file >= 0 && read(file, head, sizeof head) == (ssize_t)sizeof head;

    if (file >= 0)
        close(file);
    return whole && memcmp(head, "\177ELF", sizeof head) == 0;
}

/* As execvpe, but the shell gets no program of another processor to read. Returns errno. */
static int execute_file(char *const *argv, char *const *environment)
{
    if (strchr(argv[0], '/')) {
        execve(argv[0], argv, environment);
        int error = errno;
        if (error != ENOEXEC || file_is_elf(argv[0]))
            return error;
    }
    execvpe(argv[0], argv, environment);
    return errno;
}

static enum status execute_failed(const char *program, int exec_errno, int *exec_status, struct error *error)
{
    *exec_status = exec_errno == ENOENT ? 127 : 126;
    return exec_errno == ENOEXEC
               ? error_set(error, STATUS_IO,
                           "Cannot run %s: it is a program of another processor than this machine's.",
                           program)
               : error_set_errno(error, STATUS_IO, exec_errno, "Cannot run %s", program);
}

enum status launch_replace(char *const *argv, const struct launch_variable *variables, int *exec_status,
                           struct error *error)
{
    size_t own = 0;
    char **environment = make_environment(variables, &own);

    *exec_status = 125;
    if (!environment)
        return error_no_memory(error, "to start %s", argv[0]);
    const int failure = execute_file(argv, environment);
    for (size_t i = own; environment[i]; i++)
        free(environment[i]);
    free(environment);
    return execute_failed(argv[0], failure, exec_status, error);
}

/* Runs in the child after fork, so only system calls are allowed. */
static _Noreturn void run_child(const struct launch_options *options, char **environment, pid_t parent,
                                int report, bool terminal)
{
    static const int restored[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGPIPE,
                                   SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD, SIGWINCH};
    sigset_t none;

    if (options->ends_with_us) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) /* it has ended already */
            _exit(127);
    }
    if (options->file_bytes)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){options->file_bytes, options->file_bytes});
    setpgid(0, 0);
    if (terminal)
        tcsetpgrp(STDIN_FILENO, getpid()); /* SIGTTOU is ignored until the loop below */
    for (size_t i = 0; i < sizeof restored / sizeof *restored; i++)
        signal(restored[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (!options->foreground) {
        int null = open("/dev/null", O_RDWR);

        dup2(null, STDIN_FILENO);
        dup2(options->output >= 0 ? options->output : null, STDOUT_FILENO);
        dup2(options->errors >= 0 ? options->errors : null, STDERR_FILENO);
        if (null > STDERR_FILENO)
            close(null);
    }
    int error = execute_file(options->argv, environment);
    while (write(report, &error, sizeof error) < 0 && errno == EINTR)
        ;
    _exit(127);
}

enum status launch_start(struct launch **launch, const struct launch_options *options, int *exec_status,
                         struct error *error)
{
    enum status status = STATUS_OK;
    struct launch *made = calloc(1, sizeof *made);
    size_t own = 0;
    pid_t parent = getpid();
    char **environment = make_environment(options->variables, &own);
    int report[2] = {-1, -1};
    int exec_errno = 0;
    ssize_t got;

    *exec_status = 125;
    if (made)
        made->pidfd = made->wake_fd = -1;
    if (!made || !environment) {
        status = error_no_memory(error, "to start %s", options->argv[0]);
        goto fail;
    }
    made->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (made->wake_fd < 0) {
        status = error_set_errno(error, STATUS_IO, errno, "Cannot start %s: no eventfd", options->argv[0]);
        goto fail;
    }
    if (pipe2(report, O_CLOEXEC) < 0) {
        status = error_set_errno(error, STATUS_IO, errno, "Cannot start %s: no pipe", options->argv[0]);
        goto fail;
    }
    made->terminal = options->foreground && isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
    if (made->terminal)
        signal(SIGTTOU, SIG_IGN);
    made->pid = fork();
    if (made->pid == 0)
        run_child(options, environment, parent, report[1], made->terminal);
    if (made->pid < 0) {
        status = error_set_errno(error, STATUS_IO, errno, "Cannot start %s", options->argv[0]);
        goto fail;
    }
    setpgid(made->pid, made->pid); /* also here: whoever comes first */
    close(report[1]);
    report[1] = -1;
    do
        got = read(report[0], &exec_errno, sizeof exec_errno);
    while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof exec_errno) {
        waitpid(made->pid, NULL, 0);
        if (made->terminal)
            tcsetpgrp(STDIN_FILENO, getpgrp());
        status = execute_failed(options->argv[0], exec_errno, exec_status, error);
        goto fail;
    }
    made->pidfd = (int)syscall(SYS_pidfd_open, made->pid, 0);
    if (made->pidfd >= 0)
        fcntl(made->pidfd, F_SETFD, FD_CLOEXEC);
    made->limit_ms = options->time_limit_s > 0
                         ? clock_monotonic_ns() / NS_PER_MS + (int64_t)(options->time_limit_s * 1000)
                         : INT64_MAX;
    *exec_status = 0;
    *launch = made;
    made = NULL;
fail:
    if (environment) {
        for (size_t i = own; environment[i]; i++)
            free(environment[i]);
        free(environment);
    }
    if (report[0] >= 0)
        close(report[0]);
    if (report[1] >= 0)
        close(report[1]);
    launch_destroy(made);
    return status;
}

pid_t launch_pid(const struct launch *launch)
{
    return launch->pid;
}

/* The terminal stopped the child: stop too, and continue it when the shell continues us. */
static void suspend_with(const struct launch *launch)
{
    if (launch->terminal)
        tcsetpgrp(STDIN_FILENO, getpgrp());
    raise(SIGSTOP);
    if (launch->terminal)
        tcsetpgrp(STDIN_FILENO, launch->pid);
    killpg(launch->pid, SIGCONT);
}

/* Ends what the child has left behind in its group, where a shell's program may still send its last events
 * after the SIGTERM that ended the shell. */
static void group_end(pid_t group)
{
    const int64_t until_ns = clock_monotonic_ns() + GROUP_GRACE_MS * (int64_t)NS_PER_MS;

    while (killpg(group, 0) == 0 && clock_monotonic_ns() < until_ns)
        clock_pause(5 * NS_PER_MS);
    killpg(group, SIGKILL);
}

int launch_wait(struct launch *launch, int *ended_as)
{
    int64_t kill_ms = INT64_MAX;
    bool over_time = false, killed = false;
    int wait_status = 0;

    for (;;) {
        struct pollfd wait_for[] = {{.fd = launch->pidfd, .events = POLLIN},
                                    {.fd = launch->wake_fd, .events = POLLIN}};
        uint64_t wakes;
        pid_t got = waitpid(launch->pid, &wait_status, WNOHANG | (launch->terminal ? WUNTRACED : 0));
        int64_t now = clock_monotonic_ns() / NS_PER_MS;

        if (got == launch->pid && WIFSTOPPED(wait_status))
            suspend_with(launch);
        else if (got == launch->pid || (got < 0 && errno != EINTR) || atomic_load(&launch->released))
            break;
        if (now >= launch->limit_ms && !over_time) {
            over_time = true;
            atomic_store(&launch->stop, true);
        }
        if (atomic_load(&launch->stop) && kill_ms == INT64_MAX) {
            killpg(launch->pid, SIGCONT); /* first: a debugger attaches by a stop, which this would undo */
            killpg(launch->pid, SIGTERM);
            kill_ms = now + KILL_AFTER_MS;
        }
        if (now >= kill_ms && !killed) {
            killpg(launch->pid, SIGKILL);
            killed = true;
        }
        poll(wait_for, 2, POLL_MS);
        while (read(launch->wake_fd, &wakes, sizeof wakes) < 0 && errno == EINTR)
            continue;
    }
    if (launch->terminal)
        tcsetpgrp(STDIN_FILENO, getpgrp());
    if (atomic_load(&launch->stop) && !atomic_load(&launch->released))
        group_end(launch->pid);
    if (ended_as)
        *ended_as = wait_status;
    if (over_time)
        return 124;
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static void launch_wake(struct launch *launch)
{
    const uint64_t one = 1;

    while (write(launch->wake_fd, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

void launch_stop(struct launch *launch)
{
    atomic_store(&launch->stop, true);
    launch_wake(launch);
}

void launch_release(struct launch *launch)
{
    atomic_store(&launch->released, true);
    launch_wake(launch);
}

void launch_destroy(struct launch *launch)
{
    if (!launch)
        return;
    if (launch->pidfd >= 0)
        close(launch->pidfd);
    if (launch->wake_fd >= 0)
        close(launch->wake_fd);
    free(launch);
}

/* ---- output that is kept ---- */
/* The file never has a name, so nothing is left behind when lanescope is killed. */

enum status kept_output_open(struct kept_output *capture, struct error *error)
{
    const char *folder = folder_temporary();
    char name[4096];

    if ((size_t)snprintf(name, sizeof name, "%s/lanescope-output-XXXXXX", folder) >= sizeof name)
        return error_set(error, STATUS_USAGE, "TMPDIR is longer than %zu bytes.", sizeof name);
    capture->fd = mkostemp(name, O_CLOEXEC | O_APPEND);
    if (capture->fd < 0)
        return error_set_errno(error, STATUS_IO, errno, "Cannot make a file in %s for the output of programs",
                               folder);
    unlink(name);
    return STATUS_OK;
}

void kept_output_copy(const struct kept_output *capture, FILE *out)
{
    char buffer[65536];
    off_t offset = 0;
    ssize_t got;

    if (capture->fd < 0)
        return;
    while ((got = pread(capture->fd, buffer, sizeof buffer, offset)) > 0) {
        fwrite(buffer, 1, (size_t)got, out);
        offset += got;
    }
    fflush(out);
}

void kept_output_close(struct kept_output *capture)
{
    if (capture->fd >= 0)
        close(capture->fd);
    capture->fd = -1;
}
