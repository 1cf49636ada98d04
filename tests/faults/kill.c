/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill -9 at random moments: of the program, of lanescope, of both, while the generator sends kernels
 * numbered 1, 2, 3, ... at 100,000 a second. Every recording must open, hold a prefix of the numbers without
 * a gap, and reach to at most 400 ms before the kill (250 ms more where the program was killed: its last
 * flush; and as much more as the machine stood still in between; where lanescope cannot be put ahead of other
 * processes, in one of three kills); the terminal must be as it was. Lanescope
 * runs in a pseudo-terminal under a process that stands for the shell; half of the times with its live
 * screen, else as --record.
 *
 * Usage: faults_kill [COUNT [SEED [KIND]]]: COUNT kills of each kind (20), or of one: program, lanescope,
 * both.
 */
#include "core/recording/recording.h"
#include "core/session/session.h"
#include "stalls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 20000
#define BEHIND_MS 400
#define LAST_FLUSH_MS 250

enum kind { KILL_PROGRAM, KILL_LANESCOPE, KILL_BOTH, KINDS };

static const char *const kind_names[KINDS] = {"program", "lanescope", "both"};

struct trial {
    enum kind kind;
    bool screen; /* live screen, else --record */
    unsigned delay_ms;
    char folder[64], recording[512];
    int master, slave;
    pid_t shell, lanescope, program;
    int shell_says, shell_hears; /* pipes */
    struct termios modes;
    bool alternate; /* the terminal shows its other screen */
    char tail[16];  /* last bytes read from the terminal */
    int64_t killed_ns, stalled_ms;
    bool late; /* the recording ends too long before the kill, and nothing else is wrong */
    int64_t
        last_ns; /* end of the last kernel that is in the recording; before the first, the program's start */
    uint64_t numbers;
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool fail(const struct trial *trial, const char *what)
{
    printf("FAILED: %s killed after %u ms, %s: %s\n", kind_names[trial->kind], trial->delay_ms,
           trial->screen ? "live screen" : "--record", what);
    return false;
}

/* ---- the terminal ---- */
/* Reads what came, and follows the switches between the terminal's two screens. */
static void read_terminal(struct trial *trial, int wait_ms)
{
    char bytes[sizeof trial->tail + 4096];
    struct pollfd wait = {.fd = trial->master, .events = POLLIN};
    while (poll(&wait, 1, wait_ms) == 1) {
        size_t kept = strlen(trial->tail);
        memcpy(bytes, trial->tail, kept);
        ssize_t got = read(trial->master, bytes + kept, 4095);
        if (got <= 0)
            return;
        size_t size = kept + (size_t)got;
        for (size_t i = 0; i + 8 <= size; i++)
            if (memcmp(bytes + i, "\033[?1049", 7) == 0)
                trial->alternate = bytes[i + 7] == 'h';
        kept = size < 7 ? size : 7;
        memcpy(trial->tail, bytes + size - kept, kept);
        trial->tail[kept] = '\0';
        for (size_t i = 0; i < kept; i++)
            if (trial->tail[i] == '\0')
                trial->tail[i] = ' ';
        wait_ms = 0;
    }
}

static void nap_ms(struct trial *trial, int64_t ms)
{
    int64_t end_ns = clock_ns(CLOCK_MONOTONIC) + ms * 1000000;
    int64_t left_ns;
    while ((left_ns = end_ns - clock_ns(CLOCK_MONOTONIC)) > 0)
        read_terminal(trial, (int)(left_ns / 1000000) + 1);
}

static bool terminal_is_usable(struct trial *trial)
{
    struct termios now;
    for (int waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += 5) {
        read_terminal(trial, 0);
        if (tcgetattr(trial->slave, &now) == 0 && now.c_lflag == trial->modes.c_lflag &&
            now.c_iflag == trial->modes.c_iflag && now.c_oflag == trial->modes.c_oflag && !trial->alternate)
            return true;
        nap_ms(trial, 5);
    }
    return false;
}

/* ---- processes ---- */
/* The process that stands for the shell: lanescope's parent, leader of the terminal's session. Says
 * lanescope's pid, then how it ended, and stays until it is told to go. */
static _Noreturn void run_shell(const struct trial *trial, int says, int hears)
{
    char state[sizeof trial->folder];
    memcpy(state, trial->folder, sizeof state);
    setsid();
    if (ioctl(trial->slave, TIOCSCTTY, 0) != 0)
        _exit(1);
    for (int fd = 0; fd < 3; fd++)
        dup2(trial->slave, fd);
    setenv("TERM", "xterm-256color", 1);
    setenv("XDG_STATE_HOME", state, 1);
    setenv("TMPDIR", state, 1); /* a killed lanescope leaves its socket */
    unsetenv("XDG_RUNTIME_DIR");
    signal(SIGTTOU, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        tcsetpgrp(0, getpid());
        signal(SIGTTOU, SIG_DFL);
        const char *generator = TEST_BUILD_DIR "/tests/lanescope-generator";
        if (trial->screen)
            execl(TEST_LANESCOPE, "lanescope", "--", generator, "--numbered", "--rate", "100k", NULL);
        else
            execl(TEST_LANESCOPE, "lanescope", "--record", trial->recording, "--", generator, "--numbered",
                  "--rate", "100k", NULL);
        _exit(127);
    }
    int status = 0;
    char byte;
    if (write(says, &child, sizeof child) != sizeof child)
        _exit(1);
    waitpid(child, &status, 0);
    tcsetpgrp(0, getpid());
    if (write(says, &status, sizeof status) != sizeof status)
        _exit(1);
    _exit(read(hears, &byte, 1) >= 0 ? 0 : 1);
}

/* A child of `parent` called lanescope-generator; 0 when there is none yet. */
static pid_t find_generator(pid_t parent)
{
    DIR *folder = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry && !found; entry = readdir(folder)) {
        char path[300], line[256] = "";
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (pid <= 0 || *end)
            continue;
        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        FILE *file = fopen(path, "re");
        int ppid = 0;
        char *close = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
        if (close && strstr(line, "(lanescope-gene") && sscanf(close, ") %*c %d", &ppid) == 1 &&
            ppid == parent)
            found = (pid_t)pid;
        if (file)
            fclose(file);
    }
    if (folder)
        closedir(folder);
    return found;
}

static bool start(struct trial *trial)
{
    int says[2], hears[2];
    snprintf(trial->folder, sizeof trial->folder, "/tmp/lanescope-kill.XXXXXX");
    if (!mkdtemp(trial->folder))
        return fail(trial, "no temporary folder");
    snprintf(trial->recording, sizeof trial->recording, "%s/run.lsr", trial->folder);
    trial->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (trial->master < 0 || grantpt(trial->master) != 0 || unlockpt(trial->master) != 0)
        return fail(trial, "no pseudo-terminal");
    trial->slave = open(ptsname(trial->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    const struct winsize size = {.ws_row = 40, .ws_col = 120};
    if (trial->slave < 0 || ioctl(trial->slave, TIOCSWINSZ, &size) != 0 ||
        tcgetattr(trial->slave, &trial->modes) != 0 || pipe2(says, O_CLOEXEC) != 0 ||
        pipe2(hears, O_CLOEXEC) != 0)
        return fail(trial, "no pseudo-terminal");
    trial->shell = fork();
    if (trial->shell == 0) {
        close(hears[1]);
        run_shell(trial, says[1], hears[0]);
    }
    close(says[1]);
    close(hears[0]);
    trial->shell_says = says[0];
    trial->shell_hears = hears[1];
    if (read(trial->shell_says, &trial->lanescope, sizeof trial->lanescope) != sizeof trial->lanescope)
        return fail(trial, "lanescope was not started");
    for (int waited_ms = 0; waited_ms < PATIENCE_MS && !(trial->program = find_generator(trial->lanescope));
         waited_ms += 5)
        nap_ms(trial, 5);
    if (!trial->program)
        return fail(trial, "the generator was not started");
    for (int waited_ms = 0; waited_ms < PATIENCE_MS && trial->screen && !trial->alternate; waited_ms += 5)
        nap_ms(trial, 5);
    trial->last_ns = clock_ns(CLOCK_REALTIME);
    return true;
}

/* The wait status of lanescope; -1 when it does not end. */
static int wait_for_lanescope(struct trial *trial)
{
    struct pollfd wait = {.fd = trial->shell_says, .events = POLLIN};
    int status;
    for (int waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += 10) {
        read_terminal(trial, 0);
        if (poll(&wait, 1, 10) == 1)
            return read(trial->shell_says, &status, sizeof status) == sizeof status ? status : -1;
    }
    return -1;
}

/* The generator is no child of ours: gone when it cannot be signalled, or is a zombie nobody has buried yet.
 */
static bool wait_for_program(struct trial *trial)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", trial->program);
    for (int waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += 5) {
        char line[256] = "";
        FILE *file = fopen(path, "re");
        char *close = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
        if (file)
            fclose(file);
        if (!close || close[2] == 'Z')
            return true;
        nap_ms(trial, 5);
    }
    return false;
}

static void clean_folder(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        char inner[512];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (unlink(inner) != 0)
            clean_folder(inner);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}

static void clean(struct trial *trial)
{
    if (trial->program > 0 && trial->kind != KILL_PROGRAM)
        kill(trial->program, SIGKILL);
    if (trial->lanescope > 0)
        kill(trial->lanescope, SIGKILL);
    if (trial->shell_hears > 0)
        close(trial->shell_hears);
    if (trial->shell > 0) {
        kill(trial->shell, SIGKILL);
        waitpid(trial->shell, NULL, 0);
    }
    if (trial->shell_says > 0)
        close(trial->shell_says);
    close(trial->slave);
    close(trial->master);
    clean_folder(trial->folder);
}

/* ---- the recording ---- */
/* The live screen's recording: the one file that its state folder holds. */
static bool find_live_recording(struct trial *trial)
{
    char path[128];
    snprintf(path, sizeof path, "%s/lanescope", trial->folder);
    DIR *folder = opendir(path);
    bool found = false;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".lsr") == 0) {
            snprintf(trial->recording, sizeof trial->recording, "%s/%s", path, entry->d_name);
            found = true;
        }
    }
    if (folder)
        closedir(folder);
    return found;
}

/* Ticks off every launch's number; false: one came twice. */
static bool read_numbers(struct trial *trial, const struct session *session, uint8_t *seen, uint64_t most)
{
    for (uint32_t track = 0; track < session_track_count(session); track++) {
        const struct track_row *row = session_track(session, track);
        for (uint32_t lane = 0; row->kind == TRACK_STREAM && lane < row->lane_count; lane++) {
            for (uint64_t i = 0; i < session_lane_count_events(session, track, lane); i++) {
                const struct event_ref ref = {track, lane, i};
                struct item item = session_event_item(session, ref);
                if (item.kind != ITEM_LAUNCH)
                    continue;
                if (item.correlation == 0 || item.correlation > most || seen[item.correlation]++)
                    return false;
                trial->numbers++;
                int64_t end_ns = session_start_ns(session) + session_event_end_ns(session, ref);
                if (end_ns > trial->last_ns)
                    trial->last_ns = end_ns;
            }
        }
    }
    return true;
}

static bool check_recording(struct trial *trial, const struct stalls *stalls)
{
    struct session *session;
    struct error error;
    char text[1200];
    if (trial->screen && !find_live_recording(trial))
        return fail(trial, "there is no recording");
    if (recording_load(&session, trial->recording, &error) != STATUS_OK) {
        snprintf(text, sizeof text, "the recording does not open: %s", error.text);
        return fail(trial, text);
    }
    uint64_t launches = session_launch_count(session);
    uint8_t *seen = calloc(launches + 1, 1);
    bool whole = seen && read_numbers(trial, session, seen, launches);
    free(seen);
    session_destroy(session);
    if (!whole || trial->numbers != launches) {
        snprintf(text, sizeof text, "its %llu launches are not the numbers from 1 on",
                 (unsigned long long)launches);
        return fail(trial, text);
    }
    int64_t behind_ms = (trial->killed_ns - trial->last_ns) / 1000000;
    int64_t allowed_ms = BEHIND_MS + (trial->kind == KILL_PROGRAM ? LAST_FLUSH_MS : 0);
    trial->stalled_ms = stalls_between_ns(stalls, trial->last_ns, trial->killed_ns) / 1000000;
    trial->late = behind_ms > allowed_ms + trial->stalled_ms;
    if (trial->late) {
        snprintf(text, sizeof text,
                 "the recording, of %llu launches, ends %lld ms before the kill; the machine stood still for "
                 "%lld ms of them",
                 (unsigned long long)launches, (long long)behind_ms, (long long)trial->stalled_ms);
        return fail(trial, text);
    }
    return true;
}

static bool run_trial(struct trial *trial, const struct stalls *stalls, bool program_first)
{
    if (!start(trial))
        return false;
    nap_ms(trial, trial->delay_ms);
    if (trial->screen && !trial->alternate)
        return fail(trial, "the live screen has not come");
    trial->killed_ns = clock_ns(CLOCK_REALTIME);
    if (trial->kind == KILL_PROGRAM || (trial->kind == KILL_BOTH && program_first))
        kill(trial->program, SIGKILL);
    if (trial->kind != KILL_PROGRAM)
        kill(trial->lanescope, SIGKILL);
    if (trial->kind == KILL_BOTH && !program_first)
        kill(trial->program, SIGKILL);

    int status = wait_for_lanescope(trial);
    if (trial->kind == KILL_PROGRAM && !(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL))
        return fail(trial, "lanescope did not end with the program's status");
    if (trial->kind != KILL_PROGRAM && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
        return fail(trial, "lanescope did not die");
    if (!wait_for_program(trial))
        return fail(trial, "the program did not end");
    if (!terminal_is_usable(trial))
        return fail(trial, "the terminal is not as it was");
    return check_recording(trial, stalls);
}

static int compare(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20;
    unsigned seed = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : (unsigned)time(NULL);
    unsigned failures = 0;
    int64_t *behind_ms = calloc(count + 1, sizeof *behind_ms);
    if (!behind_ms || count == 0)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    /* Ahead of whatever else the machine does, where that is allowed: lanescope is measured, not the machine.
     */
    const struct sched_param first = {.sched_priority = 1};
    bool ahead = sched_setscheduler(0, SCHED_RR, &first) == 0;
    struct stalls *stalls = stalls_start("/tmp"); /* where the recordings lie */
    printf("%u kills of each kind, seed %u, %s\n%-10s %6s %8s   %s\n", count, seed,
           ahead ? "ahead of other processes" : "among other processes", "killed", "good", "failed",
           "recording ends before the kill, ms: least, median, most; numbers: least; machine stood still, "
           "ms: most");
    for (int kind = 0; kind < KINDS; kind++) {
        if (argc > 3 && strcmp(argv[3], kind_names[kind]) != 0)
            continue;
        unsigned good = 0;
        uint64_t least = UINT64_MAX;
        int64_t stalled_ms = 0;
        for (unsigned i = 0; i < count; i++) {
            bool again = false;
            for (int turn = 0; turn == 0 || again; turn++) {
                struct trial trial = {.kind = (enum kind)kind,
                                      .screen = kind != KILL_PROGRAM && i % 2 == 0,
                                      .delay_ms = 200 + (unsigned)rand_r(&seed) % 1000};
                if (run_trial(&trial, stalls, rand_r(&seed) % 2)) {
                    behind_ms[good++] = (trial.killed_ns - trial.last_ns) / 1000000;
                    least = trial.numbers < least ? trial.numbers : least;
                    stalled_ms = trial.stalled_ms > stalled_ms ? trial.stalled_ms : stalled_ms;
                }
                clean(&trial);
                /* Others may have had the processors: no stall of the machine shows that. */
                again = trial.late && !ahead && turn < 2;
                if (again)
                    puts("which may be other processes' doing: once more");
            }
        }
        failures += count - good;
        qsort(behind_ms, good, sizeof *behind_ms, compare);
        if (good > 0)
            printf("%-10s %6u %8u   %lld, %lld, %lld; %llu; %lld\n", kind_names[kind], good, count - good,
                   (long long)behind_ms[0], (long long)behind_ms[good / 2], (long long)behind_ms[good - 1],
                   (unsigned long long)least, (long long)stalled_ms);
        else
            printf("%-10s %6u %8u\n", kind_names[kind], good, count - good);
        fflush(stdout);
    }
    stalls_stop(stalls);
    free(behind_ms);
    return failures > 0;
}
