/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbarriers, copies in bulk and clusters on the device model: what ends a kernel, with which sentence, and
 * what a missing wait shows. Results are compared with an H200's by tests/cli/test_standin.c
 * (tests/gpu/programs/cluster_facts.cu).
 */
#include "simt/device/device.h"
#include "simt/timing/gpu.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"kernel.cu\"\n"
#define ENTRY(directives, body)                                                                     \
    HEAD ".visible .entry k(.param .u64 out) " directives " { .reg .pred %p<9>; .reg .b32 %r<19>; " \
         ".reg .b64 %rd<19>; .shared .align 128 .b8 s[1024]; .shared .align 8 .b8 bar[16];\n"       \
         "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, bar; mov.u32 %r3, s; "        \
         "setp.eq.u32 %p1, %r1, 0; mov.u32 %r9, %cluster_ctarank;\n.loc 1 7 1\n" body "\nret; }\n"
#define WAIT "W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; @!%p2 bra W;\n"
/* As libcu++ waits: by the clock. */
#define WAIT_WITH_CLOCK                                                                                    \
    "W: mbarrier.test_wait.parity.shared::cta.b64 %p2, [%r2], 0; @%p2 bra E; mov.u64 %rd5, %globaltimer; " \
    "nanosleep.u32 20; bra W; E:\n"
#define COPY_IN(bytes) \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], " bytes ", [%r2];\n"
#define COPY_OUT(bytes) "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r3], " bytes ";\n"

static struct device *device;
static struct error error;
static const char *text;
static uint64_t out;

static const char *ptx_of(const char *image, size_t *size_bytes)
{
    (void)image;
    *size_bytes = strlen(text);
    return text;
}

static struct count_totals totals; /* of the last launch */
static void note_launch(void *owner, const struct simt_launch *launch)
{
    (void)owner;
    if (launch->result->counter.program)
        count_totals(&launch->result->counter, &totals);
}

static void open_model(const char *model)
{
    struct simt_options options = {.workers = 2,
                                   .ptx = ptx_of,
                                   .gpu = model ? gpu_find(model) : NULL,
                                   .sink = {.launched = note_launch}};
    cr_assert_eq(simt_device_open(&options, &device, &error), STATUS_OK, "%s", error.text);
    cr_assert_eq(device->ops->memory_alloc(device, 4096, &out, &error), STATUS_OK);
}

static void close_device(void)
{
    device->ops->close(device);
}

static enum status run(const char *kernel, uint32_t blocks, uint32_t threads, uint32_t cluster)
{
    text = kernel;
    struct device_launch asked = {.image = kernel,
                                  .kernel = "k",
                                  .grid = {blocks, 1, 1},
                                  .block = {threads, 1, 1},
                                  .cluster = {cluster, cluster != 0, cluster != 0},
                                  .arguments = (void *[]){&out}};
    return device->ops->launch(device, &asked, &error);
}

static void ends_with(const char *kernel, uint32_t threads, uint32_t cluster, enum status wanted,
                      const char *sentence)
{
    open_model(NULL);
    enum status status = run(kernel, cluster ? cluster : 1, threads, cluster);
    cr_assert_eq(status, wanted, "%s\n%s", kernel, error.text);
    cr_assert(strstr(error.text, sentence), "%s\n  is %s\n not %s", kernel, error.text, sentence);
    close_device();
}

Test(simt_clusters, an_mbarrier_that_is_none)
{
    ends_with(
        ENTRY("", WAIT), 32, 0, STATUS_CHECK,
        "uses the mbarrier at shared 0x400, which is not initialised (mbarrier.init), or was invalidated "
        "(kernel.cu:7, mbarrier.try_wait.parity.shared::cta.b64");
    ends_with(ENTRY("", "mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.shared.b64 _, [bar], 3;"), 1, 0,
              STATUS_CHECK, "more often than its phase expects arrivals");
    ends_with(ENTRY("", "mbarrier.init.shared.b64 [bar], %r1;"), 1, 0, STATUS_CHECK,
              "with a count that is not in 1 to 1048575");
    ends_with(ENTRY("", "mbarrier.init.shared.b64 [bar+4], 1;"), 1, 0, STATUS_CHECK,
              "which is not a multiple of 8");
}

Test(simt_clusters, arrivals_that_do_not_come)
{
#define ONE_OF_TWO \
    "@%p1 mbarrier.init.shared.b64 [bar], 2; bar.sync 0; @%p1 mbarrier.arrive.shared.b64 _, [bar];\n"
    static const char sentence[] =
        "thread (0,0,0) of block (0,0,0) and 63 others wait at the mbarrier at shared 0x400: "
        "1 arrival of the phase do not come (kernel.cu:7";
    ends_with(ENTRY("", ONE_OF_TWO WAIT), 64, 0, STATUS_CHECK, sentence);
    ends_with(ENTRY("", ONE_OF_TWO WAIT_WITH_CLOCK), 64, 0, STATUS_CHECK, sentence);
    ends_with(
        ENTRY(
            "",
            "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n" COPY_IN(
                "32") WAIT),
        1, 0, STATUS_CHECK,
        "waits at the mbarrier at shared 0x400: 32 bytes of copies of the phase do not come");
    /* A test that gives up may be of use: the thread that waits arrives itself. */
    ends_with(
        ENTRY("",
              "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0; "
              "@%p2 trap; mbarrier.arrive.shared.b64 _, [bar];\n" WAIT),
        1, 0, STATUS_OK, "");
}

Test(simt_clusters, copies_in_bulk_that_are_wrong)
{
#define PREPARE "mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n"
    ends_with(ENTRY("", PREPARE COPY_IN("24")), 1, 0, STATUS_CHECK,
              "copies 24 bytes in bulk, which is not a multiple of 16 (kernel.cu:7");
    ends_with(ENTRY("", PREPARE "add.u64 %rd1, %rd1, 8;\n" COPY_IN("32")), 1, 0, STATUS_CHECK,
              "which is not a multiple of 16");
    ends_with(ENTRY("", PREPARE COPY_IN("8192")), 1, 0, STATUS_CHECK,
              "reads 8192 bytes at global 0x700000000: 4096 bytes of them past the end of the 4096 bytes");
    ends_with(ENTRY("", PREPARE "add.u32 %r3, %r3, 1024;\n" COPY_IN("32")), 1, 0, STATUS_CHECK,
              "writes 32 bytes at shared 0x400");
    ends_with(ENTRY("", COPY_OUT("2048")), 1, 0, STATUS_CHECK, "reads 2048 bytes at shared 0x0");
}

static uint32_t word_after(const char *kernel, uint32_t at)
{
    uint32_t words[1024];
    open_model(NULL);
    for (uint32_t i = 0; i < 1024; i++)
        words[i] = 1000 + i;
    device->ops->copy(device, DEVICE_COPY_TO_DEVICE, out, device_host_address(words), sizeof words, 0, false,
                      &error);
    cr_assert_eq(run(kernel, 1, 1, 0), STATUS_OK, "%s", error.text);
    device->ops->copy(device, DEVICE_COPY_TO_HOST, device_host_address(words), out, sizeof words, 0, false,
                      &error);
    close_device();
    return words[at];
}

/* What is read before the wait is what was there before. */
Test(simt_clusters, a_missing_wait_shows)
{
#define OLD "mov.u32 %r4, 5; st.shared.u32 [s], %r4;\n"
#define FIRST "ld.shared.u32 %r5, [s]; st.global.u32 [%rd1+64], %r5;"
    cr_assert_eq(word_after(ENTRY("", PREPARE OLD COPY_IN("64") FIRST), 16), 5);
    cr_assert_eq(word_after(ENTRY("", PREPARE OLD COPY_IN("64") WAIT FIRST), 16), 1000);
#define CHANGE "mov.u32 %r4, 6; st.shared.u32 [s], %r4;\n"
#define COMMIT "cp.async.bulk.commit_group;\n"
    cr_assert_eq(word_after(ENTRY("", OLD COPY_OUT("16") COMMIT CHANGE), 0), 6, "the copy may read late");
    cr_assert_eq(
        word_after(ENTRY("", OLD COPY_OUT("16") COMMIT "cp.async.bulk.wait_group.read 0;\n" CHANGE), 0), 5);
    cr_assert_eq(word_after(ENTRY("", OLD COPY_OUT("16") COMMIT "cp.async.bulk.wait_group 1;\n" CHANGE), 0),
                 6, "one group may be open");
}

Test(simt_clusters, launches_that_are_refused)
{
    static const char nothing[] = ENTRY("", ""), four[] = ENTRY(".explicitcluster .reqnctapercluster 4", "");
    open_model(NULL);
    cr_assert_eq(run(nothing, 6, 32, 4), STATUS_USAGE);
    cr_assert(strstr(error.text, "6 blocks along x, which is not a multiple of the 4"), "%s", error.text);
    cr_assert_eq(run(nothing, 32, 32, 32), STATUS_USAGE);
    cr_assert(strstr(error.text, "a cluster has at most 16 blocks"), "%s", error.text);
    cr_assert_eq(run(four, 8, 32, 2), STATUS_USAGE);
    cr_assert(strstr(error.text, "was compiled for clusters of 4 x 1 x 1 blocks"), "%s", error.text);
    cr_assert_eq(run(four, 8, 32, 4), STATUS_OK, "%s", error.text);
    cr_assert_eq(run(four, 8, 32, 0), STATUS_OK, "%s", error.text);
    cr_assert_eq(run(ENTRY(".reqntid 32 .blocksareclusters .reqnctapercluster 4", ""), 8, 32, 0),
                 STATUS_UNSUPPORTED);
    cr_assert(strstr(error.text, "__block_size__"), "%s", error.text);
    close_device();
    open_model("a100");
    cr_assert_eq(run(nothing, 8, 32, 4), STATUS_UNSUPPORTED);
    cr_assert(strstr(error.text, "need compute capability 9.0"), "%s", error.text);
    cr_assert_eq(run(ENTRY("", "barrier.cluster.arrive; barrier.cluster.wait;"), 8, 32, 0),
                 STATUS_UNSUPPORTED);
    cr_assert(strstr(error.text, "clusters of blocks"), "%s", error.text);
    close_device();
}

Test(simt_clusters, blocks_that_do_not_arrive)
{
    static const char sentence[] =
        "thread (0,0,0) of block (0,0,0) and 31 others wait at the barrier of the cluster";
    ends_with(ENTRY("", "setp.eq.u32 %p3, %r9, 1; mbarrier.init.shared.b64 [bar], 33; bar.warp.sync -1;\n"
                        "@%p3 bra W; barrier.cluster.arrive; barrier.cluster.wait; ret;\n" WAIT),
              32, 2, STATUS_CHECK, sentence);
    /* Threads that have ended are not waited for; a thread that arrives and ends is counted once. */
    ends_with(ENTRY("", "setp.eq.u32 %p3, %r9, 1; @%p3 ret; barrier.cluster.arrive.relaxed; @%p1 ret; "
                        "barrier.cluster.wait.acquire;"),
              32, 2, STATUS_OK, "");
}

Test(simt_clusters, shared_memory_of_no_block)
{
    ends_with(ENTRY("", "mapa.shared::cluster.u32 %r4, %r3, 2; ld.shared::cluster.u32 %r5, [%r4];"), 1, 2,
              STATUS_CHECK, "reads 4 bytes at shared 0x3000000");
    ends_with(ENTRY("", "mapa.shared::cluster.u32 %r4, %r3, 1; ld.shared::cluster.u32 %r5, [%r4+2048];"), 1,
              2, STATUS_CHECK,
              "reads 4 bytes at shared 0x2000800: 1008 bytes past the end of its 1040 bytes");
    ends_with(
        ENTRY("", "mapa.shared::cluster.u32 %r4, %r2, 1; mbarrier.arrive.shared::cluster.b64 _, [%r4];"), 1,
        2, STATUS_CHECK, "uses the mbarrier at shared 0x2000400, which is not initialised");
}

static void count_of(const char *kernel, uint32_t threads, uint32_t cluster)
{
    totals = (struct count_totals){0};
    open_model(NULL);
    cr_assert_eq(run(kernel, cluster ? cluster : 1, threads, cluster), STATUS_OK, "%s", error.text);
    close_device();
}

/* As an H200 counts: tests/gpu/test_clusters.sh. A copy is cut where lines of shared memory end. */
Test(simt_clusters, sectors_of_copies_in_bulk)
{
#define MOVED(to, from) "add.u32 %r3, %r3, " to "; add.u64 %rd1, %rd1, " from ";\n"
    static const struct {
        const char *in, *out;
        uint64_t sectors;
    } rows[] = {
#define ROW(to, from, number) \
    {ENTRY("", PREPARE MOVED(to, from) COPY_IN("512")), ENTRY("", MOVED(to, from) COPY_OUT("512")), number}
        ROW("0", "0", 16), ROW("0", "48", 20), ROW("16", "0", 20), ROW("16", "16", 17), ROW("0", "32", 16),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        count_of(rows[i].in, 1, 0);
        cr_assert_eq(totals.bulk[0].transfers, rows[i].sectors, "%zu: %lu", i,
                     (unsigned long)totals.bulk[0].transfers);
        cr_assert_eq(totals.global[0].requests, 0, "they are no loads");
        count_of(rows[i].out, 1, 0);
        cr_assert_eq(totals.bulk[1].transfers, rows[i].sectors, "%zu: %lu", i,
                     (unsigned long)totals.bulk[1].transfers);
    }
}

Test(simt_clusters, accesses_to_other_blocks_count_by_sectors)
{
#define TO_RANK(rank) \
    "mapa.shared::cluster.u32 %r4, %r3, " rank "; shl.b32 %r5, %r1, 4; add.u32 %r4, %r4, %r5;\n"
    count_of(
        ENTRY(
            "",
            TO_RANK("0") "st.shared::cluster.u32 [%r4], %r1; barrier.cluster.arrive; barrier.cluster.wait;"),
        32, 2);
    cr_assert_eq(totals.cluster.requests, 1, "one block writes to the other, one to itself");
    cr_assert_eq(totals.cluster.transfers, 16);
    cr_assert_eq(totals.shared[1].requests, 1);
    cr_assert_eq(totals.shared[1].transfers, 4);
    count_of(ENTRY("", TO_RANK("1") "atom.shared::cluster.add.u32 %r6, [%r4], 1; barrier.cluster.arrive; "
                                    "barrier.cluster.wait;"),
             32, 2);
    cr_assert_eq(totals.cluster.requests, 1);
    cr_assert_eq(totals.cluster.transfers, 16);
    cr_assert_eq(totals.shared_atomics.requests, 1);
}
