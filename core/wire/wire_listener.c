/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collector's socket: a folder that only its user may enter, and the handshake with producers. One that
 * has connected and not yet sent its hello is a guest; guests stand in the order in which they came. The
 * listener's descriptor is an epoll of the socket and of all guests. Only the first guest is waited for, and
 * only for a short time: a silent one does not hold up the collector, which drains rings in the meantime.
 */
#include "core/wire/wire.h"

#include "core/base/clock.h"
#include "core/wire/wire_folder.h"
#include "core/wire/wire_ring.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

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
