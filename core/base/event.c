/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the enums of core/base/event.h, from the lists there. */
#include "core/base/event.h"

#include <string.h>

#define EVENT_TEXT(name, text) [EVENT_##name] = text,
static const char *const event_texts[] = {EVENT_KIND_LIST(EVENT_TEXT)};

const char *event_kind_text(enum event_kind kind)
{
    return (unsigned)kind < EVENT_KIND_COUNT ? event_texts[kind] : "unknown";
}

#define TEXT_OF(texts, index) ((index) < sizeof(texts) / sizeof *(texts) ? (texts)[index] : "other")

#define API_DOMAIN_TEXT(name, text) [API_##name] = text,
const char *api_domain_text(uint8_t domain)
{
    static const char *const texts[] = {API_DOMAIN_LIST(API_DOMAIN_TEXT)};
    return TEXT_OF(texts, domain);
}

#define CALL_CATEGORY_MARK(name, mark) [CALL_##name] = mark,
char call_category_mark(uint8_t category)
{
    static const char marks[CALL_CATEGORY_COUNT] = {CALL_CATEGORY_LIST(CALL_CATEGORY_MARK)};
    return marks[category < CALL_CATEGORY_COUNT ? category : (uint8_t)CALL_OTHER];
}

#define COPY_KIND_TEXTS(name, id, text, copies) [COPY_##name] = {id, text, copies},
static const struct {
    const char *id, *text, *copies;
} copy_kinds[COPY_KIND_COUNT] = {COPY_KIND_LIST(COPY_KIND_TEXTS)};

const char *copy_kind_id(uint8_t kind)
{
    return copy_kinds[kind < COPY_KIND_COUNT ? kind : (uint8_t)COPY_OTHER].id;
}

const char *copy_kind_text(uint8_t kind)
{
    return copy_kinds[kind < COPY_KIND_COUNT ? kind : (uint8_t)COPY_OTHER].text;
}

const char *copy_kind_copies(uint8_t kind)
{
    return copy_kinds[kind < COPY_KIND_COUNT ? kind : (uint8_t)COPY_OTHER].copies;
}

#define MEMORY_KIND_TEXT(name, text) [MEMORY_##name] = text,
const char *memory_kind_text(uint8_t kind)
{
    static const char *const texts[] = {MEMORY_KIND_LIST(MEMORY_KIND_TEXT)};
    return TEXT_OF(texts, kind);
}

#define SYNC_KIND_TEXTS(name, id, text) [SYNC_##name] = {id, text},
static const struct {
    const char *id, *text;
} sync_kinds[SYNC_KIND_COUNT] = {SYNC_KIND_LIST(SYNC_KIND_TEXTS)};

const char *sync_kind_id(uint8_t kind)
{
    return sync_kinds[kind < SYNC_KIND_COUNT ? kind : (uint8_t)SYNC_OTHER].id;
}

const char *sync_kind_text(uint8_t kind)
{
    return sync_kinds[kind < SYNC_KIND_COUNT ? kind : (uint8_t)SYNC_OTHER].text;
}

#define RUN_MODE_TEXT(name, text) [RUN_##name] = text,
static const char *const run_mode_texts[] = {RUN_MODE_LIST(RUN_MODE_TEXT)};

const char *run_mode_text(enum run_mode mode)
{
    return (unsigned)mode < RUN_MODE_COUNT ? run_mode_texts[mode] : "unknown";
}

enum run_mode run_mode_find(const char *text)
{
    for (unsigned mode = 0; mode < RUN_MODE_COUNT; mode++)
        if (strcmp(run_mode_texts[mode], text) == 0)
            return (enum run_mode)mode;
    return RUN_MODE_COUNT;
}
