/*
 * The wire's consumer against those who do not keep to docs/wire.md: false hellos, false memory, damaged
 * rings. Nothing is read out of bounds, nothing is waited for, everything is counted.
 */
#include "core/wire.h"
#include "core/wire_ring.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RING 4096u
#define RECORDS 64u

/* ---- a ring in this process, written by hand ---- */
struct bench {
    struct wire_ring *ring;
    struct wire_consumer *consumer;
};

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

static void open_bench(struct bench *bench)
{
    struct error error = {.text = ""};
    const struct wire_hello hello = make_hello(RING);
    int fd = make_memory(WIRE_RING_HEAD_BYTES + RING, F_SEAL_SHRINK | F_SEAL_GROW);
    bench->ring = mmap(NULL, WIRE_RING_HEAD_BYTES + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    cr_assert_neq(bench->ring, MAP_FAILED);
    cr_assert_eq(wire_consumer_create(&bench->consumer, fd, &hello, &error), STATUS_OK, "%s", error.text);
}

static void close_bench(struct bench *bench)
{
    wire_consumer_destroy(bench->consumer);
    munmap(bench->ring, WIRE_RING_HEAD_BYTES + RING);
}

static void put(struct bench *bench, uint64_t position, struct event event)
{
    event.sequence = (uint32_t)(position + 1);
    uint64_t words[WIRE_RECORD_WORDS];
    memcpy(words, &event, sizeof words);
    for (size_t i = WIRE_RECORD_WORDS; i-- > 0;)
        atomic_store(&bench->ring->words[position % RECORDS][i], words[i]);
}

static const struct event good = {.kind = EVENT_MARK};

static struct event make_blob(uint32_t size_bytes)
{
    return (struct event){.kind = EVENT_BLOB,
                          .blob = {.type = BLOB_STRING, .id = 1, .size_bytes = size_bytes}};
}

Test(wire_hostile, records_that_are_none_are_skipped_and_counted)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    struct wire_stats stats;
    open_bench(&bench);
    const struct event bad[] = {
        {.kind = EVENT_NONE},           {.kind = EVENT_BLOB_DATA},
        {.kind = EVENT_KIND_COUNT},     {.kind = 255},
        make_blob(UINT32_MAX),          make_blob(WIRE_BLOB_MAX_BYTES + 1),
        make_blob(WIRE_BLOB_MAX_BYTES), make_blob(41 + 56 * 62),
    };
    const size_t count = sizeof bad / sizeof bad[0];
    for (size_t i = 0; i < count; i++)
        put(&bench, i, bad[i]);
    put(&bench, count, good);
    cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
    cr_assert_eq(event.kind, EVENT_MARK);
    cr_assert_null(blob);
    cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    wire_consumer_stats(bench.consumer, &stats);
    cr_assert_eq(stats.malformed, count);
    cr_assert_eq(stats.received, 1);
    close_bench(&bench);
}

/* A blob whose data is published only in part, or is something else, costs itself; what follows is read. */
Test(wire_hostile, blobs_without_their_data)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    open_bench(&bench);
    put(&bench, 0, make_blob(41)); /* position 1 is no BLOB_DATA */
    put(&bench, 1, good);
    cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
    cr_assert_eq(event.kind, EVENT_MARK);
    put(&bench, 2, make_blob(100)); /* position 3 is, position 4 is not there */
    put(&bench, 3, (struct event){.kind = EVENT_BLOB_DATA});
    cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    put(&bench, 4, good);
    cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
    cr_assert_eq(event.kind, EVENT_MARK);
    struct wire_stats stats;
    wire_consumer_stats(bench.consumer, &stats);
    cr_assert_eq(stats.malformed, 3);
    close_bench(&bench);
}

/* An endless stream of nonsense must give others a turn. */
Test(wire_hostile, nonsense_ends_a_call, .timeout = 10)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    open_bench(&bench);
    unsigned calls = 0;
    for (uint64_t position = 0; position < 100000; calls++) {
        for (unsigned i = 0; i < RECORDS; i++)
            put(&bench, position++, (struct event){.kind = 200});
        cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    }
    struct wire_stats stats;
    wire_consumer_stats(bench.consumer, &stats);
    cr_assert_eq(stats.malformed, calls * RECORDS);
    close_bench(&bench);
}

Test(wire_hostile, torn_records_are_skipped_at_the_end_only)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    struct wire_stats stats;
    open_bench(&bench);
    put(&bench, 1, good); /* position 0 is reserved and not written */
    put(&bench, 4,
        (struct event){.kind = EVENT_BLOB_DATA}); /* of a blob whose first record, 3, was never published */
    put(&bench, 5, (struct event){.kind = EVENT_BLOB_DATA});
    put(&bench, 6, good);
    atomic_store(&bench.ring->head, 8);
    cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    wire_consumer_finish(bench.consumer);
    unsigned count = 0;
    while (wire_consumer_next(bench.consumer, &event, &blob))
        count++;
    wire_consumer_stats(bench.consumer, &stats);
    cr_assert_eq(count, 2);
    cr_assert_eq(stats.torn, 6); /* 0, 2, 3 with its 4 and 5, 7 */
    cr_assert_eq(stats.malformed, 0);
    close_bench(&bench);
}

Test(wire_hostile, a_false_head_bounds_nothing, .timeout = 10)
{
    static const uint64_t heads[] = {0, 1, RECORDS, RECORDS + 1, UINT64_MAX, UINT64_MAX / 2, INT64_MAX};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        struct bench bench;
        struct event event;
        const uint8_t *blob;
        struct wire_stats stats;
        open_bench(&bench);
        atomic_store(&bench.ring->head, heads[i]);
        wire_consumer_limit(bench.consumer);
        cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
        wire_consumer_finish(bench.consumer);
        cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
        wire_consumer_stats(bench.consumer, &stats);
        cr_assert_eq(stats.torn, heads[i] < RECORDS ? heads[i] : RECORDS);
        close_bench(&bench);
    }
}

Test(wire_hostile, a_limit_holds)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    open_bench(&bench);
    put(&bench, 0, good);
    atomic_store(&bench.ring->head, 1);
    wire_consumer_limit(bench.consumer);
    put(&bench, 1, good);
    atomic_store(&bench.ring->head, 2);
    cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
    cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    wire_consumer_limit(bench.consumer);
    cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
    close_bench(&bench);
}

/* The sequence is 32 bits: around its wrap, records of the lap before must not pass for new ones. */
Test(wire_hostile, records_of_an_earlier_lap_are_not_read_again)
{
    struct bench bench;
    struct event event;
    const uint8_t *blob;
    open_bench(&bench);
    for (uint64_t position = 0; position < 3 * RECORDS; position++) {
        put(&bench, position, good);
        cr_assert(wire_consumer_next(bench.consumer, &event, &blob));
        cr_assert_not(wire_consumer_next(bench.consumer, &event, &blob));
    }
    close_bench(&bench);
}

/* ---- hellos ---- */
Test(wire_hostile, false_hellos_are_refused)
{
    const int sealed = F_SEAL_SHRINK | F_SEAL_GROW;
    struct {
        struct wire_hello hello;
        size_t bytes;
        int seals;
        enum status status;
    } table[] = {
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_OK},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, 0, STATUS_FORMAT},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, F_SEAL_GROW, STATUS_FORMAT},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, F_SEAL_SHRINK, STATUS_FORMAT},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed | F_SEAL_WRITE, STATUS_IO},
        {make_hello(RING), WIRE_RING_HEAD_BYTES, sealed, STATUS_FORMAT},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING + 1, sealed, STATUS_FORMAT},
        {make_hello(RING), 0, sealed, STATUS_FORMAT},
        {make_hello(0), WIRE_RING_HEAD_BYTES, sealed, STATUS_FORMAT},
        {make_hello(5000), WIRE_RING_HEAD_BYTES + 5000, sealed, STATUS_FORMAT},
        {make_hello(UINT64_MAX), WIRE_RING_HEAD_BYTES - 1, sealed, STATUS_FORMAT},
        {make_hello(1ull << 40), WIRE_RING_HEAD_BYTES, sealed, STATUS_FORMAT},
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_FORMAT},  /* role 0 */
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_FORMAT},  /* role 5 */
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_FORMAT},  /* clock */
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_FORMAT},  /* mode */
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_VERSION}, /* version */
        {make_hello(RING), WIRE_RING_HEAD_BYTES + RING, sealed, STATUS_FORMAT},  /* magic */
    };
    table[12].hello.role = 0;
    table[13].hello.role = WIRE_ROLE_SAMPLER + 1;
    table[14].hello.clock = 2;
    table[15].hello.run_mode = 77;
    table[16].hello.version = WIRE_VERSION + 1;
    table[17].hello.magic[7] = 'P';
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct wire_consumer *consumer = NULL;
        struct error error;
        int fd = make_memory(table[i].bytes, table[i].seals);
        enum status status = wire_consumer_create(&consumer, fd, &table[i].hello, &error);
        cr_assert_eq(status, table[i].status, "row %zu: %s", i, status_text(status));
        if (status == STATUS_OK)
            wire_consumer_destroy(consumer);
        else
            close(fd);
    }
}

/* A file can be cut while it is mapped: it is no ring, whatever its size. */
Test(wire_hostile, a_plain_file_is_no_ring)
{
    struct wire_consumer *consumer;
    struct error error;
    const struct wire_hello hello = make_hello(RING);
    FILE *file = tmpfile();
    cr_assert_eq(ftruncate(fileno(file), WIRE_RING_HEAD_BYTES + RING), 0);
    cr_assert_eq(wire_consumer_create(&consumer, fileno(file), &hello, &error), STATUS_FORMAT);
    fclose(file);
}

/* ---- at the door ---- */
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
        wire_consumer_destroy(consumer);
        close(fd);
    } else {
        cr_assert_gt(strlen(error.text), 20);
    }
    return status;
}

/* Whatever is sent, no descriptor of it stays open here. */
Test(wire_hostile, messages_that_are_no_hello, .timeout = 20)
{
    struct wire_listener *listener;
    struct error error;
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK);
    cr_assert_eq(accept_status(listener), STATUS_IO); /* nobody there */

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

Test(wire_hostile, one_who_says_nothing_is_not_waited_for, .timeout = 10)
{
    struct wire_listener *listener;
    struct error error;
    struct timespec begin, end;
    cr_assert_eq(wire_listener_create(&listener, &error), STATUS_OK);
    int silent = knock(listener);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    cr_assert_eq(accept_status(listener), STATUS_FORMAT);
    clock_gettime(CLOCK_MONOTONIC, &end);
    int64_t ms = (int64_t)(end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000;
    cr_assert(ms >= 90 && ms < 2000, "%d ms", (int)ms);
    close(silent);
    int gone = knock(listener);
    close(gone);
    cr_assert_eq(accept_status(listener), STATUS_FORMAT);
    wire_listener_destroy(listener);
}

/* Needs a second user, so only root can make one; everybody else is kept out by the folder already. */
Test(wire_hostile, another_user_is_turned_away)
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

Test(wire_hostile, nobody_listens)
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

Test(wire_hostile, the_listeners_folder_is_private_and_goes_with_it)
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
