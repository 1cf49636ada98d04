/* SPDX-License-Identifier: Apache-2.0 */
/* counters: the probe's injected range profiler (auto range, kernel replay), started and stopped from launch
 * callbacks. Environment: PROBE_SET hw|sass|all|hw,sass (two sessions in turn are not tried); PROBE_FIRST n
 * launches of each kernel name and context; PROBE_BATCH ranges per decode; PROBE_RECONFIG 1 = SetConfig after
 * each decode; PROBE_LONG 1 = Start at the first launch, Stop at exit or after PROBE_LONG launches;
 * PROBE_LOCK 0 = no launch lock, 1 = chosen launches alone (rwlock); PROBE_SHOW n ranges printed whole;
 * PROBE_GRAPH 1 = around graph launches; PROBE_COOP 1 = around cooperative launches too; PROBE_ONLY part of a
 * kernel's name; PROBE_METRICS a list of metrics instead of a set; PROBE_SWITCH 1 = only one context at a
 * time is enabled. */
#include <cuda.h>
#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const hw_set[] = {"gpu__time_duration.sum",
                                     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                                     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                     "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                     "smsp__inst_executed_op_shared_ld_pred_on_any.sum",
                                     "smsp__inst_executed_op_shared_st_pred_on_any.sum",
                                     "sm__warps_active.avg.pct_of_peak_sustained_active",
                                     "dram__bytes_read.sum",
                                     "dram__bytes_write.sum",
                                     "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                     "l1tex__t_sector_hit_rate.pct",
                                     "lts__t_sector_hit_rate.pct",
                                     "smsp__average_thread_inst_executed_per_inst_executed.ratio",
                                     "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                                     "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
                                     "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
                                     "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"};
static const char *const sass_set[] = {
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__sass_data_bytes_mem_global_op_ld.sum",
    "smsp__sass_data_bytes_mem_global_op_st.sum",
    "smsp__sass_data_bytes_mem_shared_op_ld.sum",
    "smsp__sass_data_bytes_mem_shared_op_st.sum",
    "smsp__sass_inst_executed_op_ldgsts_cache_access.sum",
    "smsp__sass_inst_executed_op_ldgsts_cache_bypass.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access.sum",
    "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass.sum"};

static const char *metrics[64];
static size_t metric_count;
static long first, batch, reconfig, long_mode, lock_mode, show_left, graph_mode, coop_mode, switch_mode;
static CUpti_SubscriberHandle subscriber;

struct cost {
    const char *name;
    _Atomic uint64_t calls, ns, most;
};
enum { ENABLE, CONFIG, START, STOP, DECODE, EVALUATE, REINIT, AVAILABLE, HOST, INSIDE, DISABLE, COSTS };
static struct cost costs[COSTS] = {{.name = "Enable"},          {.name = "SetConfig"},
                                   {.name = "Start"},           {.name = "Stop"},
                                   {.name = "Decode"},          {.name = "Evaluate"},
                                   {.name = "ImageInitialize"}, {.name = "CounterAvailability"},
                                   {.name = "host config"},     {.name = "Start..Stop, launch included"},
                                   {.name = "Disable"}};
static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
static void cost_add(int which, uint64_t since)
{
    uint64_t d = now_ns() - since;
    atomic_fetch_add(&costs[which].calls, 1);
    atomic_fetch_add(&costs[which].ns, d);
    if (d > costs[which].most)
        costs[which].most = d;
}
static _Atomic long errors_printed;
static int check(const char *what, CUptiResult r)
{
    if (r && atomic_fetch_add(&errors_printed, 1) < 12) {
        const char *s = "?";
        cuptiGetResultString(r, &s);
        fprintf(stderr, "C: %s -> %d %s\n", what, (int)r, s);
    }
    return (int)r;
}

struct session {
    CUcontext context;
    CUpti_RangeProfiler_Object *object;
    CUpti_Profiler_Host_Object *host;
    uint8_t *config, *image;
    size_t config_size, image_size, passes;
    int started, broken;
    long pending;
    char names[256][32];
    uint64_t started_ns;
    int enabled;
};
static struct session sessions[16];
static int session_count;
static struct {
    char name[64];
    CUcontext context;
    long seen;
} kernels[256];
static int kernel_count;
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t launch_lock = PTHREAD_RWLOCK_INITIALIZER;
static __thread struct session *mine; /* the session this thread's launch runs in, null if none */
static __thread int depth;
static _Atomic long launches, chosen, ranges, mismatches, nested, by_cbid[1024];

static int set_config(struct session *s)
{
    CUpti_RangeProfiler_SetConfig_Params p = {CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE};
    uint64_t t = now_ns();
    p.pRangeProfilerObject = s->object;
    p.configSize = s->config_size;
    p.pConfig = s->config;
    p.counterDataImageSize = s->image_size;
    p.pCounterDataImage = s->image;
    p.range = CUPTI_AutoRange;
    p.replayMode = CUPTI_KernelReplay;
    p.maxRangesPerPass = (size_t)batch;
    p.numNestingLevels = 1;
    p.minNestingLevel = 1;
    int r = check("SetConfig", cuptiRangeProfilerSetConfig(&p));
    cost_add(CONFIG, t);
    return r;
}
static int image_init(struct session *s)
{
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params p = {
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE};
    uint64_t t = now_ns();
    p.pRangeProfilerObject = s->object;
    p.counterDataSize = s->image_size;
    p.pCounterData = s->image;
    int r = check("CounterDataImageInitialize", cuptiRangeProfilerCounterDataImageInitialize(&p));
    cost_add(REINIT, t);
    return r;
}

static void session_take(struct session *s);
static struct session *session_open(CUcontext context)
{
    for (int i = 0; i < session_count; i++)
        if (sessions[i].context == context)
            return &sessions[i];
    if (session_count == 16)
        return NULL;
    struct session *s = &sessions[session_count++];
    if (switch_mode) {
        s->enabled = 1;
        session_take(s);
    }
    s->context = context;
    s->broken = 1;
    uint64_t t = now_ns();
    CUpti_Profiler_Initialize_Params ip = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    if (check("ProfilerInitialize", cuptiProfilerInitialize(&ip)))
        return s;
    CUpti_Device_GetChipName_Params cn = {CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    if (check("GetChipName", cuptiDeviceGetChipName(&cn)))
        return s;
    CUpti_Profiler_GetCounterAvailability_Params av = {
        CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
    av.ctx = context;
    t = now_ns();
    int no_image = check("GetCounterAvailability", cuptiProfilerGetCounterAvailability(&av));
    av.pCounterAvailabilityImage = malloc(av.counterAvailabilityImageSize + 1);
    if (!no_image)
        no_image = check("GetCounterAvailability 2", cuptiProfilerGetCounterAvailability(&av));
    cost_add(AVAILABLE, t);
    t = now_ns();
    CUpti_Profiler_Host_Initialize_Params hp = {CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
    hp.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    hp.pChipName = cn.pChipName;
    hp.pCounterAvailabilityImage = no_image ? NULL : av.pCounterAvailabilityImage;
    if (check("HostInitialize", cuptiProfilerHostInitialize(&hp)))
        return s;
    s->host = hp.pHostObject;
    CUpti_Profiler_Host_ConfigAddMetrics_Params ap = {
        CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
    ap.pHostObject = s->host;
    ap.ppMetricNames = metrics;
    ap.numMetrics = metric_count;
    if (check("ConfigAddMetrics", cuptiProfilerHostConfigAddMetrics(&ap)))
        return s;
    CUpti_Profiler_Host_GetConfigImageSize_Params sp = {
        CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
    sp.pHostObject = s->host;
    if (check("GetConfigImageSize", cuptiProfilerHostGetConfigImageSize(&sp)))
        return s;
    s->config_size = sp.configImageSize;
    s->config = malloc(s->config_size);
    CUpti_Profiler_Host_GetConfigImage_Params gp = {CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
    gp.pHostObject = s->host;
    gp.configImageSize = s->config_size;
    gp.pConfigImage = s->config;
    if (check("GetConfigImage", cuptiProfilerHostGetConfigImage(&gp)))
        return s;
    CUpti_Profiler_Host_GetNumOfPasses_Params np = {CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE};
    np.configImageSize = s->config_size;
    np.pConfigImage = s->config;
    if (check("GetNumOfPasses", cuptiProfilerHostGetNumOfPasses(&np)))
        return s;
    s->passes = np.numOfPasses;
    cost_add(HOST, t);
    t = now_ns();
    CUpti_RangeProfiler_Enable_Params ep = {CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
    ep.ctx = context;
    if (check("Enable", cuptiRangeProfilerEnable(&ep)))
        return s;
    s->object = ep.pRangeProfilerObject;
    cost_add(ENABLE, t);
    CUpti_RangeProfiler_GetCounterDataSize_Params dp = {
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE};
    dp.pRangeProfilerObject = s->object;
    dp.pMetricNames = metrics;
    dp.numMetrics = metric_count;
    dp.maxNumOfRanges = (size_t)batch;
    dp.maxNumRangeTreeNodes = (uint32_t)batch;
    if (check("GetCounterDataSize", cuptiRangeProfilerGetCounterDataSize(&dp)))
        return s;
    s->image_size = dp.counterDataSize;
    s->image = malloc(s->image_size);
    if (image_init(s) || set_config(s))
        return s;
    fprintf(stderr,
            "C: session %d: chip %s, %zu metrics, %zu passes, availability image %zu, counter image %zu\n",
            session_count, cn.pChipName, metric_count, s->passes, av.counterAvailabilityImageSize,
            s->image_size);
    s->broken = 0;
    s->enabled = 1;
    return s;
}

static void session_decode(struct session *s)
{
    CUpti_RangeProfiler_DecodeData_Params dp = {CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE};
    dp.pRangeProfilerObject = s->object;
    uint64_t t = now_ns();
    int r = check("DecodeData", cuptiRangeProfilerDecodeData(&dp));
    cost_add(DECODE, t);
    CUpti_RangeProfiler_GetCounterDataInfo_Params ip = {
        CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE};
    ip.pCounterDataImage = s->image;
    ip.counterDataImageSize = s->image_size;
    if (r || check("GetCounterDataInfo", cuptiRangeProfilerGetCounterDataInfo(&ip)))
        return;
    if ((long)ip.numTotalRanges != s->pending || dp.numOfRangeDropped)
        fprintf(stderr, "C: decoded %zu ranges, dropped %zu, launches %ld\n", ip.numTotalRanges,
                dp.numOfRangeDropped, s->pending);
    for (size_t i = 0; i < ip.numTotalRanges; i++) {
        double v[64];
        CUpti_Profiler_Host_EvaluateToGpuValues_Params p = {
            CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE};
        p.pHostObject = s->host;
        p.pCounterDataImage = s->image;
        p.counterDataImageSize = s->image_size;
        p.rangeIndex = i;
        p.ppMetricNames = metrics;
        p.numMetrics = metric_count;
        p.pMetricValues = v;
        t = now_ns();
        if (check("Evaluate", cuptiProfilerHostEvaluateToGpuValues(&p)))
            return;
        cost_add(EVALUATE, t);
        atomic_fetch_add(&ranges, 1);
        const char *name = (long)i < s->pending && i < 256 ? s->names[i] : "?";
        if (show_left > 0) {
            show_left--;
            for (size_t k = 0; k < metric_count; k++)
                fprintf(stderr, "C: %s | %s | %.6g\n", name, metrics[k], v[k]);
        }
        for (size_t k = 0; k < metric_count; k++) {
            double rule = !strncmp(name, "_Z4unit", 7)        ? 2048
                          : !strncmp(name, "_Z7stride2", 10)  ? 4096
                          : !strncmp(name, "_Z8stride32", 11) ? 16384
                                                              : -1;
            if (rule >= 0 && strstr(metrics[k], "t_sectors_pipe_lsu_mem_global_op_ld.sum") && v[k] != rule) {
                if (atomic_fetch_add(&mismatches, 1) < 5)
                    fprintf(stderr, "C: %s: %s = %.0f, rule %.0f\n", name, metrics[k], v[k], rule);
            }
        }
    }
    s->pending = 0;
    image_init(s);
    if (reconfig)
        set_config(s);
}

static int wanted(const char *name, CUcontext context)
{
    const char *only = getenv("PROBE_ONLY");
    if (only && !strstr(name, only))
        return 0;
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i].context == context && !strncmp(kernels[i].name, name, 63))
            return ++kernels[i].seen <= first;
    if (kernel_count == 256)
        return 0;
    strncpy(kernels[kernel_count].name, name, 63);
    kernels[kernel_count].context = context;
    kernels[kernel_count].seen = 1;
    kernel_count++;
    return first > 0;
}

/* PROBE_SWITCH 1: only one context holds the profiler; another one's launch takes it over. */
static void session_take(struct session *s)
{
    for (int i = 0; i < session_count; i++) {
        struct session *other = &sessions[i];
        if (other == s || !other->enabled)
            continue;
        if (other->pending)
            session_decode(other);
        CUpti_RangeProfiler_Disable_Params dp = {CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE};
        dp.pRangeProfilerObject = other->object;
        uint64_t t = now_ns();
        check("Disable", cuptiRangeProfilerDisable(&dp));
        cost_add(DISABLE, t);
        other->enabled = 0;
    }
    if (s->enabled)
        return;
    CUpti_RangeProfiler_Enable_Params ep = {CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
    uint64_t t = now_ns();
    ep.ctx = s->context;
    check("Enable again", cuptiRangeProfilerEnable(&ep));
    cost_add(ENABLE, t);
    s->object = ep.pRangeProfilerObject;
    s->enabled = 1;
    image_init(s);
    set_config(s);
}

static void session_start(struct session *s)
{
    if (switch_mode)
        session_take(s);
    CUpti_RangeProfiler_Start_Params p = {CUpti_RangeProfiler_Start_Params_STRUCT_SIZE};
    p.pRangeProfilerObject = s->object;
    s->started_ns = now_ns();
    s->started = !check("Start", cuptiRangeProfilerStart(&p));
    cost_add(START, s->started_ns);
}
static void session_stop(struct session *s)
{
    CUpti_RangeProfiler_Stop_Params p = {CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE};
    p.pRangeProfilerObject = s->object;
    cost_add(INSIDE, s->started_ns);
    uint64_t t = now_ns();
    if (!check("Stop", cuptiRangeProfilerStop(&p)) && !p.isAllPassSubmitted)
        fprintf(stderr, "C: Stop: not all passes submitted (pass %zu)\n", p.passIndex);
    cost_add(STOP, t);
    s->started = 0;
}

static void CUPTIAPI callback(void *u, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    const CUpti_CallbackData *d = data;
    (void)u;
    (void)domain;
    if (id < 1024 && d->callbackSite == CUPTI_API_ENTER)
        atomic_fetch_add(&by_cbid[id], 1);
    int graph =
        id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch || id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
    int coop = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel;
    if ((graph && !graph_mode) || (coop && !coop_mode))
        return;
    if (d->callbackSite == CUPTI_API_ENTER) {
        if (depth++) {
            atomic_fetch_add(&nested, 1);
            return;
        }
        atomic_fetch_add(&launches, 1);
        const char *name = graph ? "graph" : d->symbolName ? d->symbolName : "(null)";
        pthread_mutex_lock(&table_lock);
        int take = wanted(name, d->context);
        pthread_mutex_unlock(&table_lock);
        if (lock_mode)
            take ? pthread_rwlock_wrlock(&launch_lock) : pthread_rwlock_rdlock(&launch_lock);
        struct session *s = take ? session_open(d->context) : NULL;
        if (s && s->broken)
            s = NULL;
        mine = s;
        if (s) {
            atomic_fetch_add(&chosen, 1);
            if (s->pending < 256)
                strncpy(s->names[s->pending], name, 31);
            s->pending++;
            if (!s->started)
                session_start(s);
        }
    } else {
        if (--depth)
            return;
        struct session *s = mine;
        mine = NULL;
        if (s && s->started && (!long_mode || s->pending >= long_mode))
            session_stop(s);
        if (s && !s->started && s->pending >= batch)
            session_decode(s);
        if (lock_mode)
            pthread_rwlock_unlock(&launch_lock);
    }
}

static void at_exit(void)
{
    for (int i = 0; i < session_count; i++) {
        if (sessions[i].broken)
            continue;
        if (sessions[i].started)
            session_stop(&sessions[i]);
        if (sessions[i].pending)
            session_decode(&sessions[i]);
    }
    fprintf(stderr, "C: launches %ld chosen %ld ranges %ld mismatches %ld nested %ld sessions %d; cbids",
            launches, chosen, ranges, mismatches, nested, session_count);
    for (int i = 0; i < 1024; i++)
        if (by_cbid[i])
            fprintf(stderr, " %d:%ld", i, by_cbid[i]);
    fprintf(stderr, "\n");
    for (int i = 0; i < COSTS; i++)
        if (costs[i].calls)
            fprintf(stderr, "C:   %-30s %6lu calls, mean %9.1f us, most %9.1f us\n", costs[i].name,
                    (unsigned long)costs[i].calls, 1e-3 * (double)costs[i].ns / (double)costs[i].calls,
                    1e-3 * (double)costs[i].most);
}

static long number(const char *name, long otherwise)
{
    const char *e = getenv(name);
    return e ? atol(e) : otherwise;
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
    const char *set = getenv("PROBE_SET") ? getenv("PROBE_SET") : "all";
    char *list = getenv("PROBE_METRICS") ? strdup(getenv("PROBE_METRICS")) : NULL;
    for (char *m = list ? strtok(list, ",") : NULL; m && metric_count < 64; m = strtok(NULL, ","))
        metrics[metric_count++] = m;
    if (!list && strcmp(set, "sass"))
        for (size_t i = 0; i < sizeof hw_set / sizeof *hw_set; i++)
            metrics[metric_count++] = hw_set[i];
    if (!list && strcmp(set, "hw"))
        for (size_t i = 0; i < sizeof sass_set / sizeof *sass_set; i++)
            metrics[metric_count++] = sass_set[i];
    first = number("PROBE_FIRST", 3);
    batch = number("PROBE_BATCH", 1);
    reconfig = number("PROBE_RECONFIG", 0);
    long_mode = number("PROBE_LONG", 0);
    lock_mode = number("PROBE_LOCK", 1);
    show_left = number("PROBE_SHOW", 0);
    graph_mode = number("PROBE_GRAPH", 0);
    coop_mode = number("PROBE_COOP", 0);
    switch_mode = number("PROBE_SWITCH", 0);
    static const CUpti_CallbackId ids[] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                           CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                           CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                           CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                           CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                           CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                           CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};
    CUpti_SubscriberParams sp = {.structSize = sizeof sp, .subscriberName = "probe"};
    if (check("Subscribe", cuptiSubscribe_v2(&subscriber, callback, NULL, &sp)))
        return 0;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        check("EnableCallback", cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, ids[i]));
    atexit(at_exit);
    return 1;
}
