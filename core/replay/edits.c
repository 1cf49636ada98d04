/* SPDX-License-Identifier: Apache-2.0 */
/* The table of edits. What is left of a call or a gap is chosen: a launch of a graph costs about a tenth of the
 * launches that it replaces, and a loop that does nothing but issue has gaps of a fiftieth. */
#include "core/replay/edits.h"

#include <string.h>

#define LAUNCH_LEFT 0.1
#define GAP_LEFT 0.02
#define CALL_LEFT 0.01
#define CHUNKS 4u

static void apply_launches(struct replay_change *change)
{
    change->launch = LAUNCH_LEFT;
}

static void apply_gaps(struct replay_change *change)
{
    change->gap = GAP_LEFT;
}

static void apply_waits(struct replay_change *change)
{
    change->no_waits = true;
}

static void apply_allocations(struct replay_change *change)
{
    change->allocate = CALL_LEFT;
}

static void apply_loading(struct replay_change *change)
{
    change->load = CALL_LEFT;
}

static void apply_calls(struct replay_change *change)
{
    change->no_calls = true;
}

static void apply_pinned(struct replay_change *change)
{
    change->pinned = true;
}

static void apply_merged(struct replay_change *change)
{
    change->merged = true;
}

static void apply_beside(struct replay_change *change)
{
    change->beside = true;
}

static void apply_chunks(struct replay_change *change)
{
    change->chunks = CHUNKS;
}

static void apply_rows(struct replay_change *change)
{
    change->whole = true;
}

static void apply_sleeps(struct replay_change *change)
{
    change->no_sleeps = true;
}

static void apply_events(struct replay_change *change)
{
    change->no_events = true;
}

static void apply_legacy(struct replay_change *change)
{
    change->no_legacy = true;
}

static void apply_sets(struct replay_change *change)
{
    change->no_sets = true;
}

static void apply_bounds(struct replay_change *change)
{
    change->bound = true;
}

static void apply_tensor(struct replay_change *change)
{
    change->tensor = true;
}

static void apply_casts(struct replay_change *change)
{
    change->no_casts = true;
}

static void apply_kept(struct replay_change *change)
{
    change->kept = true;
}

static void apply_collectives(struct replay_change *change)
{
    change->exchanged = true;
}

static void apply_hosts(struct replay_change *change)
{
    change->no_hosts = true;
}

static void apply_constants(struct replay_change *change)
{
    change->no_constants = true;
}

static void apply_uploads(struct replay_change *change)
{
    change->no_uploads = true;
}

static void apply_turns(struct replay_change *change)
{
    change->no_hands = true;
}

static void apply_fused(struct replay_change *change)
{
    change->fused = true;
}

static void apply_polls(struct replay_change *change)
{
    change->no_polls = true;
}

static void apply_swaps(struct replay_change *change)
{
    change->no_swaps = true;
}

static void apply_pool(struct replay_change *change)
{
    change->no_trims = true;
}

static void apply_even(struct replay_change *change)
{
    change->even = true;
}

static void apply_multiprocessors(struct replay_change *change)
{
    change->spread = true;
}

/* clang-format off */
static const struct replay_edit edits[] = {
    {"launches", "Launch, copy and set calls between two waits are one",
     "a graph, or fewer and larger operations, can issue the same work.",
     "capture the calls of a step into one graph, or fuse small kernels", false, REPLAY_HAS_CALLS, 0, apply_launches, "make the graphs larger: capture several of them, or several steps, into one; or give each of their kernels more work", 0, false},
    {"gaps", "The host's time between calls goes",
     "another thread can do that work in time, or it is not needed; an upper bound.",
     "do the host's work in another thread, or while the device has work queued", false, REPLAY_HAS_GAPS, 0, apply_gaps, NULL, REPLAY_AT_GAP, false},
    {"waits", "Synchronisation returns at once, but for the last one",
     "the host needs no result before the end of the loop; small copies to the host that it waits for are left out.",
     "issue the next work before waiting: wait once at the end, or for an event of the step before", false, REPLAY_HAS_WAITS, 0, apply_waits, NULL, REPLAY_AT_WAIT, false},
    {"allocations", "Memory is allocated and freed outside of the loop",
     "the sizes are known before it, or a pool keeps the memory.",
     "allocate once before the loop, or from a pool (cudaMallocAsync)", false, REPLAY_HAS_ALLOCATIONS, 0, apply_allocations, NULL, 0, true},
    {"loading", "Code is loaded, and graphs are captured and instantiated, before the loop",
     "what is loaded in the loop is the same each time.",
     "load modules, and capture and instantiate graphs, once before the loop; pad shapes, since libraries compile for each new one", false, REPLAY_HAS_LOADING, 0, apply_loading, NULL, 0, true},
    {"calls", "Streams, events and the like are made or asked for before the loop",
     "they are the same in each step.",
     "create streams and events once and keep them; ask for free memory and attributes once", false, REPLAY_HAS_ASIDE, 0, apply_calls, NULL, 0, true},
    {"pinned", "Copies from and to pageable memory take their bytes at the link's rate",
     "the host's buffers can be pinned.",
     "allocate the host's buffers pinned (cudaMallocHost), or keep the data on the device", false, REPLAY_HAS_PAGEABLE, 0, apply_pinned, NULL, REPLAY_AT_COPY, false},
    {"rows", "Copies of short rows take their bytes at the link's rate",
     "what lies between the rows can be copied with them, or the rows are put together first; an upper bound.",
     "copy the whole range with cudaMemcpyAsync and let the kernel step over what it does not need, or put the rows together on the host or by a kernel: cudaMemcpy2D moves each row by itself", false, REPLAY_HAS_ROWS, 0, apply_rows, NULL, 0, false},
    {"merged", "Small copies or sets that follow each other are one",
     "what they copy is known when the first of them starts, and lies or can be put together.",
     "gather the pieces in one buffer and copy it, or set it, once", false, REPLAY_HAS_SMALL, 0, apply_merged, NULL, 0, false},
    {"polls", "The host waits for the end of the work, in place of asking with pauses between",
     "nothing but the answer is waited for; what the host does in the pauses is not needed, or can be done by another thread.",
     "wait (cudaStreamSynchronize, cudaEventSynchronize; cudaDeviceScheduleBlockingSync keeps the core free) in place of polling (cudaStreamQuery, cudaEventQuery) with a sleep or other work in between", false, REPLAY_HAS_POLLS, 0, apply_polls, NULL, 0, true},
    {"sleeps", "Waits return as soon as the work has ended",
     "the host sleeps in them, as the time until it is told says, and a processor is free to spin.",
     "let the host spin where waits are short: no cudaDeviceScheduleBlockingSync (cudaSetDeviceFlags), no cudaEventBlockingSync", false, REPLAY_HAS_SLEEPS, 0, apply_sleeps, NULL, 0, true},
    {"pool", "The memory pool keeps its memory while the host waits",
     "its release threshold is 0, as it is unless the program sets it, so that each wait gives free memory back and the next allocation maps it anew.",
     "set the release threshold of the pool (cudaMemPoolSetAttribute, cudaMemPoolAttrReleaseThreshold, UINT64_MAX), or allocate once before the loop", false, REPLAY_HAS_TRIMS, 0, apply_pool, NULL, 0, true},
    {"hosts", "Host functions do not hold their stream",
     "what follows them in it does not need what they do.",
     "give the host function, and the copy whose data it reads, a stream of their own behind an event, with two buffers; or do its work in a thread that waits for that event", false, REPLAY_HAS_HOSTS, 0, apply_hosts, NULL, 0, true},
    {"constants", "Constants are set before the loop",
     "they are the same in each step.",
     "set constants (cudaMemcpyToSymbol) once before the loop, or pass what changes as an argument of the kernel", false, REPLAY_HAS_CONSTANTS, 0, apply_constants, NULL, 0, true},
    {"sets", "Memory is not set",
     "kernels write all that they read, or set it themselves.",
     "do not set memory that is overwritten before it is read", false, REPLAY_HAS_SETS, 0, apply_sets, NULL, 0, false},
    {"bounds", "Kernels take the time that what was measured leaves them",
     "what the rules find of each kernel can be mended; an upper bound.",
     "mend what the rules find of each kernel", false, REPLAY_HAS_BOUNDS, 0, apply_bounds, NULL, REPLAY_AT_KERNEL, false},
    {"tensor", "Matrix products in full 32-bit floats run on the tensor cores",
     "the precision of TF32 (10 bits of mantissa) or bfloat16 is enough.",
     "let the tensor cores do the products, if TF32's or bfloat16's precision is enough: CUBLAS_TF32_TENSOR_OP_MATH, torch.set_float32_matmul_precision(\"high\"), autocast", true, REPLAY_HAS_PRODUCTS, REPLAY_HAS_PRODUCTS_BOUND, apply_tensor, NULL, 0, false},
    {"casts", "Kernels that only convert or copy elements take no time",
     "what they read is the same in each step, as weights are, or can be read where and as it lies.",
     "convert once before the loop and keep the result, or store it in that type; pass a view instead of its copy (.contiguous()); keep one layout (channels_last); write a piece into a buffer that is large enough, instead of concatenating (torch.cat)", false, REPLAY_HAS_CASTS, 0, apply_casts, NULL, 0, false},
    {"fused", "Kernels on single elements that follow each other are one",
     "each element needs only those at its own place, and the results between them are not needed.",
     "fuse the elementwise kernels (torch.compile, one kernel of your own): each moves its bytes through DRAM again", true, REPLAY_HAS_FUSIBLE, REPLAY_HAS_ELEMENTS, apply_fused, NULL, 0, false},
    {"multiprocessors", "Kernels with few blocks, or a short last wave, use all multiprocessors",
     "their work can be divided into more blocks.",
     "use more and smaller blocks, or run such kernels beside each other in streams", true, REPLAY_HAS_SPREAD, REPLAY_HAS_ONE_STREAM, apply_multiprocessors, NULL, 0, false},
    {"beside", "Copies run beside the kernels of the neighbouring steps of their stream",
     "the copy of step i + 1 does not depend on the kernels of step i, and each buffer is there twice.",
     "use two buffers, pinned, and a stream of its own for the copies", true, REPLAY_HAS_COPIES, REPLAY_HAS_COPIES_BESIDE, apply_beside, NULL, 0, false},
    {"chunks", "Copies and kernels are cut into 4 chunks, each in a stream of its own",
     "a chunk of a kernel needs only its chunk of the copy before it.",
     "cut the work into chunks and give each a stream of its own", true, REPLAY_HAS_COPIES, REPLAY_HAS_COPIES_BESIDE, apply_chunks, NULL, 0, false},
    {"uploads", "Copies to the device that come again, of as many bytes, are made before the loop",
     "they bring the same data each time; only the sizes say that they may.",
     "copy what stays the same to the device once, before the loop", true, REPLAY_HAS_UPLOADS, 0, apply_uploads, NULL, 0, false},
    {"swaps", "Copies inside the device that come again between kernels are left out",
     "they copy a whole buffer that the next kernel could read where it lies; only their size and place say so.",
     "swap the pointers of the two buffers in place of the copy, or write the result where it is read", true, REPLAY_HAS_SWAPS, REPLAY_HAS_SWAPS, apply_swaps, NULL, 0, false},
    {"even", "Streams that share a kernel get equal parts of its work",
     "the work can be divided by what it costs; an upper bound.",
     "divide the work by its cost and not by its size, or in smaller pieces that the streams take in turn", true, REPLAY_HAS_UNEVEN, REPLAY_HAS_UNEVEN, apply_even, NULL, 0, false},
    {"kept", "Copies to the host that come back, of as many bytes, are left out",
     "the host changes nothing between them, or what it does can be done by a kernel; only the sizes say that they are the same.",
     "keep the data on the device: do in a kernel what the host does with it", true, REPLAY_HAS_TRIPS, 0, apply_kept, NULL, 0, false},
    {"collectives", "Kernels run beside the collective before them",
     "what they compute does not depend on it, but on the one before it at most; an upper bound, since both become slower.",
     "start each exchange as soon as its data is ready, in a stream of its own, while other kernels run", true, REPLAY_HAS_COLLECTIVES, REPLAY_HAS_COLLECTIVES, apply_collectives, NULL, 0, false},
    {"events", "Streams do not wait for events of other streams",
     "what waits does not depend on what it waits for.",
     "wait only for the event of the work whose results are read", true, REPLAY_HAS_EVENTS, REPLAY_HAS_KERNELS_BESIDE | REPLAY_HAS_STREAMS | REPLAY_HAS_COPY_STREAM, apply_events, NULL, 0, false},
    {"turns", "Threads do not take turns",
     "no lock has to be held while the device works, each thread has streams and buffers of its own, and they share the work.",
     "hold no lock from a copy or launch to its synchronisation: calls of CUDA may be made by all threads at once", true, REPLAY_HAS_HANDS, REPLAY_HAS_HANDS, apply_turns, NULL, 0, true},
    {"legacy", "The legacy default stream holds no other stream",
     "its work and that of the other streams do not depend on each other.",
     "use streams created with cudaStreamNonBlocking for all work; or compile with --default-stream per-thread", true, REPLAY_HAS_LEGACY, REPLAY_HAS_KERNELS_BESIDE | REPLAY_HAS_STREAMS, apply_legacy, NULL, 0, false}};
/* clang-format on */
_Static_assert(sizeof edits / sizeof *edits <= REPLAY_EDITS_MAX, "room for all edits");

const struct replay_edit *replay_edit_at(size_t index)
{
    return index < sizeof edits / sizeof *edits ? &edits[index] : NULL;
}

const char *replay_edit_now(const struct replay_edit *edit, const struct replay_facts *facts)
{
    return edit->now_graphs && (facts->has & REPLAY_HAS_GRAPHS) != 0 ? edit->now_graphs : edit->now;
}

const struct replay_edit *replay_edit_find(const char *id, size_t length)
{
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        if (strlen(edits[i].id) == length && strncmp(edits[i].id, id, length) == 0)
            return &edits[i];
    return NULL;
}
