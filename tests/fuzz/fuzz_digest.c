/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job of hostile digests: the input is the bytes of digests one after the other, to which a job's head is given, and to
 * each digest the checksum that fits, so that what is behind it is reached. Whatever comes, the job is refused or judged.
 */
#include "core/ranks/job_sheets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_row(struct sheet_sink *sink, const struct sheet_cell *cells)
{
    for (int i = 0; i < sink->sheet->column_count; i++)
        sink->left_out += cells[i].text ? strlen(cells[i].text) : 0;
}

static void judge(const char *path)
{
    struct job *job;
    struct error error;
    if (job_open(&job, path, &error) != STATUS_OK)
        return;
    for (size_t i = 0; job_sheet_at(i); i++) {
        struct sheet_sink sink = {.row = count_row};
        if (sheet_make(job_sheet_at(i), job, &sink, &error) != STATUS_OK)
            abort();
    }
    for (uint64_t i = 0; i < job->rows_from[job->rank_count]; i++)
        if (job->row_of[i] >= job->collective_count)
            abort();
    job_close(job);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct job_file_head head = {.version = JOB_VERSION, .size_bytes = sizeof head + size};
    char path[40];
    uint8_t *bytes = malloc(size + 1);
    const int file = memfd_create("job", 0);
    if (!bytes || file < 0)
        abort();
    memcpy(bytes, data, size);
    memcpy(head.magic, JOB_MAGIC, sizeof head.magic);
    for (size_t at = 0; size - at >= sizeof(struct digest_head);) {
        struct digest_head digest;
        memcpy(&digest, bytes + at, sizeof digest);
        if (digest.size_bytes < sizeof digest || digest.size_bytes > size - at)
            break;
        digest.check = (uint32_t)crc32_z(0, bytes + at + offsetof(struct digest_head, flags),
                                         digest.size_bytes - offsetof(struct digest_head, flags));
        memcpy(bytes + at, &digest, sizeof digest);
        head.ranks++;
        at += digest.size_bytes;
    }
    if (write(file, &head, sizeof head) != sizeof head || write(file, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    judge(path);
    close(file);
    free(bytes);
    return 0;
}
