/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A digest's bytes, and the check of them. The parts follow the head in the order of struct digest_parts; all sizes but
 * the texts' are multiples of 8, and the texts are padded with zeros to one.
 */
#include "core/ranks/digest.h"

#include "core/analysis/partition.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define CHECKED_FROM offsetof(struct digest_head, flags)

#define CLASS_ID(name, id, words, cause) #id,
#define CLASS_WORDS(name, id, words, cause) words,
#define CLASS_CAUSE(name, id, words, cause) cause,
const char *rank_class_id(enum rank_class class)
{
    static const char *const texts[] = {RANK_CLASS_LIST(CLASS_ID)};
    return class < RANK_CLASS_COUNT ? texts[class] : "";
}

const char *rank_class_words(enum rank_class class)
{
    static const char *const texts[] = {RANK_CLASS_LIST(CLASS_WORDS)};
    return class < RANK_CLASS_COUNT ? texts[class] : "";
}

const char *rank_class_cause(enum rank_class class)
{
    static const char *const texts[] = {RANK_CLASS_LIST(CLASS_CAUSE)};
    return class < RANK_CLASS_COUNT ? texts[class] : "";
}

#define OPERATION_WORDS(name, words, together) words,
#define OPERATION_TOGETHER(name, words, together) together,
const char *rank_operation_words(uint8_t operation)
{
    static const char *const texts[] = {OPERATION_LIST(OPERATION_WORDS)};
    return texts[operation < OPERATION_COUNT ? operation : 0];
}

bool rank_operation_is_together(uint8_t operation)
{
    static const bool together[] = {OPERATION_LIST(OPERATION_TOGETHER)};
    return together[operation < OPERATION_COUNT ? operation : 0];
}

const char *digest_text(const struct digest *digest, uint32_t text)
{
    return text < digest->head->texts_bytes ? digest->texts + text : "";
}

/* ---- the check ---- */
static bool is_time(int64_t ns)
{
    return ns > -SESSION_TIME_MAX_NS && ns < SESSION_TIME_MAX_NS;
}

static bool are_durations(const int64_t ns[RANK_CLASS_COUNT])
{
    for (int i = 0; i < RANK_CLASS_COUNT; i++)
        if (ns[i] < 0 || !is_time(ns[i]))
            return false;
    return true;
}

static bool head_is_sound(const struct digest_head *head)
{
    return head->communicators <= DIGEST_COMMUNICATORS_MAX && head->collectives <= DIGEST_COLLECTIVES_MAX &&
           head->steps <= DIGEST_STEPS_MAX && head->kernels <= DIGEST_KERNELS_MAX && head->texts_bytes >= 8 &&
           head->texts_bytes <= DIGEST_TEXTS_MAX && head->texts_bytes % 8 == 0;
}

static size_t size_of_parts(const struct digest_head *head)
{
    return sizeof *head + head->communicators * sizeof(struct digest_communicator) +
           head->collectives * sizeof(struct digest_collective) + head->steps * sizeof(struct digest_step) +
           head->kernels * sizeof(struct digest_kernel) + head->texts_bytes;
}

static struct digest parts_of(const void *bytes)
{
    struct digest digest = {.head = bytes};
    digest.communicators = (const void *)(digest.head + 1);
    digest.collectives = (const void *)(digest.communicators + digest.head->communicators);
    digest.steps = (const void *)(digest.collectives + digest.head->collectives);
    digest.kernels = (const void *)(digest.steps + digest.head->steps);
    digest.texts = (const void *)(digest.kernels + digest.head->kernels);
    return digest;
}

static const char *find_wrong_head(const struct digest *digest)
{
    const struct digest_head *head = digest->head;
    const uint32_t texts[] = {head->host, head->clock, head->program, head->device_name, head->file, 0};
    if (digest->texts[0] != '\0' || digest->texts[head->texts_bytes - 1] != '\0')
        return "its texts do not end";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] >= head->texts_bytes)
            return "it names a text that it does not have";
    if (head->utc_ns <= 0 || !is_time(head->utc_ns) || !is_time(head->first_ns) || !is_time(head->last_ns) ||
        head->last_ns < head->first_ns || !is_time(head->loop_first_ns) || !is_time(head->loop_last_ns) ||
        head->loop_last_ns < head->loop_first_ns || !are_durations(head->ns) || head->hidden_ns < 0 ||
        !is_time(head->hidden_ns))
        return "its times are not possible";
    if (head->steps_all > SESSION_TIME_MAX_NS)
        return "its steps are not possible";
    return head->rank < -1 || head->local_rank < -1 || head->world < -1 ? "its rank is not possible" : NULL;
}

static const char *find_wrong_collective(const struct digest *digest, const struct digest_collective *row)
{
    const struct digest_head *head = digest->head;
    const struct digest_collective *before = row > digest->collectives ? row - 1 : NULL;
    if (row->communicator >= head->communicators || row->operation >= OPERATION_COUNT ||
        row->range >= head->texts_bytes)
        return "a collective names what is not there";
    if (row->previous > (uint32_t)(row - digest->collectives) ||
        (row->previous > 0 && digest->collectives[row->previous - 1].end_ns > row->start_ns))
        return "a collective follows one that did not end before it";
    if (!is_time(row->start_ns) || !is_time(row->end_ns) || row->end_ns < row->start_ns ||
        row->hidden_ns < 0 || row->hidden_ns > row->end_ns - row->start_ns || !are_durations(row->before_ns))
        return "a collective has times that are not possible";
    if (before && before->start_ns > row->start_ns)
        return "its collectives are in no order";
    const struct digest_communicator *communicator = &digest->communicators[row->communicator];
    if (row->sequence >= communicator->count || row->sequence % communicator->stride != 0)
        return "a collective has a number that its communicator does not have";
    return NULL;
}

static const char *find_wrong(const struct digest *digest)
{
    const struct digest_head *head = digest->head;
    const char *wrong = find_wrong_head(digest);
    int64_t last[DIGEST_COMMUNICATORS_MAX];
    for (uint32_t i = 0; !wrong && i < head->communicators; i++) {
        const struct digest_communicator *row = &digest->communicators[i];
        last[i] = -1;
        if (row->name >= head->texts_bytes || row->stride == 0 || (row->stride & (row->stride - 1)) != 0)
            wrong = "a communicator is not possible";
        for (uint32_t j = 0; j < i && !wrong; j++)
            if (digest->communicators[j].key == row->key)
                wrong = "two communicators are one";
    }
    for (uint32_t i = 0; !wrong && i < head->collectives; i++) {
        wrong = find_wrong_collective(digest, &digest->collectives[i]);
        if (wrong)
            break;
        int64_t *number = &last[digest->collectives[i].communicator];
        if ((int64_t)digest->collectives[i].sequence <= *number)
            wrong = "a communicator's numbers do not rise";
        *number = digest->collectives[i].sequence;
    }
    for (uint32_t i = 0; !wrong && i < head->steps; i++) {
        const struct digest_step *row = &digest->steps[i];
        if (!is_time(row->start_ns) || !is_time(row->end_ns) || row->end_ns < row->start_ns ||
            !are_durations(row->ns) || row->count == 0 || (i > 0 && row[-1].start_ns > row->start_ns))
            wrong = "a step is not possible";
    }
    for (uint32_t i = 0; !wrong && i < head->kernels; i++) {
        const struct digest_kernel *row = &digest->kernels[i];
        if (row->name >= head->texts_bytes || row->sum_ns < 0 || !is_time(row->sum_ns) || row->min_ns < 0 ||
            row->max_ns < row->min_ns || !is_time(row->max_ns) || row->count == 0 || row->is_copy > 1)
            wrong = "a kernel is not possible";
    }
    return wrong;
}

enum status digest_check(const void *bytes, size_t size_bytes, const char *name, struct digest *digest,
                         struct error *error)
{
    const struct digest_head *head = bytes;
    if (size_bytes < sizeof *head || memcmp(head->magic, DIGEST_MAGIC, sizeof head->magic) != 0)
        return error_set(error, STATUS_FORMAT, "%.300s holds no digest of a rank.", name);
    if (head->version > DIGEST_VERSION)
        return error_set(
            error, STATUS_VERSION,
            "%.300s has a digest of version %u, and this lanescope reads up to %u: use a newer one.", name,
            head->version, DIGEST_VERSION);
    const char *wrong = "its sizes do not fit";
    if (head->version == DIGEST_VERSION && head->size_bytes <= size_bytes && head_is_sound(head) &&
        size_of_parts(head) == head->size_bytes) {
        const unsigned long check =
            crc32_z(0, (const unsigned char *)bytes + CHECKED_FROM, head->size_bytes - CHECKED_FROM);
        *digest = parts_of(bytes);
        wrong = check != head->check ? "its checksum is wrong" : find_wrong(digest);
    }
    return wrong ? error_set(error, STATUS_FORMAT, "%.300s has a damaged digest: %s.", name, wrong)
                 : STATUS_OK;
}

/* ---- order and making ---- */
static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int digest_compare(const struct digest *a, const struct digest *b)
{
    const struct digest_head *left = a->head, *right = b->head;
    /* Ranks that are not known come last. */
    int order = compare_numbers((uint32_t)left->rank, (uint32_t)right->rank);
    order = order ? order : strcmp(digest_text(a, left->host), digest_text(b, right->host));
    order = order ? order : compare_numbers(left->pid, right->pid);
    order = order ? order : compare_numbers(left->device, right->device);
    order = order ? order : compare_numbers(left->size_bytes, right->size_bytes);
    return order ? order : compare_numbers(left->check, right->check);
}

enum status digest_join(const struct digest_parts *parts, void **bytes, size_t *size_bytes,
                        struct error *error)
{
    struct digest_head head = parts->head;
    memcpy(head.magic, DIGEST_MAGIC, sizeof head.magic);
    head.version = DIGEST_VERSION;
    const size_t size = size_of_parts(&head);
    char *made = malloc(size);
    if (!made)
        return error_no_memory(error, "for a digest");
    head.size_bytes = (uint32_t)size;
    head.check = 0;
    memcpy(made, &head, sizeof head);
    const struct digest at = parts_of(made);
#define COPY_PART(part) \
    if (head.part > 0)  \
    memcpy((void *)(uintptr_t)at.part, parts->part, head.part * sizeof *at.part)
    COPY_PART(communicators);
    COPY_PART(collectives);
    COPY_PART(steps);
    COPY_PART(kernels);
#undef COPY_PART
    memcpy((void *)(uintptr_t)at.texts, parts->texts, head.texts_bytes);
    head.check = (uint32_t)crc32_z(0, (unsigned char *)made + CHECKED_FROM, size - CHECKED_FROM);
    memcpy(made, &head, sizeof head);
    *bytes = made;
    *size_bytes = size;
    return STATUS_OK;
}
