/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of what ran on the device model: the word "modelled" wherever its numbers are, and never a sum of
 * its times and a GPU's. */
#include "tests/shared/fixture/fixture_model.h"
#include "tests/shared/fixture/golden.h"
#include "tests/shared/made/made_report.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(report_model, equals_the_golden_files)
{
    static const struct {
        bool gpu;
        enum report_form form;
        const char *name;
    } forms[] = {{false, TABLE, "report_model.txt"},
                 {true, TABLE, "report_model_gpu.txt"},
                 {true, JSON, "report_model_gpu.json"},
                 {false, CSV, "report_model.csv"}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        struct session *session = fixture_model_session(forms[i].gpu);
        char *text = made_report(session, forms[i].form);
        cr_assert(golden_equals(forms[i].name, text, NULL));
        free(text);
        session_destroy(session);
    }
}

Test(report_model, json_is_as_its_schema_says, .timeout = 280)
{
    for (int gpu = 0; gpu < 2; gpu++) {
        struct session *session = fixture_model_session(gpu);
        char *text = made_report(session, JSON);
        cr_assert_eq(report_validate(text), 0);
        cr_assert_eq(strstr(text, "\"value_provenance\": \"measured\", \"unit\": \"sectors\", \"derived\": "
                                  "false, \"bound\": \"exact\", \"n\": 1") != NULL,
                     gpu);
        free(text);
        session_destroy(session);
    }
}

Test(report_model, says_it_before_any_number)
{
    struct session *session = fixture_model_session(false);
    char *text = made_report(session, TABLE);
    cr_assert_eq(strncmp(text, "device model of NVIDIA H200: its numbers are modelled, not measured\n", 68),
                 0, "%s", text);
    cr_assert_null(strstr(text, "GPU time"));
    cr_assert_null(strstr(text, "API time"));
    free(text);
    session_destroy(session);
}
