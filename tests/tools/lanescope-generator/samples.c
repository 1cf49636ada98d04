/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include <math.h>
#include <stdio.h>

void samples_announce(struct load *load)
{
    char name[64];
    for (uint32_t i = 0; i < SAMPLES_SERIES && load->options->samples_us > 0; i++) {
        snprintf(name, sizeof name,
                 i == 0 ? "sm__warps_active.avg.pct_of_peak_sustained_active" : "generated_%u.avg", i);
        const struct event event = {.kind = EVENT_SERIES,
                                    .series = {.id = i + 1,
                                               .name = wire_string(load->producer, name),
                                               .interval_ns = load->options->samples_us * 1000}};
        load_send(load, &event);
    }
}

void samples_send(struct load *load, int64_t until_ns)
{
    int64_t period_ns = load->options->base_ns == 0 ? (int64_t)load->options->samples_us * 1000 : 0;
    for (; period_ns > 0 && load->base_ns + (int64_t)(load->samples_sent + 1) * period_ns <= until_ns;
         load->samples_sent++) {
        float level = load->samples_sent / SAMPLES_STEP % 2 ? SAMPLES_HIGH : SAMPLES_LOW;
        for (uint32_t first = 0; first < SAMPLES_SERIES; first += SAMPLE_NUMBERS) {
            struct event event = {
                .kind = EVENT_SAMPLE,
                .sample = {.start_ns = load->base_ns + (int64_t)load->samples_sent * period_ns,
                           .duration_ns = (uint32_t)period_ns,
                           .first = first + 1}};
            for (uint32_t i = 0; i < SAMPLE_NUMBERS; i++)
                event.sample.numbers[i] = first + i < SAMPLES_SERIES ? level + (float)(first + i) : NAN;
            load_send(load, &event);
        }
    }
}
