/* SPDX-License-Identifier: Apache-2.0 */
/* Text of any bytes as a .lesson file: what is read is within its limits, and every text lies in the script's
 * own copy; what is refused has a sentence. */
#include "tui/frame/lesson_script.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lesson_script script;
    struct error error = {0};
    if (lesson_script_read(&script, "x.lesson", (const char *)data, size, &error) != STATUS_OK) {
        if (error.text[0] == '\0')
            abort();
        return 0;
    }
    if (script.step_count == 0 || script.step_count > LESSON_STEPS_MAX)
        abort();
    for (uint32_t s = 0; s < script.step_count; s++) {
        const struct lesson_step *step = &script.steps[s];
        if (step->count > LESSON_STEP_LINES_MAX || step->first + step->count > script.line_count)
            abort();
        for (uint32_t i = step->first; i < step->first + step->count; i++)
            if (script.lines[i].text < script.bytes || script.lines[i].text >= script.bytes + size ||
                strlen(script.lines[i].text) > LESSON_LINE_MAX)
                abort();
    }
    lesson_script_free(&script);
    return 0;
}
