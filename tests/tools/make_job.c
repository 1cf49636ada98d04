/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_job FOLDER RANKS CAUSE [STEPS [LATE]]: writes the digests of a job that never ran (tests/shared/made/made_job.h),
 * rank-N.lsd each. CAUSE: balanced, slow-gpu, uneven, host, loader, link, launch, once.
 */
#include "tests/shared/made/made_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_digest(void *context, uint32_t rank, const void *bytes, size_t size_bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/rank-%u.lsd", (const char *)context, rank);
    FILE *file = fopen(path, "wb");
    const bool fine = file && fwrite(bytes, 1, size_bytes, file) == size_bytes;
    return file && fclose(file) == 0 && fine;
}

int main(int argc, char **argv)
{
    struct made_job job = {.steps = 100, .seed = 1, .clock_offset_ns = 1e9, .clock_drift = 2e-5};
    double waits_ns;
    if (argc < 4) {
        fprintf(stderr, "make_job FOLDER RANKS CAUSE [STEPS [LATE]]\n");
        return 2;
    }
    job.ranks = (uint32_t)strtoul(argv[2], NULL, 10);
    job.late = argc > 5 ? (uint32_t)strtoul(argv[5], NULL, 10) : job.ranks / 3;
    job.steps = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 100;
    while (job.cause < MADE_CAUSE_COUNT && strcmp(argv[3], made_cause_texts[job.cause]) != 0)
        job.cause++;
    if (job.cause == MADE_CAUSE_COUNT || job.ranks == 0 || job.steps == 0)
        return 2;
    if (!made_job_make(&job, write_digest, argv[1], &waits_ns))
        return 1;
    printf("rank %u is late: %s; the waits are %.0f ns\n", job.late, made_cause_texts[job.cause], waits_ns);
    return 0;
}
