/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits are counts of the reference solutions (tests/exercises), which follow from the sizes in `workload`,
 * and for instructions some more, since there is more than one good way to write a kernel. Limits are of
 * sums, not of ratios: a kernel that leaves lanes idle has few sectors per request, and more requests.
 */
#include "cli/exercise/exercises.h"

#include "core/base/append.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST(metric, number, text)                               \
    {                                                            \
        .figure = METRIC_##metric, .limit = number, .note = text \
    }
#define LEAST(metric, number, text)                                                \
    {                                                                              \
        .figure = METRIC_##metric, .at_least = true, .limit = number, .note = text \
    }
#define NONE_OF(metric)           \
    {                             \
        .figure = METRIC_##metric \
    }
/* Ways to read and write that loads, stores and their conflicts do not count. */
#define NO_DETOUR                                                                                \
    NONE_OF(bulk_read_sectors), NONE_OF(bulk_written_sectors), NONE_OF(cluster_access_requests), \
        NONE_OF(matrix_access_instructions)
#define NO_ATOMICS NONE_OF(atomic_passes), NONE_OF(shared_atomic_instructions)
#define FINDING(kind, sentence)                                      \
    {                                                                \
        .sign = SIGN_FINDING, .what = CHECK_##kind, .text = sentence \
    }
#define FINDING_OF(kind, words, sentence)                                           \
    {                                                                               \
        .sign = SIGN_FINDING, .what = CHECK_##kind, .code = words, .text = sentence \
    }
#define WRONG(sentence)                      \
    {                                        \
        .sign = SIGN_WRONG, .text = sentence \
    }
#define BETWEEN(metric, low, high, sentence)                                                    \
    {                                                                                           \
        .sign = SIGN_FIGURE, .what = METRIC_##metric, .from = low, .to = high, .text = sentence \
    }
#define FROM(metric, low, sentence) BETWEEN(metric, low, INFINITY, sentence)

#define FROM_OF(metric, low, words, sentence)                                                     \
    {                                                                                             \
        .sign = SIGN_FIGURE, .what = METRIC_##metric, .from = low, .to = INFINITY, .code = words, \
        .text = sentence                                                                          \
    }

#define RUN_FROM(name, low, sentence)                                                             \
    {                                                                                             \
        .sign = SIGN_FIGURE, .what = FIGURE_##name, .from = low, .to = INFINITY, .text = sentence \
    }

#define PER_REQUEST "4 for a request of 32 words"

static const struct exercise exercises[] = {
    {.name = "coalesce",
     .minutes = 10,
     .aim = "Make the requests of a copy coalesced: the 32 lanes of a warp share 4 sectors.",
     .workload = "copy-offset,offset=0,n=16384",
     .others = "copy-offset,offset=8|16|24,n=8192..15360/1024|17408..40960/1024",
     .sizes = "n",
     .goals = {MOST(global_load_sectors, 2048, PER_REQUEST), MOST(global_store_sectors, 2048, PER_REQUEST)},
     .bounds = {NO_ATOMICS, NO_DETOUR, MOST(global_load_requests, 512, "each word once"),
                MOST(global_store_requests, 512, "each word once")},
     .hints =
         {WRONG("A word is stored at another place than it came from: load and store need the same index."),
          FROM(
              global_load_sectors, 16384,
              "Each lane loads from a sector of its own, since neighbouring lanes stand 8 words or more "
              "apart. The index of a word should grow by 1 from lane to lane: threadIdx.x without a factor."),
          FROM(global_load_sectors, 4097,
               "Only few lanes share a sector: another order of the same kind does not help. The index of a "
               "word should grow by 1 from lane to lane."),
          FROM(global_load_sectors, 2049,
               "Half of each sector is used: lanes stand two words apart. A thread that takes two "
               "neighbouring "
               "words makes two such requests; let it take one word, or both by one load of 8 bytes."),
          FROM(global_store_sectors, 2049, "The loads are coalesced, the stores are not yet.")}},
    {.name = "loop",
     .minutes = 15,
     .aim = "Let a grid of any size process n words: no word twice, none past the end, and all coalesced.",
     .workload = "occupancy-smem:copy,n=16384",
     .others = "occupancy-smem:copy,n=5001..30001/1000,blocks=3..7|9..11",
     .sizes = "n",
     .goals = {MOST(global_load_requests, 512, "each word once"),
               MOST(global_load_sectors, 2048, PER_REQUEST), MOST(global_store_sectors, 2048, PER_REQUEST)},
     .bounds = {NO_ATOMICS, NO_DETOUR, MOST(global_store_requests, 512, "each word once")},
     .hints =
         {FINDING_OF(OUT_OF_BOUNDS, "<=n",
                     "One thread goes on to word n, and the array ends before it: `i <= n` has one round too "
                     "many, `i < n` has not."),
          FINDING(
              OUT_OF_BOUNDS,
              "A thread reads past the end of the array, whose last word is word n - 1: ask `i < n` before "
              "each access."),
          WRONG("Some words are not doubled: a thread has to go on until it is past word n - 1."),
          FROM(global_load_requests, 513,
               "Words are processed more than once: the stride of the loop is smaller than the number of "
               "threads "
               "of the grid, gridDim.x * blockDim.x."),
          FROM(global_load_sectors, 2049,
               "Each thread walks along a piece of its own, and neighbouring lanes stand a piece apart. In "
               "each "
               "round let neighbouring threads take neighbouring words, and then go on by the size of the "
               "grid.")}},
    {.name = "transpose",
     .minutes = 20,
     .aim = "Transpose a matrix with coalesced loads and coalesced stores, by a tile in shared memory.",
     .workload = "transpose:naive,n=128",
     .others = "transpose:naive,n=64|96|160|192|224",
     .sizes = "nn",
     .goals = {MOST(global_load_sectors, 2048, PER_REQUEST), MOST(global_store_sectors, 2048, PER_REQUEST)},
     .bounds = {NO_ATOMICS, NO_DETOUR, MOST(global_load_requests, 512, "each word once"),
                MOST(global_store_requests, 512, "each word once")},
     .hints =
         {FINDING(RACE, "A warp reads words of the tile that another warp may not have written yet: "
                        "__syncthreads() belongs between writing and reading it."),
          WRONG("Words arrive at wrong places. The tile of block (x, y) belongs at (y, x) of the result: "
                "exchange "
                "blockIdx.x and blockIdx.y for the store, and the two indices of the tile."),
          FROM(global_load_sectors, 2049,
               "Rows are written now, but columns are read, which costs as much. Both sides can be rows only "
               "if "
               "the words go through shared memory."),
          FROM(shared_store_instructions, 1,
               "The words go through shared memory, but each thread takes out what it has put in, and writes "
               "to "
               "a column. Let a warp read a column of the tile, tile[threadIdx.x][...], and write a row."),
          FROM(global_store_sectors, 2049,
               "A warp writes a column: 32 words in 32 sectors. Put the tile into shared memory by rows, "
               "take it "
               "out by columns, and write rows.")}},
    {.name = "padding",
     .minutes = 10,
     .aim = "Free a tile in shared memory of its bank conflicts.",
     .workload = "transpose:tile,n=128",
     .others = "transpose:tile,n=64|96|160|192|224",
     .sizes = "nn",
     .goals = {MOST(shared_load_conflicts, 0, "a column in 32 banks"), MOST(shared_store_conflicts, 0, NULL),
               MOST(global_load_sectors, 2048, PER_REQUEST), MOST(global_store_sectors, 2048, PER_REQUEST)},
     .bounds = {NO_ATOMICS, NO_DETOUR, MOST(global_load_requests, 512, "each word once"),
                MOST(global_store_requests, 512, "each word once")},
     .hints = {FINDING(RACE, "A warp reads words of the tile that another warp may not have written yet: "
                             "__syncthreads() belongs between writing and reading it."),
               WRONG("Words arrive at wrong places: only the place of a word in shared memory may change."),
               FROM(global_store_sectors, 2049,
                    "The conflicts are gone, but columns are written to global memory again: keep the tile."),
               FROM(global_load_sectors, 2049,
                    "The conflicts are gone, but columns of global memory are read: keep the tile."),
               FROM_OF(
                   shared_load_conflicts, 15872, "+1][TILE]",
                   "There is a row more, which no thread uses; the rows are as long as before, so a column "
                   "is still in one bank. The second number in brackets is the length of a row."),
               FROM(shared_load_conflicts, 15872,
                    "The 32 words of a column are still in one bank. What decides is the length of a row: 32 "
                    "words, or "
                    "a multiple of it, lead back to the same bank."),
               FROM(shared_load_conflicts, 1,
                    "There are fewer conflicts, but several words of a column still share a bank: the length "
                    "of a row "
                    "and 32 have a common divisor. An odd length has none.")}},
    {.name = "reduction",
     .minutes = 20,
     .aim = "Let whole warps drop out of a sum, not every second lane, and without bank conflicts.",
     .workload = "reduction:divergent,n=16384",
     .others = "reduction:divergent,n=8192..15872/512|16896..40960/512",
     .sizes = "n",
     .goals = {MOST(shared_load_instructions, 1700, "whole warps drop out"),
               MOST(shared_load_conflicts, 0, NULL), MOST(shared_store_conflicts, 0, NULL)},
     .bounds = {NO_ATOMICS, NO_DETOUR, MOST(instructions, 60000, "no warp works alone"),
                MOST(global_load_requests, 512, "each word once, 32 at a time"),
                MOST(global_load_sectors, 2048, PER_REQUEST)},
     .hints =
         {FINDING(RACE, "A step reads sums of the step before that other warps may not have written yet: all "
                        "threads of the block need a __syncthreads() after each step."),
          FINDING(DIVERGENT_BARRIER,
                  "Not all threads reach the barrier: __syncthreads() must lie outside of the condition."),
          WRONG("Some words are not added, or twice: follow the steps for a block of 8 words on paper."),
          FROM(shared_load_instructions, 7000,
               "One thread adds up all words while the others wait. Half of the threads can add at a time."),
          FROM(shared_load_conflicts, 1,
               "Whole warps drop out now, but the words of a step lie 2 s apart, which is in few banks. Let "
               "neighbouring threads use neighbouring words: add the upper half to the lower half."),
          FROM(shared_load_instructions, 1701,
               "Lanes drop out in every warp, so all warps execute all steps. Choose the threads by `t < s`, "
               "and "
               "add the word that lies s further on.")}},
    {.name = "shuffle",
     .minutes = 25,
     .aim = "Add up the words of a warp by shuffles; shared memory holds one word per warp.",
     .workload = "reduction:sequential,n=16384",
     .others = "reduction:sequential,n=8192..15872/512|16896..40960/512",
     .sizes = "n",
     .goals = {LEAST(lane_exchanges, 20480, "5 shuffles for each lane of a warp"),
               MOST(shared_load_instructions, 128, "one warp of a block reads"),
               MOST(shared_store_instructions, 512, "one word per warp")},
     .bounds = {NO_ATOMICS, NO_DETOUR, MOST(global_load_requests, 512, "each word once, 32 at a time"),
                MOST(global_load_sectors, 2048, PER_REQUEST),
                MOST(global_store_requests, 64, "a sum per block"), MOST(shared_load_wavefronts, 128, NULL),
                MOST(shared_store_wavefronts, 512, NULL)},
     .hints = {FINDING(RACE,
                       "A sum of a warp is read before all warps have written theirs: one __syncthreads() is "
                       "still needed."),
               WRONG("Not all lanes are added once: shuffles by 16, 8, 4, 2 and 1 lanes add up 32 lanes, if "
                     "all lanes of "
                     "the mask take part, and the first warp adds up the 8 sums."),
               FROM(shared_load_instructions, 1600,
                    "All steps go through shared memory. Within a warp __shfl_down_sync hands the word of "
                    "one lane to "
                    "another."),
               FROM(shared_load_instructions, 129,
                    "Only a part of the steps are shuffles. Begin with them: each warp adds up its 32 words, "
                    "and only "
                    "its sum goes to shared memory."),
               FROM(shared_store_instructions, 513,
                    "More than one word per warp is stored: only lane 0 has the sum of its warp."),
               BETWEEN(lane_exchanges, 0, 20479,
                       "The words do not go from lane to lane, or by an instruction that hides the steps. "
                       "Write them: __shfl_down_sync by 16, 8, 4, 2 and 1 lanes in each warp.")}},
    {.name = "histogram",
     .minutes = 20,
     .aim = "Count in bins of the block's own, so that few atomics go to global memory.",
     .workload = "histogram:global,bins=256,n=65536",
     .others = "histogram:global,skew=10|20|40,bins=256,n=32768..61440/4096|69632..131072/4096",
     .sizes = "n",
     .goals = {MOST(atomic_passes, 512, "256 bins of each of the 16 blocks, 8 in a sector"),
               MOST(global_load_requests, 2048, "each value once")},
     .bounds = {NO_DETOUR, LEAST(atomic_passes, 256, "each block adds its bins")},
     .hints =
         {FINDING(UNINITIALISED,
                  "The bins in shared memory begin with any numbers: set them to 0, and then wait "
                  "for all threads."),
          FINDING(RACE,
                  "Bins are used while other warps still set them to 0 or count: a __syncthreads() belongs "
                  "after the first, another after the second."),
          WRONG("Some values are not counted, or twice: each bin of each block is added to its bin of the "
                "device "
                "once."),
          FROM(atomic_passes, 20000,
               "All threads add to the bins in global memory, and wait for each other. Let each block count "
               "in "
               "bins in shared memory (__shared__ unsigned own[256]), and add those up at its end."),
          FROM(atomic_passes, 513,
               "The bins of the block are added to those of the device more often than once: that belongs "
               "after "
               "the last round."),
          FROM(global_load_requests, 2049, "Values are read more than once.")}},
    {.name = "tiles",
     .minutes = 25,
     .aim = "Load each word of a matrix product once per block, by tiles in shared memory.",
     .workload = "matmul-ab:simple,m=128,n=128",
     .others = "matmul-ab:simple,m=64|96|160|192,n=32|64|96|160|192",
     .sizes = "mn",
     .goals = {MOST(global_load_requests, 1024, "2 for each warp"), MOST(shared_load_conflicts, 0, NULL),
               MOST(shared_store_conflicts, 0, NULL)},
     .bounds = {NO_ATOMICS, NO_DETOUR, MOST(global_load_sectors, 4096, PER_REQUEST),
                MOST(global_store_requests, 512, "each word once")},
     .hints =
         {FINDING(RACE,
                  "A word of a tile is read before the warp that loads it has stored it: __syncthreads() "
                  "waits for the whole block, __syncwarp() for one warp only."),
          WRONG("The products are not those of a row of A and a column of B."),
          FROM(global_load_requests, 30000,
               "Each warp loads all words that it multiplies: 64 requests. Its row of A, and the tile of B "
               "for "
               "the whole block, can be loaded once and kept in shared memory."),
          FROM(global_load_requests, 1025,
               "One matrix is loaded once, the other is still loaded by every warp again: B needs a tile as "
               "well as A."),
          FROM(shared_load_conflicts, 1,
               "A tile is read by columns: its 32 words lie in one bank. Let neighbouring lanes read "
               "neighbouring words of a row."),
          FROM(shared_store_conflicts, 1,
               "A tile is stored by columns: its 32 words lie in one bank. Store it by rows.")}},
    {.name = "registers",
     .minutes = 15,
     .aim = "Keep the words of a thread out of local memory.",
     .workload = "local-array:variable,n=1024",
     .others = "local-array:variable,n=512|768|1280..2048/256,shift=0|1|6|17|40|63",
     .sizes = "n",
     .goals = {MOST(local_load_sectors, 0, "no array in local memory"),
               MOST(global_load_requests, 2048, "each word once")},
     .bounds = {NO_ATOMICS, NO_DETOUR, MOST(global_load_sectors, 8192, PER_REQUEST),
                MOST(global_store_requests, 32, "a word per thread"), NONE_OF(local_store_sectors)},
     .hints =
         {WRONG("The words are combined in another order: the k-th is word (k + shift) % 64, and shift is "
                "known "
                "only when the kernel runs."),
          FROM_OF(
              local_load_sectors, 1, "shift)%WORDS]=",
              "The index is computed for the stores now, no longer for the loads, and one such index is "
              "enough to keep the array in local memory. Load the words from memory in the order in which "
              "they are combined: then no array is needed."),
          FROM(local_load_sectors, 1,
               "The array is in local memory, because an index of it is computed when the kernel runs. Do "
               "without the array: memory has addresses already."),
          FROM(global_load_requests, 2049,
               "No array is left, but words are read many times: the address of the word that is needed next "
               "can be computed.")}},
    {.name = "divergence",
     .minutes = 15,
     .aim = "Let the lanes of a warp walk together, though their words are treated in two ways.",
     .workload = "divergence:lane,ways=2,n=4096",
     .others = "divergence:lane,ways=2,n=2048..3840/256|4352..8192/256",
     .sizes = "n",
     .goals = {MOST(instructions, 24000, "one walk per warp")},
     .bounds = {NO_ATOMICS, NO_DETOUR},
     .hints =
         {WRONG("Words are treated in the wrong way: it is the number of the word that decides, i % ways."),
          FROM(instructions, 40000,
               "The condition is evaluated in each round, and both ways are executed in each. Take it out of "
               "the "
               "loop."),
          BETWEEN(
              working_threads_per_warp, 0, 24,
              "Each warp walks both paths, with half of its lanes. Compare the paths: what do they differ "
              "in?"),
          FROM(instructions, 24001,
               "Nothing diverges, but every lane does the work of both paths. The paths differ in one "
               "number: "
               "choose that before the loop.")}},
    {.name = "barrier",
     .minutes = 15,
     .aim = "Find what is missing between the steps of a scan: a race.",
     .workload = "scan:naive,n=4096",
     .others = "scan:naive,n=2048..3584/512|4608..8192/512",
     .sizes = "n",
     .goals = {MOST(instructions, 12000, "all threads work")},
     .bounds = {NO_ATOMICS, NO_DETOUR, MOST(global_load_requests, 128, "each word once, 32 at a time"),
                MOST(global_store_requests, 128, "each word once, 32 at a time")},
     .hints =
         {FINDING(DIVERGENT_BARRIER,
                  "Not all threads of the block reach a barrier: __syncthreads() must lie outside of the "
                  "condition."),
          FINDING_OF(
              RACE, "__syncwarp(",
              "__syncwarp() waits for the 32 threads of a warp: the other 15 warps of the block may not "
              "have read yet when this one writes again. __syncthreads() waits for all of them."),
          FINDING_OF(
              RACE, "__threadfence",
              "A fence orders the writes of the thread that executes it, and waits for no other thread. "
              "Each of the two places needs a __syncthreads()."),
          FINDING(RACE,
                  "A thread writes its word while another thread may still read it, or reads before it is "
                  "written. Two __syncthreads() are needed in a step: one between writing and reading, one "
                  "between reading and the next writing."),
          WRONG("The sums are wrong though there is no race: in each step a thread adds the word that lies s "
                "before "
                "its own."),
          FROM(instructions, 12001, "It is right, but few threads do all the work.")}},
    {.name = "hide",
     .minutes = 25,
     .aim = "Hide copies beside kernels: pinned memory, chunks, streams, and what waits for what.",
     .workload = "staged-overlap:order,streams=8,n=1048576,rounds=384",
     .others = "staged-overlap:order,streams=8,n=786432|917504|1179648|1310720,rounds=384",
     .sizes = "n",
     .goals = {{.figure = FIGURE_COPY_HIDDEN_PCT, .at_least = true, .limit = 60}},
     .hints =
         {{.sign = SIGN_NOT_RUN,
           .text =
               "Each chunk is uploaded, then computed, then downloaded. Within a stream that is the order of "
               "the calls; between two streams only a wait makes one."},
          RUN_FROM(
              SERIAL_PCT(PAGEABLE), 20,
              "The chunks are in streams, but a copy from or to pageable memory does not return before it "
              "is done, so that the next call waits: take pinned memory."),
          RUN_FROM(SERIAL_PCT(DEFAULT_STREAM), 20,
                   "Stream 0 waits for all other streams, and they wait for it: do without it."),
          {.sign = SIGN_FIGURE,
           .what = FIGURE_SERIAL_PCT(SAME_STREAM),
           .from = 40,
           .to = INFINITY,
           .code = "issue(calls,PINNED)",
           .text =
               "The memory is pinned and the work may be in chunks, but one stream does one thing at a time: "
               "give the chunks to several streams."},
          RUN_FROM(SERIAL_PCT(SAME_STREAM), 40,
                   "All is in one stream, which does one thing at a time. Cut the work into chunks, and give "
                   "them to several streams. Copies overlap only from and to pinned memory."),
          RUN_FROM(
              COPY_HIDDEN_PCT, 0,
              "Some copies are hidden. The first upload and the last download never are: more and smaller "
              "chunks make them shorter, and more streams let the others begin earlier.")}},
};

const struct exercise *exercise_at(size_t index)
{
    return index < sizeof exercises / sizeof *exercises ? &exercises[index] : NULL;
}

const struct exercise *exercise_find(const char *name)
{
    for (size_t i = 0; exercise_at(i); i++)
        if (strcmp(exercises[i].name, name) == 0)
            return &exercises[i];
    return NULL;
}

static size_t count_goals(const struct exercise_goal *goals, size_t most)
{
    size_t count = 0;

    while (count < most && (goals[count].limit != 0 || goals[count].figure))
        count++;
    return count;
}

size_t exercise_goal_count(const struct exercise *exercise)
{
    return count_goals(exercise->goals, EXERCISE_GOALS_MAX);
}

size_t exercise_bound_count(const struct exercise *exercise)
{
    return count_goals(exercise->bounds, EXERCISE_BOUNDS_MAX);
}

/* ---- the second run ---- */
static double size_of(const struct workload_case *c, char letter)
{
    for (size_t i = 0; i < c->workload->param_count; i++)
        if (c->workload->params[i].name[0] == letter && !c->workload->params[i].name[1])
            return (double)c->params.value[i];
    return 1;
}

enum status exercise_draw(const struct exercise *exercise, const uint64_t random[2],
                          struct exercise_draw *draw, struct error *error)
{
    struct workload_case *shown = NULL, *others = NULL;
    size_t shown_count, other_count, used = 0;
    char params[120];
    enum status status = workload_parse(exercise->workload, &shown, &shown_count, error);

    if (status == STATUS_OK)
        status = workload_parse(exercise->others, &others, &other_count, error);
    if (status == STATUS_OK) {
        struct workload_case *drawn = &others[random[0] % other_count];

        drawn->params.value[drawn->workload->param_count] = (int64_t)(random[1] >> 2 | 1); /* the seed */
        workload_params_text(drawn, params, sizeof params);
        append_text(draw->text, sizeof draw->text, &used, "%s:%s,%s", drawn->workload->name,
                    drawn->variant->name, params);
        draw->growth = 1;
        for (const char *size = exercise->sizes; *size; size++)
            draw->growth *= size_of(drawn, *size) / size_of(shown, *size);
    }
    free(shown);
    free(others);
    return status;
}

double exercise_limit(const struct exercise_goal *goal, double growth)
{
    if (goal->figure >= FIGURE_COPY_HIDDEN_PCT)
        return goal->limit;
    return goal->at_least ? floor(goal->limit * growth) : ceil(goal->limit * growth);
}

const char *exercise_text(const struct exercise *exercise)
{
    char path[80];

    snprintf(path, sizeof path, "workloads/exercises/%s.cu", exercise->name);
    const struct text_file *file = text_find(path);

    return file ? file->text : "";
}

const char *exercise_figure_title(int figure)
{
    return figure == FIGURE_COPY_HIDDEN_PCT ? "copies hidden beside kernels"
                                            : metric_info((enum metric)figure)->title;
}

const char *exercise_figure_id(int figure)
{
    return figure == FIGURE_COPY_HIDDEN_PCT ? "copy_hidden_pct" : metric_info((enum metric)figure)->id;
}

void exercise_figure_text(int figure, double number, char *text, size_t size_bytes)
{
    struct value value = {.available = true, .number = number};

    if (figure == FIGURE_COPY_HIDDEN_PCT)
        snprintf(text, size_bytes, "%.1f %%", number);
    else
        metric_format((enum metric)figure, &value, text, size_bytes);
}

void exercise_goal_text(const struct exercise_goal *goal, char *text, size_t size_bytes)
{
    char limit[40];
    size_t used = 0;

    exercise_figure_text(goal->figure, goal->limit, limit, sizeof limit);
    if (goal->limit == 0)
        append_text(text, size_bytes, &used, "%s: none", exercise_figure_title(goal->figure));
    else
        append_text(text, size_bytes, &used, "%s: %s %s", exercise_figure_title(goal->figure),
                    goal->at_least ? "at least" : "at most", limit);
    if (goal->note)
        append_text(text, size_bytes, &used, " (%s)", goal->note);
}

/* The comment that begins its files; lines of the comment end at 100 columns. */
static void write_head(const struct exercise *exercise, FILE *file)
{
    char text[200];

    fprintf(file, "// exercise: %s\n//\n// Aim: %s\n// Goal: a right result with any input, and\n",
            exercise->name, exercise->aim);
    for (size_t i = 0; i < exercise_goal_count(exercise); i++) {
        exercise_goal_text(&exercise->goals[i], text, sizeof text);
        fprintf(file, "//   %s\n", text);
    }
    fprintf(file,
            "// Time: about %u minutes\n//\n// Check it:   lanescope exercise %s %s.cu\n"
            "// Look at it: lanescope --kernel %s.cu %s\n//\n",
            exercise->minutes, exercise->name, exercise->name, exercise->name, exercise->workload);
}

char *exercise_file_text(const struct exercise *exercise)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    if (!file)
        return NULL;
    write_head(exercise, file);
    fputs(exercise_text(exercise), file);
    if (fclose(file) == 0)
        return text;
    free(text);
    return NULL;
}
