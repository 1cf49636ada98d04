/* SPDX-License-Identifier: Apache-2.0 */
/* What workloads run on. Holds with a GPU and without one, but for what says otherwise. */
#include "cli/machine/device_choice.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void no_gpu(void)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
}

TestSuite(device_choice, .init = no_gpu);

Test(device_choice, says_what_it_takes)
{
    static const struct {
        struct options options;
        enum status status;
        bool gpu, model, small;
        const char *says; /* in the error, or in why and note */
    } rows[] = {
        {{.device = "auto"}, STATUS_OK, false, true, true, "CUDA"},
        {{.device = "auto", .problem = PROBLEM_DEFAULT}, STATUS_OK, false, true, false, "modelled"},
        {{.device = "auto", .gpu_option = "counters"},
         STATUS_NO_DEVICE,
         false,
         false,
         false,
         "--counters is for a GPU"},
        {{.device = "auto", .model_option = "check"}, STATUS_OK, false, true, true, "modelled"},
        {{.device = "simt"},
         STATUS_OK,
         false,
         true,
         true,
         "Device model of NVIDIA H200: its numbers are modelled"},
        {{.device = "simt"}, STATUS_OK, false, true, true, "--size default"},
        {{.device = "simt", .model = "a100", .model_option = "model"}, STATUS_OK, false, true, true, "A100"},
        {{.device = "simt", .model = "abacus"},
         STATUS_USAGE,
         false,
         false,
         false,
         "There are: h200, h100, a100"},
        {{.device = "simt", .gpu_option = "runs"}, STATUS_USAGE, false, false, false, "--runs is for a GPU"},
        {{.device = "simt", .keep_ptx = true}, STATUS_OK, false, true, true, "those of the PTX"},
        {{.device = "both"}, STATUS_OK, true, true, true, "modelled"},
        {{.device = "both", .gpu_option = "runs"}, STATUS_OK, true, true, true, ""},
        {{.device = "cuda"}, STATUS_OK, true, false, false, ""},
        {{.device = "cuda", .problem = PROBLEM_SMALL}, STATUS_OK, true, false, true, ""},
        {{.device = "cuda", .model_option = "cc"}, STATUS_USAGE, false, false, false, "--device simt"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct device_choice choice;
        struct error error = {0};
        enum status status = device_choose(&rows[i].options, &choice, &error);

        cr_assert_eq(status, rows[i].status, "row %zu: %s", i, error.text);
        if (status != STATUS_OK) {
            cr_assert(strstr(error.text, rows[i].says), "row %zu: %s", i, error.text);
            continue;
        }
        cr_assert_eq(choice.gpu, rows[i].gpu, "row %zu", i);
        cr_assert_eq(choice.model != NULL, rows[i].model, "row %zu", i);
        cr_assert_eq(choice.small, rows[i].small, "row %zu", i);
        cr_assert(strstr(choice.why, rows[i].says) || strstr(choice.note, rows[i].says), "row %zu: %s %s", i,
                  choice.why, choice.note);
    }
}

Test(device_choice, other_rules_are_said)
{
    struct options options = {.device = "simt", .rules = arch_parse("1.0")};
    struct device_choice choice;

    cr_assert_eq(device_choose(&options, &choice, NULL), STATUS_OK);
    cr_assert(strstr(choice.note, "rules of compute capability 1.0"), "%s", choice.note);
}
