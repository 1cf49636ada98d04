/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An event: lanescope's own record of one thing that happened. The agent makes it from a CUPTI record, the
 * wire carries it, intake turns it into rows of the session.
 *
 * Always 64 bytes, little-endian, plain data. Times are ns of CLOCK_REALTIME (CUPTI's clock on Linux) unless
 * the process announced clock `model`. Ids (string, shape, context, stream, thread, correlation) are the
 * sending process's own; strings and shapes are announced before they are used. `sequence` belongs to the
 * wire; all other code leaves it 0.
 */
#ifndef CORE_BASE_EVENT_H
#define CORE_BASE_EVENT_H

#include <stdint.h>

#define EVENT_KIND_LIST(X)                                                                                 \
    X(NONE, "none")                                                                                        \
    X(BLOB, "blob")           /* first record of a multi-record blob, see enum blob_type */                \
    X(BLOB_DATA, "blob data") /* never seen outside the wire */                                            \
    X(SHAPE, "shape")         /* announces a kernel's name and launch shape */                             \
    X(CONTEXT, "context")                                                                                  \
    X(STREAM, "stream")                                                                                    \
    X(KERNEL, "kernel")                                                                                    \
    X(COPY, "copy")                                                                                        \
    X(SET, "set")                                                                                          \
    X(CALL, "call")             /* one API call that ended */                                              \
    X(CALL_BEGIN, "call begin") /* a launch call was entered: its kernel may still run */                  \
    X(SYNC, "sync")                                                                                        \
    X(RANGE_BEGIN, "range begin")                                                                          \
    X(RANGE_END, "range end")                                                                              \
    X(MARK, "mark")                                                                                        \
    X(OVERHEAD, "overhead")                                                                                \
    X(MEASUREMENT, "measurement") /* one launch measured by counters; VALUEs of it follow */               \
    X(VALUE, "value")             /* one counter of a measurement */                                       \
    X(RUN_BEGIN, "run begin")                                                                              \
    X(RUN_END, "run end")                                                                                  \
    X(EXPECTED, "expected")   /* one expected value of a kernel of the current run */                      \
    X(WATERMARK, "watermark") /* everything that ended before time_ns has been sent */                     \
    X(DROPPED, "dropped")     /* records lost, by kind, place and reason */                                \
    X(NOTICE, "notice")                                                                                    \
    X(GOODBYE, "goodbye")                     /* the process ended normally; nothing follows */            \
    X(SERIES, "series")                       /* announces a counter that is sampled over time */          \
    X(SAMPLE, "sample")                       /* values of up to ten series over one interval */           \
    X(FUNCTION, "function")                   /* announces a function of a loaded module */                \
    X(INSTRUCTION, "instruction")             /* one of its instructions: its text and source line */      \
    X(STALLS, "stalls")                       /* PC samples of an instruction with one stall reason */     \
    X(INSTRUCTION_COUNT, "instruction count") /* one counter of an instruction */                          \
    X(STACK, "stack")               /* announces a call path: a frame, and the id of its caller's */       \
    X(PROGRESS, "progress")         /* how far the launch is that runs now; only the newest one matters */ \
    X(ACCESS, "access")             /* the addresses of one execution of a memory instruction */           \
    X(EVENT_RECORD, "event record") /* a CUDA event was recorded in a stream */                            \
    X(GRAPH_EDGE, "graph edge")     /* a node of a graph was made to depend on another one */              \
    X(COLLECTIVE, "collective")     /* what NCCL says of the collective that a launch runs */

#define EVENT_ENUM(name, text) EVENT_##name,
enum event_kind { EVENT_KIND_LIST(EVENT_ENUM) EVENT_KIND_COUNT };
#undef EVENT_ENUM

/* What a blob holds. Its bytes follow the first record; strings should be UTF-8, but this is not checked;
 * they are not terminated and have at most 64 KiB. */
enum blob_type {
    BLOB_STRING = 1, /* id = string id (from 1), bytes = the text */
    BLOB_DEVICE = 2, /* id = device ordinal, bytes = struct device_info (core/hardware/device_info.h) */
    BLOB_PROCESS = 3 /* bytes = the command line, arguments separated by NUL */
};

/* The numeric values are used on the wire and in recordings: do not reorder. */
#define API_DOMAIN_LIST(X) X(DRIVER, "driver") X(RUNTIME, "runtime") X(OPS, "lanescope")
#define API_DOMAIN_ENUM(name, text) API_##name,
enum api_domain { API_DOMAIN_LIST(API_DOMAIN_ENUM) API_DOMAIN_COUNT };
#undef API_DOMAIN_ENUM

/* name, and the letter that marks such calls in the timeline */
#define CALL_CATEGORY_LIST(X) \
    X(OTHER, '-')             \
    X(LAUNCH, 'L')            \
    X(COPY, 'C') X(SET, 'S') X(ALLOC, 'A') X(FREE, 'F') X(SYNC, 'W') X(STREAM, 'R') X(MODULE, 'M')
#define CALL_CATEGORY_ENUM(name, mark) CALL_##name,
enum call_category { CALL_CATEGORY_LIST(CALL_CATEGORY_ENUM) CALL_CATEGORY_COUNT };
#undef CALL_CATEGORY_ENUM

/* name, id, direction, and the plural */
#define COPY_KIND_LIST(X)                                        \
    X(OTHER, "other", "copy", "other copies")                    \
    X(HTOD, "htod", "host to device", "copies to the device")    \
    X(DTOH, "dtoh", "device to host", "copies to the host")      \
    X(DTOD, "dtod", "device to device", "copies on the device")  \
    X(HTOH, "htoh", "host to host", "copies on the host")        \
    X(PTOP, "ptop", "peer to peer", "copies between devices")    \
    X(HTOA, "htoa", "host to array", "copies host to array")     \
    X(ATOH, "atoh", "array to host", "copies array to host")     \
    X(ATOA, "atoa", "array to array", "copies array to array")   \
    X(ATOD, "atod", "array to device", "copies array to device") \
    X(DTOA, "dtoa", "device to array", "copies device to array")
#define COPY_KIND_ENUM(name, id, text, copies) COPY_##name,
enum copy_kind { COPY_KIND_LIST(COPY_KIND_ENUM) COPY_KIND_COUNT };
#undef COPY_KIND_ENUM

#define MEMORY_KIND_LIST(X) \
    X(UNKNOWN, "unknown")   \
    X(PAGEABLE, "pageable") X(PINNED, "pinned") X(DEVICE, "device") X(ARRAY, "array") X(MANAGED, "managed")
#define MEMORY_KIND_ENUM(name, text) MEMORY_##name,
enum memory_kind { MEMORY_KIND_LIST(MEMORY_KIND_ENUM) MEMORY_KIND_COUNT };
#undef MEMORY_KIND_ENUM

/* name, id, text for users */
#define SYNC_KIND_LIST(X)                                                       \
    X(OTHER, "other", "wait")                                                   \
    X(EVENT, "event", "wait for an event")                                      \
    X(STREAM, "stream", "wait for the stream")                                  \
    X(STREAM_WAIT_EVENT, "stream-waits-for-event", "stream waits for an event") \
    X(CONTEXT, "context", "wait for the context")
#define SYNC_KIND_ENUM(name, id, text) SYNC_##name,
enum sync_kind { SYNC_KIND_LIST(SYNC_KIND_ENUM) SYNC_KIND_COUNT };
#undef SYNC_KIND_ENUM

/* The producer reports the reasons up to DROP_MEMORY; lanescope finds the others. */
enum drop_reason {
    DROP_RING_FULL,
    DROP_CUPTI,
    DROP_NO_TIMESTAMP,
    DROP_UNKNOWN_RECORD,
    DROP_MEMORY,
    DROP_REFUSED, /* malformed: ids, counts or times are not possible */
    DROP_NO_ROOM, /* lanescope had no memory for the event, or its track had no free lane */
    DROP_REASON_COUNT
};

/* The detail of a verified run may be this text and 16 digits: the FNV-1a hash of the 32-bit words of its
 * outputs. It is equal on two devices that computed the same outputs. */
#define RUN_DIGEST_TEXT "output digest "

/* The purpose of a run. A memory run is a counter run of one pass: it measures DRAM bytes and time, which
 * replaying in several passes would falsify. CUPTI takes one configuration per process, so its counters need
 * a process of their own. A lines run measures the cost of single instructions: its first process samples
 * program counters, each further one counts the instructions of one kernel. */
#define RUN_MODE_LIST(X)    \
    X(TRACE, "trace")       \
    X(COUNTERS, "counters") \
    X(MEMORY, "memory")     \
    X(LINES, "lines")
#define RUN_MODE_ENUM(name, text) RUN_##name,
enum run_mode { RUN_MODE_LIST(RUN_MODE_ENUM) RUN_MODE_COUNT };
#undef RUN_MODE_ENUM
enum clock_kind { CLOCK_WALL, CLOCK_MODEL, CLOCK_COUNT };
enum severity { SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_ERROR };

#define SHAPE_COOPERATIVE 1u
/* By the symbols of its machine code the kernel divides 64-bit integers, which a function does; calls malloc or free; and
 * printf. */
#define SHAPE_DIVIDES 2u
#define SHAPE_ALLOCATES 4u
#define SHAPE_PRINTS 8u
#define STREAM_DEFAULT 1u    /* the legacy default stream */
#define STREAM_PER_THREAD 2u /* the per-thread default stream */
#define STREAM_NON_BLOCKING 4u
#define KERNEL_FROM_GRAPH_TRACE 1u /* the event stands for a whole graph launch; shape is 0 */
#define COPY_ASYNC 1u
#define SERIES_BURST 1u /* sampled in bursts: nothing is known about the time between them */
#define SERIES_CANNOT \
    2u /* not a counter: the device cannot be sampled, and the name is a sentence with the reason */
#define SAMPLE_NUMBERS 10u
#define PROGRESS_OVER 1u   /* the launch has ended */
#define ACCESS_IS_STORE 1u /* else a load */
#define ACCESS_IS_ATOMIC 2u
#define ACCESS_IS_SWAP 4u /* an atomic compare-and-swap */
#define ACCESS_IS_ALONE \
    8u /* its cost follows from its addresses alone; else ptxas replaces the instruction */
#define ACCESS_IS_L1_ON 16u /* the load names L1, or goes around it; neither: the default */
#define ACCESS_IS_L1_OFF 32u
#define ACCESS_IS_PASSES \
    64u /* transfers are the passes of an atomic in global memory; files written before had its sectors */
#define ACCESS_FLAGS 127u
#define COLLECTIVE_UNKNOWN UINT64_MAX
#define STACK_FURTHER "(further callers)" /* name of a STACK: further callers were not recorded */

struct event {
    uint32_t sequence; /* the wire's */
    uint8_t kind;      /* enum event_kind */
    uint8_t flags;     /* by kind */
    uint16_t device;   /* ordinal of the device in the process, if the event has a device */
    union {
        struct { /* BLOB */
            uint32_t type, id, size_bytes, reserved;
            uint8_t head[40]; /* the first bytes; the rest follow in BLOB_DATA records */
        } blob;
        struct { /* SHAPE; flags: SHAPE_ */
            uint32_t id, name;
            uint32_t grid[3];
            uint16_t block[3];
            uint16_t registers_per_thread;
            uint32_t static_shared_bytes, dynamic_shared_bytes, local_bytes_per_thread;
            uint32_t shared_config_bytes; /* shared memory that the driver set aside per SM; 0: not known */
            uint16_t cluster[3], unused[3];
        } shape;
        struct {
            uint32_t context, unused[13];
        } context;
        struct { /* STREAM; flags: STREAM_ */
            uint32_t context, stream;
            int32_t priority;
            uint32_t unused[11];
        } stream;
        struct { /* KERNEL; flags: KERNEL_ */
            int64_t start_ns, end_ns;
            uint32_t correlation, shape, context, stream;
            uint64_t graph_node; /* the lower half: its number in the graph */
            uint32_t graph, reserved;
            uint32_t stack; /* id of the launch's STACK, 0: not known; also in COPY and SET */
            uint32_t unused;
        } kernel;
        struct { /* COPY; flags: COPY_ */
            int64_t start_ns, end_ns;
            uint64_t size_bytes;
            uint32_t correlation, context, stream;
            uint8_t copy_kind, source_memory, destination_memory,
                engine; /* engine: channel id, 0xff unknown */
            uint16_t source_device, destination_device;
            uint32_t graph, stack, graph_node; /* graph_node: its number in the graph; also in SET */
        } copy;
        struct {
            int64_t start_ns, end_ns;
            uint64_t size_bytes;
            uint32_t correlation, context, stream, value;
            uint8_t memory, reserved[3];
            uint32_t graph, stack, graph_node;
        } set;
        struct { /* CALL and CALL_BEGIN (end_ns 0; shape set when the kernel is known) */
            int64_t start_ns, end_ns;
            uint32_t correlation, thread, name; /* name: string id, "cudaLaunchKernel" */
            int32_t result;                     /* 0 or the API's error code */
            uint8_t domain, category;           /* enum api_domain, call_category */
            uint16_t reserved;
            uint32_t shape, context, stream, unused[2];
        } call;
        struct {
            int64_t start_ns, end_ns;
            uint32_t correlation, context, stream, thread;
            uint8_t sync_kind, unused[3];
            uint32_t
                event; /* of EVENT and STREAM_WAIT_EVENT: the process's id of the CUDA event, 0 not known */
            uint64_t record; /* the number of the EVENT_RECORD that was waited for; 0: not known */
            uint64_t reserved;
        } sync;
        struct { /* RANGE_BEGIN, RANGE_END, MARK */
            int64_t time_ns;
            uint64_t id; /* pairs begin and end; push/pop pairs use CUPTI's marker id too */
            uint32_t name, domain, thread, color;
            double payload;
            uint64_t unused[2];
        } range;
        struct {
            int64_t start_ns, end_ns;
            uint32_t thread, name; /* name: string id of what caused the overhead */
            uint64_t unused[4];
        } overhead;
        struct {                      /* MEASUREMENT; its counters are the VALUEs with the same id */
            int64_t start_ns, end_ns; /* wall time of the replay, not the kernel's time */
            uint32_t id, shape, context, stream, correlation, passes, values, unused[3];
        } measurement;
        struct {
            uint32_t measurement, counter; /* counter: string id of the CUPTI metric name */
            double number;
            uint64_t unused[5];
        } value;
        struct { /* RUN_BEGIN; RUN_END repeats id, with verified and detail */
            int64_t time_ns;
            uint32_t id, workload, variant, params; /* string ids; params: "offset=3,n=1024" */
            uint32_t detail;                        /* string id: why not verified, RUN_DIGEST_TEXT, or 0 */
            int8_t verified;                        /* 1, 0, -1 not known */
            uint8_t mode, clock;                    /* enum run_mode, clock_kind */
            uint8_t reserved;
            double effective_bytes; /* bytes that the algorithm reads and writes per launch of `kernel`; 0:
                                       not known */
            uint32_t kernel;        /* string id of the kernel that effective_bytes is about */
            uint32_t unused[3];
        } run;
        struct { /* EXPECTED: for the kernel (string id of its plain name) of this run */
            uint32_t run, kernel, metric; /* metric: string id of the metric's id (core/metric/metric.h) */
            uint32_t reserved;
            double number;
            uint32_t why; /* string id: why there is no value (number is then NaN), or 0 */
            uint32_t unused[7];
        } expected;
        struct {
            int64_t time_ns;
            uint64_t unused[6];
        } watermark;
        struct { /* DROPPED: `count` more events of `kind` were lost since the last such event */
            int64_t time_ns;
            uint64_t count;
            uint32_t kind, reason; /* enum event_kind, drop_reason */
            uint64_t unused[4];
        } dropped;
        struct {
            int64_t time_ns;
            uint32_t text; /* string id */
            uint8_t severity,
                status; /* enum severity; enum status (core/base/error.h): what kind of error it is */
            uint8_t unused[42];
        } notice;
        struct {
            int64_t time_ns;
            uint64_t unused[6];
        } goodbye;
        struct {           /* SERIES; flags: SERIES_; device in the head. Sent before its first sample */
            uint32_t id;   /* from 1; series that are sampled together have consecutive ids */
            uint32_t name; /* string id: CUPTI's metric name; of the model "model." and our name */
            uint32_t interval_ns; /* asked for */
            uint32_t unused[11];
        } series;
        struct { /* SAMPLE: numbers[i] is of series first + i, over [start_ns, start_ns + duration_ns); NaN:
                    no value */
            int64_t start_ns;
            uint32_t duration_ns, first;
            float numbers[SAMPLE_NUMBERS];
        } sample;
        struct {             /* FUNCTION */
            uint32_t id;     /* from 1 */
            uint32_t name;   /* string id: the mangled name */
            uint64_t module; /* CUPTI's CRC of its cubin */
            uint32_t size_bytes;
            uint32_t cubin; /* string id: the file with the cubin in the session's folder; 0: none */
            uint64_t unused[4];
        } function;
        struct { /* INSTRUCTION */
            uint32_t function, pc_offset;
            uint32_t text; /* string id, 0: not disassembled */
            uint32_t file; /* string id, 0: no line information */
            uint32_t line, unused[9];
        } instruction;
        struct { /* STALLS: further samples of an instruction since the last such event */
            uint32_t function, pc_offset;
            uint32_t reason;      /* string id: CUPTI's name of the stall reason */
            uint32_t correlation; /* correlation of the launch; 0: all launches in this time */
            uint64_t samples;
            uint32_t period_cycles, shape;
            uint64_t unused[3];
        } stalls;
        struct { /* INSTRUCTION_COUNT, of one launch */
            uint32_t function, pc_offset;
            uint32_t counter; /* string id: CUPTI's name of the SASS metric */
            uint32_t correlation;
            uint64_t number;
            uint32_t shape, reserved;
            uint64_t unused[3];
        } instruction_count;
        struct {             /* STACK */
            uint32_t id;     /* from 1 */
            uint32_t caller; /* id of an earlier STACK; 0: no caller, or caller not known */
            uint32_t name;   /* string ids: the function (STACK_FURTHER or its mangled name), */
            uint32_t file;   /* and its source file, or the library or program that has it */
            uint32_t line;   /* 0: not known */
            uint32_t unused[9];
        } stack;
        struct { /* PROGRESS; flags: PROGRESS_; of the numbers: struct progress */
            uint64_t launch, blocks, ended, executed;
            int64_t elapsed_ns;
            uint32_t kernel; /* string id: the mangled name */
            uint32_t unused[3];
        } progress;
        struct { /* ACCESS; flags: ACCESS_; of the launch's executions the one that cost most */
            uint32_t function, pc_offset, shape;
            uint32_t addresses; /* string id: core/hardware/access.h */
            uint64_t block;
            uint16_t warp, part;                 /* part: of an instruction that ptxas splits */
            uint16_t transfers, ideal_transfers; /* of this execution: sectors, or wavefronts */
            uint8_t space, width_bytes;          /* space: enum access_space */
            uint16_t reserved;
            uint32_t requests; /* of all executions of the instruction in the launch */
            uint64_t all_transfers, all_ideal_transfers;
        } access;
        struct { /* EVENT_RECORD: has the time and thread of its call, which has the same correlation */
            uint32_t correlation, context, stream;
            uint32_t event;  /* the process's id of the CUDA event */
            uint64_t record; /* number of this record of it, in the process; from 1 */
            uint64_t unused[4];
        } event_record;
        struct { /* GRAPH_EDGE: sent when the edge is made; most graphs that have some are never launched */
            uint32_t graph, node, dependency; /* numbers of nodes in the graph, as in KERNEL, COPY and SET */
            uint32_t unused[11];
        } graph_edge;
        struct {                             /* COLLECTIVE; of one launch several where NCCL fuses them */
            uint32_t correlation;            /* of the launch */
            uint32_t communicator, function; /* string ids: equal in all ranks; "AllReduce" */
            uint32_t ranks;                  /* of the communicator; 0: not known */
            int32_t rank;                    /* in it */
            uint32_t reserved;
            uint64_t
                sequence; /* among those of this function in the communicator; COLLECTIVE_UNKNOWN: it has none */
            uint64_t bytes; /* of this rank's message, or COLLECTIVE_UNKNOWN */
            uint64_t unused[2];
        } collective;
        uint8_t bytes[56];
    };
};

_Static_assert(sizeof(struct event) == 64, "an event is one record of the wire");
/* Every member of the union has this full size: bytes that an initialiser does not name are then zero, while
 * padding would be undefined. */
#define EVENT_FILLS(member) _Static_assert(sizeof((struct event *)0)->member == 56, #member)
EVENT_FILLS(blob);
EVENT_FILLS(shape);
EVENT_FILLS(context);
EVENT_FILLS(stream);
EVENT_FILLS(kernel);
EVENT_FILLS(copy);
EVENT_FILLS(set);
EVENT_FILLS(call);
EVENT_FILLS(sync);
EVENT_FILLS(range);
EVENT_FILLS(overhead);
EVENT_FILLS(measurement);
EVENT_FILLS(value);
EVENT_FILLS(run);
EVENT_FILLS(expected);
EVENT_FILLS(watermark);
EVENT_FILLS(dropped);
EVENT_FILLS(notice);
EVENT_FILLS(goodbye);
EVENT_FILLS(series);
EVENT_FILLS(sample);
EVENT_FILLS(function);
EVENT_FILLS(instruction);
EVENT_FILLS(stalls);
EVENT_FILLS(instruction_count);
EVENT_FILLS(stack);
EVENT_FILLS(access);
EVENT_FILLS(event_record);
EVENT_FILLS(graph_edge);
EVENT_FILLS(collective);
#undef EVENT_FILLS

/* The numbers come from outside: one that is not in the enum counts as "other". */
const char *api_domain_text(uint8_t domain); /* "runtime" */
char call_category_mark(uint8_t category);   /* 'L' */
const char *copy_kind_id(uint8_t kind);      /* "htod" */
const char *copy_kind_text(uint8_t kind);    /* "host to device" */
const char *copy_kind_copies(uint8_t kind);  /* "copies to the device" */
const char *memory_kind_text(uint8_t kind);  /* "pinned" */
const char *sync_kind_id(uint8_t kind);      /* "stream" */
const char *sync_kind_text(uint8_t kind);    /* "wait for the stream" */

const char *event_kind_text(enum event_kind kind);
const char *run_mode_text(enum run_mode mode); /* "trace" */
enum run_mode run_mode_find(const char *text); /* RUN_MODE_COUNT when unknown */

#endif
