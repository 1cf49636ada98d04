/* SPDX-License-Identifier: Apache-2.0 */
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
#include "cli/own/own_kernel.h"
#include "core/base/progress.h"
#include "core/recording/recording.h"
#include "core/session/session.h"

struct live;

struct live_options {
    const struct options *options;      /* must outlive the live session */
    const struct device_choice *choice; /* likewise; of workloads and kernels */
    const char *recording;              /* path; made at once */
    bool overwrite;                     /* an older recording of that name may be replaced */
    size_t readback_bytes;              /* share of the memory limit that is kept free for reloaded events */
    bool foreground;                    /* children get our standard streams and the terminal */
};

enum status live_start(struct live **live, const struct live_options *options, struct error *error);

/* Do these texts name workloads? Fails with the sentence for the first that does not. A text may begin with
 * --model ID, --cc X.Y and --size small|default, as the steps of a lesson have them. */
enum status live_check_workloads(char *const *texts, size_t count, struct error *error);

/* Queues workloads (texts as typed, copied; count 0: all), with small problems or a GPU's. Rejects a text
 * that names nothing, with a sentence. */
enum status live_run_workloads(struct live *live, char *const *texts, size_t count, bool small,
                               struct error *error);

/* The same with the kernels of a file in place of the bundled ones (cli/own/own_kernel.h). That the file does
 * not compile is reported by live_own alone; a run has a time limit, of OWN_SECONDS if the user gave none. */
#define OWN_SECONDS 60.0
enum status live_run_own(struct live *live, const char *path, const char *text, bool small,
                         struct error *error);
struct live_own {
    uint64_t number; /* of files that were made, or failed, so far */
    bool compiling;
    double compile_s;   /* how long making it took */
    struct error error; /* why it could not be made; OK: it could */
    struct own_kernel kernel;
};
void live_own(struct live *live, struct live_own *own); /* of the newest file */
/* The own image and the source that runs of this label used. False: not this live session's. */
bool live_own_find(struct live *live, const char *label, struct own_kernel *kernel);

/* Queues the lines runs of a workload, which sample and count its instructions. STATUS_STATE if no GPU is
 * used. */
enum status live_run_lines(struct live *live, const char *text, struct error *error);

/* Queues the kernel of the options (lanescope kernel). */
enum status live_run_kernel(struct live *live, struct error *error);

/* Queues a program; argv must outlive the live session. */
enum status live_run_program(struct live *live, char *const *argv, struct error *error);

/* Queues a capture of the process of the options, which was started as a dormant one: to its end, for as long as
 * --for says, or until live_stop_current, live_interrupt or live_stop_children. */
enum status live_attach(struct live *live, struct error *error);

/* Queues watching: samples of the GPU's counters, whoever uses the GPU, until live_interrupt,
 * live_stop_children or the time limit. */
enum status live_watch(struct live *live, struct error *error);

/* Takes a burst of samples now (--burst). False: it did not begin. Waits up to 0.2 s. */
bool live_burst(struct live *live);

/* Ends the running request's child and removes the queued requests: only those of workloads. False: nothing
 * runs. */
bool live_stop_current(struct live *live);

bool live_busy(struct live *live); /* something runs or is queued, or its last events are being taken in */
/* Waits until it is not, at most so long. True: it is not. */
bool live_wait_idle(struct live *live, int64_t most_ns);
void live_interrupt(struct live *live,
                    int signal_number);     /* to the running child's process group; starts nothing more */
void live_stop_children(struct live *live); /* SIGTERM, SIGKILL after 5 s */

struct session *live_session(struct live *live);
void live_recorder_state(struct live *live, struct recorder_state *state);

struct live_state {
    bool running;
    char text[160]; /* "trace run of copy-offset offset=3", one line */
    uint32_t run,
        planned; /* number of the request's newest run, from 1, and how many there will be; 0: not known */
    struct progress launch; /* of the launch that runs on the device model; over: none runs for long */
    char kernel[80];        /* its kernel's plain name */
    uint64_t dropped;
    double overhead_pct; /* CUPTI's own overhead records as a share of the time so far; negative: not known */
};
void live_state(struct live *live, struct live_state *state);
/* The name of a run of the request that runs, by its number from 1, also before it starts: "n-way:2-way"; "":
 * not known. */
void live_planned_name(struct live *live, uint32_t number, char *text, size_t size_bytes);

/* Exit status so far: the program's own, or for workloads one of enum exit_code. */
int live_exit_status(struct live *live);
/* Why the last child could not be run; STATUS_OK if it could. */
void live_error(struct live *live, struct error *error);

/* Waits for the children (stop them first if they should end) and takes in the rest: the session is then
 * complete and has no writer. */
void live_settle(struct live *live);
/* Settles, then writes the rest into the recording and closes it. The session stays, for live_finish. *there:
 * the file has the whole session; false if the session held nothing, and the previous recording was put back.
 */
enum status live_end_recording(struct live *live, bool *there, struct error *error);

/* The children's output so far, if they do not have our standard streams. */
void live_copy_output(const struct live *live, FILE *output);

/* Settles (stop the children first if they should end), takes in the rest, closes the recording, frees
 * everything. Returns the first failure. If `output` and `errors` are not NULL, the children's captured
 * output is copied there. */
enum status live_finish(struct live *live, FILE *output, FILE *errors, struct error *error);

#endif
