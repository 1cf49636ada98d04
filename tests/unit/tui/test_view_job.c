/* SPDX-License-Identifier: Apache-2.0 */
/* The screen of a job against the files of tests/golden, and its keys. */
#include "tests/shared/fixture/golden.h"
#include "tests/shared/made/made_job.h"
#include "tui/ranks/ranks_screen.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool take_digest(void *context, uint32_t rank, const void *bytes, size_t size_bytes)
{
    (void)rank;
    return gather_take(context, bytes, size_bytes, NULL) == STATUS_OK;
}

static struct job *make_job(const struct made_job *made)
{
    char path[] = "/tmp/lanescope-job-XXXXXX";
    double waits_ns;
    struct gather *gather;
    struct job *job;
    struct error error = {0};
    const int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    cr_assert_eq(gather_start(&gather, "/tmp", &error), STATUS_OK, "%s", error.text);
    cr_assert(made_job_make(made, take_digest, gather, &waits_ns));
    cr_assert_eq(gather_write(gather, path, &error), STATUS_OK, "%s", error.text);
    gather_end(gather);
    cr_assert_eq(job_open(&job, path, &error), STATUS_OK, "%s", error.text);
    unlink(path);
    return job;
}

static char *draw(const struct job *job, const char *format, int width, int height, const char *keys,
                  bool ascii)
{
    char *text = NULL;
    size_t size_bytes = 0;
    struct ranks_screen *screen;
    struct error error = {0};
    FILE *out = open_memstream(&text, &size_bytes);
    cr_assert_eq(ranks_screen_create(&screen, job, "train.lsj",
                                     &(struct tui_options){.color = true, .ascii = ascii}, &error),
                 STATUS_OK, "%s", error.text);
    cr_assert_eq(ranks_snapshot(screen, format, width, height, keys, out, &error), STATUS_OK, "%s",
                 error.text);
    ranks_screen_destroy(screen);
    fclose(out);
    return text;
}

static const struct made_job late = {.ranks = 24,
                                     .steps = 40,
                                     .late = 13,
                                     .cause = MADE_LOADER,
                                     .seed = 5,
                                     .clock_offset_ns = 1e9,
                                     .clock_drift = 1e-5},
                             balanced = {.ranks = 4,
                                         .steps = 40,
                                         .cause = MADE_BALANCED,
                                         .seed = 5,
                                         .one_host = true};

Test(view_job, screens, .timeout = 60)
{
    static const struct {
        const char *name, *format, *keys;
        int width, height;
        bool ascii, balanced;
    } cases[] = {{"job-80x24.txt", "text", "", 80, 24, false, false},
                 {"job-120x40.txt", "text", "z s + + l", 120, 40, false, false},
                 {"job-20x5.txt", "text", "j", 20, 5, false, false},
                 {"job-ascii-120x40.txt", "text", "j j ENTER", 120, 40, true, false},
                 {"job-balanced-80x24.txt", "text", "G", 80, 24, false, true},
                 {"job-80x24.ansi", "ansi", "v", 80, 24, false, false}};
    struct job *jobs[2] = {make_job(&late), make_job(&balanced)};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = draw(jobs[cases[i].balanced], cases[i].format, cases[i].width, cases[i].height,
                          cases[i].keys, cases[i].ascii);
        cr_expect(golden_equals(cases[i].name, text, NULL), "%s", cases[i].name);
        free(text);
    }
    job_close(jobs[0]);
    job_close(jobs[1]);
}

/* No key and no size may leave the rows or the window. */
/* Of 8.56 s the ranks wait for each other in the last 2.7: the map begins there, and 0 shows all. */
Test(view_job, the_map_begins_with_the_first_collective)
{
    struct job *job;
    struct error error = {0};
    cr_assert_eq(job_open(&job, TEST_SOURCE_DIR "/tests/data/ranks/loader_h200.lsj", &error), STATUS_OK, "%s",
                 error.text);
    char *text = draw(job, "text", 100, 20, "", false), *whole = draw(job, "text", 100, 20, "0", false);
    cr_expect(strstr(text, "host        █") && strstr(text, "5.88 s"), "%s", text);
    cr_expect(strstr(whole, "host         ") && strstr(whole, "0 ns "), "%s", whole);
    free(text);
    free(whole);
    job_close(job);
}

Test(view_job, any_keys_and_sizes, .timeout = 120)
{
    static const char keys[] = "jkgGzs+-hl0v";
    struct job *job = make_job(&late);
    for (unsigned seed = 1; seed <= 60; seed++) {
        char typed[200];
        srand(seed);
        for (int i = 0; i < 60; i++) {
            typed[2 * i] = keys[(size_t)rand() % (sizeof keys - 1)];
            typed[2 * i + 1] = ' ';
        }
        typed[120] = '\0';
        char *text = draw(job, "text", 1 + rand() % 130, 1 + rand() % 45, typed, seed % 2 == 0);
        cr_expect_not_null(text);
        free(text);
    }
    job_close(job);
}

/* An outlier of one collective stays visible in its column of its folded host. */
Test(view_job, an_outlier_is_not_averaged_away)
{
    const struct made_job once = {.ranks = 64, .steps = 200, .late = 41, .cause = MADE_ONCE, .seed = 2};
    struct job *job = make_job(&once);
    char *text = draw(job, "text", 80, 40, "z", true), *line = strstr(text, "+node00005");
    cr_assert_not_null(line, "%s", text);
    char *full = strchr(line, '#'), *end = strchr(line, '\n');
    cr_expect(full && full < end, "%.*s", (int)(end - line), line);
    free(text);
    job_close(job);
}
