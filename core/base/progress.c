/* SPDX-License-Identifier: Apache-2.0 */
/* Shares, estimates and sentences of struct progress. */
#include "core/base/progress.h"

#include "core/base/clock.h"

#include <stdio.h>
#include <string.h>

unsigned progress_percent(const struct progress *progress)
{
    if (progress->blocks == 0)
        return 0;
    return (unsigned)(100.0 * (double)progress->ended / (double)progress->blocks);
}

int64_t progress_left_ns(const struct progress *progress)
{
    if (progress->ended == 0 || progress->ended > progress->blocks)
        return -1;
    double left_ns =
        (double)progress->elapsed_ns * (double)(progress->blocks - progress->ended) / (double)progress->ended;
    return left_ns < 1e17 ? (int64_t)left_ns : -1;
}

void progress_left_text(const struct progress *progress, char text[PROGRESS_LEFT_BYTES])
{
    int64_t left_s = progress_left_ns(progress);

    text[0] = '\0';
    if (left_s < 0)
        return;
    left_s = (left_s + NS_PER_S - 1) / NS_PER_S;
    if (left_s <= 120)
        snprintf(text, PROGRESS_LEFT_BYTES, "about %lld s left", left_s > 0 ? (long long)left_s : 1);
    else if (left_s <= 7200)
        snprintf(text, PROGRESS_LEFT_BYTES, "about %lld min left", (long long)(left_s + 30) / 60);
    else
        snprintf(text, PROGRESS_LEFT_BYTES, "about %lld h left", (long long)(left_s + 1800) / 3600);
}

void progress_kernel_name(const char *name, char *plain, size_t size_bytes)
{
    size_t end = strcspn(name, "<(");
    size_t begin = end;

    while (begin > 0 && name[begin - 1] != ' ' && name[begin - 1] != ':')
        begin--;
    if (begin == end) { /* "(anonymous namespace)::..." */
        begin = 0;
        end = strlen(name);
    }
    snprintf(plain, size_bytes, "%.*s", (int)(end - begin), name + begin);
}

void progress_text(const struct progress *progress, const char *kernel, char *text, size_t size_bytes)
{
    double rate =
        progress->elapsed_ns > 0 ? (double)progress->executed / ((double)progress->elapsed_ns / NS_PER_S) : 0;
    char left[PROGRESS_LEFT_BYTES], speed[40];

    if (rate >= 1e6)
        snprintf(speed, sizeof speed, "%.*f M", rate < 1e7 ? 1 : 0, rate / 1e6);
    else
        snprintf(speed, sizeof speed, "%.0f", rate);
    progress_left_text(progress, left);
    snprintf(text, size_bytes, "kernel %.80s, launch %llu: %u %%%s%s (%llu block%s, %s warp instructions/s)",
             kernel, (unsigned long long)progress->launch, progress_percent(progress), *left ? ", " : "",
             left, (unsigned long long)progress->blocks, progress->blocks == 1 ? "" : "s", speed);
}
