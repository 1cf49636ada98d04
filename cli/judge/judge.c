/* SPDX-License-Identifier: Apache-2.0 */
/* The command: a folder that is removed at the end, several cases whose seeds are drawn after FILE was compiled, one verdict. */
#include "cli/judge/judge.h"

#include "cli/options/commands.h"
#include "cli/output/sheet_print.h"
#include "cli/process/confined.h"
#include "core/base/append.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define CASES 8
#define PROBED 2 /* of them; the others try other sizes */

struct judged {
    const char *file;
    struct judge_result results[CASES];
    size_t count;
    enum confinement how;
};

/* clang-format off */
static const struct sheet_column columns[] = {
    {"file", "file", "what was judged", SHEET_TEXT, SHEET_NEITHER, 24, 0, false},
    {"passed", "passed", "is it right, and is all of its work done", SHEET_YES, SHEET_MORE, 6, 0, false},
    {"rule", "rule", "what was broken (docs/judge.md); null: nothing", SHEET_TEXT, SHEET_NEITHER, 13, 0, false},
    {"seed", NULL, "of this case: sizes and values follow from it", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"sizes", NULL, "the numbers among the arguments", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"modelled_ns", "modelled", "modelled time of the kernels of a call", SHEET_TIME, SHEET_LESS, 9, 1, false},
    {"launches", "launches", "kernels of a call", SHEET_COUNT, SHEET_LESS, 8, 2, false},
    {"read_bytes", "read", "sectors that were read, in bytes", SHEET_BYTES, SHEET_LESS, 8, 3, false},
    {"least_read_bytes", "least", "each input once", SHEET_BYTES, SHEET_NEITHER, 8, 3, false},
    {"written_bytes", "written", "sectors that were written, in bytes", SHEET_BYTES, SHEET_LESS, 8, 4, false},
    {"least_written_bytes", "least", "each output once", SHEET_BYTES, SHEET_NEITHER, 8, 4, false},
    {"operations", NULL, "floating-point operations", SHEET_NUMBER, SHEET_LESS, 0, 0, false},
    {"least_operations", NULL, "those that the reference names; null: it names none", SHEET_NUMBER, SHEET_NEITHER, 0, 0, false},
    {"worst_error", NULL, "the greatest difference from the reference", SHEET_NUMBER, SHEET_LESS, 0, 0, false},
    {"confinement", NULL, "what host code of the file could reach: namespace, landlock or none", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"sentence", "what was found", "what happened, in a sentence; null: nothing", SHEET_SENTENCE, SHEET_NEITHER, 30, 0, false}};
/* clang-format on */

static enum status make_rows(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct judged *judged = from;
    (void)error;
    for (size_t i = 0; i < judged->count; i++) {
        const struct judge_result *result = &judged->results[i];
        const bool ran = result->launches > 0;
        const double unknown = (double)NAN;
        char seed[24];
        snprintf(seed, sizeof seed, "%016" PRIx64, result->seed);
        sheet_row(to, (const struct sheet_cell[]){
                          {.text = judged->file},
                          {.number = !*result->rule},
                          {.text = *result->rule ? result->rule : NULL},
                          {.text = seed},
                          {.text = *result->sizes ? result->sizes : NULL},
                          {.number = ran ? result->modelled_ns : unknown},
                          {.number = (double)result->launches},
                          {.number = ran ? result->read_bytes : unknown},
                          {.number = result->least_read_bytes},
                          {.number = ran ? result->written_bytes : unknown},
                          {.number = result->least_written_bytes},
                          {.number = ran ? result->operations : unknown},
                          {.number = result->least_operations > 0 ? result->least_operations : unknown},
                          {.number = ran ? result->worst_error : unknown},
                          {.text = confinement_id(judged->how)},
                          {.text = *result->sentence ? result->sentence : NULL}});
    }
    return STATUS_OK;
}

static const struct sheet sheet_judged = {.id = "cases",
                                          .title =
                                              "Cases of a judged file, up to the first that is not passed",
                                          SHEET_COLUMNS(columns),
                                          .none = "cases: none",
                                          .rows = make_rows};

static const struct sheet *judge_sheet_at(size_t index)
{
    return index == 0 ? &sheet_judged : NULL;
}

static void remove_folder(const struct judge_folder *folder)
{
    static const char *const names[] = {"main.cu",       "runtime.cpp",  "view",    "file.cu",  "plan",
                                        "reference.cpp", "reference.so", "written", "code.ptx", "file.ptx"};
    char path[PATH_BYTES + 32];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder->path, names[i]);
        remove(path);
    }
    remove(folder->path);
}

static enum status make_folder(struct judge_folder *folder, enum confinement *how, struct error *error)
{
    const char *temporary = getenv("TMPDIR");
    char confined[PATH_BYTES + 32];
    enum status status = confinement_choose(how, error);
    snprintf(folder->path, sizeof folder->path, "%.3000s/lanescope-judge-XXXXXX",
             temporary && *temporary == '/' ? temporary : "/tmp");
    if (status == STATUS_OK && !mkdtemp(folder->path))
        return error_set_errno(error, STATUS_IO, errno, "Cannot make a folder for what is judged");
    snprintf(confined, sizeof confined, "%s:%s", confinement_id(*how), folder->path);
    if (status == STATUS_OK && *how != CONFINED_NONE)
        setenv(CONFINED_VARIABLE, confined, 1);
    return status;
}

static enum status judge_cases(struct judged *judged, const struct judge_reference *reference,
                               const struct judge_folder *folder, const char *reference_file,
                               struct error *error)
{
    enum status status = judge_compile(reference, judged->file, reference_file, folder, error);
    if (status == STATUS_CHECK) {
        struct judge_result *refused = &judged->results[judged->count++];
        snprintf(refused->rule, sizeof refused->rule, "not_compiled");
        snprintf(refused->sentence, sizeof refused->sentence, "%.590s", error->text);
        return STATUS_OK;
    }
    for (bool passed = true; status == STATUS_OK && passed && judged->count < CASES;) {
        struct judge_result *result = &judged->results[judged->count];
        uint64_t seed;
        if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
            return error_set_errno(error, STATUS_IO, errno, "The system gives no random numbers");
        status = judge_execute(reference, folder, seed, judged->count < PROBED, result, error);
        judged->count++;
        passed = !*result->rule;
        if (strcmp(result->rule, "reference") == 0)
            status = error_set(error, STATUS_USAGE, "%s", result->sentence);
    }
    return status;
}

enum status judge_command(const struct options *options, int *exit_status, struct error *error)
{
    struct judge_reference reference;
    struct judge_folder folder;
    struct judged judged = {.file = options->file};
    struct options shown = *options;
    if (!options->reference)
        return error_set(
            error, STATUS_USAGE,
            "lanescope judge needs --reference R.cu: what is right, and the table of arguments.");
    const char *end = strrchr(options->file, '.');
    folder.ptx = end && strcmp(end, ".ptx") == 0;
    if (!folder.ptx && (!end || strcmp(end, ".cu") != 0))
        return error_set(
            error, STATUS_USAGE,
            "%.300s is neither a .cu file with kernels and launch(stream, ...) nor a .ptx file with lines \"// launch: ...\".",
            options->file);
    enum status status = judge_reference_read(&reference, options->reference, error);
    if (status == STATUS_OK)
        status = make_folder(&folder, &judged.how, error);
    if (status != STATUS_OK)
        return status;
    status = judge_cases(&judged, &reference, &folder, options->reference, error);
    remove_folder(&folder);
    if (!shown.table)
        shown.table = sheet_judged.id;
    if (status == STATUS_OK)
        status = sheet_option_print(judge_sheet_at, &judged, &shown, stdout, error);
    *exit_status = judged.count > 0 && !*judged.results[judged.count - 1].rule ? EXIT_FINE : EXIT_CHECK;
    return status;
}
