/* SPDX-License-Identifier: Apache-2.0 */
/* The wire's door: who may come in, what they must say, and what is left when they do not. */
#include "core/wire/wire.h"
#include "core/wire/wire_ring.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RING 4096u

static struct wire_hello make_hello(uint64_t ring_bytes)
{
    struct wire_hello hello = {
        .version = WIRE_VERSION, .role = WIRE_ROLE_AGENT, .pid = 1234, .ring_bytes = ring_bytes};
    memcpy(hello.magic, WIRE_MAGIC, sizeof hello.magic);
    return hello;
}

static int make_memory(size_t bytes, int seals)
{
    int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    cr_assert_geq(fd, 0);
    cr_assert_eq(ftruncate(fd, (off_t)bytes), 0);
    if (seals)
        cr_assert_eq(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
}

static int knock(const struct wire_listener *listener)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", wire_listener_path(listener));
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    cr_assert_eq(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void send_message(int fd, const void *bytes, size_t size, const int *fds, size_t count)
{
    struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = size};
    _Alignas(struct cmsghdr) char control[256] = {0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(head), fds, count * sizeof(int));
    }
    cr_assert_eq(sendmsg(fd, &message, 0), (ssize_t)size);
}

static unsigned count_open_files(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) != -1;
    return count;
}

static enum status accept_status(struct wire_listener *listener)
{
    struct wire_consumer *consumer;
    struct wire_hello hello;
    struct error error;
    int fd;
    enum status status = wire_listener_accept(listener, &consumer, &hello, &fd, &error);
    if (status == STATUS_OK) {
        cr_assert_eq(hello.pid, getpid()); /* the hello said something else */
        wire_consumer_destroy(consumer);
        close(fd);
    } else {
        cr_assert_gt(strlen(error.text), 20);
    }
    return status;
}

/* Whatever is sent, no descriptor of it stays open here. */
Test(wire_listener, messages_that_are_no_hello, .timeout = 280)
{
    struct wire_listener *listener;
    struct error error;
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK);
    cr_assert_eq(accept_status(listener), STATUS_STATE); /* nobody there */

    const struct wire_hello hello = make_hello(RING);
    char longer[sizeof hello + 1] = {0};
    memcpy(longer, &hello, sizeof hello);
    int ring = make_memory(WIRE_RING_HEAD_BYTES + RING, F_SEAL_SHRINK | F_SEAL_GROW);
    int many[20];
    for (size_t i = 0; i < 20; i++)
        many[i] = ring;
    const struct {
        size_t size, count;
        enum status status;
    } table[] = {
        {sizeof hello, 1, STATUS_OK},
        {sizeof hello, 0, STATUS_FORMAT},
        {sizeof hello - 1, 1, STATUS_FORMAT},
        {sizeof hello + 1, 1, STATUS_FORMAT},
        {1, 1, STATUS_FORMAT},
        {1, 20, STATUS_FORMAT},
        {sizeof hello, 2, STATUS_OK},
        {sizeof hello, 20, STATUS_OK},
    };
    unsigned before = count_open_files();
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        int fd = knock(listener);
        send_message(fd, longer, table[i].size, many, table[i].count);
        enum status status = accept_status(listener);
        cr_assert_eq(status, table[i].status, "row %zu: %s", i, status_text(status));
        close(fd);
        cr_assert_eq(count_open_files(), before, "row %zu leaves files open", i);
    }
    close(ring);
    wire_listener_destroy(listener);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

#define SILENT 40

/* Forty who say nothing hold up neither the collector nor one who comes behind them, and one who speaks late
 * is heard; the others go after a second, or when there are too many. */
Test(wire_listener, one_who_says_nothing_is_not_waited_for, .timeout = 280)
{
    struct wire_listener *listener;
    struct error error;
    int silent[SILENT];
    enum status status;
    unsigned rejected = 0, before;
    const struct wire_hello hello = make_hello(RING);
    int ring = make_memory(WIRE_RING_HEAD_BYTES + RING, F_SEAL_SHRINK | F_SEAL_GROW);
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK);
    before = count_open_files();
    int64_t begin = now_ms();
    for (int i = 0; i < SILENT; i++)
        silent[i] = knock(listener);
    int last = knock(listener);
    send_message(last, &hello, sizeof hello, &ring, 1);
    while ((status = accept_status(listener)) == STATUS_STATE || status == STATUS_FORMAT)
        rejected += status == STATUS_FORMAT;
    cr_assert_eq(status, STATUS_OK);
    cr_assert(now_ms() - begin < 900, "%d ms", (int)(now_ms() - begin));
    send_message(silent[SILENT - 1], &hello, sizeof hello, &ring, 1);
    struct pollfd door = {.fd = wire_listener_fd(listener), .events = POLLIN};
    cr_assert_eq(poll(&door, 1, 5000), 1);
    while ((status = accept_status(listener)) == STATUS_FORMAT)
        rejected++;
    cr_assert_eq(status, STATUS_OK);
    while (rejected < SILENT - 1 && now_ms() - begin < 5000)
        rejected += accept_status(listener) == STATUS_FORMAT;
    cr_assert(rejected == SILENT - 1 && now_ms() - begin >= 900, "%u, %d ms", rejected,
              (int)(now_ms() - begin));
    for (int i = 0; i < SILENT; i++)
        close(silent[i]);
    close(last);
    cr_assert_eq(count_open_files(), before);
    int gone = knock(listener);
    close(gone);
    cr_assert_eq(accept_status(listener), STATUS_FORMAT);
    close(ring);
    wire_listener_destroy(listener);
}

/* Needs a second user, so only root can make one; everybody else is kept out by the folder already. */
/* The limit lets the connection in, and not the memory it brings. */
Test(wire_listener, no_descriptor_left_is_said)
{
    struct wire_listener *listener;
    struct wire_consumer *consumer;
    struct wire_hello hello = make_hello(RING), told;
    struct error error = {.text = ""};
    struct rlimit few;
    int accepted;
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK);
    int memory = make_memory(WIRE_RING_HEAD_BYTES + RING, F_SEAL_SHRINK | F_SEAL_GROW);
    int fd = knock(listener);
    send_message(fd, &hello, sizeof hello, &memory, 1);
    cr_assert_eq(getrlimit(RLIMIT_NOFILE, &few), 0);
    int next = dup(fd);
    close(next);
    few.rlim_cur = (rlim_t)next + 1;
    cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    cr_assert_eq(wire_listener_accept(listener, &consumer, &told, &accepted, &error), STATUS_IO);
    cr_assert_not_null(strstr(error.text, "no file descriptor left"), "%s", error.text);
    close(fd);
    close(memory);
    wire_listener_destroy(listener);
}

Test(wire_listener, another_user_is_turned_away)
{
    struct wire_listener *listener;
    struct error error;
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK);
    char folder[128];
    snprintf(folder, sizeof folder, "%s", wire_listener_path(listener));
    *strrchr(folder, '/') = '\0';
    struct stat status;
    cr_assert_eq(stat(folder, &status), 0);
    cr_assert_eq(status.st_mode & 077, 0);
    if (geteuid() == 0) {
        cr_assert_eq(chmod(folder, 0777), 0);
        cr_assert_eq(chmod(wire_listener_path(listener), 0777), 0);
        pid_t child = fork();
        if (child == 0) {
            struct wire_producer *producer;
            const struct wire_hello hello = {.role = WIRE_ROLE_AGENT};
            _exit(setuid(65534) != 0 || wire_producer_create(&producer, wire_listener_path(listener), &hello,
                                                             RING, NULL) != STATUS_OK);
        }
        int child_status;
        waitpid(child, &child_status, 0);
        cr_assert_eq(child_status, 0);
        cr_assert_eq(accept_status(listener), STATUS_PERMISSION);
    }
    wire_listener_destroy(listener);
}

Test(wire_listener, nobody_listens)
{
    struct wire_producer *producer;
    struct error error;
    const struct wire_hello hello = {.role = WIRE_ROLE_AGENT};
    static const char *const paths[] = {"/tmp/no/such/socket", "/dev/null", ""};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(wire_producer_create(&producer, paths[i], &hello, 0, &error), STATUS_IO);
        cr_assert_gt(strlen(error.text), 20);
    }
    cr_assert_eq(wire_producer_create(&producer, "/x", &hello, 5000, &error), STATUS_USAGE);
    cr_assert_eq(wire_producer_create(&producer, "/x", &hello, 2048, &error), STATUS_USAGE);
}

Test(wire_listener, the_listeners_folder_is_private_and_goes_with_it)
{
    struct wire_listener *listener;
    struct error error;
    char folder[] = "/tmp/test_wire.XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    setenv("XDG_RUNTIME_DIR", "/no/such/folder", 1);
    setenv("TMPDIR", folder, 1);
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK);
    char *path = strdup(wire_listener_path(listener));
    cr_assert_eq(strncmp(path, folder, strlen(folder)), 0, "%s", path);
    struct stat status;
    char *slash = strrchr(path, '/');
    *slash = '\0';
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0700);
    cr_assert_eq(status.st_uid, geteuid());
    wire_listener_destroy(listener);
    cr_assert_neq(stat(path, &status), 0);
    free(path);

    char long_folder[300];
    memset(long_folder, 'x', sizeof long_folder);
    long_folder[0] = '/';
    long_folder[sizeof long_folder - 1] = '\0';
    setenv("TMPDIR", long_folder, 1);
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK);
    cr_assert_eq(strncmp(wire_listener_path(listener), "/tmp/lanescope-", 15), 0);
    wire_listener_destroy(listener);
    rmdir(folder);
}

/* A program that was started without standard streams: what it prints must not go to lanescope. */
Test(wire_listener, a_producer_is_none_of_the_standard_streams)
{
    struct wire_listener *listener;
    struct wire_producer *producer;
    struct error error;
    const struct wire_hello hello = {.role = WIRE_ROLE_AGENT};
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK);
    int input = fcntl(0, F_DUPFD, 10);
    close(0);
    enum status status = wire_producer_create(&producer, wire_listener_path(listener), &hello, 0, &error);
    bool taken = fcntl(0, F_GETFD) != -1;
    if (input >= 0)
        dup2(input, 0);
    cr_assert_eq(status, STATUS_OK);
    cr_assert_not(taken);
    cr_assert_not(wire_producer_orphaned(producer));
    cr_assert_eq(accept_status(listener), STATUS_OK);
    wire_producer_destroy(producer);
    wire_listener_destroy(listener);
}
