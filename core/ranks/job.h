/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job: the digests of its ranks (.lsj). The file is a head and the digests in the order of digest_compare, each once.
 * Gathering is a merge of such files and of single digests, so the bytes are the same whatever was gathered first. No
 * event is in it; a rank's recording is found by the name that its digest holds.
 *
 * Opened, a job has what core/ranks/judge.c and job_verdict.c work out of the digests: clocks, waits, and the verdict. Times of a job are
 * ns from base_ns, on the clock of the host of the first rank. Owned by the caller; read by any thread.
 */
#ifndef CORE_RANKS_JOB_H
#define CORE_RANKS_JOB_H

#include "core/ranks/digest.h"

#include <stdbool.h>
#include <stddef.h>

#define JOB_MAGIC "LSjob..1"
#define JOB_VERSION 1u
#define JOB_RANKS_MAX 1000000u

struct job_file_head {
    char magic[8];
    uint32_t version, ranks;
    uint64_t size_bytes; /* of the file */
};

/* ---- gathering ---- */
struct gather;
/* What is made of recordings lies in a file without a name in `folder` until it is written. */
enum status gather_start(struct gather **gather, const char *folder, struct error *error);
/* A job, a digest, a recording or a trace of another tool. STATUS_FORMAT, STATUS_STATE and what opening returns. */
enum status gather_add(struct gather *gather, const char *path, struct error *error);
/* A digest in memory, which is copied. */
digest_taker gather_take;
uint32_t gather_ranks(const struct gather *gather);
/* Writes the job under a name of its own beside `path`, and gives it that name when all is written. */
enum status gather_write(struct gather *gather, const char *path, struct error *error);
void gather_end(struct gather *gather); /* NULL: nothing */

/* ---- reading ---- */
/* Is it a job, or a single digest, by its first bytes? */
bool job_recognises(const char *path);

/* A host's clock, as far as collectives show it. */
struct job_host {
    const char *name;      /* "": not known, the name of the file stands for it */
    uint32_t ranks, first; /* how many, the first in `order` */
    uint32_t points; /* collectives that it shares with hosts whose clock is known; 0: it is the first one */
    bool fitted;     /* false: its times cannot be compared with the first host's */
    double offset_ns,
        drift;          /* its clock minus the first host's, at base_ns; ns by which it gains in each ns */
    double residual_ns; /* 95 % of the points are closer; 0 of the first host */
};

/* Why a collective is not judged. id, words */
#define COLLECTIVE_STATE_LIST(X)                                                                        \
    X(JUDGED, "judged")                                                                                 \
    X(ALONE, "of one rank that was gathered")                                                           \
    X(PARTIAL, "not all of its ranks have it")                                                          \
    X(FIRST, "the first of its communicator: nothing before it held the ranks together")                \
    X(CLOCKS, "of hosts whose clocks could not be compared")                                            \
    X(LEFT,                                                                                             \
      "a rank left before the last one came: its ranks are not of one collective, or it does not wait") \
    X(OTHERS, "its ranks ran different operations")                                                     \
    X(OUTSIDE, "outside the steps")
#define COLLECTIVE_STATE_ENUM(name, words) COLLECTIVE_##name,
enum collective_state { COLLECTIVE_STATE_LIST(COLLECTIVE_STATE_ENUM) COLLECTIVE_STATE_COUNT };
#undef COLLECTIVE_STATE_ENUM
const char *collective_state_words(uint8_t state);

#define JOB_NOBODY UINT32_MAX

struct job_collective {
    uint32_t communicator, sequence; /* of the job */
    uint32_t ranks;
    uint8_t operation, state,
        cause;      /* cause: enum rank_class, why the root was late; RANK_CLASS_COUNT: not known */
    uint8_t chain;  /* collectives that were followed to the root */
    uint64_t bytes; /* UINT64_MAX: not known */
    int64_t first_ns, second_ns, last_ns; /* the starts of the first, the last but one and the last rank */
    int64_t least_end_ns, end_ns;
    int64_t waited_ns;   /* the mean wait of the other ranks for the last one */
    uint32_t last, root; /* ranks; root: whose delay it was. JOB_NOBODY: none */
    uint32_t range;      /* text of the root's digest */
    uint32_t step;       /* of the last rank; UINT32_MAX: in none */
    int64_t excess_ns;   /* by which the root took longer in the cause's class than the others' mean */
};

struct job_communicator {
    uint64_t key;
    const char *name;
    uint32_t ranks, judged, left; /* left: collectives of COLLECTIVE_LEFT */
    bool named;                   /* by the trace; else by the order of its streams */
};

struct job_rank {
    struct digest digest;
    uint32_t number; /* rank, or where it is not known the place in the job */
    uint32_t host;
    uint32_t last_times; /* in judged collectives */
    int64_t caused_ns;   /* mean wait of the others, added up, where it is the root */
    double chance;       /* caused_ns, in standard deviations beyond what chance gives each rank alike */
    int64_t waited_ns;   /* its own, for the last ones */
    int64_t gain_ns;     /* by which the collectives had begun earlier, were it no later than the next one */
    int64_t by_cause_ns[RANK_CLASS_COUNT]; /* caused_ns by cause of each wait */
    double steps_ns[RANK_CLASS_COUNT];     /* its time in its steps; without steps, all of it */
    /* What made it late in the first place, enum rank_class; RANK_CLASS_COUNT: nobody waited for it. While others wait they do
     * their next work, and then it is late again with that work, which is no cause: so all of its time is compared with the
     * others', and where that says nothing, the class of most of the waits is taken. */
    uint8_t cause;
    double
        device_factor; /* time of its kernels by the median time of the same kernels; NAN: none are common */
    double device_least; /* of its common kernels three quarters are slower by at least this; NAN */
    double copy_factor;  /* the same of copies, ns per byte */
    double work_factor;  /* its kernels' time by the median rank's; NAN */
    uint32_t worst;      /* the collective where the others waited longest for it; JOB_NOBODY */
};

struct job_verdict {
    bool silent;          /* nobody stands out */
    uint32_t culprit;     /* index into ranks; JOB_NOBODY if silent, or a whole host is it */
    uint32_t host;        /* index into hosts: all of its ranks are late; JOB_NOBODY */
    uint32_t culprits;    /* ranks that stand out */
    uint8_t cause;        /* enum rank_class */
    uint32_t step, steps; /* step of the longest wait; UINT32_MAX: none. steps with a wait caused by it */
    int64_t caused_ns, span_ns;
    double
        speedup; /* of the job, were the culprit no later than the next one: arithmetic of waits, no replay */
    char who[160], why[400], evidence[400], silence[400]; /* sentences without names of kernels to shorten */
};
#define JOB_SHARE_LEAST 0.02 /* chosen: of the job's time; what is less is no verdict */
#define JOB_CHANCE_LEAST 3.0 /* chosen: below it only a single wait that is long enough alone names a rank */

struct job {
    const void *bytes; /* the mapped file */
    size_t size_bytes;
    struct job_rank *ranks;
    struct job_host *hosts;
    struct job_communicator *communicators;
    struct job_collective *collectives; /* by time */
    uint32_t rank_count, host_count, communicator_count, collective_count;
    uint32_t *order;     /* ranks by host */
    uint32_t *row_of;    /* of each kept collective of each rank, one after the other, which of the above */
    uint64_t *rows_from; /* of each rank, where it begins in row_of; one more at the end */
    int64_t base_ns, end_ns;           /* UTC of time 0; the job's last end, from it */
    int64_t residual_ns;               /* the largest of the hosts': nothing finer is said across hosts */
    double steps_ns[RANK_CLASS_COUNT]; /* of all ranks */
    struct job_verdict verdict;
    char order_note[200];
};

/* The whole job, checked and judged. STATUS_FORMAT: damaged; STATUS_IO, STATUS_MEMORY. */
enum status job_open(struct job **job, const char *path, struct error *error);
void job_close(struct job *job); /* NULL: nothing */

/* In core/ranks/judge.c: fills all but the ranks' digests. */
enum status job_judge(struct job *job, struct error *error);
/* The time of a rank's event as one of the job. */
int64_t job_time(const struct job *job, uint32_t rank, int64_t ns);
/* By how much later than the first rank it came to this kept collective; -1: not judged. */
int64_t job_lateness(const struct job *job, uint32_t rank, uint32_t collective);

/* ---- replay: what the job would take, were a rank as fast as the median ---- */
struct job_edit {
    uint32_t rank; /* index into ranks; JOB_NOBODY: all */
    uint8_t class
        ; /* enum rank_class, of which it has no more than the median rank; RANK_CLASS_COUNT: all of them */
    bool transfers; /* instead: collectives take no time once the last rank has come */
    int64_t gain_ns;
};
#define JOB_EDITS_MOST 16u
struct job_replays {
    int64_t replayed_ns; /* the end of the job, replayed without edits */
    double error;        /* of it, by the verdict's span */
    struct job_edit edits
        [JOB_EDITS_MOST]; /* that gain JOB_SHARE_LEAST of the verdict's span, most first; each by itself */
    uint32_t count;
};
/* From digests alone. No edits where no collective is judged. STATUS_MEMORY. */
enum status job_replay(const struct job *job, struct job_replays *replays, struct error *error);
/* "Rank 1 spends no more time than the median rank in: kernels". */
void job_edit_text(const struct job *job, const struct job_edit *edit, char *text, size_t size_bytes);

/* ---- what judge.c needs of job_verdict.c, in this order; false: no memory ---- */

/* Fills the ranks' device_factor, device_least, copy_factor and work_factor. */
bool job_compare_devices(struct job *job, struct error *error);
/* Fills the verdict. */
bool job_decide(struct job *job, struct error *error);
bool job_have_no_memory(struct error *error); /* says so; false */

/* ---- hosts' clocks ---- */

/*
 * The clock of a host against another one, from the ends of collectives that both took part in: all members of one leave
 * it at about the same time. Offset and drift are medians (Theil and Sen), so that single late ends do not matter.
 * Pure; any thread.
 */

struct clock_point {
    double at_ns, apart_ns; /* time, and by how much the clock is ahead then */
};
struct clock_fit {
    double offset_ns, drift; /* ahead by offset_ns + drift * at_ns */
    double residual_ns;      /* 95 % of the points lie closer */
};

#define CLOCK_POINTS_LEAST 3u /* chosen: of fewer points a residual says nothing */
/* Below so many points, or in less than this time, a drift is not told from the noise: it is taken as 0. */
#define CLOCK_DRIFT_POINTS 8u
#define CLOCK_DRIFT_NS 1e9
#define CLOCK_DRIFT_MOST 1e-3 /* chosen: clocks that differ by more are no clocks */

/* The points are sorted by another order afterwards. scratch: room for CLOCK_SCRATCH + count numbers. False: fewer
 * than CLOCK_POINTS_LEAST points, or no clock fits. */
#define CLOCK_SCRATCH 2048u
bool clock_fit(struct clock_fit *fit, const struct clock_point *points, size_t count, double *scratch);

#endif
