/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capturing is on while a matching NVTX range is open in any thread, or while the profiler API or the
 * delay says so. `open` counts the ranges; a thread's push/pop ranges are its own, start/end ranges and
 * registered strings belong to the process and to the lock.
 */
#include "cupti/agent/capture.h"

#include "cupti/agent/activity.h"
#include "cupti/agent/agent.h"

#include <generated_nvtx_meta.h>
#include <string.h>

#define STACK 64
#define REGISTERED 16
#define STARTED 64

static struct {
    int64_t start_ns;
    pthread_mutex_t lock;                      /* of all below */
    int open;                                  /* number of open NVTX ranges that match, over all threads */
    nvtxStringHandle_t registered[REGISTERED]; /* registered strings that equal the wanted name */
    nvtxRangeId_t started[STARTED];            /* matching start/end ranges, 0: free */
} capture = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Which of this thread's push/pop ranges match. Ranges deeper than STACK are only counted. */
static __thread struct {
    int depth;
    struct {
        nvtxDomainHandle_t domain;
        int matches;
    } stack[STACK];
} ranges;

static void set_capturing(bool on)
{
    if (atomic_exchange(&agent.capturing, on) == on)
        return;
    if (agent_traces())
        activity_apply();
}

void capture_start(int64_t now_ns)
{
    capture.start_ns = now_ns;
    atomic_store(&agent.capturing, false);
    if (agent.config.capture == AGENT_CAPTURE_ALL ||
        (agent.config.capture == AGENT_CAPTURE_DELAY && agent.config.delay_ns <= 0))
        set_capturing(true);
}

void capture_profiler_api(int on)
{
    if (agent.config.capture == AGENT_CAPTURE_PROFILER_API)
        set_capturing(on);
}

void capture_tick(int64_t now_ns)
{
    if (agent.config.capture != AGENT_CAPTURE_DELAY)
        return;
    int64_t since_ns = now_ns - capture.start_ns;
    bool over = agent.config.duration_ns > 0 && since_ns >= agent.config.delay_ns + agent.config.duration_ns;
    set_capturing(since_ns >= agent.config.delay_ns && !over);
}

static bool name_wanted(const char *text)
{
    return text && strcmp(text, agent.config.capture_range) == 0;
}

static bool wanted_wide(const wchar_t *text)
{
    const char *name = agent.config.capture_range;
    if (!text)
        return false;
    while (*name && *text == (wchar_t)(unsigned char)*name) {
        name++;
        text++;
    }
    return *name == '\0' && *text == L'\0';
}

static bool handle_registered(nvtxStringHandle_t handle)
{
    bool found = false;
    pthread_mutex_lock(&capture.lock);
    for (int i = 0; i < REGISTERED; i++)
        found |= handle && capture.registered[i] == handle;
    pthread_mutex_unlock(&capture.lock);
    return found;
}

static bool wanted_event(const nvtxEventAttributes_t *event)
{
    if (!event)
        return false;
    switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: return name_wanted(event->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE: return wanted_wide(event->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: return handle_registered(event->message.registered);
    default: return false;
    }
}

static void open_change(int by)
{
    pthread_mutex_lock(&capture.lock);
    capture.open += by;
    bool on = capture.open > 0;
    pthread_mutex_unlock(&capture.lock);
    set_capturing(on);
}

static void ranges_push(nvtxDomainHandle_t domain, bool matches)
{
    if (ranges.depth >= 0 && ranges.depth < STACK) {
        ranges.stack[ranges.depth].domain = domain;
        ranges.stack[ranges.depth].matches = matches;
        if (matches)
            open_change(1);
    }
    ranges.depth++;
}

/* Each domain has its own stack, so this pops the topmost range of this domain. */
static void ranges_pop(nvtxDomainHandle_t domain)
{
    if (ranges.depth > STACK) {
        ranges.depth--;
        return;
    }
    for (int i = ranges.depth - 1; i >= 0; i--) {
        if (ranges.stack[i].domain != domain)
            continue;
        if (ranges.stack[i].matches)
            open_change(-1);
        memmove(&ranges.stack[i], &ranges.stack[i + 1],
                (size_t)(ranges.depth - 1 - i) * sizeof ranges.stack[0]);
        ranges.depth--;
        return;
    }
}

/* Replaces `old` by `value` in a table of ids; false: `old` is not in it. */
static bool started_replace(nvtxRangeId_t old, nvtxRangeId_t value)
{
    bool found = false;
    pthread_mutex_lock(&capture.lock);
    for (int i = 0; i < STARTED && !found; i++) {
        if (capture.started[i] == old) {
            capture.started[i] = value;
            found = true;
        }
    }
    pthread_mutex_unlock(&capture.lock);
    return found;
}

static void range_start(const CUpti_NvtxData *data, bool matches)
{
    const nvtxRangeId_t *id = data->functionReturnValue;
    if (matches && id && *id && started_replace(0, *id))
        open_change(1);
}

static void range_end(nvtxRangeId_t id)
{
    if (id && started_replace(id, 0))
        open_change(-1);
}

static void string_registered(const CUpti_NvtxData *data, bool matches)
{
    const nvtxStringHandle_t *handle = data->functionReturnValue;
    if (!matches || !handle || !*handle)
        return;
    pthread_mutex_lock(&capture.lock);
    for (int i = 0; i < REGISTERED; i++) {
        if (capture.registered[i] == *handle || !capture.registered[i]) {
            capture.registered[i] = *handle;
            break;
        }
    }
    pthread_mutex_unlock(&capture.lock);
}

void capture_nvtx(CUpti_CallbackId id, const CUpti_NvtxData *data)
{
    const void *p = data->functionParams;
    if (agent.config.capture != AGENT_CAPTURE_NVTX || !p)
        return;
    switch ((CUpti_nvtx_api_trace_cbid)id) {
    case CUPTI_CBID_NVTX_nvtxRangePushA:
        ranges_push(NULL, name_wanted(((const nvtxRangePushA_params *)p)->message));
        break;
    case CUPTI_CBID_NVTX_nvtxRangePushW:
        ranges_push(NULL, wanted_wide(((const nvtxRangePushW_params *)p)->message));
        break;
    case CUPTI_CBID_NVTX_nvtxRangePushEx:
        ranges_push(NULL, wanted_event(((const nvtxRangePushEx_params *)p)->eventAttrib));
        break;
    case CUPTI_CBID_NVTX_nvtxDomainRangePushEx: {
        const nvtxDomainRangePushEx_params *params = p;
        ranges_push(params->domain, wanted_event(params->core.eventAttrib));
        break;
    }
    case CUPTI_CBID_NVTX_nvtxRangePop: ranges_pop(NULL); break;
    case CUPTI_CBID_NVTX_nvtxDomainRangePop:
        ranges_pop(((const nvtxDomainRangePop_params *)p)->domain);
        break;
    case CUPTI_CBID_NVTX_nvtxRangeStartA:
        range_start(data, name_wanted(((const nvtxRangeStartA_params *)p)->message));
        break;
    case CUPTI_CBID_NVTX_nvtxRangeStartEx:
        range_start(data, wanted_event(((const nvtxRangeStartEx_params *)p)->eventAttrib));
        break;
    case CUPTI_CBID_NVTX_nvtxDomainRangeStartEx:
        range_start(data, wanted_event(((const nvtxDomainRangeStartEx_params *)p)->core.eventAttrib));
        break;
    case CUPTI_CBID_NVTX_nvtxRangeEnd: range_end(((const nvtxRangeEnd_params *)p)->id); break;
    case CUPTI_CBID_NVTX_nvtxDomainRangeEnd:
        range_end(((const nvtxDomainRangeEnd_params *)p)->core.id);
        break;
    case CUPTI_CBID_NVTX_nvtxDomainRegisterStringA:
        string_registered(data, name_wanted(((const nvtxDomainRegisterStringA_params *)p)->string));
        break;
    default: break;
    }
}
