/*
 * A live session: runs the requests, receives their events and records them. The screen and --record both use
 * it.
 *
 * live_start makes session, collector and recorder; requests are run one after the other on a thread of their
 * own, a child process per step (cli/run/steps.h). Functions are for one thread (the screen's, or main) but
 * for live_interrupt, which is async-signal-safe.
 */
#ifndef CLI_RUN_LIVE_H
#define CLI_RUN_LIVE_H

#include "cli/machine/device_choice.h"
#include "cli/options/options.h"
#include "core/recording/recording.h"
#include "core/session/session.h"

struct live;

struct live_options {
    const struct options *options;      /* must outlive the live session */
    const struct device_choice *choice; /* likewise; of workloads and kernels */
    const char *recording;              /* path; made at once */
    bool overwrite;                     /* an older recording of that name may be replaced */
    size_t readback_bytes;              /* of the limit on memory: kept free for events that come back */
    bool foreground;                    /* children get our standard streams and the terminal */
};

enum status live_start(struct live **live, const struct live_options *options, struct error *error);

/* Do these texts name workloads? The sentence of the first that does not. */
enum status live_check_workloads(char *const *texts, size_t count, struct error *error);

/* Queue workloads (texts as typed, copied; count 0: all of them), with small problems or a GPU's. Refuses a
 * text that names nothing, with its sentence. */
enum status live_run_workloads(struct live *live, char *const *texts, size_t count, bool small,
                               struct error *error);

/* Queue the lines runs of a workload: its instructions are sampled and counted. STATE where no GPU is used.
 */
enum status live_run_lines(struct live *live, const char *text, struct error *error);

/* Queue the kernel of the options (lanescope kernel). */
enum status live_run_kernel(struct live *live, struct error *error);

/* Queue a program; argv must outlive the live session. */
enum status live_run_program(struct live *live, char *const *argv, struct error *error);

/* Queue watching: samples of the GPU's counters, whoever uses it, until live_interrupt, live_stop_children or
 * the time limit. */
enum status live_watch(struct live *live, struct error *error);

/* A burst of samples, now (--burst). False: none could be begun. Waits up to 0.2 s. */
bool live_burst(struct live *live);

/* End the running request's child and forget the queued requests: those of workloads. False: nothing runs. */
bool live_stop_current(struct live *live);

bool live_busy(struct live *live); /* something runs or is queued, or its last events are being taken in */
void live_interrupt(struct live *live,
                    int signal_number); /* to the running child's process group; nothing more is started */
void live_stop_children(struct live *live); /* SIGTERM, SIGKILL after 5 s */

struct session *live_session(struct live *live);
void live_recorder_state(struct live *live, struct recorder_state *state);

struct live_state {
    bool running;
    char text[160];        /* "trace run of copy-offset offset=3", one line */
    uint32_t run, planned; /* the newest run of the request, from 1, of so many; 0: not known */
    uint64_t dropped;
    double overhead_pct; /* of the time so far, by CUPTI's own overhead records; negative: not known */
};
void live_state(struct live *live, struct live_state *state);

/* Exit status so far: the program's own, or by enum exit_code for workloads. */
int live_exit_status(struct live *live);
/* Why the last child could not be run; STATUS_OK when it could. */
void live_error(struct live *live, struct error *error);

/* Wait for the children (stop them first if they should end) and take in the rest: the session is then whole
 * and has no writer. */
void live_settle(struct live *live);
/* Settle, then write what is not in the recording yet and close it. The session stays, for live_finish.
 * *there: the file is this session's, whole; not where it held nothing and the one before is back. */
enum status live_end_recording(struct live *live, bool *there, struct error *error);

/* The output of the children so far, if they do not have our standard streams. */
void live_copy_output(const struct live *live, FILE *output);

/* Settle (stop them first if they should end), take in the rest, close the recording, free
 * all. The first failure is given. With `output` and `errors` not NULL the children's captured output is
 * copied there. */
enum status live_finish(struct live *live, FILE *output, FILE *errors, struct error *error);

#endif
