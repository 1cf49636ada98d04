/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A size limit holds for code, too: sources and instructions that there is no room for are left out, and it
 * is said; what there is room for is all there, however it was spread over transactions.
 */
#include "core/recording/recording.h"
#include "core/session/code.h"
#include "tests/shared/made/made_session.h"
#include "tests/shared/made/temporary_recording.h"
#include "tests/shared/oracle/random_draws.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(recording_code_limits, .init = temporary_make, .fini = temporary_remove);

#define TEXT_MOST 400000u
static char text[TEXT_MOST + 1];

static uint32_t string(struct session *session, const char *format, uint32_t number)
{
    char name[64];
    int length = snprintf(name, sizeof name, format, number);
    return session_add_string(session, name, (size_t)length);
}

static struct session *session_make(uint32_t *function)
{
    struct session *session;
    struct function_row row = {.module = 1};
    cr_assert_eq(session_create(&session, 1000, NULL), STATUS_OK);
    struct process_row process = {.pid = 1, .rank = -1, .end_ns = INT64_MIN, .exit_status = -1};
    session_add_process(session, &process);
    row.mangled = row.name = string(session, "kernel%u", 0);
    *function = session_add_function(session, &row);
    return session;
}

/* A file of that many bytes, unlike all others. */
static void add_source(struct session *session, uint32_t number, size_t bytes)
{
    memset(text, 'a' + (char)(number % 26), bytes);
    snprintf(text, sizeof text, "// %08u\n", number);
    text[12] = 'x'; /* where snprintf ended it */
    cr_assert_neq(session_add_source(session, string(session, "file%u.cu", number), text, bytes), NONE);
}

/* With a text of its own, a stall and a count. */
static void add_instruction(struct session *session, uint32_t function, uint32_t number)
{
    char sass[64];
    int length = snprintf(sass, sizeof sass, "LDG.E R%u, [R%u.64] ;", number, number + 2);
    uint32_t instruction = session_add_instruction(session, function, 16 * number);
    session_set_instruction(session, instruction, session_add_code_text(session, sass, (size_t)length),
                            string(session, "file%u.cu", 0), number);
    session_add_stall(session, &(struct stall_row){.run = NONE,
                                                   .kernel = NONE,
                                                   .instruction = instruction,
                                                   .reason = string(session, "reason%u", number % 5),
                                                   .samples = 1 + number % 7});
    session_add_tally(session, &(struct tally_row){.run = NONE,
                                                   .kernel = NONE,
                                                   .instruction = instruction,
                                                   .counter = string(session, "counter%u", number % 3),
                                                   .launches = 1,
                                                   .number = number});
}

static uint64_t size_now(void)
{
    return temporary_bytes("") + temporary_bytes("-wal");
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Launches one after the other, numbered. */
static uint32_t add_launches(struct session *session, uint32_t track, uint32_t from, uint32_t count)
{
    for (uint32_t n = from; n < from + count; n++) {
        struct item item = {.kind = ITEM_LAUNCH, .correlation = n};
        item.launch.call_start_ns = INT64_MIN;
        item.launch.kernel = 0;
        cr_assert(session_add_event(session, track, n * 1000, n * 1000 + 900, &item));
    }
    return from + count;
}

/* Beside a ring of launches that takes all the room there is. */
Test(recording_code_limits, holds_for_sources_and_instructions)
{
    const uint64_t most = RECORDING_LEAST_MAX_BYTES;
    uint32_t function, instructions = 0, sources = 0, launches = 1;
    struct session *session = session_make(&function);
    struct track_row stream = {
        .kind = TRACK_STREAM, .device = NONE, .context = 1, .stream = 7, .thread = NONE};
    uint32_t track = session_add_track(session, &stream);
    struct recorder *recorder;
    struct recorder_state state;
    uint64_t largest = 0;
    random_state = 5;
    temporary_start(&recorder, session, most);
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 5; i++)
            add_source(session, sources++, i == 0 ? 100 : 100 + draw(TEXT_MOST - 100));
        for (int i = 0; i < 3000; i++)
            add_instruction(session, function, instructions++);
        /* A name after them all: what lies before it is to be in the file, in this transaction. */
        struct shape_row shape = {.name = string(session, "shape%u", (uint32_t)round)};
        session_add_kernel(session, NONE, session_add_shape(session, &shape), NONE);
        launches = add_launches(session, track, launches, 8000);
        do {
            sleep_ms(5);
            largest = larger(largest, size_now());
            recorder_state(recorder, &state);
            cr_assert_not(state.failed, "%s", state.error.text);
        } while (state.lag_rows > 0);
    }
    cr_assert(strstr(state.note, "no room for all sources"), "%s", state.note);
    temporary_stop(recorder);
    largest = larger(largest, size_now());
    cr_assert_leq(largest, most, "%" PRIu64 " bytes", largest);

    struct session *again = temporary_load();
    cr_assert(session_has_notice(again, "no room for all sources"));
    cr_assert(!session_has_notice(again, "do not fit"));
    cr_assert(session_has_notice(again, "kept the newest data"));
    uint64_t left = session_lane_count_events(again, 0, 0);
    cr_assert_gt(left, 2000);
    cr_assert_eq(session_event_item(again, (struct event_ref){.index = left - 1}).correlation, launches - 1);
    cr_assert_eq(session_kernel_count(again), 6);
    uint32_t kept = session_instruction_count(again), texts = 0;
    cr_assert(kept > 500 && kept < instructions, "%u", kept);
    for (uint32_t i = 0; i < kept; i++) {
        const char *there = session_string(again, session_instruction(again, i)->text);
        cr_assert_eq(session_instruction(again, i)->line, i);
        cr_assert(there[0] == '\0' || strncmp(there, "LDG.E R", 7) == 0);
        texts += there[0] != '\0';
    }
    cr_assert_gt(texts, 0);
    for (uint32_t i = 0; i < session_stall_count(again); i++)
        cr_assert_lt(session_stall(again, i)->instruction, kept);
    /* The largest go first: the small one of each round is there, but for what came when nothing was left. */
    uint32_t small = 0, large = 0;
    for (uint32_t i = 0; i < session_source_count(again); i++) {
        const char *whole = session_string(again, session_source(again, i)->text);
        cr_assert(strncmp(whole, "// ", 3) == 0 && strlen(whole) >= 100);
        small += strlen(whole) == 100;
        large += strlen(whole) > most / 32;
    }
    cr_assert_eq(small, 6);
    cr_assert_eq(large, 0);
    session_destroy(again);
    session_destroy(session);
}

Test(recording_code_limits, what_has_room_is_all_there)
{
    uint32_t function;
    struct session *session = session_make(&function);
    struct recorder *recorder;
    struct recorder_state state;
    temporary_start(&recorder, session, 4 << 20);
    for (uint32_t i = 0; i < 5; i++) /* more than a transaction may take */
        add_source(session, i, 60000);
    for (uint32_t i = 0; i < 2000; i++)
        add_instruction(session, function, i);
    sleep_ms(250);
    for (uint32_t i = 0; i < 2000; i++) /* what is there grows */
        add_instruction(session, function, i);
    recorder_state(recorder, &state);
    temporary_stop(recorder);
    cr_assert_str_empty(state.note);
    struct session *again = temporary_load();
    const char *differ = sessions_differ(session, again);
    cr_assert_null(differ, "%s", differ);
    for (uint32_t i = 0; i < 5; i++)
        cr_assert_eq(strlen(session_string(again, session_source(again, i)->text)), 60000);
    cr_assert_eq(session_stall(again, 6)->samples, 14);
    cr_assert_eq(session_notice_count(again), 0);
    session_destroy(again);
    session_destroy(session);
}

/* Who reads along sees rows whole, whatever transaction a text comes in. */
Test(recording_code_limits, a_follower_finds_nothing_that_does_not_fit)
{
    uint32_t function;
    struct session *session = session_make(&function), *followed;
    struct recorder *recorder;
    struct loader *loader;
    struct error error;
    bool done;
    temporary_start(&recorder, session, 4 << 20);
    cr_assert_eq(loader_open(&loader, &followed, temporary_path, &error), STATUS_OK, "%s", error.text);
    for (uint32_t i = 0; i < 6; i++)
        add_source(session, i, 55000);
    for (int64_t written = 0; written < 6; written = temporary_query("SELECT count(*) FROM source")) {
        sleep_ms(5);
        cr_assert_eq(loader_step(loader, 1000, &done, &error), STATUS_OK, "%s", error.text);
    }
    do
        cr_assert_eq(loader_step(loader, 1000, &done, &error), STATUS_OK, "%s", error.text);
    while (!done);
    loader_close(loader);
    temporary_stop(recorder);
    cr_assert(!session_has_notice(followed, "do not fit"));
    cr_assert_geq(session_source_count(followed), 1);
    session_destroy(followed);
    session_destroy(session);
}
