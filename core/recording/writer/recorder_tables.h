/*
 * The rows beside the events: processes, devices, runs, shapes, kernels, tracks, measurements and their
 * values, expected values, notices, drops, code, open launches. New ones are added, those that changed are
 * replaced. The recorder's thread.
 */
#ifndef CORE_RECORDING_WRITER_RECORDER_TABLES_H
#define CORE_RECORDING_WRITER_RECORDER_TABLES_H

#include "core/recording/writer/recorder_sink.h"

struct kernel_sums {
    uint64_t launches, total_ns, min_ns, max_ns;
    bool changed;
};

/* The rows of code as they were last written, to detect changes, and the room that a size limit leaves for
 * them. */
struct recorder_code {
    struct instruction_record *instructions;
    uint64_t *samples, *numbers, *launches; /* of stalls, tallies, launch sites */
    uint32_t instruction_room, sample_room, number_room, launch_room;
    uint64_t sources_left, rows_left; /* bytes; UINT64_MAX: no limit */
    uint64_t batch_left;              /* of either, in this transaction */
    uint8_t *texts;                   /* bit by string: its text is written */
    size_t texts_bytes;
    bool more;     /* the next transaction goes on */
    bool left_out; /* there was no room for all */
};

struct recorder_tables {
    uint32_t written[TABLE_COUNT]; /* rows of each table that are in the file */
    struct process_state {
        uint32_t command;
        int64_t end_ns;
        int32_t exit_status;
    } * processes; /* of processes written */
    struct run_state {
        int64_t end_ns;
        uint32_t detail;
        int8_t verified;
    } * runs;
    uint32_t process_room, run_room;
    struct kernel_sums *kernels;              /* of the launches written */
    uint32_t kernel_count, kernels_published; /* capacity; rows to write, as read by tables_write */
    struct open_launch *open;                 /* as written */
    size_t open_count;
    struct recorder_code code;
};

void tables_fini(struct recorder_tables *tables);

/* Writes every row that events published before this call refer to, and any later ones. tables_write_kernels
 * writes the kernels. */
enum status tables_write(struct recorder_tables *tables, struct recorder_sink *sink, struct error *error);

/* Adds a launch that was written to its kernel's sums. */
enum status tables_count_launch(struct recorder_tables *tables, uint32_t kernel, int64_t duration_ns,
                                struct error *error);

/* Writes new kernels, and those whose sums changed. */
enum status tables_write_kernels(struct recorder_tables *tables, struct recorder_sink *sink,
                                 struct error *error);

#endif
