/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session and its collector, and the generator as the program that sends to it. What fails here fails the
 * test.
 */
#ifndef TESTS_CLI_COLLECT_BENCH_H
#define TESTS_CLI_COLLECT_BENCH_H

#include "cli/run/collect.h"
#include "core/session/session.h"

#define GENERATOR TEST_BUILD_DIR "/tests/lanescope-generator"

struct bench {
    struct session *session;
    struct collector *collector; /* NULL: stopped */
};

int64_t bench_clock_ns(void); /* CLOCK_REALTIME */
void bench_nap_ms(long ms);

void bench_open(struct bench *bench);
void bench_close(struct bench *bench);

/* Start a program; wait for it as a launcher does, until all it sent is in the session, for its wait status.
 */
pid_t bench_start(struct bench *bench, char *const *argv);
int bench_finish(struct bench *bench, pid_t child);
#define BENCH_RUN(bench, ...) \
    bench_finish(bench, bench_start(bench, (char *const[]){(char *)(uintptr_t)GENERATOR, __VA_ARGS__, NULL}))

/* So that rows have their ends and nobody writes any more. */
void bench_stop(struct bench *bench);

/* Launches of the stream tracks: how many, and the largest correlation. */
uint64_t bench_launches(const struct session *session, uint32_t *largest);
bool bench_notice(const struct session *session, const char *words);

#endif
