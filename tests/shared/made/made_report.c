/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/made_report.h"

#include "cli/report/report.h"
#include "tests/shared/fixture/golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char *made_report(const struct session *session, enum report_form form)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct error error = {0};
    enum status status = form == JSON ? report_json(session, NULL, 0, out, &error)
                         : form == CSV
                             ? report_csv(session, NULL, out, &error)
                             : report_table(session, NULL, out, form == TABLE_WIDE ? REPORT_WIDE : 0, &error);
    cr_assert_eq(status, STATUS_OK, "%s", error.text);
    fclose(out);
    return text;
}

int report_validate(const char *json)
{
    char path[] = "/tmp/lanescope-report-XXXXXX", command[8192];
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    golden_write(path, json);
    snprintf(command, sizeof command,
             "python3 '%s/tests/tools/check_json.py' '%s/docs/report.schema.json' '%s' >&2", TEST_SOURCE_DIR,
             TEST_SOURCE_DIR, path);
    int status = system(command);
    unlink(path);
    return status;
}
