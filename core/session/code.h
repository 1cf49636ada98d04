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
    uint32_t
        cubin; /* string: name of the file in the session's folder that has the cubin, 0 none. Not recorded */
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

/* What was counted of an instruction, over `launches` launches. Key: run, kernel, instruction, counter. */
struct tally_row {
    uint32_t run, kernel; /* NONE: not known */
    uint32_t instruction;
    uint32_t counter; /* string: CUPTI's name of the SASS metric */
    _Atomic uint32_t launches;
    _Atomic uint64_t number; /* sum */
};

/* Key: file. */
struct source_row {
    uint32_t file, text; /* strings */
};

/* What is kept of sources. */
#define SOURCE_BYTES_MAX 1000000u
#define SOURCES_BYTES_MAX 32000000u

/* No row's sum is above it: a double holds it exactly. Add several rows up in doubles. */
#define CODE_AMOUNT_MAX ((uint64_t)1 << 53)

/* ---- writer: each gives the row's index, found or added; NONE when memory ran out or a row it names is not
 * there ---- */
uint32_t session_add_function(struct session *session, const struct function_row *row);
uint32_t session_add_instruction(struct session *session, uint32_t function, uint32_t pc_offset);
/* A string that only instructions and sources have as their text, which a recording may do without. */
uint32_t session_add_code_text(struct session *session, const char *text, size_t size_bytes);
bool session_is_code_text(const struct session *session, uint32_t string); /* any thread; published strings */
/* What is 0 stays as it was. */
void session_set_instruction(struct session *session, uint32_t instruction, uint32_t text, uint32_t file,
                             uint32_t line);
/* Adds row->samples; of a count row->number and row->launches. What would make a sum larger than
 * CODE_AMOUNT_MAX is refused. */
uint32_t session_add_stall(struct session *session, const struct stall_row *row);
uint32_t session_add_tally(struct session *session, const struct tally_row *row);
/* NONE also for a text that is too long, or one too many: nothing is kept then. One that is there stays. */
uint32_t session_add_source(struct session *session, uint32_t file, const char *text, size_t size_bytes);

/* ---- readers ---- */
/* The source of a file; NULL: it is not kept. */
const char *session_source_text(const struct session *session, const char *file);

/*
 * A file's name as it is kept: bundled kernels from "workloads/" on, what lies under `folder` (NULL: nothing
 * does) from there on, a toolkit's headers from "include/" on, anything else by its last folder and name.
 * `name` takes at most size_bytes, terminated.
 */
void code_file_name(const char *path, const char *folder, char *name, size_t size_bytes);

#endif
