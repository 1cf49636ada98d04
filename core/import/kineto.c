/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces of PyTorch's profiler (Kineto), from 1.8 on, on CUDA and ROCm, and others in Chrome's format. Names of
 * categories and arguments have changed, so each is known by all its names. Times are decimal texts in us,
 * which become ns digit by digit: a double cannot hold them.
 *
 * A trace is of one process. Its events are in no order: they are read into an array first, which is then
 * sorted and sent. Reading is half of the work, sending the other half.
 */
#include "core/import/sender.h"

#include "core/base/array.h"
#include "core/base/idmap.h"
#include "core/base/sort.h"
#include "core/import/json_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEVICES 64u

/* ---- what an event may be ---- */
enum what { WHAT_RANGE, WHAT_KERNEL, WHAT_COPY, WHAT_SET, WHAT_CALL, WHAT_SYNC, WHAT_OVERHEAD, WHAT_NONE };

static const struct category {
    const char *name, *domain; /* domain: of ranges */
    enum what what;
    enum api_domain api;
} categories[] = {
    {.name = "kernel", .what = WHAT_KERNEL},
    {.name = "gpu_memcpy", .what = WHAT_COPY},
    {.name = "Memcpy", .what = WHAT_COPY},
    {.name = "gpu_memset", .what = WHAT_SET},
    {.name = "Memset", .what = WHAT_SET},
    {.name = "cuda_runtime", .what = WHAT_CALL, .api = API_RUNTIME},
    {.name = "Runtime", .what = WHAT_CALL, .api = API_RUNTIME},
    {.name = "hip_runtime", .what = WHAT_CALL, .api = API_RUNTIME},
    {.name = "cuda_driver", .what = WHAT_CALL, .api = API_DRIVER},
    {.name = "cuda_sync", .what = WHAT_SYNC},
    {.name = "overhead", .what = WHAT_OVERHEAD},
    {.name = "user_annotation", .domain = "", .what = WHAT_RANGE},
    {.name = "cpu_op", .domain = "PyTorch", .what = WHAT_RANGE},
    {.name = "Operator", .domain = "PyTorch", .what = WHAT_RANGE},
    {.name = "python_function", .domain = "Python", .what = WHAT_RANGE},
    /* of the device, but no work of it; and what only draws arrows and frames */
    {.name = "gpu_user_annotation", .what = WHAT_NONE},
    {.name = "cuda_profiler_range", .what = WHAT_NONE},
    {.name = "Trace", .what = WHAT_NONE},
};

/* ---- the reader ---- */
struct held {
    int64_t start_ns, end_ns;
    struct event event; /* its own times are not used */
};

/* The functions of Python that a thread is in, the outermost first, and of recent calls the innermost of them. */
struct python_thread {
    uint32_t thread;
    struct python_frame {
        int64_t end_ns;
        uint32_t stack; /* id of its STACK */
    } * frames;
    size_t count, room;
};
#define PYTHON_CALLS (1u << 16) /* a power of two */
#define PYTHON_STACKS_MAX (1u << 18)

struct kineto {
    struct sender *sender;
    struct session *session;
    struct json_stream *json;
    char *path;
    uint32_t process;
    struct held *held;
    size_t count, room, sent;
    struct slice_sort sort;
    enum { KINETO_READ, KINETO_SORT, KINETO_SEND } phase;
    bool is_in_events;
    int64_t base_ns;  /* added to the times, for UTC */
    int64_t first_ns; /* the earliest start */
    struct device_info devices[DEVICES];
    uint64_t known_devices;
    int32_t rank, pid;
    bool is_pytorch, is_rocm;
    char release[48];
    uint64_t skipped, ranges_of_counters, operations, calls, unknown;
    uint32_t unknown_category; /* interned: the first one */
    char host[64];
    uint32_t python; /* interned: the domain of its functions */
    struct python_thread *threads;
    size_t thread_count, thread_room;
    struct idmap stacks; /* caller's id and name -> id */
    struct python_call {
        uint32_t correlation, stack;
    } * python_calls; /* by correlation modulo PYTHON_CALLS; NULL: no function of Python yet */
    struct collective_row *collectives; /* without their process */
    size_t collective_count, collective_room;
};

/* One event of the file, as far as it is read. Texts are copies, since reading goes on. */
struct fields {
    char phase, synchronisation[40];
    const struct category *category;
    uint32_t name, category_name; /* interned */
    int64_t start_ns, duration_ns, thread, process, correlation, stream, context, device;
    uint64_t size_bytes;
    uint8_t copy_kind, source, destination;
    bool has_start, has_duration;
    uint32_t grid[3], block[3], registers, shared;
    /* Of a collective's kernel, since PyTorch 2.4. */
    char group[24], group_name[48], group_ranks[160], element[20];
    int64_t elements, group_size;
};

/* ---- numbers ---- */
/* Microseconds with up to three decimals, as text, in ns. */
static bool us_to_ns(const char *text, int64_t *ns)
{
    const bool is_negative = *text == '-';
    int64_t value = 0;
    int decimals = -1;
    const char *at = text + is_negative;
    if (*at < '0' || *at > '9')
        return false;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && decimals < 0); at++) {
        if (*at == '.') {
            decimals = 0;
            continue;
        }
        if (decimals == 3)
            continue;
        if (value > (INT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (*at - '0');
        decimals += decimals >= 0;
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 3; decimals++) {
        if (value > INT64_MAX / 10)
            return false;
        value *= 10;
    }
    if (*at == 'e' || *at == 'E') {
        const double us = strtod(text, NULL);
        if (!(us > -9e15 && us < 9e15))
            return false;
        *ns = (int64_t)(us * 1000);
        return true;
    }
    *ns = is_negative ? -value : value;
    return true;
}

/* A number, or the number in a text such as "stream 7". */
static int64_t number_in(const char *text)
{
    const char *at = text;
    while (*at && (*at < '0' || *at > '9'))
        at++;
    const int64_t value = strtoll(at, NULL, 10);
    return at > text && at[-1] == '-' ? -value : value;
}

static uint32_t id_of(int64_t value)
{
    return (uint32_t)value;
}

static void read_three(struct json_stream *json, uint32_t *three)
{
    if (json_next(json) != JSON_ARRAY)
        return;
    size_t i = 0;
    enum json_token token;
    while ((token = json_next(json)) == JSON_WORD || token == JSON_STRING)
        if (i < 3)
            three[i++] = id_of(number_in(json_text(json, NULL)));
    if (token == JSON_OBJECT || token == JSON_ARRAY)
        json_skip_rest(json);
}

static int64_t read_number(struct json_stream *json)
{
    const enum json_token token = json_next(json);
    if (token == JSON_OBJECT || token == JSON_ARRAY)
        json_skip_rest(json);
    return token == JSON_WORD || token == JSON_STRING ? number_in(json_text(json, NULL)) : 0;
}

static void read_text(struct json_stream *json, char *text, size_t size_bytes)
{
    const enum json_token token = json_next(json);
    if (token == JSON_OBJECT || token == JSON_ARRAY)
        json_skip_rest(json);
    else
        snprintf(text, size_bytes, "%s", json_text(json, NULL));
}

/* ---- an event ---- */
static void read_argument(struct json_stream *json, struct fields *fields, const char *key)
{
    static const struct {
        const char *key;
        size_t offset;
    } numbers[] = {{"correlation", offsetof(struct fields, correlation)},
                   {"stream", offsetof(struct fields, stream)},
                   {"context", offsetof(struct fields, context)},
                   {"device", offsetof(struct fields, device)},
                   {"bytes", offsetof(struct fields, size_bytes)}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(key, numbers[i].key) == 0) {
            *(int64_t *)((char *)fields + numbers[i].offset) = read_number(json);
            return;
        }
    if (strcmp(key, "grid") == 0)
        read_three(json, fields->grid);
    else if (strcmp(key, "block") == 0)
        read_three(json, fields->block);
    else if (strcmp(key, "registers per thread") == 0)
        fields->registers = id_of(read_number(json));
    else if (strcmp(key, "shared memory") == 0)
        fields->shared = id_of(read_number(json));
    else if (strcmp(key, "Process Group Name") == 0)
        read_text(json, fields->group, sizeof fields->group);
    else if (strcmp(key, "Process Group Description") == 0)
        read_text(json, fields->group_name, sizeof fields->group_name);
    else if (strcmp(key, "Process Group Ranks") == 0)
        read_text(json, fields->group_ranks, sizeof fields->group_ranks);
    else if (strcmp(key, "Group size") == 0)
        fields->group_size = read_number(json);
    else if (strcmp(key, "In msg nelems") == 0)
        fields->elements = read_number(json);
    else if (strcmp(key, "dtype") == 0)
        read_text(json, fields->element, sizeof fields->element);
    else if (strcmp(key, "cuda_sync_kind") == 0)
        read_text(json, fields->synchronisation, sizeof fields->synchronisation);
    else
        json_skip(json);
}

static void read_arguments(struct json_stream *json, struct fields *fields)
{
    enum json_token token = json_next(json);
    if (token == JSON_ARRAY)
        json_skip_rest(json);
    if (token != JSON_OBJECT)
        return;
    while ((token = json_next(json)) != JSON_OBJECT_END && token != JSON_END) {
        char key[32];
        if (token == JSON_OBJECT || token == JSON_ARRAY)
            json_skip_rest(json);
        if (token != JSON_KEY)
            continue;
        snprintf(key, sizeof key, "%s", json_text(json, NULL));
        read_argument(json, fields, key);
    }
}

static const struct category *category_of(const char *name)
{
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (strcasecmp(name, categories[i].name) == 0)
            return &categories[i];
    return NULL;
}

/* "Memcpy HtoD (Pageable -> Device)", "CopyDeviceToHost"; kinds of memory in brackets. */
static void read_copy_name(struct fields *fields, const char *name)
{
    static const struct {
        const char *word;
        uint8_t kind;
    } kinds[] = {{"HtoD", COPY_HTOD},         {"HostToDevice", COPY_HTOD}, {"DtoH", COPY_DTOH},
                 {"DeviceToHost", COPY_DTOH}, {"DtoD", COPY_DTOD},         {"DeviceToDevice", COPY_DTOD},
                 {"PtoP", COPY_PTOP},         {"HtoH", COPY_HTOH}},
      memories[] = {{"Pageable", MEMORY_PAGEABLE},
                    {"Pinned", MEMORY_PINNED},
                    {"Managed", MEMORY_MANAGED},
                    {"Device", MEMORY_DEVICE},
                    {"Array", MEMORY_ARRAY}};
    const char *open = strchr(name, '('), *arrow = strstr(name, "->");
    for (size_t i = sizeof kinds / sizeof *kinds; i-- > 0;)
        if (strstr(name, kinds[i].word))
            fields->copy_kind = kinds[i].kind;
    for (size_t i = 0; open && arrow && arrow > open && i < sizeof memories / sizeof *memories; i++) {
        const char *source = strstr(open, memories[i].word);
        fields->source = source && source < arrow ? memories[i].kind : fields->source;
        fields->destination = strstr(arrow, memories[i].word) ? memories[i].kind : fields->destination;
    }
}

static void read_field(struct kineto *kineto, struct fields *fields, const char *key)
{
    struct json_stream *json = kineto->json;
    if (strcmp(key, "args") == 0) {
        read_arguments(json, fields);
        return;
    }
    const enum json_token token = json_next(json);
    size_t length;
    const char *text = json_text(json, &length);
    if (token == JSON_OBJECT || token == JSON_ARRAY)
        json_skip_rest(json);
    if (token != JSON_STRING && token != JSON_WORD)
        return;
    if (strcmp(key, "ts") == 0) {
        fields->has_start = us_to_ns(text, &fields->start_ns);
    } else if (strcmp(key, "dur") == 0) {
        fields->has_duration = us_to_ns(text, &fields->duration_ns);
    } else if (strcmp(key, "ph") == 0) {
        fields->phase = text[0];
    } else if (strcmp(key, "cat") == 0) {
        fields->category = category_of(text);
        fields->category_name = sender_intern(kineto->sender, text, length);
    } else if (strcmp(key, "name") == 0) {
        fields->name = sender_intern(kineto->sender, text, length);
        read_copy_name(fields, text);
    } else if (strcmp(key, "tid") == 0) {
        fields->thread = number_in(text);
    } else if (strcmp(key, "pid") == 0) {
        fields->process = number_in(text);
    }
}

static uint32_t kineto_shape(struct kineto *kineto, const struct fields *fields)
{
    struct event shape = {.kind = EVENT_SHAPE};
    shape.shape.name = fields->name;
    for (int i = 0; i < 3; i++) {
        shape.shape.grid[i] = fields->grid[i];
        shape.shape.block[i] = fields->block[i] <= UINT16_MAX ? (uint16_t)fields->block[i] : 0;
    }
    shape.shape.registers_per_thread = fields->registers <= UINT16_MAX ? (uint16_t)fields->registers : 0;
    shape.shape.static_shared_bytes = fields->shared;
    return sender_intern_shape(kineto->sender, &shape);
}

static uint8_t sync_kind_of(const char *text)
{
    if (strstr(text, "Wait"))
        return SYNC_STREAM_WAIT_EVENT;
    if (strstr(text, "Event"))
        return SYNC_EVENT;
    return strstr(text, "Stream") ? SYNC_STREAM : strstr(text, "Context") ? SYNC_CONTEXT : SYNC_OTHER;
}

/* The event as intake takes it, apart from its times. */
static struct event event_of(struct kineto *kineto, const struct fields *fields, enum what what)
{
    struct event event = {
        .device = fields->device >= 0 && fields->device < UINT16_MAX ? (uint16_t)fields->device : 0};
    switch (what) {
    case WHAT_KERNEL:
        event.kind = EVENT_KERNEL;
        event.kernel.correlation = id_of(fields->correlation);
        event.kernel.context = id_of(fields->context);
        event.kernel.stream = id_of(fields->stream);
        event.kernel.shape = kineto_shape(kineto, fields);
        break;
    case WHAT_COPY:
        event.kind = EVENT_COPY;
        event.copy.correlation = id_of(fields->correlation);
        event.copy.context = id_of(fields->context);
        event.copy.stream = id_of(fields->stream);
        event.copy.size_bytes = fields->size_bytes;
        event.copy.copy_kind = fields->copy_kind;
        event.copy.source_memory = fields->source;
        event.copy.destination_memory = fields->destination;
        event.copy.engine = 0xff;
        break;
    case WHAT_SET:
        event.kind = EVENT_SET;
        event.set.correlation = id_of(fields->correlation);
        event.set.context = id_of(fields->context);
        event.set.stream = id_of(fields->stream);
        event.set.size_bytes = fields->size_bytes;
        event.set.memory = MEMORY_DEVICE;
        break;
    case WHAT_SYNC:
        event.kind = EVENT_SYNC;
        event.sync.correlation = id_of(fields->correlation);
        event.sync.context = id_of(fields->context);
        event.sync.stream = id_of(fields->stream);
        event.sync.sync_kind =
            sync_kind_of(*fields->synchronisation ? fields->synchronisation
                                                  : sender_interned_text(kineto->sender, fields->name));
        break;
    case WHAT_CALL:
        event.kind = EVENT_CALL;
        event.call.correlation = id_of(fields->correlation);
        event.call.thread = id_of(fields->thread);
        event.call.name = fields->name;
        event.call.domain = (uint8_t)fields->category->api;
        break;
    case WHAT_OVERHEAD:
        event.kind = EVENT_OVERHEAD;
        event.overhead.thread = id_of(fields->thread);
        event.overhead.name = fields->name;
        break;
    default:
        event.kind = EVENT_RANGE_BEGIN;
        event.range.thread = id_of(fields->thread);
        event.range.name = fields->name;
        event.range.domain = fields->category_name;
        break;
    }
    return event;
}

/* Bytes of an element of this type; 0: not known. */
static uint64_t bytes_of_type(const char *type)
{
    static const struct {
        const char *type;
        uint64_t bytes;
    } rows[] = {{"Float8", 1}, {"Float", 4}, {"BFloat16", 2}, {"Half", 2}, {"Double", 8}, {"Long", 8},
                {"Int", 4},    {"Short", 2}, {"Byte", 1},     {"Char", 1}, {"Bool", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncasecmp(type, rows[i].type, strlen(rows[i].type)) == 0)
            return rows[i].bytes;
    return 0;
}

static void keep_collective(struct kineto *kineto, const struct fields *fields)
{
    char text[256];
    if ((!*fields->group && !*fields->group_ranks) || fields->correlation == 0 ||
        !array_grow(kineto->collectives, kineto->collective_room, kineto->collective_count, 1))
        return;
    const uint64_t element = bytes_of_type(fields->element);
    const int length = snprintf(text, sizeof text, "%s%s%s %s", fields->group_name,
                                *fields->group_name ? " " : "", fields->group, fields->group_ranks);
    kineto->collectives[kineto->collective_count++] = (struct collective_row){
        .correlation = id_of(fields->correlation),
        .group = sender_intern(kineto->sender, text, (size_t)length),
        .ranks = fields->group_size > 0 && fields->group_size < INT32_MAX ? id_of(fields->group_size) : 0,
        .sequence = -1,
        .bytes = element > 0 && fields->elements > 0 && fields->elements < INT64_MAX / 8
                     ? fields->elements * (int64_t)element
                     : -1};
}

static void keep_event(struct kineto *kineto, struct fields *fields)
{
    const struct category *category = fields->category;
    const enum what what = category ? category->what : WHAT_RANGE;
    const bool is_mark = fields->phase == 'i' || fields->phase == 'I';
    if (category && strcmp(category->name, "cuda_profiler_range") == 0)
        kineto->ranges_of_counters++;
    if (!category && fields->category_name != 0 && fields->phase == 'X') {
        kineto->unknown_category = kineto->unknown == 0 ? fields->category_name : kineto->unknown_category;
        kineto->unknown++;
    }
    if ((fields->phase != 'X' && !is_mark) || what == WHAT_NONE || (is_mark && !category))
        return;
    if (!fields->has_start || fields->name == 0 || fields->duration_ns < 0 ||
        fields->start_ns > SESSION_TIME_MAX_NS - fields->duration_ns ||
        !array_grow(kineto->held, kineto->room, kineto->count, 1)) {
        kineto->skipped++;
        return;
    }
    if (what == WHAT_RANGE && category &&
        strncmp(sender_interned_text(kineto->sender, fields->name), "ProfilerStep#", 13) == 0)
        fields->category_name = 0; /* an "Operator" up to 1.11 */
    else if (what == WHAT_RANGE && category)
        fields->category_name = sender_intern(kineto->sender, category->domain, strlen(category->domain));
    if (what == WHAT_RANGE && category && strcmp(category->domain, "Python") == 0)
        kineto->python = fields->category_name;
    if ((what == WHAT_RANGE || what == WHAT_CALL) && kineto->pid == 0 && fields->process < INT32_MAX)
        kineto->pid = (int32_t)fields->process;
    kineto->held[kineto->count++] =
        (struct held){.start_ns = fields->start_ns,
                      .end_ns = is_mark ? INT64_MIN : fields->start_ns + fields->duration_ns,
                      .event = event_of(kineto, fields, what)};
    kineto->operations += what == WHAT_KERNEL || what == WHAT_COPY || what == WHAT_SET;
    kineto->calls += what == WHAT_CALL;
    kineto->is_rocm =
        kineto->is_rocm ||
        (what == WHAT_CALL && strncmp(sender_interned_text(kineto->sender, fields->name), "hip", 3) == 0);
    if (what == WHAT_KERNEL)
        keep_collective(kineto, fields);
    if (fields->start_ns < kineto->first_ns)
        kineto->first_ns = fields->start_ns;
}

/* Behind the opening brace. */
static void read_event(struct kineto *kineto)
{
    struct fields fields = {.copy_kind = COPY_OTHER};
    enum json_token token;
    while ((token = json_next(kineto->json)) != JSON_OBJECT_END && token != JSON_END) {
        char key[16];
        if (token == JSON_OBJECT || token == JSON_ARRAY)
            json_skip_rest(kineto->json);
        if (token != JSON_KEY)
            continue;
        snprintf(key, sizeof key, "%s", json_text(kineto->json, NULL));
        read_field(kineto, &fields, key);
    }
    if (token == JSON_END)
        kineto->skipped++; /* the file ends within it */
    else
        keep_event(kineto, &fields);
}

/* ---- the head ---- */
static void read_device(struct kineto *kineto)
{
    struct json_stream *json = kineto->json;
    struct device_info info = {0};
    int64_t id = 0, major = 0, minor = 0, lanes = 32;
    enum json_token token;
    while ((token = json_next(json)) != JSON_OBJECT_END && token != JSON_END) {
        static const struct {
            const char *key;
            size_t offset;
        } numbers[] = {
            {"maxThreadsPerBlock", offsetof(struct device_info, max_threads_per_block)},
            {"maxThreadsPerMultiprocessor", offsetof(struct device_info, max_threads_per_multiprocessor)},
            {"regsPerBlock", offsetof(struct device_info, registers_per_block)},
            {"regsPerMultiprocessor", offsetof(struct device_info, registers_per_multiprocessor)},
            {"sharedMemPerBlock", offsetof(struct device_info, shared_bytes_per_block)},
            {"sharedMemPerBlockOptin", offsetof(struct device_info, shared_bytes_per_block_optin)},
            {"sharedMemPerMultiprocessor", offsetof(struct device_info, shared_bytes_per_multiprocessor)},
            {"maxSharedMemoryPerMultiProcessor",
             offsetof(struct device_info, shared_bytes_per_multiprocessor)},
            {"numSms", offsetof(struct device_info, multiprocessors)}};
        char key[40];
        bool is_known = false;
        if (token != JSON_KEY)
            continue;
        snprintf(key, sizeof key, "%s", json_text(json, NULL));
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !is_known; i++)
            if ((is_known = strcmp(key, numbers[i].key) == 0))
                *(uint32_t *)((char *)&info + numbers[i].offset) = id_of(read_number(json));
        if (is_known)
            continue;
        if (strcmp(key, "id") == 0)
            id = read_number(json);
        else if (strcmp(key, "name") == 0)
            read_text(json, info.name, sizeof info.name);
        else if (strcmp(key, "totalGlobalMem") == 0)
            info.memory_bytes = (uint64_t)read_number(json);
        else if (strcmp(key, "computeMajor") == 0)
            major = read_number(json);
        else if (strcmp(key, "computeMinor") == 0)
            minor = read_number(json);
        else if (strcmp(key, "warpSize") == 0)
            lanes = read_number(json);
        else
            json_skip(json);
    }
    kineto->is_rocm = kineto->is_rocm || lanes == 64 || strstr(info.name, "AMD");
    if (lanes == 32) /* AMD's numbers mean other chips */
        info.compute_capability = (uint32_t)(major * 10 + minor);
    if (id >= 0 && id < (int64_t)DEVICES) {
        kineto->devices[id] = info;
        kineto->known_devices |= UINT64_C(1) << id;
    }
}

static void read_objects(struct kineto *kineto, void (*read)(struct kineto *kineto))
{
    enum json_token token = json_next(kineto->json);
    if (token != JSON_ARRAY)
        return;
    while ((token = json_next(kineto->json)) != JSON_ARRAY_END && token != JSON_END)
        if (token == JSON_OBJECT)
            read(kineto);
}

static void read_distribution(struct kineto *kineto)
{
    struct json_stream *json = kineto->json;
    enum json_token token = json_next(json);
    while (token == JSON_OBJECT && (token = json_next(json)) != JSON_OBJECT_END && token != JSON_END) {
        if (token == JSON_KEY && strcmp(json_text(json, NULL), "rank") == 0)
            kineto->rank = (int32_t)read_number(json);
        else if (token == JSON_KEY)
            json_skip(json);
        token = JSON_OBJECT;
    }
}

/* One key of the outermost object; the events are left to read_some. */
static void read_head(struct kineto *kineto)
{
    struct json_stream *json = kineto->json;
    char key[40];
    snprintf(key, sizeof key, "%s", json_text(json, NULL));
    if (strcmp(key, "traceEvents") == 0) {
        kineto->is_in_events = json_next(json) == JSON_ARRAY;
    } else if (strcmp(key, "schemaVersion") == 0) {
        kineto->is_pytorch = true;
        json_skip(json);
    } else if (strcmp(key, "deviceProperties") == 0) {
        kineto->is_pytorch = true;
        read_objects(kineto, read_device);
    } else if (strcmp(key, "distributedInfo") == 0) {
        read_distribution(kineto);
    } else if (strcmp(key, "host_name") == 0) {
        read_text(json, kineto->host, sizeof kineto->host);
    } else if (strcmp(key, "baseTimeNanoseconds") == 0) {
        kineto->base_ns = read_number(json);
    } else if (strcmp(key, "roctracer_version") == 0 || strcmp(key, "hip_runtime_version") == 0) {
        kineto->is_rocm = true;
        json_skip(json);
    } else if (strcmp(key, "cupti_version") == 0) {
        char version[24] = "";
        read_text(json, version, sizeof version);
        snprintf(kineto->release, sizeof kineto->release, ", CUPTI %s", version);
    } else {
        json_skip(json);
    }
}

/* ---- the three phases ---- */
static int by_time(const void *a, const void *b, void *context)
{
    const struct held *left = a, *right = b;
    (void)context;
    if (left->start_ns != right->start_ns)
        return left->start_ns < right->start_ns ? -1 : 1;
    return left->end_ns == right->end_ns  ? 0
           : left->end_ns > right->end_ns ? -1
                                          : 1; /* the outer one first */
}

static void say_what_it_is(struct kineto *kineto)
{
    char origin[160];
    snprintf(origin, sizeof origin, "from a trace %s%s%s: times, no counters",
             kineto->is_pytorch ? "of PyTorch's profiler" : "in Chrome's format",
             kineto->is_rocm ? " on ROCm" : "", kineto->release);
    session_set_origin(kineto->session, origin, kineto->is_rocm ? COUNTING_ON_ROCM : "");
    if (kineto->operations == 0 && kineto->calls == 0 && kineto->unknown > 0)
        sender_notice(
            kineto->sender, SEVERITY_WARNING,
            "The trace has no work of a GPU of NVIDIA or AMD. %" PRIu64
            " events are of categories that lanescope does not know (%s): the device is of another kind. "
            "--table ranges lists the operators.",
            kineto->unknown, sender_interned_text(kineto->sender, kineto->unknown_category));
    else if (kineto->operations == 0 && kineto->calls == 0 && kineto->count > 0)
        sender_notice(
            kineto->sender, SEVERITY_WARNING,
            "The trace is of the CPU alone: %zu ranges (--table ranges lists them), and neither calls of CUDA nor kernels. "
            "To see the GPU: torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]), or "
            "lanescope --record -- PROGRAM.",
            kineto->count);
    else if (kineto->operations == 0 && kineto->calls > 0)
        sender_notice(
            kineto->sender, SEVERITY_WARNING,
            "The trace has %" PRIu64 " calls of CUDA and no kernel, copy or set: %s.", kineto->calls,
            kineto->ranges_of_counters > 0
                ? "counters were recorded instead (CUPTI's range profiler); record again without them"
                : "another profiler held the GPU's records (nsys, ncu, DCGM), or the trace ended before they came; "
                  "record again without it, and wait with torch.cuda.synchronize() before the profile ends");
    if (json_is_cut(kineto->json))
        sender_notice(kineto->sender, SEVERITY_WARNING,
                      "The trace is cut off: what stood behind its last whole event is missing.");
    if (kineto->skipped > 0)
        sender_notice(kineto->sender, SEVERITY_WARNING,
                      "%" PRIu64 " events were left out: they have no name, no time, or are cut off.",
                      kineto->skipped);
    if (kineto->ranges_of_counters > 0)
        sender_notice(kineto->sender, SEVERITY_WARNING,
                      "%" PRIu64 " ranges hold counters of CUPTI's range profiler, which are not read.",
                      kineto->ranges_of_counters);
}

static enum status end_reading(struct kineto *kineto, struct error *error)
{
    struct sender_process process = {.pid = kineto->pid, .rank = kineto->rank};
    kineto->phase = KINETO_SORT;
    slice_sort_begin(&kineto->sort, (void **)&kineto->held, kineto->count, sizeof *kineto->held, by_time,
                     NULL);
    if (kineto->count > 0 && kineto->base_ns + kineto->first_ns > 0)
        session_set_start(kineto->session, kineto->base_ns + kineto->first_ns);
    say_what_it_is(kineto);
    snprintf(process.host, sizeof process.host, "%s", kineto->host);
    snprintf(process.program, sizeof process.program, "%s", kineto->is_pytorch ? "PyTorch" : "program");
    kineto->process = sender_add(kineto->sender, 0, &process);
    if (kineto->process == UINT32_MAX)
        return error_no_memory(error, "to open %s", kineto->path);
    for (size_t i = 0; i < kineto->collective_count; i++)
        sender_collective(kineto->sender, kineto->process, &kineto->collectives[i]);
    return STATUS_OK;
}

static enum status read_some(struct kineto *kineto, size_t most, struct error *error)
{
    for (size_t i = 0; i < most; i++) {
        const enum json_token token = json_next(kineto->json);
        if (token == JSON_END)
            return end_reading(kineto, error);
        if (!kineto->is_in_events && token == JSON_KEY)
            read_head(kineto);
        else if (kineto->is_in_events && token == JSON_OBJECT)
            read_event(kineto);
        else if (kineto->is_in_events && token == JSON_ARRAY_END)
            kineto->is_in_events = false;
    }
    return STATUS_OK;
}

static void send_device(struct kineto *kineto, uint16_t ordinal)
{
    if (sender_has_device(kineto->sender, kineto->process, ordinal))
        return;
    struct device_info info = {0};
    if (ordinal < DEVICES && (kineto->known_devices >> ordinal & 1) != 0)
        info = kineto->devices[ordinal];
    if (!info.name[0])
        snprintf(info.name, sizeof info.name, "GPU %u (the trace does not name it)", ordinal);
    sender_device(kineto->sender, kineto->process, ordinal, &info);
}

/* ---- call paths: the functions of Python that are open when a call begins ---- */
static struct python_thread *python_thread_of(struct kineto *kineto, uint32_t thread, int64_t start_ns)
{
    struct python_thread *found = NULL;
    for (size_t i = 0; i < kineto->thread_count && !found; i++)
        if (kineto->threads[i].thread == thread)
            found = &kineto->threads[i];
    if (!found && array_grow_zeroed(kineto->threads, kineto->thread_room, kineto->thread_count, 1)) {
        found = &kineto->threads[kineto->thread_count++];
        found->thread = thread;
    }
    while (found && found->count > 0 && found->frames[found->count - 1].end_ns <= start_ns)
        found->count--;
    return found;
}

/* "torch/nn/modules/module.py(1779): _call_impl", "<built-in method add>", "nn.Module: Linear_3". */
static uint32_t python_stack_of(struct kineto *kineto, uint32_t caller, uint32_t name)
{
    const uint64_t key = (uint64_t)caller << 32 | name;
    const uint32_t known = idmap_find(&kineto->stacks, key);
    if (known != IDMAP_NONE)
        return known;
    const uint32_t id = kineto->stacks.count + 1;
    const char *text = sender_interned_text(kineto->sender, name), *line = strstr(text, ".py(");
    const char *function = line ? strstr(line, "): ") : NULL;
    struct event event = {.kind = EVENT_STACK};
    char file[512];
    if (!idmap_put(&kineto->stacks, key, id))
        return 0;
    event.stack.id = id;
    event.stack.caller = caller;
    event.stack.name = sender_text(kineto->sender, kineto->process, function ? function + 3 : text);
    if (function) { /* the profiler takes the folder of the packages away */
        snprintf(file, sizeof file, "%s%.*s", strncmp(text, "torch/", 6) == 0 ? "/site-packages/" : "",
                 (int)(line + 3 - text < 480 ? line + 3 - text : 480), text);
        event.stack.file = sender_text(kineto->sender, kineto->process, file);
        event.stack.line = id_of(strtoll(line + 4, NULL, 10));
    }
    sender_event(kineto->sender, kineto->process, &event);
    return id;
}

static void enter_python(struct kineto *kineto, const struct held *held)
{
    struct python_thread *thread = python_thread_of(kineto, held->event.range.thread, held->start_ns);
    if (!kineto->python_calls)
        kineto->python_calls = calloc(PYTHON_CALLS, sizeof *kineto->python_calls);
    if (!thread || !array_grow(thread->frames, thread->room, thread->count, 1))
        return;
    const uint32_t caller = thread->count > 0 ? thread->frames[thread->count - 1].stack : 0;
    thread->frames[thread->count] = (struct python_frame){
        .end_ns = held->end_ns, .stack = python_stack_of(kineto, caller, held->event.range.name)};
    thread->count++;
}

static void note_python_call(struct kineto *kineto, const struct held *held)
{
    const uint32_t correlation = held->event.call.correlation;
    const struct python_thread *thread =
        kineto->python_calls && correlation != 0
            ? python_thread_of(kineto, held->event.call.thread, held->start_ns)
            : NULL;
    if (thread && thread->count > 0)
        kineto->python_calls[correlation % PYTHON_CALLS] = (struct python_call){
            .correlation = correlation, .stack = thread->frames[thread->count - 1].stack};
}

static uint32_t python_stack_of_call(const struct kineto *kineto, uint32_t correlation)
{
    const struct python_call *call =
        kineto->python_calls ? &kineto->python_calls[correlation % PYTHON_CALLS] : NULL;
    return call && correlation != 0 && call->correlation == correlation ? call->stack : 0;
}

static void send_held(struct kineto *kineto, struct held *held)
{
    struct event *event = &held->event;
    const int64_t start_ns = held->start_ns - kineto->first_ns;
    const int64_t end_ns =
        held->end_ns == INT64_MIN ? INT64_MIN : held->end_ns - kineto->first_ns; /* a mark */
    if (event->kind == EVENT_RANGE_BEGIN) {
        if (kineto->python != 0 && event->range.domain == kineto->python)
            enter_python(kineto, held);
        const struct sender_range range = {
            .start_ns = start_ns,
            .end_ns = end_ns,
            .thread = event->range.thread,
            .name = sender_text_id(kineto->sender, kineto->process, event->range.name),
            .domain = sender_text_id(kineto->sender, kineto->process, event->range.domain)};
        sender_range(kineto->sender, kineto->process, &range);
        return;
    }
    if (event->kind == EVENT_CALL) {
        note_python_call(kineto, held);
        const struct sender_call call = {.start_ns = start_ns,
                                         .end_ns = end_ns,
                                         .correlation = event->call.correlation,
                                         .thread = event->call.thread,
                                         .domain = event->call.domain,
                                         .name = sender_interned_text(kineto->sender, event->call.name)};
        sender_call(kineto->sender, kineto->process, &call);
        return;
    }
    if (event->kind == EVENT_COPY &&
        sender_is_asynchronous(kineto->sender, kineto->process, event->copy.correlation))
        event->flags |= COPY_ASYNC;
    if (event->kind == EVENT_KERNEL || event->kind == EVENT_COPY || event->kind == EVENT_SET)
        send_device(kineto, event->device);
    if (event->kind == EVENT_KERNEL)
        event->kernel.stack = python_stack_of_call(kineto, event->kernel.correlation);
    else if (event->kind == EVENT_COPY)
        event->copy.stack = python_stack_of_call(kineto, event->copy.correlation);
    else if (event->kind == EVENT_SET)
        event->set.stack = python_stack_of_call(kineto, event->set.correlation);
    if (event->kind == EVENT_KERNEL)
        sender_shape_id(kineto->sender, kineto->process, event->kernel.shape);
    if (event->kind == EVENT_OVERHEAD)
        sender_text_id(kineto->sender, kineto->process, event->overhead.name);
    event->kernel.start_ns = start_ns;
    event->kernel.end_ns = end_ns;
    sender_event(kineto->sender, kineto->process, event);
}

static enum status kineto_step(void *reader, size_t most, bool *done, struct error *error)
{
    struct kineto *kineto = reader;
    size_t left = most;
    *done = false;
    if (kineto->phase == KINETO_READ)
        return read_some(kineto, most, error);
    if (kineto->phase == KINETO_SORT) {
        const enum slice slice = slice_sort_step(&kineto->sort, &left);
        if (slice == SLICE_NO_MEMORY)
            return error_no_memory(error, "to put the events of %s in order", kineto->path);
        kineto->phase = slice == SLICE_DONE ? KINETO_SEND : KINETO_SORT;
        return STATUS_OK;
    }
    for (; left > 0 && kineto->sent < kineto->count; left--, kineto->sent++)
        send_held(kineto, &kineto->held[kineto->sent]);
    *done = kineto->sent == kineto->count;
    if (kineto->sent > 0)
        sender_until(kineto->sender, kineto->held[kineto->sent - 1].start_ns - kineto->first_ns);
    return STATUS_OK;
}

static double kineto_progress(const void *reader)
{
    const struct kineto *kineto = reader;
    if (kineto->phase == KINETO_READ)
        return json_progress(kineto->json) / 2;
    return kineto->count > 0 ? 0.5 + 0.5 * (double)kineto->sent / (double)kineto->count : 1;
}

static void kineto_close(void *reader)
{
    struct kineto *kineto = reader;
    slice_sort_fini(&kineto->sort);
    json_stream_close(kineto->json);
    for (size_t i = 0; i < kineto->thread_count; i++)
        free(kineto->threads[i].frames);
    free(kineto->threads);
    free(kineto->python_calls);
    idmap_fini(&kineto->stacks);
    free(kineto->held);
    free(kineto->collectives);
    free(kineto->path);
    free(kineto);
}

/* ---- the file ---- */
static bool kineto_recognises(const char *path, const char *head, size_t size_bytes)
{
    static const char *const signs[] = {
        "\"traceEvents\"", "\"schemaVersion\"", "\"deviceProperties\"", "\"distributedInfo\"",
        "\"ph\"",          "\"metadata\""};
    char text[FORMAT_HEAD_BYTES + 1];
    (void)path;
    memcpy(text, head, size_bytes);
    text[size_bytes] = '\0';
    const char *first = text + strspn(text, " \t\r\n\xef\xbb\xbf");
    bool is_known = false;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        is_known = is_known || strstr(text, signs[i]);
    return (*first == '{' || *first == '[') && is_known;
}

static enum status kineto_open(void **reader, struct session **session, struct sender **sender,
                               const char *path, struct error *error)
{
    struct kineto *kineto = calloc(1, sizeof *kineto);
    if (!kineto || !(kineto->path = strdup(path))) {
        free(kineto);
        return error_no_memory(error, "to open %s", path);
    }
    *reader = kineto;
    kineto->first_ns = INT64_MAX;
    idmap_init(&kineto->stacks, PYTHON_STACKS_MAX, (uint64_t)(uintptr_t)kineto);
    kineto->rank = -1;
    enum status status = json_stream_open(&kineto->json, path, error);
    if (status == STATUS_OK)
        status = sender_create(sender, session, 0, error);
    if (status != STATUS_OK)
        return status;
    kineto->sender = *sender;
    kineto->session = *session;
    /* A file may be the array of events alone. */
    kineto->is_in_events = json_next(kineto->json) == JSON_ARRAY;
    return STATUS_OK;
}

const struct import_format import_kineto = {
    .name = "a trace of PyTorch's profiler",
    .recognises = kineto_recognises,
    .open = kineto_open,
    .step = kineto_step,
    .progress = kineto_progress,
    .close = kineto_close,
};
