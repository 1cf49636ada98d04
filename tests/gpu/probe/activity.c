/* SPDX-License-Identifier: Apache-2.0 */
/* activity: the probe's injected collector of activity records. It counts what arrives, and when, in a file
 * that outlives the process. Environment: PROBE_OUT file; PROBE_KINDS letters (k kernel, r runtime, d driver,
 * g graph trace, m copies and sets, s synchronisation, n markers, o overhead); PROBE_BUFFER bytes;
 * PROBE_FLUSH_MS; PROBE_KICK 1 = flush thread woken by synchronize callbacks, 2 = flush in the callback;
 * PROBE_DUMP n records; PROBE_CUPTI library path; PROBE_REARM 1 = register and enable again when 5 flushes
 * brought nothing. */
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct shared {
    _Atomic uint64_t kernels, nodes, traces, runtime, driver, copies, others, buffers, requests, flushes,
        flush_ns, flush_max_ns, zero_times, complete_on_flush_thread, complete_elsewhere, dropped,
        last_record_ns, callbacks, rearms;
};
static struct shared *shared;
static long flush_ms, buffer_size, kick, rearm;
static _Atomic long dump_left;
static const char *kinds;
static long flush_tid;
static pthread_mutex_t kick_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t kick_cond = PTHREAD_COND_INITIALIZER;
static int kicked;
static CUpti_SubscriberHandle subscriber;

/* clang-format off */
#define CUPTI_TABLE(X)                                                                                          \
    X(cuptiSubscribe_v2) X(cuptiSubscribe) X(cuptiActivityRegisterCallbacks) X(cuptiActivityEnable)             \
    X(cuptiActivityFlushAll) X(cuptiActivityGetNextRecord) X(cuptiActivityGetNumDroppedRecords)                 \
    X(cuptiGetTimestamp) X(cuptiGetVersion) X(cuptiEnableCallback) X(cuptiEnableDomain) X(cuptiSetThreadIdType) \
    X(cuptiGetResultString) X(cuptiActivityEnableDriverApi) X(cuptiActivityEnableRuntimeApi)
/* clang-format on */
#define DECLARE(name) static __typeof__(&name) p_##name;
CUPTI_TABLE(DECLARE)

static uint64_t now_ns(clockid_t c)
{
    struct timespec t;
    clock_gettime(c, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static const char *text(CUptiResult r)
{
    const char *s = "?";
    p_cuptiGetResultString(r, &s);
    return s;
}
#define TRY(call)                                                          \
    do {                                                                   \
        CUptiResult r_ = (call);                                           \
        if (r_)                                                            \
            fprintf(stderr, "A: %s -> %d %s\n", #call, (int)r_, text(r_)); \
    } while (0)

static void CUPTIAPI request(uint8_t **buffer, size_t *size, size_t *max)
{
    atomic_fetch_add(&shared->requests, 1);
    *buffer = aligned_alloc(8, (size_t)buffer_size);
    *size = (size_t)buffer_size;
    *max = 0;
}

static void CUPTIAPI complete(CUcontext c, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    CUpti_Activity *record = NULL;
    (void)size;
    atomic_fetch_add(&shared->buffers, 1);
    if (syscall(SYS_gettid) == flush_tid)
        atomic_fetch_add(&shared->complete_on_flush_thread, 1);
    else
        atomic_fetch_add(&shared->complete_elsewhere, 1);
    while (valid && p_cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        case CUPTI_ACTIVITY_KIND_KERNEL: {
            CUpti_ActivityKernel10 *k = (CUpti_ActivityKernel10 *)record;
            atomic_fetch_add(k->graphNodeId ? &shared->nodes : &shared->kernels, 1);
            if (!k->start || !k->end)
                atomic_fetch_add(&shared->zero_times, 1);
            if (atomic_fetch_sub(&dump_left, 1) > 0)
                fprintf(stderr,
                        "A: kernel %s corr %u ctx %u stream %u grid %d gridId %ld node %lx graph %u start "
                        "%lu end %lu type %u\n",
                        k->name, k->correlationId, k->contextId, k->streamId, k->gridX, (long)k->gridId,
                        (unsigned long)k->graphNodeId, k->graphId, (unsigned long)k->start,
                        (unsigned long)(k->end - k->start), k->launchType);
            break;
        }
        case CUPTI_ACTIVITY_KIND_RUNTIME:
        case CUPTI_ACTIVITY_KIND_DRIVER: {
            CUpti_ActivityAPI *a = (CUpti_ActivityAPI *)record;
            atomic_fetch_add(a->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? &shared->runtime : &shared->driver, 1);
            if (a->kind == CUPTI_ACTIVITY_KIND_DRIVER && a->cbid != CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel &&
                a->cbid != CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch)
                break; /* the hundreds of calls of the runtime's start */
            if (atomic_fetch_sub(&dump_left, 1) > 0)
                fprintf(stderr, "A: %s cbid %u corr %u tid %u start %lu length %lu ret %u\n",
                        a->kind == CUPTI_ACTIVITY_KIND_RUNTIME ? "runtime" : "driver", a->cbid,
                        a->correlationId, a->threadId, (unsigned long)a->start,
                        (unsigned long)(a->end - a->start), a->returnValue);
            break;
        }
        case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: {
            CUpti_ActivityGraphTrace2 *g = (CUpti_ActivityGraphTrace2 *)record;
            atomic_fetch_add(&shared->traces, 1);
            if (atomic_fetch_sub(&dump_left, 1) > 0)
                fprintf(stderr, "A: graph trace corr %u graph %u length %lu\n", g->correlationId, g->graphId,
                        (unsigned long)(g->end - g->start));
            break;
        }
        case CUPTI_ACTIVITY_KIND_MEMCPY:
        case CUPTI_ACTIVITY_KIND_MEMSET: atomic_fetch_add(&shared->copies, 1); break;
        default: atomic_fetch_add(&shared->others, 1);
        }
        atomic_store(&shared->last_record_ns, now_ns(CLOCK_REALTIME));
    }
    size_t dropped = 0;
    p_cuptiActivityGetNumDroppedRecords(c, stream, &dropped);
    atomic_fetch_add(&shared->dropped, dropped);
    free(buffer);
}

static void enable(void)
{
    TRY(p_cuptiActivityRegisterCallbacks(request, complete));
    for (const char *k = kinds; *k; k++) {
        if (*k == 'k')
            TRY(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
        if (*k == 'r')
            TRY(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME));
        if (*k == 'd')
            TRY(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DRIVER));
        if (*k == 'g')
            TRY(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE));
        if (*k == 'm')
            TRY(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
        if (*k == 'm')
            TRY(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET));
        if (*k == 's')
            TRY(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
        if (*k == 'n')
            TRY(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MARKER));
        if (*k == 'o')
            TRY(p_cuptiActivityEnable(CUPTI_ACTIVITY_KIND_OVERHEAD));
    }
}

static void *flush_main(void *unused)
{
    uint64_t seen = 0, idle = 0;
    flush_tid = syscall(SYS_gettid);
    for (;;) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += flush_ms * 1000000;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        pthread_mutex_lock(&kick_lock);
        while (!kicked && pthread_cond_timedwait(&kick_cond, &kick_lock, &t) == 0) {
        }
        kicked = 0;
        pthread_mutex_unlock(&kick_lock);
        uint64_t t0 = now_ns(CLOCK_MONOTONIC);
        p_cuptiActivityFlushAll(0);
        uint64_t dt = now_ns(CLOCK_MONOTONIC) - t0;
        atomic_fetch_add(&shared->flushes, 1);
        atomic_fetch_add(&shared->flush_ns, dt);
        if (dt > shared->flush_max_ns)
            shared->flush_max_ns = dt;
        idle = shared->buffers == seen ? idle + 1 : 0;
        seen = shared->buffers;
        if (rearm && idle == 5) {
            atomic_fetch_add(&shared->rearms, 1);
            enable();
            idle = 0;
        }
    }
    return unused;
}

static void CUPTIAPI callback(void *u, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    (void)u;
    (void)domain;
    (void)id;
    const CUpti_CallbackData *d = data;
    atomic_fetch_add(&shared->callbacks, 1);
    if (d->callbackSite != CUPTI_API_EXIT)
        return;
    if (kick == 2) {
        p_cuptiActivityFlushAll(0);
    } else {
        pthread_mutex_lock(&kick_lock);
        kicked = 1;
        pthread_cond_signal(&kick_cond);
        pthread_mutex_unlock(&kick_lock);
    }
}

static void at_exit(void)
{
    uint64_t t0 = now_ns(CLOCK_MONOTONIC);
    TRY(p_cuptiActivityFlushAll(1));
    fprintf(stderr, "A: exit flush %.2f ms\n", 1e-6 * (double)(now_ns(CLOCK_MONOTONIC) - t0));
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
    const char *e;
    Dl_info info;
    void *library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
    fprintf(stderr, "A: libcupti already mapped: %s\n", library ? "yes" : "no");
    if ((e = getenv("PROBE_CUPTI")))
        library = dlopen(e, RTLD_NOW | RTLD_LOCAL);
    else if (!library)
        library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("/usr/local/cuda/lib64/libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "A: %s\n", dlerror());
        return 0;
    }
#define LOAD(name) *(void **)&p_##name = dlsym(library, #name);
    CUPTI_TABLE(LOAD)
    uint32_t version = 0;
    p_cuptiGetVersion(&version);
    dladdr((void *)p_cuptiGetVersion, &info);
    fprintf(stderr, "A: CUPTI %u from %s\n", version, info.dli_fname);
    int fd = open((e = getenv("PROBE_OUT")) ? e : "/tmp/probe.out", O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096))
        return 0;
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    kinds = (e = getenv("PROBE_KINDS")) ? e : "k";
    buffer_size = (e = getenv("PROBE_BUFFER")) ? atol(e) : 262144;
    flush_ms = (e = getenv("PROBE_FLUSH_MS")) ? atol(e) : 20;
    kick = (e = getenv("PROBE_KICK")) ? atol(e) : 0;
    dump_left = (e = getenv("PROBE_DUMP")) ? atol(e) : 0;
    rearm = getenv("PROBE_REARM") != NULL;

    TRY(p_cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM));
    CUpti_SubscriberParams sp = {.structSize = sizeof sp, .subscriberName = "probe"};
    CUptiResult r = p_cuptiSubscribe_v2(&subscriber, callback, NULL, &sp);
    fprintf(stderr, "A: subscribe -> %d %s, old '%.64s'\n", (int)r, text(r),
            sp.oldSubscriberName ? sp.oldSubscriberName : "");
    if (getenv("PROBE_SECOND")) {
        CUpti_SubscriberHandle other;
        char name[128] = "";
        CUpti_SubscriberParams sp2 = {.structSize = sizeof sp2,
                                      .subscriberName = "second",
                                      .oldSubscriberName = name,
                                      .oldSubscriberSize = sizeof name};
        r = p_cuptiSubscribe_v2(&other, callback, NULL, &sp2);
        fprintf(stderr, "A: second subscribe -> %d %s, old '%.64s'\n", (int)r, text(r), name);
    }
    if (kick) {
        TRY(p_cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                                  CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize));
        TRY(p_cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                                  CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize));
        TRY(p_cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                                  CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020));
    }
    enable();
    if (getenv(
            "PROBE_ONLY_LAUNCH")) /* drop the driver's launch records: runtime programs have the runtime's */
        for (int id = 0; id < CUPTI_DRIVER_TRACE_CBID_SIZE; id++)
            p_cuptiActivityEnableDriverApi((CUpti_CallbackId)id,
                                           id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
    if (getenv("PROBE_CLOCK")) {
        int64_t least = INT64_MAX, most = INT64_MIN, widest = 0;
        for (int i = 0; i < 100000; i++) {
            uint64_t t, a = now_ns(CLOCK_REALTIME);
            p_cuptiGetTimestamp(&t);
            uint64_t b = now_ns(CLOCK_REALTIME);
            int64_t d = (int64_t)(t - a);
            least = d < least ? d : least;
            most = d > most ? d : most;
            widest = (int64_t)(b - a) > widest ? (int64_t)(b - a) : widest;
        }
        fprintf(stderr,
                "A: cuptiGetTimestamp - CLOCK_REALTIME before it: %ld to %ld ns, widest bracket %ld ns\n",
                (long)least, (long)most, (long)widest);
    }
    pthread_t t;
    pthread_create(&t, NULL, flush_main, NULL);
    atexit(at_exit);
    return 1;
}
