/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of kernels in a session: functions of loaded modules, their instructions, what each instruction
 * cost, and the texts of the sources they come from.
 *
 * Like all tables of the session append-only with one writer; the fields marked _Atomic grow or come later,
 * the rest of a row stays. A row is known by its key: adding it again adds to it. Texts are strings of the
 * session. What was measured belongs to a run, and to a kernel of it where the sender knew the launch's
 * shape. Never a path of the machine: see code_file_name.
 */
#ifndef CORE_SESSION_CODE_H
#define CORE_SESSION_CODE_H

#include "core/session/session.h"

/* Key: mangled, module. One function of one module, however many processes loaded it. */
struct function_row {
    uint64_t module; /* CUPTI's CRC of the cubin, 0: not known */
    uint32_t mangled, name;
    uint32_t size_bytes; /* 0: not known */
    uint32_t cubin;      /* string: the file with the cubin in the session's folder, 0 none. Not recorded */
};

/* Key: function, pc_offset. */
struct instruction_row {
    uint32_t function, pc_offset;
    _Atomic uint32_t text; /* string; 0: not disassembled */
    _Atomic uint32_t file; /* string; 0: no line information */
    _Atomic uint32_t line;
};

/* PC samples. Key: run, kernel, instruction, reason, period_cycles. */
struct stall_row {
    uint32_t run, kernel; /* NONE: not known */
    uint32_t instruction;
    uint32_t reason; /* string: CUPTI's name */
    uint32_t period_cycles;
    _Atomic uint64_t samples;
};

/* A counter of an instruction, over `launches` launches. Key: run, kernel, instruction, counter. */
struct tally_row {
    uint32_t run, kernel; /* NONE: not known */
    uint32_t instruction;
    uint32_t counter; /* string: CUPTI's name of the SASS metric */
    _Atomic uint32_t launches;
    _Atomic uint64_t number; /* sum */
};

/* The execution of a memory instruction that cost most in the first launch of a kernel on the device model,
 * of any warp. One for each part of an instruction that ptxas splits, and for each space that it accesses. */
struct access_row {
    uint32_t run, kernel; /* NONE: not known */
    uint32_t instruction;
    uint32_t addresses; /* string: core/hardware/access.h */
    uint64_t block;
    uint16_t warp, part, transfers, ideal_transfers; /* of this execution: sectors, wavefronts, passes */
    uint32_t requests;                               /* of all its executions in that launch */
    uint64_t all_transfers, all_ideal_transfers;
    uint8_t space, width_bytes, flags; /* enum access_space; ACCESS_ of core/base/event.h */
};

/* Key: file. */
struct source_row {
    uint32_t file, text; /* strings */
};

/* What is kept of sources. */
#define SOURCE_BYTES_MAX 1000000u
#define SOURCES_BYTES_MAX 32000000u

/* The largest sum of a row: a double holds it exactly. Use doubles to add several rows up. */
#define CODE_AMOUNT_MAX ((uint64_t)1 << 53)

/* ---- writer: each gives the row's index, found or added; NONE when memory ran out or a row it names is not
 * there ---- */
uint32_t session_add_function(struct session *session, const struct function_row *row);
uint32_t session_add_instruction(struct session *session, uint32_t function, uint32_t pc_offset);
/* Is the string used only as text of instructions and sources, which a recording may leave out? */
uint32_t session_add_code_text(struct session *session, const char *text, size_t size_bytes);
bool session_is_code_text(const struct session *session, uint32_t string); /* any thread; published strings */
/* What is 0 stays as it was. */
void session_set_instruction(struct session *session, uint32_t instruction, uint32_t text, uint32_t file,
                             uint32_t line);
/* Adds row->samples; for a count row->number and row->launches. An addition that would make a sum larger than
 * CODE_AMOUNT_MAX is rejected. */
uint32_t session_add_stall(struct session *session, const struct stall_row *row);
uint32_t session_add_tally(struct session *session, const struct tally_row *row);
/* NONE also if the addresses or the width are none that an access can have. */
uint32_t session_add_access(struct session *session, const struct access_row *row);
/* NONE also if the text is too long, or if there are too many sources: nothing is added then. An existing
 * source stays. */
uint32_t session_add_source(struct session *session, uint32_t file, const char *text, size_t size_bytes);

/* ---- readers ---- */
struct warp_access;
void session_access_addresses(const struct session *session, const struct access_row *row,
                              struct warp_access *access);
/* The source of a file; NULL: it is not kept. */
const char *session_source_text(const struct session *session, const char *file);

/* The name under which a file is kept: bundled kernels from "workloads/" on, files under `folder` (NULL:
 * none) from there on, headers of a toolkit from "include/" on, all others their last folder and name. `name`
 * takes at most size_bytes, terminated. */
void code_file_name(const char *path, const char *folder, char *name, size_t size_bytes);

#endif
