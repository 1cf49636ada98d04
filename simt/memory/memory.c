/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's device memory: allocations in ascending order of address, each with pages of the host. A new
 * allocation takes the lowest gap that is large enough, so that the same calls give the same addresses. Pages
 * come from mmap: they are zero, and use memory only after they are touched.
 */
#include "core/base/array.h"

#include "simt/memory/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEMORY_ALIGNMENT UINT64_C(512)
#define MEMORY_GAP UINT64_C(512)
#define MEMORY_HUGE_PAGE (UINT64_C(2) << 20)

/*
 * Unified memory: addresses of the device in a range that is only reserved, so that nothing else of the
 * process lies there. In its first part the host can access nothing: the bytes are in a second range, which
 * only the model knows. Its second part has pages. All pages use memory after they are touched.
 */
#ifdef SANITIZES_ADDRESSES /* its shadow is at the usual addresses, and Criterion's arena anywhere from 1 << 45 on */
#define UNIFIED_BASE UINT64_C(0x0000180000000000)
#else
#define UNIFIED_BASE MEMORY_GLOBAL_BASE
#endif
#ifdef SANITIZES_THREADS /* its shadow begins at 512 GiB */
#define HIDDEN_BYTES (UINT64_C(1) << 37)
#else
#define HIDDEN_BYTES (UINT64_C(1) << 39)
#endif
#define OPEN_BYTES HIDDEN_BYTES
#define OPEN_BASE (UNIFIED_BASE + HIDDEN_BYTES)
/* The second half of the hidden part is for addresses that are reserved. */
#define ALLOCATED_BYTES (HIDDEN_BYTES / 2)
#define RESERVED_BASE (UNIFIED_BASE + ALLOCATED_BYTES)
/* The host reads below the first allocation when it passes it to free(). */
#define GUARD_BYTES UINT64_C(65536)
#define GUARD_BASE (UNIFIED_BASE - GUARD_BYTES)

struct memory {
    uint8_t *open;                /* unified memory at OPEN_BASE; NULL: each range has its own pages */
    uint8_t *hidden;              /* the bytes of the other part */
    struct memory_range **ranges; /* allocated one by one: pointers to them stay valid */
    size_t count, capacity;
    /* Of the open and of the other part, by powers of two: where the search for a gap of so many bytes may begin,
     * the begin of an allocation or of a gap. No gap before it is so large. */
    uint64_t searched[2][64];
    struct memory_freed freed[MEMORY_FREED]; /* a ring: the last ones */
    size_t freed_count;                      /* all that were freed */
    uint64_t reserved_end;                   /* no address from here on is reserved */
    uint64_t used_bytes, limit_bytes, host_used_bytes, host_limit_bytes;
    bool checked;
    uint32_t selected;                 /* the GPU that allocates, or whose kernel runs */
    uint32_t allowed[MEMORY_GPUS_MAX]; /* bit p: this GPU may access memory of GPU p */
};

/* Three quarters of this computer's memory. */
static uint64_t host_limit(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 4 * 3 : OPEN_BYTES;
}

enum status memory_create(struct memory **memory, uint64_t limit_bytes, bool checked, struct error *error)
{
    struct memory *made = calloc(1, sizeof *made);
    if (!made)
        return error_no_memory(error, "for a modelled device");
    made->host_limit_bytes = host_limit();
    made->limit_bytes = limit_bytes < made->host_limit_bytes ? limit_bytes : made->host_limit_bytes;
    made->checked = checked;
    *memory = made;
    return STATUS_OK;
}

static uint64_t range_host_bytes(uint64_t size_bytes)
{
    return size_bytes ? size_bytes : 1;
}

static uint64_t range_bit_bytes(uint64_t size_bytes)
{
    return size_bytes / 8 + 1;
}

static uint8_t *pages_map(uint64_t size_bytes)
{
    void *pages =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    if (size_bytes >= MEMORY_HUGE_PAGE)
        madvise(pages, size_bytes, MADV_HUGEPAGE); /* a hint: if followed, first touches cost a tenth */
    return pages;
}

/* At exactly these addresses; older kernels take the address only as a hint. */
static bool addresses_reserve(uint64_t address, uint64_t size_bytes, int protection)
{
    void *wanted = (void *)(uintptr_t)address;
    void *got = mmap(wanted, size_bytes, protection,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED && got != wanted)
        munmap(got, size_bytes);
    return got == wanted;
}

static void addresses_release(uint64_t address, uint64_t size_bytes)
{
    munmap((void *)(uintptr_t)address, size_bytes);
}

enum status memory_unify(struct memory *memory, struct error *error)
{
    bool reserved = addresses_reserve(GUARD_BASE, GUARD_BYTES + HIDDEN_BYTES, PROT_NONE);
    bool open = reserved && addresses_reserve(OPEN_BASE, OPEN_BYTES, PROT_READ | PROT_WRITE);
    void *hidden = open ? mmap(NULL, HIDDEN_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                        : MAP_FAILED;
    if (hidden == MAP_FAILED) {
        if (open)
            addresses_release(OPEN_BASE, OPEN_BYTES);
        if (reserved)
            addresses_release(GUARD_BASE, GUARD_BYTES + HIDDEN_BYTES);
        return error_set(error, STATUS_MEMORY,
                         "The device model cannot reserve the addresses from 0x%llx for its memory: this "
                         "process already uses them, or its address space is limited (ulimit -v).",
                         (unsigned long long)UNIFIED_BASE);
    }
    memory->open = (uint8_t *)(uintptr_t)OPEN_BASE;
    memory->hidden = hidden;
    memory->reserved_end = RESERVED_BASE;
    return STATUS_OK;
}

bool memory_is_hosts(const struct memory *memory, uint64_t address)
{
    uint64_t page = address & ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1);
    return memory->open && address >> 47 == 0 && !memory_hides(address) &&
           address - OPEN_BASE >= OPEN_BYTES && msync((void *)(uintptr_t)page, 1, MS_ASYNC) == 0;
}

bool memory_hides(uint64_t address)
{
    return address - GUARD_BASE < GUARD_BYTES + HIDDEN_BYTES;
}

/* New memory is zero: whole pages are returned to the system; the rest, on pages shared with neighbours, is
 * cleared. */
static void unified_clear(const struct memory_range *range)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)range->bytes;
    uintptr_t end = begin + range->size_bytes, first = (begin + page - 1) / page * page,
              last = end / page * page;

    if (first >= last) {
        memset(range->bytes, 0, range->size_bytes);
        return;
    }
    memset(range->bytes, 0, first - begin);
    memset(range->bytes + (last - begin), 0, end - last);
    madvise(range->bytes + (first - begin), last - first, MADV_DONTNEED);
}

static void range_destroy(const struct memory *memory, struct memory_range *range)
{
    if (!range)
        return;
    if (range->bytes && memory->open && !range->adopted)
        unified_clear(range);
    else if (range->bytes && !range->adopted)
        munmap(range->bytes, range_host_bytes(range->size_bytes));
    if (range->initialised)
        munmap(range->initialised, range_bit_bytes(range->size_bytes));
    free(range);
}

/* In unified memory the range gets no pages of its own: they exist already. */
static struct memory_range *range_create(const struct memory *memory, uint64_t size_bytes)
{
    struct memory_range *range = calloc(1, sizeof *range);
    if (!range)
        return NULL;
    range->size_bytes = size_bytes;
    range->gpu = (uint8_t)memory->selected;
    range->bytes = memory->open ? NULL : pages_map(range_host_bytes(size_bytes));
    range->initialised = memory->checked ? pages_map(range_bit_bytes(size_bytes)) : NULL;
    if ((!range->bytes && !memory->open) || (memory->checked && !range->initialised)) {
        range_destroy(memory, range);
        return NULL;
    }
    return range;
}

void memory_destroy(struct memory *memory)
{
    if (!memory)
        return;
    for (size_t i = 0; i < memory->count; i++)
        range_destroy(memory, memory->ranges[i]);
    if (memory->open) {
        addresses_release(GUARD_BASE, GUARD_BYTES + HIDDEN_BYTES);
        addresses_release(OPEN_BASE, OPEN_BYTES);
        munmap(memory->hidden, HIDDEN_BYTES);
    }
    free(memory->ranges);
    free(memory);
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* The address space that an allocation uses, including the gap after it. */
static uint64_t range_span(uint64_t size_bytes)
{
    return round_up(size_bytes ? size_bytes : 1, MEMORY_ALIGNMENT) + MEMORY_GAP;
}

/* The last allocation that begins at or before the address; memory->count if there is none. */
static size_t memory_before(const struct memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->ranges[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : memory->count;
}

/* Index before which a range of size_bytes fits, and its address: the lowest of its part, which begins at `from`. */
static size_t memory_place(struct memory *memory, bool open, uint64_t from, uint64_t size_bytes,
                           uint64_t *address)
{
    const uint64_t span = range_span(size_bytes);
    const int order = 63 - __builtin_clzll(span);
    uint64_t *searched = &memory->searched[open][order];
    uint64_t at = *searched > from ? *searched : from, before = at, first = 0;
    size_t i = memory_before(memory, at);
    for (i = i == memory->count ? 0 : i; i < memory->count; i++) {
        const struct memory_range *range = memory->ranges[i];
        if (range->address < at) /* hidden, or adopted */
            continue;
        if (range->address - at >= span)
            break;
        if (first == 0 && range->address - at >= UINT64_C(1) << order) /* enough for a smaller one */
            first = before;
        before = range->address;
        at = range->address + range_span(range->size_bytes);
    }
    *searched = first ? first : at;
    *address = at;
    return i;
}

/* A gap begins where the allocation before it ends. */
static void memory_search_from(struct memory *memory, uint64_t before)
{
    for (size_t part = 0; part < 2; part++)
        for (size_t order = 0; order < 64; order++)
            if (memory->searched[part][order] > before)
                memory->searched[part][order] = before;
}

enum status memory_share(struct memory *memory, uint64_t address, struct error *error)
{
    size_t at = memory_before(memory, address);

    if (at == memory->count || memory->ranges[at]->address != address)
        return error_set(error, STATUS_STATE, "There is no allocation at 0x%llx to share with the host.",
                         (unsigned long long)address);
    memory->ranges[at]->shared = true;
    if (memory->ranges[at]->initialised)
        memory_mark(memory->ranges[at], 0, memory->ranges[at]->size_bytes);
    return STATUS_OK;
}

void memory_share_all(struct memory *memory, bool recorded)
{
    for (size_t i = 0; i < memory->count; i++) {
        struct memory_range *range = memory->ranges[i];
        if (!recorded && range->initialised && !range->unrecorded)
            memory_mark(range, 0, range->size_bytes);
        range->unrecorded = !recorded;
    }
}

enum status memory_reach_all(struct memory *memory, uint64_t address, struct error *error)
{
    size_t at = memory_before(memory, address);

    if (at == memory->count || memory->ranges[at]->address != address)
        return error_set(error, STATUS_STATE, "There is no allocation at 0x%llx for all GPUs to access.",
                         (unsigned long long)address);
    memory->ranges[at]->gpu = MEMORY_EVERY_GPU;
    return STATUS_OK;
}

enum status memory_adopt(struct memory *memory, void *bytes, uint64_t size_bytes, struct error *error)
{
    uint64_t address = (uint64_t)(uintptr_t)bytes;
    size_t at = memory_before(memory, address);

    if (!array_grow(memory->ranges, memory->capacity, memory->count, 1))
        return error_no_memory(error, "to register an allocation");
    struct memory_range *range = calloc(1, sizeof *range);
    if (!range)
        return error_no_memory(error, "to register an allocation");
    *range = (struct memory_range){.address = address,
                                   .size_bytes = size_bytes,
                                   .bytes = bytes,
                                   .gpu = MEMORY_EVERY_GPU,
                                   .adopted = true};
    range->initialised = memory->checked ? pages_map(range_bit_bytes(size_bytes)) : NULL;
    at = at == memory->count ? 0 : at + 1;
    memmove(&memory->ranges[at + 1], &memory->ranges[at], (memory->count - at) * sizeof memory->ranges[0]);
    memory->ranges[at] = range;
    memory->count++;
    return memory_share(memory, address, error);
}

/* The host's bytes of a range of unified memory; NULL: it does not fit into its part. */
static uint8_t *unified_bytes(const struct memory *memory, const struct memory_range *range, bool open)
{
    uint64_t offset = range->address - (open ? OPEN_BASE : UNIFIED_BASE);
    uint64_t room = open ? OPEN_BYTES : ALLOCATED_BYTES;
    if (offset > room || range->size_bytes > room - offset)
        return NULL;
    return (open ? memory->open : memory->hidden) + offset;
}

static void range_insert(struct memory *memory, struct memory_range *range, size_t at)
{
    memmove(&memory->ranges[at + 1], &memory->ranges[at], (memory->count - at) * sizeof memory->ranges[0]);
    memory->ranges[at] = range;
    memory->count++;
    *(range->host ? &memory->host_used_bytes : &memory->used_bytes) += range->size_bytes;
    for (size_t i = 0; i < MEMORY_FREED; i++)
        if (memory->freed[i].address < range->address + range->size_bytes &&
            range->address < memory->freed[i].address + memory->freed[i].size_bytes)
            memory->freed[i] = (struct memory_freed){0};
}

static enum status range_alloc(struct memory *memory, uint64_t size_bytes, bool open, bool host,
                               uint64_t *address, struct error *error)
{
    if (host && size_bytes > memory->host_limit_bytes - memory->host_used_bytes)
        return error_set(error, STATUS_MEMORY,
                         "There is not enough host memory for %llu bytes: use a smaller size.",
                         (unsigned long long)size_bytes);
    if (!host && size_bytes > memory_free_bytes(memory)) {
        return error_set(error, STATUS_MEMORY,
                         "The modelled device does not have %llu bytes left: %llu of its %llu are in use. "
                         "Free some, or use a smaller size.",
                         (unsigned long long)size_bytes, (unsigned long long)memory->used_bytes,
                         (unsigned long long)memory->limit_bytes);
    }
    if (!array_grow(memory->ranges, memory->capacity, memory->count, 1))
        return error_no_memory(error, "to register an allocation");
    struct memory_range *range = range_create(memory, size_bytes);
    if (!range) {
        return error_set(error, STATUS_MEMORY,
                         "This computer has no memory for %llu bytes of the modelled device: use a smaller "
                         "size, or close other programs.",
                         (unsigned long long)size_bytes);
    }
    range->host = host;
    if (host)
        range->gpu = MEMORY_EVERY_GPU;
    uint64_t base = !memory->open ? MEMORY_GLOBAL_BASE : open ? OPEN_BASE : UNIFIED_BASE;
    size_t at = memory_place(memory, open, base, size_bytes, &range->address);
    if (memory->open)
        range->bytes = unified_bytes(memory, range, open);
    if (!range->bytes) {
        range_destroy(memory, range);
        return error_set(error, STATUS_MEMORY,
                         "The device model has no free range of %llu bytes in its addresses.",
                         (unsigned long long)size_bytes);
    }
    range_insert(memory, range, at);
    *address = range->address;
    return STATUS_OK;
}

/* ---- reserved addresses ---- */
enum status memory_reserve(struct memory *memory, uint64_t size_bytes, uint64_t alignment, uint64_t *address,
                           struct error *error)
{
    uint64_t begin = round_up(memory->reserved_end, alignment);
    if (!memory->open || begin < memory->reserved_end || begin >= OPEN_BASE || size_bytes > OPEN_BASE - begin)
        return error_set(error, STATUS_MEMORY,
                         "The device model has no free range of %llu addresses to reserve.",
                         (unsigned long long)size_bytes);
    memory->reserved_end = begin + size_bytes;
    *address = begin;
    return STATUS_OK;
}

/* Is anything allocated in the range? */
static bool is_used(const struct memory *memory, uint64_t address, uint64_t size_bytes)
{
    for (size_t i = 0; i < memory->count; i++) {
        const struct memory_range *range = memory->ranges[i];
        if (range->address < address + size_bytes && address < range->address + range->size_bytes)
            return true;
    }
    return false;
}

static bool is_reserved(const struct memory *memory, uint64_t address, uint64_t size_bytes)
{
    return memory->open && address >= RESERVED_BASE && address <= memory->reserved_end &&
           size_bytes <= memory->reserved_end - address;
}

bool memory_unreserve(struct memory *memory, uint64_t address, uint64_t size_bytes)
{
    if (!is_reserved(memory, address, size_bytes) || is_used(memory, address, size_bytes))
        return false;
    if (address + size_bytes == memory->reserved_end) /* other addresses are not used again */
        memory->reserved_end = address;
    return true;
}

enum status memory_map(struct memory *memory, uint64_t address, uint64_t size_bytes, struct error *error)
{
    if (!is_reserved(memory, address, size_bytes) || is_used(memory, address, size_bytes))
        return error_set(error, STATUS_CHECK, "0x%llx: these addresses are not reserved, or in use.",
                         (unsigned long long)address);
    if (size_bytes > memory_free_bytes(memory))
        return error_set(error, STATUS_MEMORY, "The modelled device does not have %llu bytes left.",
                         (unsigned long long)size_bytes);
    struct memory_range *range = array_grow(memory->ranges, memory->capacity, memory->count, 1)
                                     ? range_create(memory, size_bytes)
                                     : NULL;
    if (!range)
        return error_no_memory(error, "to map an allocation");
    size_t at = memory_before(memory, address);
    range->address = address;
    range->bytes = memory->hidden + (address - UNIFIED_BASE);
    range_insert(memory, range, at == memory->count ? 0 : at + 1);
    return STATUS_OK;
}

enum status memory_alloc(struct memory *memory, uint64_t size_bytes, uint64_t *address, struct error *error)
{
    return range_alloc(memory, size_bytes, false, false, address, error);
}

enum status memory_alloc_open(struct memory *memory, uint64_t size_bytes, uint64_t *address,
                              struct error *error)
{
    return range_alloc(memory, size_bytes, true, false, address, error);
}

enum status memory_alloc_host(struct memory *memory, uint64_t size_bytes, uint64_t *address,
                              struct error *error)
{
    return range_alloc(memory, size_bytes, true, true, address, error);
}

enum status memory_free(struct memory *memory, uint64_t address, struct error *error)
{
    size_t at = memory_before(memory, address);
    if (at == memory->count || memory->ranges[at]->address != address) {
        return error_set(
            error, STATUS_CHECK,
            "There is no allocation at 0x%llx to free: pass the address that the allocation returned.",
            (unsigned long long)address);
    }
    if (!memory->ranges[at]->adopted)
        *(memory->ranges[at]->host ? &memory->host_used_bytes : &memory->used_bytes) -=
            memory->ranges[at]->size_bytes;
    memory->freed[memory->freed_count++ % MEMORY_FREED] =
        (struct memory_freed){address, memory->ranges[at]->size_bytes};
    memory_search_from(memory, at > 0 ? memory->ranges[at - 1]->address : 0);
    range_destroy(memory, memory->ranges[at]);
    memory->count--;
    memmove(&memory->ranges[at], &memory->ranges[at + 1], (memory->count - at) * sizeof memory->ranges[0]);
    return STATUS_OK;
}

const struct memory_freed *memory_freed(const struct memory *memory, uint64_t address)
{
    size_t kept = memory->freed_count < MEMORY_FREED ? memory->freed_count : MEMORY_FREED;
    for (size_t i = 1; i <= kept; i++) {
        const struct memory_freed *freed = &memory->freed[(memory->freed_count - i) % MEMORY_FREED];
        if (address - freed->address < freed->size_bytes)
            return freed;
    }
    return NULL;
}

uint64_t memory_used_bytes(const struct memory *memory)
{
    return memory->used_bytes;
}

uint64_t memory_free_bytes(const struct memory *memory)
{
    return memory->limit_bytes - memory->used_bytes;
}

const struct memory_range *memory_find(const struct memory *memory, uint64_t address)
{
    size_t at = memory_before(memory, address);
    if (at == memory->count || address - memory->ranges[at]->address >= memory->ranges[at]->size_bytes)
        return NULL;
    return memory->ranges[at];
}

void memory_select(struct memory *memory, uint32_t gpu)
{
    memory->selected = gpu;
}

void memory_allow(struct memory *memory, uint32_t gpu, uint32_t peer, bool allowed)
{
    const uint32_t bit = UINT32_C(1) << peer;

    memory->allowed[gpu] = allowed ? memory->allowed[gpu] | bit : memory->allowed[gpu] & ~bit;
}

bool memory_allowed(const struct memory *memory, uint32_t gpu, uint32_t peer)
{
    return gpu == peer || (memory->allowed[gpu] >> peer & 1);
}

static bool may_access(const struct memory *memory, const struct memory_range *range)
{
    return range->gpu == MEMORY_EVERY_GPU || memory_allowed(memory, memory->selected, range->gpu);
}

const struct memory_range *memory_reach(const struct memory *memory, uint64_t address)
{
    const struct memory_range *range = memory_find(memory, address);

    return range && may_access(memory, range) ? range : NULL;
}

uint32_t memory_owner(const struct memory *memory, uint64_t address)
{
    const struct memory_range *range = memory_find(memory, address);

    return range && !may_access(memory, range) ? range->gpu + 1u : 0;
}

const struct memory_range *memory_nearest(const struct memory *memory, uint64_t address)
{
    size_t at = memory_before(memory, address);
    if (memory->count == 0)
        return NULL;
    if (at == memory->count)
        return memory->ranges[0];
    const struct memory_range *before = memory->ranges[at];
    if (at + 1 == memory->count || address - before->address < before->size_bytes)
        return before;
    uint64_t past = address - (before->address + before->size_bytes);
    return memory->ranges[at + 1]->address - address < past ? memory->ranges[at + 1] : before;
}

void memory_mark(const struct memory_range *range, uint64_t offset, uint64_t size_bytes)
{
    uint8_t *bits = range->initialised;
    uint64_t end = offset + size_bytes;
    /* Another worker may be changing bits of the first and the last byte. */
    while (offset < end) {
        if (offset % 8 == 0 && end - offset >= 8) {
            uint64_t whole = (end - offset) / 8;
            memset(bits + offset / 8, 0xff, whole);
            offset += 8 * whole;
            continue;
        }
        uint64_t upto = offset / 8 * 8 + 8 < end ? offset / 8 * 8 + 8 : end;
        unsigned mask = ((1u << (upto - offset)) - 1u) << offset % 8;
        __atomic_fetch_or(&bits[offset / 8], (uint8_t)mask, __ATOMIC_RELAXED);
        offset = upto;
    }
}

/* Does another range begin where this one ends? Only mapped ones do. */
static bool memory_adjoins(const struct memory *memory, const struct memory_range *range)
{
    const struct memory_range *next = memory_find(memory, range->address + range->size_bytes);
    return next && !next->adopted && next->bytes == range->bytes + range->size_bytes;
}

enum status memory_access(struct memory *memory, uint64_t address, uint64_t size_bytes, bool write,
                          uint8_t **bytes, struct error *error)
{
    const struct memory_range *range = memory_find(memory, address);
    const struct memory_freed *freed = range ? NULL : memory_freed(memory, address);
    if (freed) {
        return error_set(error, STATUS_CHECK,
                         "0x%llx lies in the %llu bytes at 0x%llx of the modelled device, which were freed.",
                         (unsigned long long)address, (unsigned long long)freed->size_bytes,
                         (unsigned long long)freed->address);
    }
    if (!range) {
        return error_set(error, STATUS_CHECK,
                         "0x%llx is not an address of the modelled device: nothing is allocated there.",
                         (unsigned long long)address);
    }
    uint64_t offset = address - range->address;
    if (size_bytes > range->size_bytes - offset && memory_adjoins(memory, range)) {
        /* The bytes of the next mapping follow those of this one. */
        uint64_t here = range->size_bytes - offset;
        uint8_t *rest;
        enum status status = memory_access(memory, address + here, size_bytes - here, write, &rest, error);
        if (status != STATUS_OK)
            return status;
        size_bytes = here;
    }
    if (size_bytes > range->size_bytes - offset) {
        return error_set(error, STATUS_CHECK,
                         "%llu bytes at 0x%llx of the modelled device extend %llu past the end of "
                         "their allocation of %llu bytes at 0x%llx.",
                         (unsigned long long)size_bytes, (unsigned long long)address,
                         (unsigned long long)(size_bytes - (range->size_bytes - offset)),
                         (unsigned long long)range->size_bytes, (unsigned long long)range->address);
    }
    if (write && range->initialised)
        memory_mark(range, offset, size_bytes);
    *bytes = range->bytes + offset;
    return STATUS_OK;
}

const struct memory_range *memory_next_open(const struct memory *memory, const struct memory_range *after)
{
    for (size_t i = 0; memory->open && i < memory->count; i++) {
        const struct memory_range *range = memory->ranges[i];
        if ((!after || range->address > after->address) && !range->adopted &&
            range->address - OPEN_BASE < OPEN_BYTES)
            return range;
    }
    return NULL;
}
