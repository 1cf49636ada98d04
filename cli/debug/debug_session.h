/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is stepped on the device model, seen from lanescope: where it is, and the ways forward and back. It
 * has one place, `now`: that of the original, or an earlier one of the same launch, where a copy of it stands
 * (simt/debug/debug.h). The chosen warp is the one that is stepped. The caller's, one thread; every function returns
 * when the program has stopped again.
 */
#ifndef CLI_DEBUG_DEBUG_SESSION_H
#define CLI_DEBUG_DEBUG_SESSION_H

#include "core/base/error.h"
#include "simt/debug/debug.h"

#include <sys/types.h>

#define DEBUG_SNAPSHOTS 48

struct debug_snapshot {
    int socket;
    uint64_t position;
};

struct debug_session {
    struct debug_message now, at_original;
    int original, copy; /* sockets; -1: it has ended; there is none */
    pid_t pid;          /* of the original; 0: it has been waited for */
    int exit_status;    /* of the program, when over */
    bool over;          /* it has ended: there is no place */
    struct debug_snapshot snapshots[DEBUG_SNAPSHOTS + 1];
    uint32_t snapshot_count;
    uint64_t snapshots_launch;
    /* What it stops at, by the user. */
    uint64_t block;
    uint32_t warp;
    bool reports;
    struct debug_line breaks[DEBUG_BREAKS];
    uint32_t break_count;
    uint32_t watch_space;
    uint64_t watch_address, watch_bytes, watch_block;
};

/* The program has been started with the other end of the socket. Runs it to the begin of its first launch. */
enum status debug_session_begin(struct debug_session *session, int socket, pid_t pid, struct error *error);
/* Ends all of its processes. */
void debug_session_end(struct debug_session *session);

/* The warp that stands at the instruction is the chosen one. */
void debug_choose_stopped(struct debug_session *session);

/* How far to go forward. */
enum debug_way {
    DEBUG_STEP,  /* the chosen warp's next instruction */
    DEBUG_NEXT,  /* ... at another source line */
    DEBUG_LINE,  /* ... at `line` */
    DEBUG_RUN,   /* a breakpoint, a watched write, a report, the end of the launch */
    DEBUG_LAUNCH /* the begin of the next launch */
};
/* False: the error says why; session->over: the program has ended. */
bool debug_forward(struct debug_session *session, enum debug_way way, const struct debug_line *line,
                   struct error *error);
/* The same backwards (not LAUNCH). STATUS_STATE: there is no such place in this launch before this one. */
bool debug_back(struct debug_session *session, enum debug_way way, const struct debug_line *line,
                struct error *error);
/* To the last instruction before this place that has written these bytes. */
bool debug_back_to_write(struct debug_session *session, uint32_t space, uint64_t address, uint64_t bytes,
                         struct error *error);
bool debug_seek(struct debug_session *session, uint64_t position, struct error *error);

/* Questions, answered where it is; the number of items, 0: none. */
uint32_t debug_registers(struct debug_session *session, const char *name, uint32_t from,
                         struct debug_register registers[DEBUG_LINES]);
uint32_t debug_code(struct debug_session *session, uint32_t from, struct debug_code code[DEBUG_LINES]);
uint32_t debug_warps(struct debug_session *session, struct debug_warp warps[32]);
uint32_t debug_memory(struct debug_session *session, uint32_t space, uint32_t lane, uint64_t address,
                      uint8_t *bytes, uint32_t size_bytes);
/* Asks a running program to stop soon; from a signal's handler, too. */
void debug_pause(const struct debug_session *session);

#endif
