/*
 * The collector's socket: a folder that only its user may enter, and the handshake with producers.
 */
#include "core/wire/wire.h"

#include "core/wire/wire_folder.h"
#include "core/wire/wire_ring.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define HELLO_WAIT_MS 1000 /* a busy machine may let a program wait between connecting and sending */

struct wire_listener {
    int fd;
    struct wire_folder folder;
};

static bool bind_under(struct wire_listener *listener, const char *base)
{
    return base && base[0] == '/' && wire_folder_make(&listener->folder, base, listener->fd);
}

enum status wire_listener_create(struct wire_listener **listener, struct error *error)
{
    struct wire_listener *made = calloc(1, sizeof *made);
    if (!made)
        return error_set(error, STATUS_MEMORY, "There is no memory to accept connections of programs.");
    made->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made->fd < 0) {
        enum status status =
            error_set_errno(error, STATUS_IO, errno, "A socket to listen for programs could not be created");
        free(made);
        return status;
    }
    if (!bind_under(made, getenv("XDG_RUNTIME_DIR")) && !bind_under(made, getenv("TMPDIR")) &&
        !bind_under(made, "/tmp")) {
        enum status status = error_set_errno(
            error, STATUS_IO, errno,
            "No folder for lanescope's socket could be made in XDG_RUNTIME_DIR, TMPDIR or /tmp; "
            "set TMPDIR to a folder you may write to, with a short name");
        close(made->fd);
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
    close(listener->fd);
    wire_folder_remove(&listener->folder);
    free(listener);
}

const char *wire_listener_path(const struct wire_listener *listener)
{
    return listener->folder.address.sun_path;
}

int wire_listener_fd(const struct wire_listener *listener)
{
    return listener->fd;
}

/* Receives the hello and its one descriptor (-1 when none came). False: not exactly one hello. *no_room: the
 * descriptor came, but there was none left for it. */
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
            (head->cmsg_len - CMSG_LEN(0)) / sizeof(int); /* padding leaves room for more than one */
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

enum status wire_listener_accept(struct wire_listener *listener, struct wire_consumer **consumer,
                                 struct wire_hello *hello, int *connection_fd, struct error *error)
{
    int ring_fd = -1;
    int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
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
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    bool no_room = false;
    bool introduced = poll(&wait, 1, HELLO_WAIT_MS) == 1 && receive_hello(fd, hello, &ring_fd, &no_room);
    if (introduced && no_room) {
        status = error_set(error, STATUS_IO,
                           "Process %d is not traced: lanescope has no file descriptor left for its events. "
                           "Allow more (ulimit -n).",
                           (int)peer.pid);
        goto fail;
    }
    if (!introduced || ring_fd < 0) {
        status = error_set(error, STATUS_FORMAT,
                           "Process %d connected without the handshake of a producer; it was rejected.",
                           (int)peer.pid);
        goto fail;
    }
    hello->host[sizeof hello->host - 1] = '\0';
    hello->program[sizeof hello->program - 1] = '\0';
    if (peer.pid > 0)
        hello->pid = peer.pid; /* the kernel's word, in our own pid namespace */
    status = wire_consumer_create(consumer, ring_fd, hello, error);
    if (status != STATUS_OK)
        goto fail;
    *connection_fd = fd;
    return STATUS_OK;

fail:
    if (ring_fd >= 0)
        close(ring_fd);
    close(fd);
    return status;
}
