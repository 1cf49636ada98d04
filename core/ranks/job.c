/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gathering, and reading what was gathered. While it gathers it holds 64 bytes a digest, and one digest or one recording
 * at a time: a digest is read and checked, then its place in the order, and where it lies, is kept. It is read again
 * when the job is written.
 */
#include "core/ranks/job.h"

#include "core/base/array.h"
#include "core/recording/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPOOL UINT32_MAX

struct place { /* of a digest */
    int64_t rank;
    char *host;
    uint32_t pid, device, size_bytes, check, source; /* source: SPOOL, or of `paths` */
    uint64_t offset;
};

struct gather {
    int spool;
    uint64_t spooled;
    struct place *places;
    size_t count, room;
    char **paths;
    size_t path_count, path_room;
};

/* ---- files ---- */
static enum status read_exactly(int file, void *bytes, size_t size_bytes, uint64_t offset, const char *path,
                                struct error *error)
{
    for (size_t done = 0; done < size_bytes;) {
        const ssize_t part = pread(file, (char *)bytes + done, size_bytes - done, (off_t)(offset + done));
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return error_set_errno(error, STATUS_IO, errno, "%.300s could not be read", path);
        if (part == 0)
            return error_set(error, STATUS_FORMAT, "%.300s is cut off, or became shorter while it was read.",
                             path);
        done += (size_t)part;
    }
    return STATUS_OK;
}

static enum status write_all(int file, const void *bytes, size_t size_bytes, const char *path,
                             struct error *error)
{
    for (size_t done = 0; done < size_bytes;) {
        const ssize_t part = write(file, (const char *)bytes + done, size_bytes - done);
        if (part < 0 && errno == EINTR)
            continue;
        if (part <= 0)
            return error_set_errno(error, STATUS_IO, errno, "%.300s could not be written", path);
        done += (size_t)part;
    }
    return STATUS_OK;
}

/* Opens a regular file. */
static enum status open_file(const char *path, int *file, uint64_t *size_bytes, struct error *error)
{
    struct stat status;
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0 || fstat(*file, &status) != 0)
        error_set_errno(error, STATUS_IO, errno, "%.300s could not be opened", path);
    else if (!S_ISREG(status.st_mode))
        error_set(error, STATUS_IO, "%.300s is not a regular file.", path);
    else {
        *size_bytes = (uint64_t)status.st_size;
        return STATUS_OK;
    }
    if (*file >= 0)
        close(*file);
    *file = -1;
    return STATUS_IO;
}

enum file_kind { FILE_OTHER, FILE_DIGEST, FILE_JOB };
static enum file_kind kind_of_head(const char head[8])
{
    return memcmp(head, DIGEST_MAGIC, 8) == 0 ? FILE_DIGEST
           : memcmp(head, JOB_MAGIC, 8) == 0  ? FILE_JOB
                                              : FILE_OTHER;
}

static enum file_kind kind_of(const char *path)
{
    struct stat status;
    char head[8];
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return FILE_OTHER;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool whole = file >= 0 && pread(file, head, sizeof head, 0) == (ssize_t)sizeof head;
    if (file >= 0)
        close(file);
    return whole ? kind_of_head(head) : FILE_OTHER;
}

bool job_recognises(const char *path)
{
    return kind_of(path) != FILE_OTHER;
}

/* ---- gathering ---- */
enum status gather_start(struct gather **result, const char *folder, struct error *error)
{
    char path[4096];
    struct gather *gather = calloc(1, sizeof *gather);
    if (!gather)
        return error_no_memory(error, "to gather");
    const int length = snprintf(path, sizeof path, "%s/.lanescope-gather-XXXXXX", folder);
    gather->spool = length > 0 && (size_t)length < sizeof path ? mkostemp(path, O_CLOEXEC) : -1;
    if (gather->spool < 0) {
        free(gather);
        return error_set_errno(error, STATUS_IO, errno, "No file can be made in %.300s", folder);
    }
    unlink(path);
    *result = gather;
    return STATUS_OK;
}

static enum status add_place(struct gather *gather, const struct digest *digest, uint32_t source,
                             uint64_t offset, struct error *error)
{
    const struct digest_head *head = digest->head;
    if (gather->count >= JOB_RANKS_MAX)
        return error_set(error, STATUS_UNSUPPORTED, "A job has at most %u ranks.", JOB_RANKS_MAX);
    char *host = strdup(digest_text(digest, head->host));
    if (!host || !array_grow(gather->places, gather->room, gather->count, 1)) {
        free(host);
        return error_no_memory(error, "to gather so many ranks");
    }
    gather->places[gather->count++] = (struct place){.rank = (uint32_t)head->rank,
                                                     .host = host,
                                                     .pid = head->pid,
                                                     .device = head->device,
                                                     .size_bytes = head->size_bytes,
                                                     .check = head->check,
                                                     .source = source,
                                                     .offset = offset};
    return STATUS_OK;
}

enum status gather_take(void *context, const void *bytes, size_t size_bytes, struct error *error)
{
    struct gather *gather = context;
    struct digest digest;
    enum status status = digest_check(bytes, size_bytes, "The digest", &digest, error);
    if (status == STATUS_OK)
        status = write_all(gather->spool, bytes, size_bytes, "The file of digests", error);
    if (status == STATUS_OK)
        status = add_place(gather, &digest, SPOOL, gather->spooled, error);
    if (status == STATUS_OK)
        gather->spooled += size_bytes;
    return status;
}

/* Checks the head of a job's file and that it fits to the file's size. */
static enum status check_job_head(const struct job_file_head *head, uint64_t size_bytes, const char *path,
                                  struct error *error)
{
    if (head->version > JOB_VERSION)
        return error_set(error, STATUS_VERSION,
                         "%.300s is a job of version %u, and this lanescope reads up to %u: use a newer one.",
                         path, head->version, JOB_VERSION);
    if (head->version != JOB_VERSION || head->size_bytes != size_bytes || head->ranks > JOB_RANKS_MAX ||
        head->ranks == 0)
        return error_set(error, STATUS_FORMAT, "%.300s is a damaged job: its sizes do not fit.", path);
    return STATUS_OK;
}

/* Every digest of a file that is open, from `offset` on. */
static enum status add_digests(struct gather *gather, int file, uint64_t size_bytes, uint64_t offset,
                               uint32_t ranks, const char *path, struct error *error)
{
    void *bytes = malloc(DIGEST_SIZE_MAX);
    if (!bytes)
        return error_no_memory(error, "to gather");
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < ranks && status == STATUS_OK; i++) {
        const uint64_t left = size_bytes - offset;
        const size_t most = left < DIGEST_SIZE_MAX ? (size_t)left : DIGEST_SIZE_MAX;
        struct digest digest;
        struct digest_head head = {0};
        status = left < sizeof head ? error_set(error, STATUS_FORMAT, "%.300s is cut off.", path)
                                    : read_exactly(file, &head, sizeof head, offset, path, error);
        size_t size =
            head.size_bytes <= most && head.size_bytes >= sizeof head ? head.size_bytes : sizeof head;
        if (status == STATUS_OK)
            status = read_exactly(file, bytes, size, offset, path, error);
        if (status == STATUS_OK)
            status = digest_check(bytes, size, path, &digest, error);
        if (status == STATUS_OK)
            status = add_place(gather, &digest, (uint32_t)gather->path_count - 1, offset, error);
        offset += size;
    }
    free(bytes);
    if (status == STATUS_OK && offset != size_bytes)
        return error_set(error, STATUS_FORMAT, "%.300s is damaged: more follows its last digest.", path);
    return status;
}

static enum status add_gathered(struct gather *gather, const char *path, bool is_job, struct error *error)
{
    int file;
    uint64_t size_bytes;
    enum status status = open_file(path, &file, &size_bytes, error);
    if (status != STATUS_OK)
        return status;
    char *copy = strdup(path);
    if (!copy || !array_grow(gather->paths, gather->path_room, gather->path_count, 1)) {
        free(copy);
        close(file);
        return error_no_memory(error, "to gather so many files");
    }
    gather->paths[gather->path_count++] = copy;
    struct job_file_head head = {.ranks = 1};
    if (is_job) {
        status = size_bytes < sizeof head ? error_set(error, STATUS_FORMAT, "%.300s is cut off.", path)
                                          : read_exactly(file, &head, sizeof head, 0, path, error);
        if (status == STATUS_OK)
            status = check_job_head(&head, size_bytes, path, error);
    }
    if (status == STATUS_OK)
        status = add_digests(gather, file, size_bytes, is_job ? sizeof head : 0, head.ranks, path, error);
    close(file);
    return status;
}

enum status gather_add(struct gather *gather, const char *path, struct error *error)
{
    const enum file_kind kind = kind_of(path);
    if (kind != FILE_OTHER)
        return add_gathered(gather, path, kind == FILE_JOB, error);
    struct session *session;
    enum status status = recording_load(&session, path, error);
    if (status != STATUS_OK)
        return status;
    status = digest_make(session, path, gather_take, gather, error);
    session_destroy(session);
    return status;
}

uint32_t gather_ranks(const struct gather *gather)
{
    return (uint32_t)gather->count;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
#define BY(field)                    \
    if (left->field != right->field) \
    return left->field < right->field ? -1 : 1
    BY(rank);
    const int order = strcmp(left->host, right->host);
    if (order)
        return order;
    BY(pid);
    BY(device);
    BY(size_bytes);
    BY(check);
#undef BY
    return 0;
}

static void drop_doubles(struct gather *gather)
{
    size_t kept = 0;
    qsort(gather->places, gather->count, sizeof *gather->places, compare_places);
    for (size_t i = 0; i < gather->count; i++)
        if (kept > 0 && compare_places(&gather->places[kept - 1], &gather->places[i]) == 0)
            free(gather->places[i].host);
        else
            gather->places[kept++] = gather->places[i];
    gather->count = kept;
}

static enum status copy_digest(const struct gather *gather, const struct place *place, void *bytes, int out,
                               const char *path, struct error *error)
{
    const bool spooled = place->source == SPOOL;
    const char *name = spooled ? "The file of digests" : gather->paths[place->source];
    int file = spooled ? gather->spool : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct digest digest;
    enum status status = file < 0
                             ? error_set_errno(error, STATUS_IO, errno, "%.300s could not be opened", name)
                             : read_exactly(file, bytes, place->size_bytes, place->offset, name, error);
    if (status == STATUS_OK)
        status = digest_check(bytes, place->size_bytes, name, &digest, error);
    if (status == STATUS_OK && digest.head->check != place->check)
        status =
            error_set(error, STATUS_STATE, "%.300s was changed while it was gathered: gather again.", name);
    if (!spooled && file >= 0)
        close(file);
    return status == STATUS_OK ? write_all(out, bytes, place->size_bytes, path, error) : status;
}

enum status gather_write(struct gather *gather, const char *path, struct error *error)
{
    char part[4096];
    if (gather->count == 0)
        return error_set(error, STATUS_STATE, "There is no rank to gather.");
    drop_doubles(gather);
    struct job_file_head head = {
        .version = JOB_VERSION, .ranks = (uint32_t)gather->count, .size_bytes = sizeof head};
    memcpy(head.magic, JOB_MAGIC, sizeof head.magic);
    for (size_t i = 0; i < gather->count; i++)
        head.size_bytes += gather->places[i].size_bytes;
    const int length = snprintf(part, sizeof part, "%s.XXXXXX", path);
    void *bytes = malloc(DIGEST_SIZE_MAX);
    int file = length > 0 && (size_t)length < sizeof part ? mkostemp(part, O_CLOEXEC) : -1;
    enum status status = STATUS_OK;
    if (!bytes)
        status = error_no_memory(error, "to gather");
    else if (file < 0)
        status = error_set_errno(error, STATUS_IO, errno, "%.300s could not be made", path);
    else
        status = write_all(file, &head, sizeof head, path, error);
    for (size_t i = 0; i < gather->count && status == STATUS_OK; i++)
        status = copy_digest(gather, &gather->places[i], bytes, file, path, error);
    const mode_t mask = umask(0);
    umask(mask);
    if (file >= 0 && (fchmod(file, 0666 & ~mask) != 0 || close(file) != 0) && status == STATUS_OK)
        status = error_set_errno(error, STATUS_IO, errno, "%.300s could not be written", path);
    if (status == STATUS_OK && rename(part, path) != 0)
        status = error_set_errno(error, STATUS_IO, errno, "%.300s could not be written", path);
    if (status != STATUS_OK && file >= 0)
        unlink(part);
    free(bytes);
    return status;
}

void gather_end(struct gather *gather)
{
    if (!gather)
        return;
    for (size_t i = 0; i < gather->count; i++)
        free(gather->places[i].host);
    for (size_t i = 0; i < gather->path_count; i++)
        free(gather->paths[i]);
    free(gather->places);
    free(gather->paths);
    close(gather->spool);
    free(gather);
}

/* ---- reading ---- */
/* Digests [from, end) of the job, checked by a thread of its own. */
struct checking {
    struct job *job;
    const size_t *offsets; /* of each digest, and one more: the file's end */
    uint32_t from, end;
    const char *path;
    enum status status;
    struct error error;
};

static void *check_some(void *context)
{
    struct checking *checking = context;
    for (uint32_t i = checking->from; i < checking->end && checking->status == STATUS_OK; i++)
        checking->status = digest_check((const char *)checking->job->bytes + checking->offsets[i],
                                        checking->offsets[i + 1] - checking->offsets[i], checking->path,
                                        &checking->job->ranks[i].digest, &checking->error);
    return NULL;
}

#define THREADS 2u
#define THREADS_FROM 64u /* digests */

static enum status check_all(struct job *job, const size_t *offsets, const char *path, struct error *error)
{
    struct checking parts[THREADS];
    pthread_t threads[THREADS];
    bool started[THREADS] = {false};
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < THREADS; i++) {
        parts[i] = (struct checking){.job = job,
                                     .offsets = offsets,
                                     .from = (uint32_t)((uint64_t)job->rank_count * i / THREADS),
                                     .end = (uint32_t)((uint64_t)job->rank_count * (i + 1) / THREADS),
                                     .path = path};
        started[i] = i > 0 && job->rank_count >= THREADS_FROM &&
                     pthread_create(&threads[i], NULL, check_some, &parts[i]) == 0;
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            check_some(&parts[i]);
        if (status == STATUS_OK && parts[i].status != STATUS_OK) {
            status = parts[i].status;
            if (error)
                *error = parts[i].error;
        }
    }
    return status;
}

static enum status find_ranks(struct job *job, const char *path, struct error *error)
{
    const struct job_file_head *head = job->bytes;
    size_t offset = 0;
    uint32_t ranks = 1;
    enum status status = STATUS_OK;
    if (job->size_bytes >= 8 && kind_of_head(job->bytes) == FILE_JOB) {
        status = job->size_bytes < sizeof *head ? error_set(error, STATUS_FORMAT, "%.300s is cut off.", path)
                                                : check_job_head(head, job->size_bytes, path, error);
        if (status != STATUS_OK)
            return status;
        ranks = head->ranks;
        offset = sizeof *head;
    }
    if (ranks > job->size_bytes / sizeof(struct digest_head))
        return error_set(error, STATUS_FORMAT, "%.300s is cut off: it has fewer than %u ranks.", path, ranks);
    job->ranks = calloc(ranks, sizeof *job->ranks);
    size_t *offsets = malloc(((size_t)ranks + 1) * sizeof *offsets);
    if (!job->ranks || !offsets) {
        free(offsets);
        return error_no_memory(error, "to open %.300s", path);
    }
    for (uint32_t i = 0; i < ranks && status == STATUS_OK; i++) {
        struct digest_head digest = {0};
        const size_t left = job->size_bytes - offset;
        if (left >= sizeof digest)
            memcpy(&digest, (const char *)job->bytes + offset, sizeof digest);
        offsets[i] = offset;
        if (left < sizeof digest || digest.size_bytes < sizeof digest || digest.size_bytes > left ||
            digest.size_bytes % 8 != 0)
            status = error_set(error, STATUS_FORMAT, "%.300s is damaged: its sizes do not fit.", path);
        offset += status == STATUS_OK ? digest.size_bytes : 0;
    }
    offsets[ranks] = offset;
    if (status == STATUS_OK && offset != job->size_bytes)
        status = error_set(error, STATUS_FORMAT, "%.300s is damaged: more follows its last digest.", path);
    job->rank_count = ranks;
    if (status == STATUS_OK)
        status = check_all(job, offsets, path, error);
    for (uint32_t i = 1; i < ranks && status == STATUS_OK; i++)
        if (digest_compare(&job->ranks[i - 1].digest, &job->ranks[i].digest) >= 0)
            status =
                error_set(error, STATUS_FORMAT, "%.300s is a damaged job: its ranks are in no order.", path);
    free(offsets);
    return status;
}

enum status job_open(struct job **result, const char *path, struct error *error)
{
    int file;
    uint64_t size_bytes;
    *result = NULL;
    enum status status = open_file(path, &file, &size_bytes, error);
    if (status != STATUS_OK)
        return status;
    struct job *job = calloc(1, sizeof *job);
    void *bytes = size_bytes < SIZE_MAX ? malloc((size_t)size_bytes + 1) : NULL;
    if (!job || !bytes) {
        free(bytes);
        status = error_no_memory(error, "to open %.300s", path);
    } else {
        job->bytes = bytes;
        job->size_bytes = (size_t)size_bytes;
        status = read_exactly(file, bytes, job->size_bytes, 0, path, error);
    }
    close(file);
    if (status == STATUS_OK)
        status = find_ranks(job, path, error);
    if (status == STATUS_OK)
        status = job_judge(job, error);
    if (status == STATUS_OK)
        *result = job;
    else
        job_close(job);
    return status;
}

void job_close(struct job *job)
{
    if (!job)
        return;
    free(job->ranks);
    free(job->hosts);
    free(job->communicators);
    free(job->collectives);
    free(job->order);
    free(job->row_of);
    free(job->rows_from);
    free((void *)(uintptr_t)job->bytes);
    free(job);
}
