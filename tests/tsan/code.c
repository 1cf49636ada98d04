/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One writer fills a session's code while readers list it: instructions get their texts and lines late,
 * samples and counts grow. Meant for the thread sanitizer; in any build it checks that sums only grow, and
 * that what is listed is whole.
 */
#include "core/analysis/code_costs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 400
#define INSTRUCTIONS 64
#define READERS 3

static struct session *session;
static _Atomic bool done;
static _Atomic int failures;

static void fail(const char *what)
{
    fprintf(stderr, "tsan_code: %s\n", what);
    atomic_fetch_add(&failures, 1);
}

static uint32_t string(const char *text)
{
    return session_add_string(session, text, strlen(text));
}

static void write_round(uint32_t kernel, uint32_t run, int round)
{
    struct function_row row = {
        .mangled = string("_Z1kv"), .name = string("k()"), .module = (uint64_t)(round / 100)};
    uint32_t function = session_add_function(session, &row);
    char text[64];
    snprintf(text, sizeof text, "file%d.cu", round % 7);
    session_add_source(session, string(text), text, sizeof text);
    for (uint32_t i = 0; i < INSTRUCTIONS; i++) {
        uint32_t instruction = session_add_instruction(session, function, 16 * i);
        struct stall_row stall = {.run = run, .kernel = kernel, .instruction = instruction, .samples = 1};
        struct tally_row tally = {
            .run = run, .kernel = kernel, .instruction = instruction, .launches = 1, .number = 32};
        stall.reason = string(round % 2 == 0 ? "smsp__pcsamp_warps_issue_stalled_wait"
                                             : "smsp__pcsamp_warps_issue_stalled_barrier");
        tally.counter = string("smsp__sass_inst_executed");
        session_add_stall(session, &stall);
        session_add_tally(session, &tally);
        if (round > 20)
            session_set_instruction(session, instruction, string("LDG R1 ;"), string(text), i + 1);
    }
}

static void *write_all(void *context)
{
    uint32_t kernel = *(const uint32_t *)context;
    for (int round = 0; round < ROUNDS; round++)
        write_round(kernel, session_kernel(session, kernel)->run, round);
    atomic_store(&done, true);
    return NULL;
}

static void *read_all(void *context)
{
    uint32_t kernel = *(const uint32_t *)context;
    double last = 0;
    while (!atomic_load(&done)) {
        struct code_listing listing;
        struct code_lines lines;
        if (code_listing_make(session, kernel, &listing, NULL) != STATUS_OK)
            continue;
        if (listing.totals[CODE_SAMPLES] < last)
            fail("samples were lost");
        last = listing.totals[CODE_SAMPLES];
        for (uint32_t i = 0; i < listing.count; i++) {
            const struct code_place *place = &listing.places[i];
            if (strcmp(place->function, "k()") != 0 ||
                (place->text[0] != '\0' && strcmp(place->text, "LDG R1 ;") != 0) ||
                (place->file[0] != '\0' &&
                 (strncmp(place->file, "file", 4) != 0 || place->line != place->pc_offset / 16 + 1)))
                fail("an instruction is not whole");
            if (place->file[0] != '\0' && strcmp(session_source_text(session, place->file), place->file) != 0)
                fail("a source is another file's");
        }
        if (code_lines_make(&listing, &lines, NULL) == STATUS_OK)
            code_lines_fini(&lines);
        code_listing_fini(&listing);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[READERS + 1];
    if (session_create(&session, 1, NULL) != STATUS_OK)
        return 1;
    struct process_row process = {.pid = 1, .end_ns = INT64_MIN};
    struct run_row run = {
        .process = session_add_process(session, &process), .device = NONE, .program = string("p")};
    struct shape_row shape = {.name = string("k()"), .mangled = string("_Z1kv"), .grid = {1, 1, 1}};
    uint32_t kernel =
        session_add_kernel(session, session_add_run(session, &run), session_add_shape(session, &shape), NONE);
    for (int i = 0; i <= READERS; i++)
        pthread_create(&threads[i], NULL, i == 0 ? write_all : read_all, &kernel);
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    struct code_listing listing;
    if (code_listing_make(session, kernel, &listing, NULL) != STATUS_OK ||
        listing.totals[CODE_SAMPLES] != (double)ROUNDS * INSTRUCTIONS || listing.reason_count != 2)
        fail("not all that was written is there");
    code_listing_fini(&listing);
    session_destroy(session);
    return atomic_load(&failures) > 0;
}
