/* One lane after the other, in the order of lanes, as atomics are. */
#include "simt/engine/async/mbarrier.h"

#include "simt/engine/async/bulk.h"
#include "simt/engine/async/cluster.h"
#include "simt/engine/warp_memory.h"

/* The time after which a try_wait without a hint gives up, in cycles. A GPU's is not documented. */
#define WAIT_CYCLES 1000000

static uint32_t *slot_32(const struct warp *warp, uint32_t slot)
{
    return (uint32_t *)(void *)(warp->frame + slot);
}

static uint64_t *slot_64(const struct warp *warp, uint32_t slot)
{
    return (uint64_t *)(void *)(warp->frame + slot);
}

/* The addresses of the lanes, in the space .shared::cluster. */
static void mbarrier_addresses(const struct worker *worker, const struct warp *warp,
                               const struct program_instruction *instruction, uint32_t on,
                               struct warp_access *access)
{
    warp_access_begin(access, instruction, on, true);
    warp_addresses(worker, warp, instruction->source[0], instruction->offset, instruction->address_is_32_bits,
                   access);
    for (int lane = 0; lane < WARP_LANES; lane++)
        access->address[lane] = warp_shared_address(access->address[lane]);
}

static uint64_t *mbarrier_word(struct worker *worker, const struct warp *warp, uint32_t pc,
                               const struct warp_access *access, uint32_t lane)
{
    const struct memory_range *range =
        warp_locate(worker, warp, pc, PTX_SHARED, access, lane, 0, MBARRIER_BYTES);
    return range ? (uint64_t *)(void *)(range->bytes + (access->address[lane] - range->address)) : NULL;
}

bool mbarrier_allow(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t lane,
                    uint64_t address, enum mbarrier_result result)
{
    if (result == MBARRIER_OK)
        return true;
    worker->fault = worker_report(worker, warp, CHECK_MBARRIER, pc, lane);
    worker->fault.space = PTX_SHARED;
    worker->fault.address = address;
    worker->fault.mbarrier_fault = result;
    return false;
}

/* cp.async.mbarrier.arrive. */
static enum mbarrier_result arrive_after_copies(struct worker *worker, const struct warp *warp, uint32_t pc,
                                                uint32_t lane, uint64_t *word, uint64_t address, bool *memory)
{
    bool counted = worker->run->program->instructions[pc].sub == MBARRIER_DO_COPIES_NOINC;
    enum mbarrier_result result = counted ? MBARRIER_OK : mbarrier_expect_one(word);
    *memory = bulk_arrive_later(worker, warp, pc, lane, word, address);
    return result;
}

static enum mbarrier_result expect_and_arrive(uint64_t *word, uint32_t bytes, bool drop)
{
    enum mbarrier_result result = mbarrier_add_bytes(word, bytes);
    return result == MBARRIER_OK ? mbarrier_arrive(word, 1, drop) : result;
}

static enum mbarrier_result mbarrier_do(uint32_t sub, uint64_t *word, uint32_t count)
{
    struct mbarrier barrier;
    switch ((enum program_mbarrier)sub) {
    case MBARRIER_DO_INIT: return mbarrier_init(word, count);
    case MBARRIER_DO_INVAL:
        if (!mbarrier_read(*word, &barrier))
            return MBARRIER_IS_NONE;
        *word = 0;
        return MBARRIER_OK;
    case MBARRIER_DO_EXPECT: return mbarrier_add_bytes(word, count);
    case MBARRIER_DO_COMPLETE: return mbarrier_add_bytes(word, -(int64_t)count);
    case MBARRIER_DO_ARRIVE: return mbarrier_arrive(word, count, false);
    case MBARRIER_DO_DROP: return mbarrier_arrive(word, count, true);
    case MBARRIER_DO_EXPECT_ARRIVE: return expect_and_arrive(word, count, false);
    default: return expect_and_arrive(word, count, true);
    }
}

/* The number of a token's pending arrivals. */
static void pending_count(struct warp *warp, const struct program_instruction *instruction, uint32_t on)
{
    const uint64_t *tokens = slot_64(warp, instruction->source[1]);
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct mbarrier barrier = {0};
        mbarrier_read(tokens[lane], &barrier);
        slot_32(warp, instruction->destination[0])[lane] = barrier.pending;
    }
}

enum warp_stop warp_mbarrier(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct warp_access access;
    uint64_t ordered = UINT64_MAX; /* the mbarrier of the lane before: one order for all lanes at it */
    if (instruction->sub == MBARRIER_DO_PENDING) {
        pending_count(warp, instruction, on);
        return WARP_GOES_ON;
    }
    mbarrier_addresses(worker, warp, instruction, on, &access);
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t *word = mbarrier_word(worker, warp, pc, &access, lane);
        bool copies = instruction->sub >= MBARRIER_DO_COPIES, memory = true;
        if (!word)
            return WARP_FAILS;
        uint64_t before = *word;
        uint32_t count =
            instruction->source[1] == PROGRAM_NO_SLOT ? 1 : slot_32(warp, instruction->source[1])[lane];
        if (instruction->sub >= MBARRIER_DO_COMPLETE && !copies && access.address[lane] != ordered)
            cluster_order_arrival(worker, warp->index, ordered = access.address[lane]);
        enum mbarrier_result result =
            copies ? arrive_after_copies(worker, warp, pc, lane, word, access.address[lane], &memory)
                   : mbarrier_do(instruction->sub, word, count);
        if (!memory)
            return WARP_NO_MEMORY;
        if (!mbarrier_allow(worker, warp, pc, lane, access.address[lane], result))
            return WARP_FAILS;
        if (instruction->destination[0] != PROGRAM_NO_SLOT)
            slot_64(warp, instruction->destination[0])[lane] = before;
    }
    warp->polls = warp->yields = 0;
    worker->block.changes++;
    return WARP_GOES_ON;
}

/* ---- tests ---- */
static void results_set(struct warp *warp, const struct program_instruction *instruction, uint32_t on,
                        uint32_t passed)
{
    uint32_t *predicate = slot_32(warp, instruction->destination[0]);
    *predicate = (*predicate & ~on) | (passed & on);
}

/* The phase that the lane waits for has ended. Each lane may name another mbarrier. */
static bool phase_has_ended(const struct warp *warp, const struct program_instruction *instruction,
                            uint32_t lane, uint64_t word)
{
    bool waited = instruction->sub ? slot_32(warp, instruction->source[1])[lane] & 1u
                                   : mbarrier_phase(slot_64(warp, instruction->source[1])[lane]);
    return mbarrier_phase(word) != waited;
}

/* Lanes have passed: an mbarrier counts once for neighbouring lanes that name it. */
static void order_wait(struct worker *worker, const struct warp *warp, const struct warp_access *access,
                       uint32_t lanes)
{
    uint64_t before = UINT64_MAX;
    for (uint32_t left = worker->order ? lanes : 0; left; left &= left - 1) {
        uint64_t address = access->address[__builtin_ctz(left)];
        if (address != before)
            cluster_order_wait(worker, warp, lanes, address);
        before = address;
    }
}

bool warp_mbarrier_test(struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on, bool *passed)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    struct warp_access access;
    struct mbarrier barrier;
    uint32_t ended = 0;
    mbarrier_addresses(worker, warp, instruction, on, &access);
    for (uint32_t left = on; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t *word = mbarrier_word(worker, warp, pc, &access, lane);
        if (!word)
            return false;
        if (!mbarrier_allow(worker, warp, pc, lane, access.address[lane],
                            mbarrier_read(*word, &barrier) ? MBARRIER_OK : MBARRIER_IS_NONE))
            return false;
        if (!phase_has_ended(warp, instruction, lane, *word) && !bulk_complete(worker, word))
            return false;
        if (phase_has_ended(warp, instruction, lane, *word))
            ended |= 1u << lane;
    }
    *passed = ended != 0;
    order_wait(worker, warp, &access, ended);
    if (ended)
        results_set(warp, instruction, on, ended);
    return true;
}

uint64_t warp_mbarrier_expire(const struct worker *worker, struct warp *warp, uint32_t pc, uint32_t on)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    results_set(warp, instruction, on, 0);
    return instruction->source[2] == PROGRAM_NO_SLOT
               ? WAIT_CYCLES
               : slot_32(warp, instruction->source[2])[__builtin_ctz(on)];
}

void warp_mbarrier_describe(struct worker *worker, const struct warp *warp, uint32_t pc, uint32_t on,
                            struct check_report *report)
{
    const struct program_instruction *instruction = &worker->run->program->instructions[pc];
    uint32_t lane = (uint32_t)__builtin_ctz(on);
    struct warp_access access;
    struct mbarrier barrier = {0};
    mbarrier_addresses(worker, warp, instruction, on, &access);
    const uint64_t *word = mbarrier_word(worker, warp, pc, &access, lane);
    if (word)
        mbarrier_read(*word, &barrier);
    report->space = PTX_SHARED;
    report->address = access.address[lane];
    report->at_mbarrier = true;
    report->mbarrier_arrivals = barrier.pending;
    report->mbarrier_bytes = barrier.bytes;
}
