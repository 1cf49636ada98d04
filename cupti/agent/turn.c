/*
 * No data: the socket is the turn. Its name is in Linux's abstract namespace, which has no files; the peer of
 * a connection to it is the process that holds it.
 */
#include "cupti/agent/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The address in Linux's abstract namespace: the first byte of the name is 0. */
static socklen_t address_of(const uint8_t gpu_uuid[16], struct sockaddr_un *address)
{
    static const char prefix[] = "lanescope-counters-";
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    char *at = address->sun_path + 1;
    memcpy(at, prefix, sizeof prefix - 1);
    at += sizeof prefix - 1;
    for (int i = 0; i < 16; i++)
        at += sprintf(at, "%02x", gpu_uuid[i]);
    return (socklen_t)(at - (char *)address);
}

static int open_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int turn_take(const uint8_t gpu_uuid[16])
{
    struct sockaddr_un address;
    socklen_t length = address_of(gpu_uuid, &address);
    int fd = open_socket();
    if (fd < 0)
        return TURN_UNKNOWN;
    if (bind(fd, (const struct sockaddr *)&address, length) == 0) {
        listen(fd, 64); /* so that the others can see who it is */
        return fd;
    }
    int why = errno;
    close(fd);
    return why == EADDRINUSE ? TURN_TAKEN : TURN_UNKNOWN;
}

/* The name of a process's program, from /proc; "" if it has none. */
static void program_of(pid_t pid, char *text, size_t size_bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, size_bytes - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

void turn_holder(const uint8_t gpu_uuid[16], char *text, size_t size_bytes)
{
    struct sockaddr_un address;
    socklen_t length = address_of(gpu_uuid, &address);
    struct ucred holder = {.pid = 0};
    socklen_t holder_bytes = sizeof holder;
    char program[32];
    int fd = open_socket();
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, length) == 0 &&
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &holder, &holder_bytes) != 0)
        holder.pid = 0;
    if (fd >= 0)
        close(fd);
    if (holder.pid <= 0) {
        snprintf(text, size_bytes, "another process");
        return;
    }
    program_of(holder.pid, program, sizeof program);
    snprintf(text, size_bytes, "process %d (%s)", (int)holder.pid, program[0] ? program : "?");
}
