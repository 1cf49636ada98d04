/* SPDX-License-Identifier: Apache-2.0 */
#include "core/wire/agent_config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void random_text(char *text, size_t size_bytes)
{
    size_t length = (size_t)rand() % size_bytes;

    for (size_t i = 0; i < length; i++)
        text[i] = (char)(1 + rand() % 255);
    text[length] = '\0';
}

static void fill_random(struct agent_config *config)
{
    agent_config_init(config);
    config->mode = (enum run_mode)(rand() % RUN_MODE_COUNT);
    config->memory_apart = rand() % 2;
    config->launches_per_sync = rand() % 2;
    config->instructions = rand() % 2;
    config->serialize = rand() % 2;
    config->period = rand() % 2 ? 0 : AGENT_PERIOD_LEAST + (uint32_t)rand() % 27;
    config->capture = (enum agent_capture)(rand() % 4);
    config->delay_ns = (int64_t)rand() * rand();
    config->duration_ns = rand();
    config->launches = (uint32_t)rand();
    config->flush_ms = (uint32_t)rand() % 60001;
    config->api_calls = rand() % 2;
    config->stacks = (enum agent_stacks)(rand() % 3);
    random_text(config->capture_range, sizeof config->capture_range);
    random_text(config->kernel_glob, sizeof config->kernel_glob);
    random_text(config->cupti_path, 200);
    random_text(config->counters, 4000);
}

Test(agent_config, comes_back_as_it_was_written)
{
    srand(7);
    for (int round = 0; round < 200; round++) {
        struct agent_config config, back;
        static char text[AGENT_CONFIG_MAX_BYTES];
        struct error error = {0};

        fill_random(&config);
        cr_assert(agent_config_format(&config, text, sizeof text, &error) == STATUS_OK, "%s", error.text);
        cr_assert(agent_config_parse(text, &back, &error) == STATUS_OK, "%s", error.text);
        cr_assert(back.mode == config.mode && back.capture == config.capture);
        cr_assert(back.delay_ns == config.delay_ns && back.duration_ns == config.duration_ns);
        cr_assert(back.launches == config.launches && back.flush_ms == config.flush_ms);
        cr_assert(back.api_calls == config.api_calls && back.stacks == config.stacks);
        cr_assert(back.instructions == config.instructions && back.serialize == config.serialize &&
                  back.period == config.period);
        cr_assert_str_eq(back.capture_range, config.capture_range);
        cr_assert_str_eq(back.kernel_glob, config.kernel_glob);
        cr_assert_str_eq(back.cupti_path, config.cupti_path);
        cr_assert_str_eq(back.counters, config.counters);
    }
}

Test(agent_config, an_unknown_key_is_ignored_and_a_missing_one_keeps_its_default)
{
    struct agent_config config;

    cr_assert(agent_config_parse("colour=blue;launches=9;", &config, NULL) == STATUS_OK);
    cr_assert(config.launches == 9 && config.api_calls && config.mode == RUN_TRACE);
}

Test(agent_config, refuses_what_it_cannot_mean)
{
    static const char *const wrong[] = {"mode=fast",     "launches=-1", "launches=5000000000",
                                        "flush_ms=x",    "api_calls=2", "noequals",
                                        "range=%0",      "range=%zz",   "range=%00",
                                        "delay_ns=",     "period=4",    "period=32",
                                        "instructions=2"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct agent_config config;
        struct error error = {0};

        cr_assert(agent_config_parse(wrong[i], &config, &error) == STATUS_FORMAT, "%s", wrong[i]);
        cr_assert(strstr(error.text, AGENT_CONFIG_VARIABLE), "%s", error.text);
    }
}

Test(agent_config, says_when_it_does_not_fit)
{
    struct agent_config config;
    char text[64];
    struct error error = {0};

    agent_config_init(&config);
    cr_assert(agent_config_format(&config, text, sizeof text, &error) == STATUS_USAGE);
    cr_assert(strlen(text) < sizeof text);
}
