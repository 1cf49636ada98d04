/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of kernels: rows are found by their keys and grow, names of files hold no machine's path, and what
 * the wire brings of code is checked before it is taken.
 */
#include "core/hardware/access.h"
#include "core/session/code.h"
#include "tests/shared/made/feed.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of files ---- */
Test(code, names_of_files_have_no_machine_in_them)
{
    static const struct {
        const char *path, *folder, *name;
    } cases[] = {
        {"/home/someone/lanescope/workloads/kernels/transpose.cu", "/home/someone",
         "workloads/kernels/transpose.cu"},
        {"/home/someone/project/src/step.cu", "/home/someone/project", "src/step.cu"},
        {"/home/someone/project2/src/step.cu", "/home/someone/project", "src/step.cu"},
        {"/opt/cuda/include/cub/block/block_scan.cuh", "/home/someone", "include/cub/block/block_scan.cuh"},
        {"/usr/a/include/b/include/c.h", NULL, "include/c.h"},
        {"/kernel.cu", "/", "/kernel.cu"},
        {"/tmp/x.cu", NULL, "tmp/x.cu"},
        {"./src/x.cu", "/a", "src/x.cu"},
        {"../../other/src/x.cu", "/a", "src/x.cu"},
        {"x.cu", "/a", "x.cu"},
        {"", NULL, ""},
    };
    char name[64];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        code_file_name(cases[i].path, cases[i].folder, name, sizeof name);
        cr_assert_str_eq(name, cases[i].name, "%s", cases[i].path);
    }
    code_file_name("/a/b/0123456789", NULL, name, 5);
    cr_assert_str_eq(name, "b/01");
}

/* ---- rows ---- */
Test(code, rows_are_found_by_their_keys_and_grow)
{
    struct feed feed = feed_open();
    struct session *session = feed.session;
    uint32_t kernel = session_add_string(session, "_Z1kPf", 6),
             reason = session_add_string(session, "barrier", 7);
    struct function_row function = {.mangled = kernel, .module = 7};
    uint32_t first = session_add_function(session, &function);
    function.module = 8;
    cr_assert_eq(session_add_function(session, &function), first + 1, "another module has another function");
    function.module = 7;
    cr_assert_eq(session_add_function(session, &function), first);
    uint32_t at = session_add_instruction(session, first, 16);
    cr_assert_neq(session_add_instruction(session, first + 1, 16), at);
    cr_assert_eq(session_add_instruction(session, first, 16), at);
    cr_assert_eq(session_add_instruction(session, 99, 16), NONE);

    session_set_instruction(session, at, 0, reason, 12);
    session_set_instruction(session, at, kernel, 0, 0);
    cr_assert_eq(session_instruction(session, at)->text, kernel);
    cr_assert_eq(session_instruction(session, at)->file, reason);
    cr_assert_eq(session_instruction(session, at)->line, 12);

    struct stall_row stall = {
        .run = feed.run, .kernel = NONE, .instruction = at, .reason = reason, .samples = 5};
    cr_assert_eq(session_add_stall(session, &stall), 0);
    cr_assert_eq(session_add_stall(session, &stall), 0);
    cr_assert_eq(session_stall(session, 0)->samples, 10);
    stall.samples = CODE_AMOUNT_MAX + 1;
    cr_assert_eq(session_add_stall(session, &stall), NONE);
    stall.samples = 1;
    stall.instruction = 99;
    cr_assert_eq(session_add_stall(session, &stall), NONE);

    struct tally_row tally = {
        .run = feed.run, .kernel = NONE, .instruction = at, .counter = reason, .launches = 1, .number = 32};
    cr_assert_eq(session_add_tally(session, &tally), 0);
    tally.number = 0;
    cr_assert_eq(session_add_tally(session, &tally), 0);
    cr_assert_eq(session_tally(session, 0)->number, 32);
    cr_assert_eq(session_tally(session, 0)->launches, 2);
    feed_close(&feed);
}

Test(code, sources_are_kept_once_and_are_bounded)
{
    struct feed feed = feed_open();
    char *large = malloc(SOURCE_BYTES_MAX + 1);
    memset(large, 'x', SOURCE_BYTES_MAX + 1);
    uint32_t file = session_add_string(feed.session, "a.cu", 4);
    cr_assert_eq(session_add_source(feed.session, file, large, SOURCE_BYTES_MAX + 1), NONE);
    cr_assert_null(session_source_text(feed.session, "a.cu"));
    cr_assert_eq(session_add_source(feed.session, file, "one\ntwo\n", 8), 0);
    cr_assert_eq(session_add_source(feed.session, file, "other", 5), 0);
    cr_assert_str_eq(session_source_text(feed.session, "a.cu"), "one\ntwo\n");
    cr_assert_eq(session_add_source(feed.session, 0, "other", 5), NONE);
    for (unsigned i = 0; i < 40; i++) {
        char name[16];
        int size = snprintf(name, sizeof name, "%u.cu", i);
        large[0] = (char)('a' + i % 26);
        large[1] = (char)('a' + i / 26);
        session_add_source(feed.session, session_add_string(feed.session, name, (size_t)size), large,
                           SOURCE_BYTES_MAX);
    }
    cr_assert_eq(session_source_count(feed.session), SOURCES_BYTES_MAX / SOURCE_BYTES_MAX);
    cr_assert_lt(session_memory_bytes(feed.session), SOURCES_BYTES_MAX + (4u << 20));
    free(large);
    feed_close(&feed);
}

/* ---- the wire ---- */
static bool read_source(void *context, const char *path, char **text, size_t *size_bytes)
{
    ++*(unsigned *)context;
    if (strcmp(path, "/home/someone/p/src/k.cu") != 0)
        return false;
    *text = strdup("int a;\nint b;\n");
    *size_bytes = strlen(*text);
    return true;
}

enum { NAME = 1, TEXT, FILE_PATH, REASON, COUNTER, CUBIN, OTHER_FILE };

static struct feed feed_code(void)
{
    struct feed feed = feed_open();
    feed_string(&feed, NAME, "_Z1kPf");
    feed_string(&feed, TEXT, "LDG.E R2, [R4.64]");
    feed_string(&feed, FILE_PATH, "/home/someone/p/src/k.cu");
    feed_string(&feed, REASON, "smsp__pcsamp_warps_issue_stalled_long_scoreboard");
    feed_string(&feed, COUNTER, "smsp__sass_inst_executed");
    feed_string(&feed, CUBIN, "/tmp/secret-folder/7.cubin");
    feed_string(&feed, OTHER_FILE, "/home/someone/other/h.cuh");
    feed_shape(&feed, 1, NAME);
    feed_send(
        &feed,
        (struct event){.kind = EVENT_FUNCTION,
                       .function = {.id = 3, .name = NAME, .module = 77, .size_bytes = 256, .cubin = CUBIN}});
    return feed;
}

static struct event stalls(uint32_t pc_offset, uint64_t samples)
{
    return (struct event){.kind = EVENT_STALLS,
                          .stalls = {.function = 3,
                                     .pc_offset = pc_offset,
                                     .reason = REASON,
                                     .samples = samples,
                                     .period_cycles = 2048,
                                     .shape = 1}};
}

static struct event count(uint32_t pc_offset, uint64_t number)
{
    return (struct event){
        .kind = EVENT_INSTRUCTION_COUNT,
        .instruction_count = {
            .function = 3, .pc_offset = pc_offset, .counter = COUNTER, .number = number, .shape = 1}};
}

static struct event access_event(uint32_t pc_offset, uint32_t addresses)
{
    return (struct event){.kind = EVENT_ACCESS,
                          .flags = ACCESS_IS_STORE | ACCESS_IS_ALONE,
                          .access = {.function = 3,
                                     .pc_offset = pc_offset,
                                     .shape = 1,
                                     .addresses = addresses,
                                     .block = 7,
                                     .warp = 2,
                                     .transfers = 5,
                                     .ideal_transfers = 4,
                                     .space = ACCESS_GLOBAL,
                                     .width_bytes = 4,
                                     .requests = 9,
                                     .all_transfers = 45,
                                     .all_ideal_transfers = 36}};
}

static bool has_string(const struct session *session, const char *part)
{
    for (uint32_t i = 1; session_string(session, i)[0] != '\0'; i++)
        if (strstr(session_string(session, i), part) != NULL)
            return true;
    return false;
}

Test(code, comes_over_the_wire)
{
    struct feed feed = feed_code();
    unsigned reads = 0;
    intake_set_sources(feed.intake, "/home/someone/p", read_source, &reads);
    for (uint32_t offset = 0; offset < 64; offset += 16)
        feed_send(&feed, (struct event){.kind = EVENT_INSTRUCTION,
                                        .instruction = {.function = 3,
                                                        .pc_offset = offset,
                                                        .text = TEXT,
                                                        .file = offset < 32 ? FILE_PATH : OTHER_FILE,
                                                        .line = 2}});
    feed_send(&feed, stalls(16, 40));
    feed_send(&feed, stalls(16, 2));
    feed_send(&feed, stalls(240, 1)); /* an instruction that was not announced */
    feed_send(&feed, count(16, 320));
    feed_send(&feed, count(16, 322));
    cr_assert_eq(feed_stats(&feed).malformed, 0);

    const struct session *session = feed.session;
    cr_assert_eq(session_function_count(session), 1);
    cr_assert_str_eq(session_string(session, session_function(session, 0)->name), "k(float*)");
    cr_assert_str_eq(session_string(session, session_function(session, 0)->cubin), "7.cubin");
    cr_assert_eq(session_instruction_count(session), 5);
    const struct instruction_row *instruction = session_instruction(session, 1);
    cr_assert_eq(instruction->pc_offset, 16);
    cr_assert_str_eq(session_string(session, instruction->file), "src/k.cu");
    cr_assert_str_eq(session_string(session, session_instruction(session, 2)->file), "other/h.cuh");
    cr_assert_str_eq(session_source_text(session, "src/k.cu"), "int a;\nint b;\n");
    cr_assert_eq(session_source_count(session), 1);
    cr_assert_eq(reads, 2, "each file is asked for once");
    const struct stall_row *stall = session_stall(session, 0);
    cr_assert(stall->samples == 42 && stall->run == feed.run && stall->period_cycles == 2048);
    cr_assert_eq(session_kernel(session, stall->kernel)->shape, 0);
    cr_assert_eq(session_kernel(session, stall->kernel)->launches, 0);
    const struct tally_row *tally = session_tally(session, 0);
    cr_assert(tally->number == 642 && tally->launches == 2 && tally->kernel == stall->kernel);
    cr_assert_not(has_string(session, "someone"), "a path of the machine is kept");
    cr_assert_not(has_string(session, "secret"), "a path of the machine is kept");
    feed_close(&feed);
}

#define ADDRESSES 30
#define NO_ADDRESSES 31

static void feed_addresses(struct feed *feed)
{
    feed_string(feed, ADDRESSES,
                "700000010 - 700000018 - - - - - - - - - - - - - - - - - - - - - - - - - - - - -");
    feed_string(feed, NO_ADDRESSES, "700000010 700000014");
}

Test(code, accesses_come_over_the_wire)
{
    struct feed feed = feed_code();
    struct warp_access access;
    feed_addresses(&feed);
    feed_send(&feed, access_event(16, ADDRESSES));
    cr_assert_eq(feed_stats(&feed).malformed, 0);
    cr_assert_eq(session_access_count(feed.session), 1);
    const struct access_row *row = session_access(feed.session, 0);
    cr_assert_eq(session_instruction(feed.session, row->instruction)->pc_offset, 16);
    cr_assert_eq(session_kernel(feed.session, row->kernel)->shape, 0);
    cr_assert(row->run == feed.run && row->block == 7 && row->warp == 2 && row->transfers == 5);
    cr_assert(row->requests == 9 && row->all_transfers == 45 && row->all_ideal_transfers == 36);
    session_access_addresses(feed.session, row, &access);
    cr_assert(access.active == 5 && access.address[2] == 0x700000018 && access.store);
    cr_assert(access.width_bytes == 4 && access.l1 == ACCESS_L1_DEFAULT && !access.local);
    feed_close(&feed);
}

Test(code, accesses_that_are_none_are_counted)
{
    struct feed feed = feed_code();
    struct event bad[] = {access_event(16, 0),          access_event(16, NO_ADDRESSES),
                          access_event(256, ADDRESSES), access_event(16, ADDRESSES),
                          access_event(16, ADDRESSES),  access_event(16, ADDRESSES),
                          access_event(16, ADDRESSES)};
    feed_addresses(&feed);
    bad[3].access.width_bytes = 3;
    bad[4].access.space = ACCESS_SPACE_COUNT;
    bad[5].flags = ACCESS_FLAGS + 1;
    bad[6].access.shape = 5;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        feed_send(&feed, bad[i]);
        cr_assert_eq(feed_stats(&feed).malformed, i + 1, "event %d", (int)i);
    }
    cr_assert_eq(session_access_count(feed.session), 0);
    feed_close(&feed);
}

/* A text that begins as a path does is a name like any other where it is no file's. */
Test(code, a_path_may_be_a_name)
{
    struct feed feed = feed_open();
    feed_string(&feed, 2, "/api/v1/users");
    feed_send(&feed, feed_range(EVENT_RANGE_BEGIN, 100, 1));
    feed_send(&feed, feed_range(EVENT_RANGE_END, 200, 1));
    feed_watermark(&feed, 1000);
    struct item item = feed_item(&feed, feed_track(&feed, TRACK_RANGES, 0), 0, 0);
    cr_assert_str_eq(session_string(feed.session, item.range.name), "/api/v1/users");
    feed_close(&feed);
}

Test(code, that_makes_no_sense_is_counted)
{
    struct feed feed = feed_code();
    struct event bad[] = {
        {.kind = EVENT_FUNCTION, .function = {.id = 0, .name = NAME}},
        {.kind = EVENT_FUNCTION, .function = {.id = 4}},
        {.kind = EVENT_FUNCTION, .function = {.id = 4, .name = NAME, .size_bytes = UINT32_MAX}},
        {.kind = EVENT_INSTRUCTION, .instruction = {.function = 9, .pc_offset = 0, .text = TEXT}},
        {.kind = EVENT_INSTRUCTION, .instruction = {.function = 3, .pc_offset = 256, .text = TEXT}},
        {.kind = EVENT_INSTRUCTION, .instruction = {.function = 3, .pc_offset = 0, .line = UINT32_MAX}},
        stalls(256, 1),
        stalls(0, CODE_AMOUNT_MAX + 1),
        {.kind = EVENT_STALLS, .stalls = {.function = 3, .samples = 1}},
        {.kind = EVENT_STALLS, .stalls = {.function = 3, .samples = 1, .reason = REASON, .shape = 5}},
        count(256, 1),
        count(0, UINT64_MAX),
        {.kind = EVENT_INSTRUCTION_COUNT, .instruction_count = {.function = 3, .number = 1}},
        {.kind = EVENT_INSTRUCTION_COUNT,
         .instruction_count = {.function = 3, .counter = COUNTER, .shape = 5}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        feed_send(&feed, bad[i]);
        cr_assert_eq(feed_stats(&feed).malformed, i + 1, "event %d", (int)i);
    }
    cr_assert_eq(session_stall_count(feed.session), 0);
    cr_assert_eq(session_tally_count(feed.session), 0);
    feed_close(&feed);
}

/* Whose launch it was: the run under way when its call was made. */
Test(code, belongs_to_the_run_of_its_launch)
{
    struct feed feed = feed_code();
    feed_string(&feed, 20, "transpose");
    for (uint32_t run = 1; run <= 2; run++) {
        feed_send(&feed, (struct event){.kind = EVENT_RUN_BEGIN,
                                        .run = {.time_ns = ZERO_NS + run * 1000, .id = run, .workload = 20}});
        feed_send(&feed, feed_call(run * 1000 + 10, run * 1000 + 20, run, API_DRIVER));
        feed_send(&feed, (struct event){.kind = EVENT_RUN_END,
                                        .run = {.time_ns = ZERO_NS + run * 1000 + 500, .id = run}});
    }
    struct event first = stalls(0, 1), any = stalls(16, 1);
    first.stalls.correlation = 1;
    feed_send(&feed, first);
    feed_send(&feed, any);
    cr_assert_eq(feed_stats(&feed).malformed, 0);
    cr_assert_eq(session_stall(feed.session, 0)->run, feed.run + 1);
    cr_assert_eq(session_stall(feed.session, 1)->run, feed.run + 2);
    feed_close(&feed);
}

/* However much is sent, so much is kept. */
Test(code, is_bounded)
{
    struct feed feed = feed_code();
    feed_send(&feed,
              (struct event){.kind = EVENT_FUNCTION, .function = {.id = 3, .name = NAME, .module = 77}});
    feed_send(&feed,
              (struct event){.kind = EVENT_FUNCTION, .function = {.id = 5, .name = NAME, .module = 78}});
    for (uint32_t i = 0; i < 1500000; i++) {
        struct event event = stalls(i * 16 % (1u << 29), 1);
        event.stalls.function = 5;
        feed_send(&feed, event);
    }
    cr_assert_gt(feed_stats(&feed).malformed, 400000);
    cr_assert_lt(session_memory_bytes(feed.session), (size_t)200 << 20);
    feed_close(&feed);
}
