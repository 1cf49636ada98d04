/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread works on copies of the query's texts and on an answer of its own; the screen's thread reads the
 * answer after it has joined the thread, which it does once `done` is set, or after `cancel`. `key` is the
 * question, as text.
 */
#include "cli/model/model_job.h"

#include "cli/model/model_counts.h"
#include "workloads/frame/image.h"
#include "workloads/frame/texts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES 1000

struct model_job {
    const struct gpu *model;
    pthread_t thread;
    bool started; /* and not joined */
    bool of_source;
    atomic_bool done, cancel;
    char key[4 * TEXT_BYTES + 200];
    char texts[5][TEXT_BYTES]; /* of the query */
    struct tui_source_query source_query;
    struct tui_access_query access_query;
    struct tui_source source;
    struct tui_accesses accesses;
    enum status status;
    struct error error;
};

enum status model_job_create(struct model_job **job, const struct gpu *model, struct error *error)
{
    *job = calloc(1, sizeof **job);
    if (!*job)
        return error_no_memory(error, "to count on the model");
    (*job)->model = model;
    return STATUS_OK;
}

static void *run_job(void *context)
{
    struct model_job *job = context;

    if (job->of_source)
        job->status = line_costs_make(NULL, &job->source_query, &job->cancel, &job->source, &job->error);
    else
        job->status = lane_accesses_make(job->model, NULL, &job->access_query, &job->cancel, &job->accesses,
                                         &job->error);
    atomic_store_explicit(&job->done, true, memory_order_release);
    return NULL;
}

/* Waits for the thread; its answer is the caller's. */
static void join_job(struct model_job *job)
{
    pthread_join(job->thread, NULL);
    job->started = false;
    job->key[0] = '\0';
}

void model_job_stop(struct model_job *job)
{
    if (!job || !job->started)
        return;
    atomic_store_explicit(&job->cancel, true, memory_order_relaxed);
    join_job(job);
    if (job->status)
        return;
    if (job->of_source)
        code_listing_fini(&job->source.listing);
    else
        free(job->accesses.items);
}

void model_job_destroy(struct model_job *job)
{
    model_job_stop(job);
    free(job);
}

/* Is the answer to this question there? Else it is counted, now or already. */
static enum status ask_job(struct model_job *job, const char *key, bool of_source, bool *answered,
                           struct error *error)
{
    *answered =
        job->started && strcmp(key, job->key) == 0 && atomic_load_explicit(&job->done, memory_order_acquire);
    if (*answered) {
        join_job(job);
        if (job->status && error)
            *error = job->error;
        return job->status;
    }
    if (job->started && strcmp(key, job->key) == 0)
        return STATUS_OK;
    model_job_stop(job);
    snprintf(job->key, sizeof job->key, "%s", key);
    job->of_source = of_source;
    job->error = (struct error){0};
    atomic_store(&job->done, false);
    atomic_store(&job->cancel, false);
    job->started = pthread_create(&job->thread, NULL, run_job, job) == 0;
    return job->started ? STATUS_OK
                        : error_set(error, STATUS_STATE, "There is no thread to count on the model.");
}

static const char *keep_text(struct model_job *job, int which, const char *text)
{
    snprintf(job->texts[which], TEXT_BYTES, "%s", text ? text : "");
    return job->texts[which];
}

enum status model_job_source(struct model_job *job, const struct tui_source_query *query,
                             struct tui_source *source, struct error *error)
{
    char key[sizeof job->key];
    bool answered;

    snprintf(key, sizeof key, "source %.999s %.999s %.999s %.999s %.99s", query->workload, query->variant,
             query->params, query->kernel, query->gpu ? query->gpu : "");
    if (strcmp(key, job->key) != 0) {
        model_job_stop(job);
        job->source_query = (struct tui_source_query){.workload = keep_text(job, 0, query->workload),
                                                      .variant = keep_text(job, 1, query->variant),
                                                      .params = keep_text(job, 2, query->params),
                                                      .kernel = keep_text(job, 3, query->kernel),
                                                      .gpu = keep_text(job, 4, query->gpu)};
    }
    enum status status = ask_job(job, key, true, &answered, error);

    *source = answered && !status ? job->source : (struct tui_source){.counting = !answered && !status};
    const char *image = kernel_image_of(query->kernel);
    if (source->counting && image)
        source->text = text_source(image);
    return status;
}

enum status model_job_accesses(struct model_job *job, const struct tui_access_query *query,
                               struct tui_accesses *accesses, struct error *error)
{
    char key[sizeof job->key];
    bool answered;

    snprintf(key, sizeof key, "accesses %.999s %p %llu %u", query->spec, (const void *)query->rules,
             (unsigned long long)query->block, query->warp);
    if (strcmp(key, job->key) != 0) {
        model_job_stop(job);
        job->access_query = *query;
        job->access_query.spec = keep_text(job, 0, query->spec);
        job->access_query.own = NULL;
    }
    enum status status = ask_job(job, key, false, &answered, error);

    *accesses = answered && !status ? job->accesses : (struct tui_accesses){.counting = !answered && !status};
    return status;
}
