/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both ends of attaching. In the program one thread owns the listening socket and the connection, but for the end of
 * the process and a forked child: `lock` orders these with it.
 */
#include "core/wire/dormant.h"

#include "core/base/append.h"
#include "core/base/clock.h"
#include "core/wire/agent_config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define ORDER_BYTES (AGENT_CONFIG_MAX_BYTES + sizeof(struct sockaddr_un))
#define ORDER_WAIT_MS 1000
#define ANSWER_WAIT_MS 20000 /* CUPTI is loaded meanwhile */
#define LOOK_MS 20
#define FOLDER_NAME "lanescope-dormant"

static int socket_make(int flags)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | flags, 0);
}

static bool address_of(struct sockaddr_un *address, const char *folder, pid_t pid)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path, sizeof address->sun_path, "%s/%d", folder, (int)pid);
    return length > 0 && (size_t)length < sizeof address->sun_path;
}

/* ---- in the program ---- */

static struct {
    const struct dormant_process *process;
    struct sockaddr_un address;
    int listening, connection; /* -1: none */
    struct stat file;          /* of `listening`: a program may close descriptors that it did not open */
    pid_t pid;
    bool over;
    pthread_mutex_t lock;
} dormant = {.listening = -1, .connection = -1, .lock = PTHREAD_MUTEX_INITIALIZER};

static bool still_listens(void)
{
    struct stat now;
    return fstat(dormant.listening, &now) == 0 && now.st_dev == dormant.file.st_dev &&
           now.st_ino == dormant.file.st_ino;
}

static bool is_our_users(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

/* Reads the order, in any case: an unread one would reset the connection before the answer. Begins. */
static enum status order_take(int fd, char *order, struct error *error)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    ssize_t size = poll(&wait, 1, ORDER_WAIT_MS) == 1 ? recv(fd, order, ORDER_BYTES, MSG_DONTWAIT) : -1;
    const size_t path = size > 0 ? strnlen(order, (size_t)size) + 1 : 0;
    if (size <= 0 || path >= (size_t)size || order[size - 1] != '\0')
        return error_set(error, STATUS_FORMAT, "The message that asks for a capture is not complete.");
    if (dormant.connection >= 0)
        return error_set(error, STATUS_STATE, "Somebody else captures this process at the moment.");
    if (dormant.over)
        return error_set(error, STATUS_STATE, "The process is ending.");
    return dormant.process->begin(order, order + path, error);
}

static void guest_hear(void)
{
    struct error error = {.text = ""};
    int fd = accept4(dormant.listening, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        return;
    enum status status = STATUS_PERMISSION;
    char *order = is_our_users(fd) ? calloc(1, ORDER_BYTES) : NULL;
    if (order)
        status = order_take(fd, order, &error);
    free(order);
    if (status == STATUS_OK)
        error.text[0] = '\0';
    bool told = order && send(fd, error.text, strlen(error.text) + 1, MSG_NOSIGNAL) > 0;
    if (status == STATUS_OK && told) {
        dormant.connection = fd;
        return;
    }
    if (status == STATUS_OK)
        dormant.process->end();
    close(fd);
}

static void connection_end(void)
{
    if (dormant.connection < 0)
        return;
    dormant.process->end();
    close(dormant.connection);
    dormant.connection = -1;
}

static void *dormant_main(void *unused)
{
    for (bool there = true; there;) {
        struct pollfd waits[] = {{.fd = dormant.listening, .events = POLLIN},
                                 {.fd = dormant.connection, .events = POLLIN}};
        poll(waits, 2, dormant.connection >= 0 ? LOOK_MS : -1);
        pthread_mutex_lock(&dormant.lock);
        there = !dormant.over && still_listens();
        if (waits[1].revents || (dormant.connection >= 0 && !dormant.process->goes_on()))
            connection_end();
        if (there && waits[0].revents)
            guest_hear();
        pthread_mutex_unlock(&dormant.lock);
    }
    return unused;
}

static bool thread_start(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* it handles none of the program's signals */
    bool started = pthread_create(&thread, NULL, dormant_main, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) {
        pthread_setname_np(thread, "lanescope");
        pthread_detach(thread);
    }
    return started;
}

bool dormant_start(const struct dormant_process *process)
{
    const char *folder = getenv(DORMANT_VARIABLE);
    if (!folder || !*folder || !address_of(&dormant.address, folder, getpid()))
        return false;
    dormant.process = process;
    dormant.pid = getpid();
    dormant.listening = socket_make(SOCK_NONBLOCK);
    unlink(dormant.address.sun_path); /* of a killed process that had this number */
    if (dormant.listening >= 0 &&
        bind(dormant.listening, (const struct sockaddr *)&dormant.address, sizeof dormant.address) == 0 &&
        listen(dormant.listening, 4) == 0 && fstat(dormant.listening, &dormant.file) == 0 && thread_start())
        return true;
    dormant_abandon();
    return false;
}

void dormant_stop(void)
{
    if (dormant.listening < 0 || getpid() != dormant.pid)
        return;
    pthread_mutex_lock(&dormant.lock);
    dormant.over = true;
    connection_end();
    unlink(dormant.address.sun_path);
    pthread_mutex_unlock(&dormant.lock);
}

void dormant_abandon(void)
{
    if (dormant.listening >= 0)
        close(dormant.listening);
    if (dormant.connection >= 0)
        close(dormant.connection);
    dormant.listening = dormant.connection = -1;
}

/* ---- in lanescope ---- */

static bool process_is_there(const char *number)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%.200s", number);
    return access(path, F_OK) == 0;
}

/* Each entry of a folder that is the number of a process. */
static bool is_number(const char *name)
{
    return *name && name[strspn(name, "0123456789")] == '\0';
}

static void clear_left_over(const char *path)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder))
        if (is_number(entry->d_name) && !process_is_there(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

/* Our user's, and nobody else may enter it. */
static bool folder_make(const char *base, char *path, size_t size_bytes)
{
    struct stat file;
    if (!base || base[0] != '/' ||
        (size_t)snprintf(path, size_bytes, "%s/" FOLDER_NAME "-%u", base, (unsigned)geteuid()) >=
            size_bytes ||
        strlen(path) + sizeof "/4194304" > sizeof((struct sockaddr_un *)NULL)->sun_path)
        return false;
    return (mkdir(path, 0700) == 0 || errno == EEXIST) && lstat(path, &file) == 0 && S_ISDIR(file.st_mode) &&
           file.st_uid == geteuid() && (file.st_mode & 0777) == 0700;
}

enum status dormant_folder(char *path, size_t size_bytes, struct error *error)
{
    if (!folder_make(getenv("XDG_RUNTIME_DIR"), path, size_bytes) &&
        !folder_make(getenv("TMPDIR"), path, size_bytes) && !folder_make("/tmp", path, size_bytes))
        return error_set(
            error, STATUS_IO,
            "No folder that you alone may enter could be made in XDG_RUNTIME_DIR, TMPDIR or /tmp for the "
            "sockets of dormant programs: set TMPDIR to a folder of yours with a short name.");
    clear_left_over(path);
    return STATUS_OK;
}

/* What /proc has of a process: its name, and a variable of the environment that it was started with. */
static bool process_name(pid_t pid, char *name, size_t size_bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *file = fopen(path, "re");
    bool there = file && fgets(name, (int)size_bytes, file);
    if (file)
        fclose(file);
    if (there)
        name[strcspn(name, "\n")] = '\0';
    return there;
}

static enum status process_variable(pid_t pid, const char *name, char *value, size_t size_bytes)
{
    char path[64], *line = NULL;
    size_t room = 0, length = strlen(name);
    enum status status = STATUS_STATE;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return STATUS_PERMISSION;
    while (status != STATUS_OK && getdelim(&line, &room, '\0', file) > 0)
        if (strncmp(line, name, length) == 0 && line[length] == '=' &&
            strlen(line + length + 1) < size_bytes) {
            strcpy(value, line + length + 1);
            status = STATUS_OK;
        }
    free(line);
    fclose(file);
    return status;
}

/* " Others wait: 123 (python), 124 (train)." */
static void append_others(const char *path, char *text, size_t size_bytes)
{
    size_t used = 0;
    unsigned count = 0;
    DIR *folder = opendir(path);
    text[0] = '\0';
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder)) {
        char name[64] = "";
        if (!is_number(entry->d_name) || !process_name(atoi(entry->d_name), name, sizeof name))
            continue;
        if (count++ < 8)
            append_text(text, size_bytes, &used, "%s %s (%s)", count == 1 ? " These processes wait:" : ",",
                        entry->d_name, name);
    }
    if (count > 0)
        append_text(text, size_bytes, &used, "%s", count > 8 ? " and more." : ".");
    if (folder)
        closedir(folder);
}

static enum status process_find(pid_t pid, char *name, size_t name_bytes, struct sockaddr_un *address,
                                struct error *error)
{
    char folder[sizeof address->sun_path], path[64], others[600];
    struct stat file;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    const bool ended =
        readlink(path, folder, sizeof folder) < 0 && errno == ENOENT; /* and nobody has waited for it */
    *strrchr(path, '/') = '\0';
    if (ended || stat(path, &file) != 0 || !process_name(pid, name, name_bytes))
        return error_set(error, STATUS_STATE, "There is no process %d.", (int)pid);
    enum status status = file.st_uid == geteuid()
                             ? process_variable(pid, DORMANT_VARIABLE, folder, sizeof folder)
                             : STATUS_PERMISSION;
    if (status == STATUS_PERMISSION)
        return error_set(error, status, "Process %d (%s) is not yours: only its user may attach to it.",
                         (int)pid, name);
    /* A process that was forked, not executed, has the environment of who was. */
    if (status != STATUS_OK && dormant_folder(folder, sizeof folder, error) == STATUS_OK &&
        address_of(address, folder, pid) && access(address->sun_path, F_OK) == 0)
        status = STATUS_OK;
    if (status != STATUS_OK)
        return error_set(
            error, status,
            "Process %d (%s) was not started for attaching: start it as lanescope --dormant -- PROGRAM.",
            (int)pid, name);
    if (!address_of(address, folder, pid) || access(address->sun_path, F_OK) != 0) {
        append_others(folder, others, sizeof others);
        return error_set(
            error, STATUS_STATE,
            "Process %d (%s) has not called CUDA so far: attach when it has, or to a process that it "
            "started.%s",
            (int)pid, name, others);
    }
    return STATUS_OK;
}

static enum status answer_read(int fd, pid_t pid, const char *name, struct error *error)
{
    char answer[sizeof error->text] = "";
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    int ready;
    do
        ready = poll(&wait, 1, ANSWER_WAIT_MS);
    while (ready < 0 && errno == EINTR);
    ssize_t size = ready == 1 ? recv(fd, answer, sizeof answer - 1, MSG_DONTWAIT) : -1;
    if (size == 1 && answer[0] == '\0')
        return STATUS_OK;
    if (size > 1)
        return error_set(error, STATUS_STATE, "Process %d (%s) is not captured. %s", (int)pid, name, answer);
    return error_set(error, STATUS_IO, "Process %d (%s) %s.", (int)pid, name,
                     ready == 1 ? "has ended, or ended the connection"
                                : "does not answer: it is stopped, or very busy");
}

enum status dormant_attach(pid_t pid, const char *socket, const char *config, int *connection,
                           struct error *error)
{
    struct sockaddr_un address;
    struct ucred peer;
    socklen_t peer_size = sizeof peer;
    char name[64], order[ORDER_BYTES];
    enum status status = process_find(pid, name, sizeof name, &address, error);
    if (status != STATUS_OK)
        return status;
    int fd = socket_make(0);
    int length = snprintf(order, sizeof order, "%s%c%s", socket, '\0', config);
    if (fd < 0 || length < 0 || (size_t)length >= sizeof order)
        status =
            error_set_errno(error, STATUS_IO, errno, "A socket to process %d could not be made", (int)pid);
    else if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0)
        status =
            error_set(error, STATUS_STATE,
                      "Process %d (%s) does not listen any more: it closed descriptors that are not its own.",
                      (int)pid, name);
    else if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0 || peer.uid != geteuid() ||
             peer.pid != pid)
        status = error_set(error, STATUS_PERMISSION, "Another process answers for process %d (%s).", (int)pid,
                           name);
    else if (send(fd, order, (size_t)length + 1, MSG_NOSIGNAL) != length + 1)
        status = error_set_errno(error, STATUS_IO, errno, "Process %d (%s) could not be asked for a capture",
                                 (int)pid, name);
    else
        status = answer_read(fd, pid, name, error);
    if (status == STATUS_OK)
        *connection = fd;
    else if (fd >= 0)
        close(fd);
    return status;
}
