/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producing end of the wire. Compiled into the agent: it uses libc only, and an application's thread
 * never waits in it except for another thread that announces a new string.
 *
 * A dormant producer keeps what it announces (strings, shapes, streams, functions) in `kept`, and sends all of it
 * to each collector that it is connected to. Its ring's addresses stay the same: while nobody listens, memory of
 * no file is mapped there, and later the next ring, so that a thread which is still writing an event when the
 * collector goes writes into valid memory.
 *
 * struct wire_strings is the strings that a producer has announced: a map from text to id (1...). Entries are
 * never changed or removed, so a look-up takes no lock; adding takes one. Bounded, so that a program with a
 * new name for every range does not run out of memory. A hash table of fixed width with chains: heads are
 * published by release stores, entries are immutable from then on.
 */
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/wire/wire.h"
#include "core/wire/wire_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define WIRE_STRINGS_MAX (1u << 20)
#define WIRE_STRINGS_MAX_BYTES (256u << 20)

/* ---- strings ---- */

#define BUCKETS 65536u

struct entry {
    struct entry *next;
    uint64_t hash;
    uint32_t id;
    uint32_t size_bytes;
    char text[];
};

struct wire_strings {
    _Atomic(struct entry *) buckets[BUCKETS];
    pthread_mutex_t lock; /* of what follows, and of adding */
    uint32_t count;
    size_t bytes;
};

/* NULL: out of memory */
static struct wire_strings *wire_strings_create(void)
{
    struct wire_strings *strings = calloc(1, sizeof *strings);
    if (!strings)
        return NULL;
    if (pthread_mutex_init(&strings->lock, NULL) != 0) {
        free(strings);
        return NULL;
    }
    return strings;
}

/* also in a forked child */
static void wire_strings_destroy(struct wire_strings *strings)
{
    if (!strings)
        return;
    for (size_t i = 0; i < BUCKETS; i++) {
        struct entry *entry = atomic_load_explicit(&strings->buckets[i], memory_order_relaxed);
        while (entry) {
            struct entry *next = entry->next;
            free(entry);
            entry = next;
        }
    }
    free(strings); /* leave the lock alone: in a forked child a thread of the parent may hold it */
}

/* FNV-1a over words, then bytes. */
static uint64_t hash_text(const char *text, size_t size_bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    size_t i = 0;
    for (; i + 8 <= size_bytes; i += 8) {
        uint64_t word;
        memcpy(&word, text + i, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    for (; i < size_bytes; i++)
        hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3u;
    return hash ^ (hash >> 32);
}

static uint32_t string_find(struct entry *entry, uint64_t hash, const char *text, size_t size_bytes)
{
    for (; entry; entry = entry->next)
        if (entry->hash == hash && entry->size_bytes == size_bytes &&
            memcmp(entry->text, text, size_bytes) == 0)
            return entry->id;
    return 0;
}

/* Returns the text's id; a new text is first announced (under the lock) by announce(context, id, text,
 * size_bytes). 0 if that failed or a limit is reached. Any thread. */
static uint32_t wire_strings_find_or_add(struct wire_strings *strings, const char *text, size_t size_bytes,
                                         bool (*announce)(void *context, uint32_t id, const char *text,
                                                          size_t size_bytes),
                                         void *context)
{
    uint64_t hash = hash_text(text, size_bytes);
    _Atomic(struct entry *) *bucket = &strings->buckets[hash & (BUCKETS - 1)];
    uint32_t id = string_find(atomic_load_explicit(bucket, memory_order_acquire), hash, text, size_bytes);
    if (id != 0)
        return id;

    pthread_mutex_lock(&strings->lock);
    struct entry *first = atomic_load_explicit(bucket, memory_order_relaxed);
    id = string_find(first, hash, text, size_bytes);
    bool room = strings->count < WIRE_STRINGS_MAX && strings->bytes + size_bytes <= WIRE_STRINGS_MAX_BYTES;
    struct entry *entry = id == 0 && room ? malloc(sizeof *entry + size_bytes) : NULL;
    if (entry && announce(context, strings->count + 1, text, size_bytes)) {
        id = ++strings->count;
        strings->bytes += size_bytes;
        entry->next = first;
        entry->hash = hash;
        entry->id = id;
        entry->size_bytes = (uint32_t)size_bytes;
        memcpy(entry->text, text, size_bytes);
        atomic_store_explicit(bucket, entry, memory_order_release);
    } else {
        free(entry);
    }
    pthread_mutex_unlock(&strings->lock);
    return id;
}

/* ---- the producer ---- */

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3; some systems refuse a memfd without this flag */
#endif

struct wire_producer {
    struct wire_ring *ring;
    bool dormant;           /* it keeps what it announces; else it is connected once, when it is made */
    _Atomic bool connected; /* of a dormant one */
    size_t map_bytes;
    uint64_t count; /* records in the ring */
    int socket_fd;
    dev_t socket_device; /* the file that socket_fd was: a program may close descriptors that it did not open,
                          */
    ino_t socket_inode;  /* and the same number may then be another file */
    char folder[sizeof(((struct sockaddr_un *)0)->sun_path)]; /* of the socket */
    struct wire_strings *strings;
    pthread_mutex_t lock; /* of what follows, and of connecting */
    struct event *kept;   /* records, blobs with their data */
    size_t kept_count, kept_room;
};

/* A memfd of the ring's size that can neither shrink nor grow. */
static int create_ring_fd(size_t bytes, struct error *error)
{
    int fd = memfd_create("lanescope-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL)
        fd = memfd_create("lanescope-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) {
        error_set_errno(error, STATUS_IO, errno,
                        "Shared memory for the event ring could not be created (memfd_create)");
        return -1;
    }
    if (ftruncate(fd, (off_t)bytes) != 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        error_set_errno(error, STATUS_IO, errno,
                        "Shared memory of %zu bytes for the event ring could not be set up", bytes);
        close(fd);
        return -1;
    }
    return fd;
}

/* A socket with a number above the standard streams, also in a program that was started without them. */
static int create_socket(void)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return higher;
}

/* Connects without blocking: if the collector's queue is full, it has half a second to accept. */
static int connect_socket(const char *path, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof address.sun_path) {
        error_set(error, STATUS_IO,
                  "The socket path in %s is empty or too long: run the program under lanescope again.",
                  WIRE_SOCKET_VARIABLE);
        return -1;
    }
    memcpy(address.sun_path, path, length + 1);
    int fd = create_socket();
    if (fd < 0) {
        error_set_errno(error, STATUS_IO, errno, "A socket to lanescope could not be created");
        return -1;
    }
    for (int attempt = 0; connect(fd, (const struct sockaddr *)&address, sizeof address) != 0; attempt++) {
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN || attempt >= 50) {
            error_set_errno(error, STATUS_IO, errno,
                            "lanescope does not listen at %s; this process is not traced", path);
            close(fd);
            return -1;
        }
        clock_pause(10 * NS_PER_MS);
    }
    return fd;
}

static enum status send_hello(int socket_fd, int ring_fd, const struct wire_hello *hello, struct error *error)
{
    struct wire_hello copy = *hello;
    struct iovec part = {.iov_base = &copy, .iov_len = sizeof copy};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &ring_fd, sizeof ring_fd);
    ssize_t sent;
    do
        sent = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent != (ssize_t)sizeof copy)
        return error_set_errno(error, STATUS_IO, errno,
                               "lanescope did not accept the event ring; this process is not traced");
    return STATUS_OK;
}

static void fill_hello(struct wire_hello *hello, size_t ring_bytes)
{
    memcpy(hello->magic, WIRE_MAGIC, sizeof hello->magic);
    hello->version = WIRE_VERSION;
    hello->pid = getpid();
    hello->parent_pid = getppid();
    hello->ring_bytes = ring_bytes;
    memset(hello->host, 0, sizeof hello->host);
    if (gethostname(hello->host, sizeof hello->host - 1) != 0)
        hello->host[0] = '\0';
    memset(hello->program, 0, sizeof hello->program);
    size_t length = strnlen(program_invocation_short_name, sizeof hello->program - 1);
    memcpy(hello->program, program_invocation_short_name, length);
}

/* Maps a new ring of the producer's size, in the place of an earlier one, and hands it to the collector at path. On
 * failure the producer is as it was. */
static enum status ring_connect(struct wire_producer *producer, const char *path,
                                const struct wire_hello *hello, struct error *error)
{
    struct wire_hello filled = *hello;
    struct stat file;
    enum status status = STATUS_IO;
    int ring_fd = -1, socket_fd = connect_socket(path, error);
    if (socket_fd < 0)
        return status;
    ring_fd = create_ring_fd(producer->map_bytes, error);
    if (ring_fd < 0)
        goto fail;
    void *ring = mmap(producer->ring, producer->map_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | (producer->ring ? MAP_FIXED : 0), ring_fd, 0);
    if (ring == MAP_FAILED || fstat(socket_fd, &file) != 0) {
        error_set_errno(error, status, errno, "The event ring of %zu bytes could not be mapped",
                        producer->map_bytes);
        goto fail;
    }
    producer->ring = ring;
    fill_hello(&filled, producer->map_bytes - WIRE_RING_HEAD_BYTES);
    status = send_hello(socket_fd, ring_fd, &filled, error);
    if (status != STATUS_OK)
        goto fail;
    const char *slash = strrchr(path, '/');
    producer->folder[0] = '\0';
    if (slash && (size_t)(slash - path) < sizeof producer->folder)
        *stpncpy(producer->folder, path, (size_t)(slash - path)) = '\0';
    producer->socket_fd = socket_fd;
    producer->socket_device = file.st_dev;
    producer->socket_inode = file.st_ino;
    close(ring_fd);
    return STATUS_OK;

fail:
    if (ring_fd >= 0)
        close(ring_fd);
    close(socket_fd);
    return status;
}

static struct wire_producer *producer_make(size_t ring_bytes, struct error *error)
{
    struct wire_producer *made = calloc(1, sizeof *made);
    if (made && (made->strings = wire_strings_create())) {
        made->socket_fd = -1;
        made->map_bytes = WIRE_RING_HEAD_BYTES + ring_bytes;
        made->count = ring_bytes / WIRE_RECORD_BYTES;
        pthread_mutex_init(&made->lock, NULL);
        return made;
    }
    free(made);
    error_set(error, STATUS_MEMORY, "There is no memory for the event ring; this process is not traced.");
    return NULL;
}

enum status wire_producer_create(struct wire_producer **producer, const char *path,
                                 const struct wire_hello *hello, size_t ring_bytes, struct error *error)
{
    if (ring_bytes == 0)
        ring_bytes = WIRE_RING_BYTES;
    if (!wire_ring_bytes_valid(ring_bytes))
        return error_set(error, STATUS_USAGE,
                         "An event ring of %zu bytes is not possible: use a power of two from %u to %u.",
                         ring_bytes, WIRE_RING_MIN_BYTES, WIRE_RING_MAX_BYTES);
    struct wire_producer *made = producer_make(ring_bytes, error);
    if (!made)
        return STATUS_MEMORY;
    enum status status = ring_connect(made, path, hello, error);
    if (status == STATUS_OK)
        *producer = made;
    else
        wire_producer_destroy(made);
    return status;
}

static bool socket_is_ours(const struct wire_producer *producer)
{
    struct stat file;
    return producer->socket_fd >= 0 && fstat(producer->socket_fd, &file) == 0 &&
           file.st_dev == producer->socket_device && file.st_ino == producer->socket_inode;
}

void wire_producer_destroy(struct wire_producer *producer)
{
    if (!producer)
        return;
    if (producer->ring)
        munmap(producer->ring, producer->map_bytes);
    if (socket_is_ours(producer))
        close(producer->socket_fd);
    wire_strings_destroy(producer->strings);
    free(producer->kept);
    free(producer);
}

/* The mapping, the descriptor and the memory are the child's own copies: freeing them does not affect the
 * parent. */
void wire_producer_abandon(struct wire_producer *producer)
{
    wire_producer_destroy(producer);
}

struct wire_ring *wire_producer_ring(struct wire_producer *producer, uint64_t *count)
{
    *count = producer->count;
    return producer->ring;
}

/* Reserves `records` positions at once; false (and a drop is counted) if there is no room for all of them. */
static bool ring_reserve(struct wire_producer *producer, uint8_t kind, uint64_t records, uint64_t *position)
{
    struct wire_ring *ring = producer->ring;
    uint64_t room = wire_kind_has_reserve(kind) ? producer->count : producer->count - producer->count / 16;
    uint64_t head;
    do {
        /* Read the tail first: a head read after it is never behind it. Acquire: the consumer has read these
         * records before they are written again. */
        uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
        head = atomic_load_explicit(&ring->head, memory_order_relaxed);
        if (head - tail + records > room) {
            atomic_fetch_add_explicit(&ring->dropped[kind], 1, memory_order_relaxed);
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&ring->head, &head, head + records, memory_order_relaxed,
                                                    memory_order_relaxed));
    *position = head;
    return true;
}

/* Writes the record of a reserved position and publishes it. */
static void records_publish(struct wire_producer *producer, uint64_t position, const struct event *event)
{
    _Atomic uint64_t *shared = producer->ring->words[position & (producer->count - 1)];
    uint64_t words[WIRE_RECORD_WORDS];
    memcpy(words, event, sizeof words);
    words[0] = (words[0] & ~(uint64_t)UINT32_MAX) | (uint32_t)(position + 1);
    for (size_t i = 1; i < WIRE_RECORD_WORDS; i++)
        atomic_store_explicit(&shared[i], words[i], memory_order_relaxed);
    atomic_store_explicit(&shared[0], words[0], memory_order_release);
}

/* An event, or a blob's record with those of its data: the first is published last, so that who sees it sees all. */
static bool records_emit(struct wire_producer *producer, const struct event *records, size_t count)
{
    uint64_t position;
    if (!ring_reserve(producer, records->kind, count, &position))
        return false;
    for (size_t i = count; i-- > 0;)
        records_publish(producer, position + i, &records[i]);
    return true;
}

/* Does every collector need it, whenever it comes? */
static bool kind_is_announcement(uint8_t kind)
{
    switch (kind) {
    case EVENT_BLOB:
    case EVENT_SHAPE:
    case EVENT_CONTEXT:
    case EVENT_STREAM:
    case EVENT_SERIES:
    case EVENT_FUNCTION:
    case EVENT_INSTRUCTION:
    case EVENT_STACK: return true;
    default: return false;
    }
}

/* Keeps the newest `count` records, which are in their place, and sends them. The lock is held. */
static bool announcement_send(struct wire_producer *producer, size_t count)
{
    const struct event *first = producer->kept + producer->kept_count;
    producer->kept_count += count;
    return !producer->connected || records_emit(producer, first, count);
}

static bool dormant_emit(struct wire_producer *producer, const struct event *event)
{
    if (!kind_is_announcement(event->kind))
        return atomic_load_explicit(&producer->connected, memory_order_acquire) &&
               records_emit(producer, event, 1);
    pthread_mutex_lock(&producer->lock);
    bool fine = array_grow(producer->kept, producer->kept_room, producer->kept_count, 1);
    if (fine) {
        producer->kept[producer->kept_count] = *event;
        fine = announcement_send(producer, 1);
    }
    pthread_mutex_unlock(&producer->lock);
    return fine;
}

bool wire_emit(struct wire_producer *producer, const struct event *event)
{
    if (event->kind == EVENT_NONE || event->kind == EVENT_BLOB || event->kind == EVENT_BLOB_DATA ||
        event->kind >= EVENT_KIND_COUNT)
        return false;
    return producer->dormant ? dormant_emit(producer, event) : records_emit(producer, event, 1);
}

/* The number-th record of a blob. */
static struct event blob_record(const struct event *first, const void *bytes, size_t number)
{
    struct event record = *first;
    size_t done = number == 0 ? 0 : WIRE_BLOB_HEAD_BYTES + (number - 1) * WIRE_BLOB_DATA_BYTES;
    size_t room = number == 0 ? WIRE_BLOB_HEAD_BYTES : WIRE_BLOB_DATA_BYTES,
           left = first->blob.size_bytes - done;
    if (number > 0)
        record = (struct event){.kind = EVENT_BLOB_DATA};
    if (left > 0)
        memcpy(number == 0 ? record.blob.head : record.bytes, (const uint8_t *)bytes + done,
               left < room ? left : room);
    return record;
}

static bool dormant_emit_blob(struct wire_producer *producer, const struct event *first, const void *bytes,
                              size_t count)
{
    pthread_mutex_lock(&producer->lock);
    bool fine = array_grow(producer->kept, producer->kept_room, producer->kept_count, count);
    for (size_t i = 0; fine && i < count; i++)
        producer->kept[producer->kept_count + i] = blob_record(first, bytes, i);
    fine = fine && announcement_send(producer, count);
    pthread_mutex_unlock(&producer->lock);
    return fine;
}

bool wire_emit_blob(struct wire_producer *producer, uint32_t type, uint32_t id, const void *bytes,
                    size_t size_bytes)
{
    const struct event first = {.kind = EVENT_BLOB,
                                .blob = {.type = type, .id = id, .size_bytes = (uint32_t)size_bytes}};
    const size_t count = wire_blob_records(size_bytes);
    uint64_t position;
    if (size_bytes > WIRE_BLOB_MAX_BYTES)
        return false;
    if (producer->dormant)
        return dormant_emit_blob(producer, &first, bytes, count);
    if (!ring_reserve(producer, EVENT_BLOB, count, &position))
        return false;
    for (size_t i = count; i-- > 0;) {
        const struct event record = blob_record(&first, bytes, i);
        records_publish(producer, position + i, &record);
    }
    return true;
}

static bool reader_announce(void *context, uint32_t id, const char *text, size_t size_bytes)
{
    return wire_emit_blob(context, BLOB_STRING, id, text, size_bytes);
}

uint32_t wire_string(struct wire_producer *producer, const char *text)
{
    if (!text)
        return 0;
    return wire_strings_find_or_add(producer->strings, text, strnlen(text, WIRE_BLOB_MAX_BYTES),
                                    reader_announce, producer);
}

bool wire_progress(struct wire_producer *producer, const char *kernel, const struct progress *progress)
{
    const struct event event = {.kind = EVENT_PROGRESS,
                                .flags = progress->over ? PROGRESS_OVER : 0,
                                .progress = {.launch = progress->launch,
                                             .blocks = progress->blocks,
                                             .ended = progress->ended,
                                             .executed = progress->executed,
                                             .elapsed_ns = progress->elapsed_ns,
                                             .kernel = wire_string(producer, kernel)}};
    return wire_emit(producer, &event);
}

/* lanescope locks the folder of its socket as long as it runs. */
static bool folder_is_locked(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return false;
    bool locked = flock(folder, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(folder);
    return locked;
}

bool wire_producer_orphaned(struct wire_producer *producer)
{
    struct pollfd wait = {.fd = producer->socket_fd, .events = POLLIN};
    /* The program closed the socket; the collector reads the ring on as long as both run. */
    if (!socket_is_ours(producer))
        return !folder_is_locked(producer->folder);
    return poll(&wait, 1, 0) > 0 && (wait.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/* ---- a dormant producer ---- */

#define REPLAY_WAIT_NS ((int64_t)5 * NS_PER_S)

static void *map_nothing(struct wire_producer *producer)
{
    return mmap(producer->ring, producer->map_bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (producer->ring ? MAP_FIXED : 0), -1, 0);
}

enum status wire_producer_create_dormant(struct wire_producer **producer, struct error *error)
{
    struct wire_producer *made = producer_make(WIRE_RING_BYTES, error);
    if (!made)
        return STATUS_MEMORY;
    void *ring = map_nothing(made);
    if (ring == MAP_FAILED) {
        wire_producer_destroy(made);
        return error_set(error, STATUS_MEMORY,
                         "There is no memory for the event ring; this process is not traced.");
    }
    made->ring = ring;
    made->dormant = true;
    *producer = made;
    return STATUS_OK;
}

/* Sends what was announced so far, as fast as the collector reads. False: it does not read. The lock is held. */
static bool kept_send(struct wire_producer *producer)
{
    const int64_t until_ns = clock_monotonic_ns() + REPLAY_WAIT_NS;
    struct wire_ring *ring = producer->ring;
    for (size_t i = 0, count; i < producer->kept_count; i += count) {
        const struct event *record = &producer->kept[i];
        count = record->kind == EVENT_BLOB ? wire_blob_records(record->blob.size_bytes) : 1;
        while (atomic_load(&ring->head) - atomic_load(&ring->tail) + count > producer->count / 2) {
            if (clock_monotonic_ns() > until_ns || wire_producer_orphaned(producer))
                return false;
            clock_pause(NS_PER_MS);
        }
        records_emit(producer, record, count);
    }
    return true;
}

enum status wire_producer_connect(struct wire_producer *producer, const char *path,
                                  const struct wire_hello *hello, struct error *error)
{
    pthread_mutex_lock(&producer->lock);
    enum status status = ring_connect(producer, path, hello, error);
    bool sent = status == STATUS_OK && kept_send(producer);
    atomic_store_explicit(&producer->connected, sent, memory_order_release);
    pthread_mutex_unlock(&producer->lock);
    if (status == STATUS_OK && !sent) {
        wire_producer_disconnect(producer);
        status = error_set(error, STATUS_IO, "lanescope does not read what this process sends.");
    }
    return status;
}

void wire_producer_disconnect(struct wire_producer *producer)
{
    pthread_mutex_lock(&producer->lock);
    atomic_store(&producer->connected, false);
    map_nothing(producer); /* before the socket closes: a ring that is still mapped is read on */
    if (socket_is_ours(producer))
        close(producer->socket_fd);
    producer->socket_fd = -1;
    pthread_mutex_unlock(&producer->lock);
}
