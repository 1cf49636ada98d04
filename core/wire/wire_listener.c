/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector's socket: a folder that only its user may enter, and the handshake with producers. One that
 * has connected and not yet sent its hello is a guest; guests stand in the order in which they came. The
 * listener's descriptor is an epoll of the socket and of all guests. Only the first guest is waited for, and
 * only for a short time: a silent one does not hold up the collector, which drains rings in the meantime.
 *
 * The lock on the folder shows that its lanescope runs. Before a folder is made, folders of the same user that
 * have a socket and no lock are emptied with openat, which follows no link.
 */
#include "core/wire/wire.h"

#include "core/base/clock.h"
#include "core/wire/wire_ring.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- the folder ---- */

#define PREFIX "lanescope-"
#define RANDOM "XXXXXX"
#define SOCKET_NAME "wire"
#define CONTROL_NAME "sampling" /* core/wire/sampling_control.h */

/* The address of the socket BASE/NAME; false if it does not fit. */
static bool set_address(struct sockaddr_un *address, const char *base, const char *name)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    int length = snprintf(address->sun_path, sizeof address->sun_path, "%s/%s/" SOCKET_NAME, base, name);
    return length > 0 && (size_t)length < sizeof address->sun_path;
}

/* Versions of lanescope from before the lock listen without it. */
static bool nobody_listens(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                   errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return refused;
}

/* Is it our folder, with a socket, and is its lanescope gone? If so this process now holds its lock. */
static bool is_left_over(int folder, const struct sockaddr_un *address)
{
    struct stat of_folder, of_socket;
    return fstat(folder, &of_folder) == 0 && of_folder.st_uid == geteuid() &&
           (of_folder.st_mode & 0777) == 0700 &&
           fstatat(folder, SOCKET_NAME, &of_socket, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISSOCK(of_socket.st_mode) && flock(folder, LOCK_EX | LOCK_NB) == 0 && nobody_listens(address);
}

/* What agents put beside the socket. */
static void clear_cubins(int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again < 0 ? NULL : fdopendir(again);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries))
        if (strstr(entry->d_name, WIRE_FOLDER_CUBIN))
            unlinkat(folder, entry->d_name, 0);
    if (entries)
        closedir(entries);
    else if (again >= 0)
        close(again);
}

static void clear_left_over(int base_fd, const char *base, const char *name)
{
    struct sockaddr_un address;
    int folder = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return;
    if (set_address(&address, base, name) && is_left_over(folder, &address)) {
        unlinkat(folder, SOCKET_NAME, 0);
        clear_cubins(folder);
        unlinkat(folder, CONTROL_NAME, 0);
        unlinkat(base_fd, name, AT_REMOVEDIR); /* unless something else is in it */
    }
    close(folder);
}

static void clear_left_overs(const char *base)
{
    DIR *folder = opendir(base);
    int saved = errno;
    for (struct dirent *entry = folder ? readdir(folder) : NULL; entry; entry = readdir(folder))
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) == 0 &&
            strlen(entry->d_name) == sizeof PREFIX RANDOM - 1)
            clear_left_over(dirfd(folder), base, entry->d_name);
    if (folder)
        closedir(folder);
    errno = saved;
}

bool wire_folder_make(struct wire_folder *folder, const char *base, int fd)
{
    folder->lock = -1;
    folder->path[0] = '\0';
    errno = ENAMETOOLONG;
    if (!set_address(&folder->address, base, PREFIX RANDOM))
        return false;
    clear_left_overs(base);
    snprintf(folder->path, sizeof folder->path, "%s/" PREFIX RANDOM, base);
    if (!mkdtemp(folder->path)) {
        folder->path[0] = '\0';
        return false;
    }
    /* Take the lock before the socket exists: a folder without a socket is never cleared. On a file system
     * without locks no folder is locked, and folders of killed processes stay. */
    folder->lock = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder->lock >= 0)
        flock(folder->lock, LOCK_EX | LOCK_NB);
    memcpy(folder->address.sun_path, folder->path, strlen(folder->path));
    if (bind(fd, (const struct sockaddr *)&folder->address, sizeof folder->address) == 0)
        return true;
    int saved = errno;
    wire_folder_remove(folder);
    errno = saved;
    return false;
}

void wire_folder_remove(struct wire_folder *folder)
{
    if (!folder->path[0])
        return;
    unlink(folder->address.sun_path);
    if (folder->lock >= 0)
        clear_cubins(folder->lock);
    char control[sizeof folder->path + sizeof CONTROL_NAME + 1];
    snprintf(control, sizeof control, "%s/" CONTROL_NAME, folder->path);
    unlink(control);
    rmdir(folder->path);
    if (folder->lock >= 0)
        close(folder->lock);
    folder->path[0] = '\0';
}

/* ---- the socket ---- */

#define HELLO_WAIT_NS 1000000000 /* a busy machine may stop a program between connecting and sending */
#define FIRST_WAIT_MS 100        /* mostly it sends at once */
#define GUESTS_MAX 32u           /* with one more, the one that waits longest is rejected */

struct guest {
    int fd, pid;
    int64_t until_ns; /* monotonic */
};

struct wire_listener {
    int fd, ready; /* ready: the epoll */
    struct guest guests[GUESTS_MAX];
    size_t guest_count;
    struct wire_folder folder;
};

static bool watch_descriptor(int epoll, int fd)
{
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.fd = fd}) == 0;
}

static bool bind_under(struct wire_listener *listener, const char *base)
{
    return base && base[0] == '/' && wire_folder_make(&listener->folder, base, listener->fd);
}

static void close_both(const struct wire_listener *listener)
{
    if (listener->fd >= 0)
        close(listener->fd);
    if (listener->ready >= 0)
        close(listener->ready);
}

enum status wire_listener_create(struct wire_listener **listener, struct error *error)
{
    struct wire_listener *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "to accept connections of programs");
    made->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    made->ready = epoll_create1(EPOLL_CLOEXEC);
    if (made->fd < 0 || made->ready < 0 || !watch_descriptor(made->ready, made->fd)) {
        enum status status =
            error_set_errno(error, STATUS_IO, errno, "A socket to listen for programs could not be created");
        close_both(made);
        free(made);
        return status;
    }
    if (!bind_under(made, getenv("XDG_RUNTIME_DIR")) && !bind_under(made, getenv("TMPDIR")) &&
        !bind_under(made, "/tmp")) {
        enum status status = error_set_errno(
            error, STATUS_IO, errno,
            "No folder for lanescope's socket could be made in XDG_RUNTIME_DIR, TMPDIR or /tmp; "
            "set TMPDIR to a folder you may write to, with a short name");
        close_both(made);
        free(made);
        return status;
    }
    if (listen(made->fd, SOMAXCONN) != 0) {
        enum status status = error_set_errno(error, STATUS_IO, errno, "lanescope could not listen on %s",
                                             wire_listener_path(made));
        wire_listener_destroy(made);
        return status;
    }
    *listener = made;
    return STATUS_OK;
}

void wire_listener_destroy(struct wire_listener *listener)
{
    if (!listener)
        return;
    for (size_t i = 0; i < listener->guest_count; i++)
        close(listener->guests[i].fd);
    close_both(listener);
    wire_folder_remove(&listener->folder);
    free(listener);
}

const char *wire_listener_path(const struct wire_listener *listener)
{
    return listener->folder.address.sun_path;
}

int wire_listener_fd(const struct wire_listener *listener)
{
    return listener->ready;
}

/* Receives the hello and its one descriptor (-1 if none came). False: not exactly one hello. *no_room: a
 * descriptor came, but this process could not open any more. */
static bool receive_hello(int fd, struct wire_hello *hello, int *ring_fd, bool *no_room)
{
    struct iovec part = {.iov_base = hello, .iov_len = sizeof *hello};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    *ring_fd = -1;
    *no_room = false;
    ssize_t received;
    do
        received = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received < 0)
        return false;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count =
            (head->cmsg_len - CMSG_LEN(0)) / sizeof(int); /* padding can make room for more than one */
        for (size_t i = 0; i < count; i++) {
            int sent;
            memcpy(&sent, CMSG_DATA(head) + i * sizeof sent, sizeof sent);
            if (*ring_fd < 0)
                *ring_fd = sent;
            else
                close(sent);
        }
    }
    *no_room = *ring_fd < 0 && (message.msg_flags & MSG_CTRUNC);
    return received == (ssize_t)sizeof *hello && !(message.msg_flags & MSG_TRUNC);
}

/* Accepts a connection and makes it a guest. STATUS_STATE: nobody is there. */
static enum status guest_admit(struct wire_listener *listener, struct error *error)
{
    int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return error_set(error, STATUS_STATE, "No program waits to be accepted.");
    if (fd < 0)
        return error_set_errno(error, STATUS_IO, errno, "A program's connection could not be accepted");

    enum status status;
    struct ucred peer;
    socklen_t peer_size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) != 0) {
        status = error_set_errno(error, STATUS_IO, errno,
                                 "The process that connected to lanescope could not be identified");
        goto fail;
    }
    if (peer.uid != geteuid()) {
        status =
            error_set(error, STATUS_PERMISSION, "Process %d of another user (%u) connected; it was rejected.",
                      (int)peer.pid, (unsigned)peer.uid);
        goto fail;
    }
    if (!watch_descriptor(listener->ready, fd)) {
        status = error_set_errno(error, STATUS_IO, errno, "Process %d's connection could not be watched",
                                 (int)peer.pid);
        goto fail;
    }
    listener->guests[listener->guest_count++] =
        (struct guest){.fd = fd, .pid = peer.pid, .until_ns = clock_monotonic_ns() + HELLO_WAIT_NS};
    return STATUS_OK;

fail:
    close(fd);
    return status;
}

/* Removes the first guest that has sent something, hung up or run out of time. False: there is none. */
static bool guest_next(struct wire_listener *listener, int wait_ms, struct guest *guest)
{
    for (size_t i = 0; i < listener->guest_count; i++) {
        struct pollfd wait = {.fd = listener->guests[i].fd, .events = POLLIN};
        if (poll(&wait, 1, wait_ms) != 1 && clock_monotonic_ns() < listener->guests[i].until_ns)
            continue;
        *guest = listener->guests[i];
        listener->guest_count--;
        memmove(&listener->guests[i], &listener->guests[i + 1],
                (listener->guest_count - i) * sizeof listener->guests[0]);
        epoll_ctl(listener->ready, EPOLL_CTL_DEL, guest->fd, NULL);
        return true;
    }
    return false;
}

static enum status guest_introduce(const struct guest *guest, struct wire_consumer **consumer,
                                   struct wire_hello *hello, struct error *error)
{
    int ring_fd;
    bool no_room, introduced = receive_hello(guest->fd, hello, &ring_fd, &no_room);
    enum status status;
    if (introduced && no_room) {
        status = error_set(error, STATUS_IO,
                           "Process %d is not traced: lanescope has no file descriptor left for its events. "
                           "Allow more (ulimit -n).",
                           guest->pid);
    } else if (!introduced || ring_fd < 0) {
        status = error_set(error, STATUS_FORMAT,
                           "Process %d connected without the handshake of a producer; it was rejected.",
                           guest->pid);
    } else {
        hello->host[sizeof hello->host - 1] = '\0';
        hello->program[sizeof hello->program - 1] = '\0';
        if (guest->pid > 0)
            hello->pid = guest->pid; /* the kernel gives the pid, as seen in our own pid namespace */
        status = wire_consumer_create(consumer, ring_fd, hello, error);
    }
    if (status != STATUS_OK && ring_fd >= 0)
        close(ring_fd);
    return status;
}

enum status wire_listener_accept(struct wire_listener *listener, struct wire_consumer **consumer,
                                 struct wire_hello *hello, int *connection_fd, struct error *error)
{
    struct guest guest;
    enum status status = STATUS_STATE;
    if (listener->guest_count < GUESTS_MAX)
        status = guest_admit(listener, error);
    else
        listener->guests[0].until_ns = INT64_MIN;
    bool first = status == STATUS_OK && listener->guest_count == 1;
    if (!guest_next(listener, first ? FIRST_WAIT_MS : 0, &guest))
        return status != STATUS_OK
                   ? status
                   : error_set(error, STATUS_STATE, "A program connected and has not introduced itself yet.");
    status = guest_introduce(&guest, consumer, hello, error);
    if (status == STATUS_OK)
        *connection_fd = guest.fd;
    else
        close(guest.fd);
    return status;
}
