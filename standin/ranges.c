/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's NVTX ranges and marks, on the model's clock. NVTX, which is header code in the program and in
 * its libraries, loads the library that NVTX_INJECTION64_PATH names, which is this one, and asks it for its
 * functions: each instance of NVTX gets the addresses of those below. Kept are what the agent keeps on a GPU:
 * text, domain and thread; categories, colours and payloads are accepted. Push and pop belong to a thread,
 * and each domain has its own stack; start and end may be called by different threads. Domains and registered
 * strings stay until the program ends, since their handles may be used until then.
 */
#include "standin/standin.h"

#include "core/base/array.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#define TEXT_BYTES 1024 /* of a text in wide characters; the rest is cut off */

struct named { /* behind a handle of a domain, and of a registered string */
    struct named *next;
    char text[];
};

struct pushed {
    const void *domain;
    uint64_t id;
};

struct thread_ranges {
    struct pushed *rows;
    size_t count, capacity;
};

static struct {
    pthread_mutex_t lock;
    struct named *first;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic uint64_t last_id;
static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

/* ---- texts ---- */
static const char *text_of_wide(const wchar_t *wide, char text[TEXT_BYTES])
{
    size_t used = 0;

    for (; wide && *wide && used + 5 < TEXT_BYTES; wide++) {
        const uint32_t code = (uint32_t)*wide;
        const unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};

        text[used++] = (char)(first[more] | code >> (6 * more));
        for (unsigned i = more; i-- > 0;)
            text[used++] = (char)(0x80 | (code >> (6 * i) & 0x3f));
    }
    text[used] = '\0';
    return wide ? text : NULL;
}

static struct named *name_keep(const char *text)
{
    const size_t length = strlen(text ? text : "");
    struct named *named = malloc(sizeof *named + length + 1);

    if (!named)
        return NULL;
    memcpy(named->text, text ? text : "", length + 1);
    pthread_mutex_lock(&kept.lock);
    named->next = kept.first;
    kept.first = named;
    pthread_mutex_unlock(&kept.lock);
    return named;
}

static const char *text_of_event(const nvtxEventAttributes_t *event, char text[TEXT_BYTES])
{
    if (!event)
        return NULL;
    switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: return event->message.ascii;
    case NVTX_MESSAGE_TYPE_UNICODE: return text_of_wide(event->message.unicode, text);
    case NVTX_MESSAGE_TYPE_REGISTERED: {
        const struct named *named = (const void *)event->message.registered;
        return named ? named->text : NULL;
    }
    default: return NULL;
    }
}

/* ---- sending ---- */
static void range_send(enum event_kind kind, uint64_t id, const void *domain, const char *text)
{
    const struct named *named = domain;

    if (standin_enter() != cudaErrorNotPermitted)
        told_range(kind, id, text, named ? named->text : NULL);
    standin_leave(cudaSuccess);
}

static uint64_t range_begin(const void *domain, const char *text)
{
    const uint64_t id = RANGE_ID_PROGRAM | ++last_id;

    range_send(EVENT_RANGE_BEGIN, id, domain, text);
    return id;
}

/* ---- push and pop ---- */
static void thread_forget(void *owner)
{
    struct thread_ranges *ranges = owner;

    free(ranges->rows);
    free(ranges);
}

static void thread_key_make(void)
{
    pthread_key_create(&thread_key, thread_forget);
}

static struct thread_ranges *thread_ranges(void)
{
    pthread_once(&thread_once, thread_key_make);
    struct thread_ranges *ranges = pthread_getspecific(thread_key);

    if (!ranges && (ranges = calloc(1, sizeof *ranges)))
        pthread_setspecific(thread_key, ranges);
    return ranges;
}

static int count_level(const struct thread_ranges *ranges, const void *domain)
{
    int level = 0;

    for (size_t i = 0; i < ranges->count; i++)
        level += ranges->rows[i].domain == domain;
    return level;
}

/* The level of the range, from 0. */
static int range_push(const void *domain, const char *text)
{
    struct thread_ranges *ranges = thread_ranges();

    if (!ranges || !array_grow(ranges->rows, ranges->capacity, ranges->count, 1))
        return NVTX_NO_PUSH_POP_TRACKING;
    const int level = count_level(ranges, domain);
    ranges->rows[ranges->count++] = (struct pushed){domain, range_begin(domain, text)};
    return level;
}

static int range_pop(const void *domain)
{
    struct thread_ranges *ranges = thread_ranges();
    size_t at = ranges ? ranges->count : 0;

    while (at > 0 && ranges->rows[at - 1].domain != domain)
        at--;
    if (at == 0)
        return NVTX_NO_PUSH_POP_TRACKING;
    range_send(EVENT_RANGE_END, ranges->rows[at - 1].id, domain, NULL);
    memmove(&ranges->rows[at - 1], &ranges->rows[at], (ranges->count - at) * sizeof *ranges->rows);
    ranges->count--;
    return count_level(ranges, domain);
}

/* ---- NVTX's functions ---- */
static void mark_ex(const nvtxEventAttributes_t *event)
{
    char text[TEXT_BYTES];

    range_send(EVENT_MARK, RANGE_ID_PROGRAM | ++last_id, NULL, text_of_event(event, text));
}

static void mark_ascii(const char *message)
{
    range_send(EVENT_MARK, RANGE_ID_PROGRAM | ++last_id, NULL, message);
}

static void mark_wide(const wchar_t *message)
{
    char text[TEXT_BYTES];

    mark_ascii(text_of_wide(message, text));
}

static void mark_domain(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    char text[TEXT_BYTES];

    range_send(EVENT_MARK, RANGE_ID_PROGRAM | ++last_id, domain, text_of_event(event, text));
}

static nvtxRangeId_t start_domain(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    char text[TEXT_BYTES];

    return range_begin(domain, text_of_event(event, text));
}

static nvtxRangeId_t start_ex(const nvtxEventAttributes_t *event)
{
    return start_domain(NULL, event);
}

static nvtxRangeId_t start_ascii(const char *message)
{
    return range_begin(NULL, message);
}

static nvtxRangeId_t start_wide(const wchar_t *message)
{
    char text[TEXT_BYTES];

    return range_begin(NULL, text_of_wide(message, text));
}

static void end_domain(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    range_send(EVENT_RANGE_END, id, domain, NULL);
}

static void end_plain(nvtxRangeId_t id)
{
    end_domain(NULL, id);
}

static int push_domain(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *event)
{
    char text[TEXT_BYTES];

    return range_push(domain, text_of_event(event, text));
}

static int push_ex(const nvtxEventAttributes_t *event)
{
    return push_domain(NULL, event);
}

static int push_ascii(const char *message)
{
    return range_push(NULL, message);
}

static int push_wide(const wchar_t *message)
{
    char text[TEXT_BYTES];

    return range_push(NULL, text_of_wide(message, text));
}

static int pop_domain(nvtxDomainHandle_t domain)
{
    return range_pop(domain);
}

static int pop_plain(void)
{
    return range_pop(NULL);
}

static nvtxDomainHandle_t create_domain(const char *name)
{
    return (void *)name_keep(name);
}

static nvtxDomainHandle_t create_domain_wide(const wchar_t *name)
{
    char text[TEXT_BYTES];

    return (void *)name_keep(text_of_wide(name, text));
}

static nvtxStringHandle_t register_string(nvtxDomainHandle_t domain, const char *string)
{
    (void)domain;
    return (void *)name_keep(string);
}

static nvtxStringHandle_t register_string_wide(nvtxDomainHandle_t domain, const wchar_t *string)
{
    char text[TEXT_BYTES];

    (void)domain;
    return (void *)name_keep(text_of_wide(string, text));
}

/* ---- attaching ---- */
struct hook {
    NvtxCallbackModule module;
    unsigned id;
    NvtxFunctionPointer function;
};

#define CORE(name, function)                                                        \
    {                                                                               \
        NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_##name, (NvtxFunctionPointer)(function) \
    }
#define CORE2(name, function)                                                         \
    {                                                                                 \
        NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_##name, (NvtxFunctionPointer)(function) \
    }

static const struct hook hooks[] = {
    CORE(MarkEx, mark_ex),
    CORE(MarkA, mark_ascii),
    CORE(MarkW, mark_wide),
    CORE(RangeStartEx, start_ex),
    CORE(RangeStartA, start_ascii),
    CORE(RangeStartW, start_wide),
    CORE(RangeEnd, end_plain),
    CORE(RangePushEx, push_ex),
    CORE(RangePushA, push_ascii),
    CORE(RangePushW, push_wide),
    CORE(RangePop, pop_plain),
    CORE2(DomainMarkEx, mark_domain),
    CORE2(DomainRangeStartEx, start_domain),
    CORE2(DomainRangeEnd, end_domain),
    CORE2(DomainRangePushEx, push_domain),
    CORE2(DomainRangePop, pop_domain),
    CORE2(DomainRegisterStringA, register_string),
    CORE2(DomainRegisterStringW, register_string_wide),
    CORE2(DomainCreateA, create_domain),
    CORE2(DomainCreateW, create_domain_wide),
};

int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_table);
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table);

/* NVTX 3 and its libraries; each instance calls it at its first range. 0: it drops all calls. */
STANDIN_API int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_table)
{
    const NvtxExportTableCallbacks *tables = get_table ? get_table(NVTX_ETID_CALLBACKS) : NULL;

    for (size_t i = 0; tables && i < sizeof hooks / sizeof *hooks; i++) {
        NvtxFunctionTable table;
        unsigned size = 0;
        if (tables->GetModuleFunctionTable(hooks[i].module, &table, &size) && hooks[i].id < size &&
            table[hooks[i].id])
            *table[hooks[i].id] = hooks[i].function;
    }
    return tables != NULL;
}

/* The same for NVTX 1 and 2, which are the library libnvToolsExt.so.1. */
STANDIN_API int InitializeInjectionNvtx(NvtxGetExportTableFunc_t get_table)
{
    return InitializeInjectionNvtx2(get_table);
}
