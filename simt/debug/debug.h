/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stepped program and what it tells the debugger, which is another process: each process of the program has a
 * socket of its own to the debugger, over which it gets requests and sends messages of fixed layout. Both ends are of
 * one build.
 *
 * Going back is running again: the program forks itself at the begin of a launch and then every so many instructions.
 * Such a *snapshot* only waits; asked to, it forks again, and this *copy* runs to the wanted position and answers for
 * the program there. A copy never leaves its launch, so that the program's own code runs once, in the *original*.
 */
#ifndef SIMT_DEBUG_DEBUG_H
#define SIMT_DEBUG_DEBUG_H

#include "core/hardware/access.h"
#include "simt/engine/stepper.h"

#include <stdbool.h>
#include <stdint.h>

#define DEBUG_BREAKS 32
#define DEBUG_NAME_BYTES 64
#define DEBUG_FILE_BYTES 256
#define DEBUG_OPERANDS 10
#define DEBUG_BYTES 4096
#define DEBUG_LINES 48

struct debug_line {              /* of a source file */
    char file[DEBUG_NAME_BYTES]; /* the end of its name; "": that of the kernel's first line */
    uint32_t line;
};

/* What to run to. */
struct debug_go {
    uint64_t stop_at, mark; /* positions; mark: a snapshot there, too; STEPPER_NEVER: none */
    uint64_t block;
    uint32_t warp;
    bool every, keeps, reports;
    bool detach; /* run to the end of the program without stopping */
    uint32_t break_count;
    struct debug_line breaks[DEBUG_BREAKS];
    struct debug_line goal; /* of the chosen warp; line 0: none */
    bool leaves_goal;       /* ... any other line than this */
    uint32_t watch_space;   /* enum ptx_space */
    uint64_t watch_address, watch_bytes, watch_block;
};

enum debug_ask {
    DEBUG_GO,
    DEBUG_COPY,
    DEBUG_REGISTERS,
    DEBUG_MEMORY,
    DEBUG_WARPS,
    DEBUG_CODE,
    DEBUG_PAUSE /* stop while running; nothing if it is stopped */
};
struct debug_request {
    enum debug_ask ask;
    struct debug_go go;
    char name[DEBUG_NAME_BYTES];      /* REGISTERS: one of them; "": all of the function's, from `from` on */
    uint32_t from;                    /* CODE: the first instruction */
    uint32_t space, lane, size_bytes; /* MEMORY */
    uint64_t address;
};

/* A register's values in the 32 lanes. */
struct debug_register {
    char name[DEBUG_NAME_BYTES];
    uint32_t type; /* enum ptx_type */
    uint64_t values[WARP_LANES];
};

enum debug_kind { DEBUG_STOPPED, DEBUG_SNAPSHOT, DEBUG_COPIED, DEBUG_ANSWER };
struct debug_message {
    enum debug_kind kind;
    enum stepper_reason reason;
    int32_t pid; /* of the sender; SNAPSHOT, COPIED: of the new process, whose socket comes along */
    uint64_t launch, begun, position, kept;
    uint64_t previous; /* of this warp; STEPPER_NEVER: it is not known */
    uint32_t
        no_line; /* it did not go: the goal has no instruction; the next line that has one, or UINT32_MAX */
    char kernel[DEBUG_FILE_BYTES];
    uint32_t grid[3], threads[3], warps;
    /* At an instruction. */
    bool at;
    uint64_t block;
    uint32_t index[3], warp, pc, on, path, alive;
    char file[DEBUG_FILE_BYTES], text[DEBUG_FILE_BYTES];
    uint32_t line;
    bool accesses;
    uint32_t space; /* enum ptx_space */
    struct warp_access access;
    uint32_t operand_count;
    struct debug_register operands[DEBUG_OPERANDS];
    /* The last instruction of this warp, and what it has computed. */
    char done_text[DEBUG_FILE_BYTES];
    uint32_t done_line, done_count;
    struct debug_register done[PROGRAM_VECTOR + 1];
    uint8_t lane_state[WARP_LANES]; /* enum stepper_lane */
    uint32_t lane_pc[WARP_LANES], lane_line[WARP_LANES];
    char report[1024];
};

struct debug_code { /* an instruction of the program */
    uint32_t pc, line;
    char text[DEBUG_FILE_BYTES], file[DEBUG_FILE_BYTES]; /* file: of the line; "": there is none */
};
struct debug_warp {
    uint32_t alive;
    uint8_t state[WARP_LANES];
    uint32_t line[WARP_LANES];
};

/* The stepper of a program that is debugged over this socket; NULL: no memory. One for the process; its launches
 * end with the process. kernel: fnmatch over the names of the kernels to be stepped; NULL: all. from: the first
 * launch of them that is stepped, from 1. */
struct stepper *debug_serve(int socket, const char *kernel, uint64_t from);

/* The end of the debugger's. false: the other end is gone. fd: -1, or the socket that came along. */
bool debug_send(int socket, const void *bytes, size_t size_bytes, int fd);
long debug_receive(int socket, void *bytes, size_t size_bytes, int *fd);

#endif
