/* SPDX-License-Identifier: Apache-2.0 */
/* Screens against the files of tests/golden. */
#include "tests/shared/fixture/fixture_session.h"
#include "tests/shared/fixture/golden.h"
#include "tui/tui.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct screen_case {
    const char *name; /* of the file */
    enum fixture_content content;
    enum tui_format format;
    int width, height;
    const char *keys;
    bool ascii;
    const char *theme;
};

static const struct screen_case cases[] = {
    {"workloads-80x24.txt", FIXTURE_WORKLOADS, TUI_TEXT, 80, 24, "", false, NULL},
    {"workloads-120x40.txt", FIXTURE_WORKLOADS, TUI_TEXT, 120, 40, "", false, NULL},
    {"workloads-200x60.txt", FIXTURE_WORKLOADS, TUI_TEXT, 200, 60, "", false, NULL},
    {"workloads-20x5.txt", FIXTURE_WORKLOADS, TUI_TEXT, 20, 5, "", false, NULL},
    {"workloads-bank-120x40.txt", FIXTURE_WORKLOADS, TUI_TEXT, 120, 40, "j", false, NULL},
    {"workloads-projector-120x40.ansi", FIXTURE_WORKLOADS, TUI_ANSI, 120, 40, "", false, "projector"},
    {"workloads-ascii-120x40.txt", FIXTURE_WORKLOADS, TUI_TEXT, 120, 40, "", true, NULL},
    {"program-80x24.txt", FIXTURE_PROGRAM, TUI_TEXT, 80, 24, "", false, NULL},
    {"program-120x40.txt", FIXTURE_PROGRAM, TUI_TEXT, 120, 40, "", false, NULL},
    {"program-200x60.txt", FIXTURE_PROGRAM, TUI_TEXT, 200, 60, "", false, NULL},
    {"program-20x5.txt", FIXTURE_PROGRAM, TUI_TEXT, 20, 5, "TAB TAB", false, NULL},
    {"program-zoomed-120x40.txt", FIXTURE_PROGRAM, TUI_TEXT, 120, 40, "TAB TAB 0 j g + + + + + + n", false,
     NULL},
    {"program-end-ascii-120x40.txt", FIXTURE_PROGRAM, TUI_TEXT, 120, 40, "G + + + +", true, NULL},
    {"timeline-20x5.txt", FIXTURE_TIMELINE, TUI_TEXT, 20, 5, "TAB TAB", false, NULL},
    {"timeline-80x24.txt", FIXTURE_TIMELINE, TUI_TEXT, 80, 24, "TAB TAB c O", false, NULL},
    {"timeline-120x40.txt", FIXTURE_TIMELINE, TUI_TEXT, 120, 40, "TAB TAB c O j j j j n + + + + n n", false,
     NULL},
    {"timeline-200x60.txt", FIXTURE_TIMELINE, TUI_TEXT, 200, 60, "TAB TAB O c j j j j P n [ n n ] j j z",
     false, NULL},
    {"timeline-colorblind-120x40.ansi", FIXTURE_TIMELINE, TUI_ANSI, 120, 40, "TAB TAB c O + + + n", false,
     "colorblind"},
    {"timeline-ascii-120x40.txt", FIXTURE_TIMELINE, TUI_TEXT, 120, 40, "TAB TAB c O j j j j n + + + + n n",
     true, NULL},
    {"samples-20x5.txt", FIXTURE_SAMPLED, TUI_TEXT, 20, 5, "TAB TAB G", false, NULL},
    {"samples-80x24.txt", FIXTURE_SAMPLED, TUI_TEXT, 80, 24, "TAB TAB O j j j j j j j j j l l l l l l", false,
     NULL},
    {"samples-few-120x40.txt", FIXTURE_SAMPLED, TUI_TEXT, 120, 40, "S-TAB O + + + + + + + +", false, NULL},
    {"samples-120x40.txt", FIXTURE_SAMPLED, TUI_TEXT, 120, 40,
     "TAB TAB O j j j j j j j j j z z z n n n n [ l l l l l l l l ] j j j j z", false, NULL},
    {"samples-200x60.txt", FIXTURE_SAMPLED, TUI_TEXT, 200, 60,
     "TAB TAB O j j j j j j j j j z z z j j j j P M + + +", false, NULL},
    {"samples-ascii-120x40.txt", FIXTURE_SAMPLED, TUI_TEXT, 120, 40, "TAB TAB O j j j j j j j j j z z z M",
     true, NULL},
    {"samples-colorblind-120x40.ansi", FIXTURE_SAMPLED, TUI_ANSI, 120, 40,
     "TAB TAB O j j j j j j j j j z z M", false, "colorblind"},
    {"samples-projector-120x40.ansi", FIXTURE_SAMPLED, TUI_ANSI, 120, 40, "TAB TAB O j j j j j j j j j z z M",
     false, "projector"},
    {"unsampled-20x5.txt", FIXTURE_UNSAMPLED, TUI_TEXT, 20, 5, "TAB TAB O j j j j j j j j", false, NULL},
    {"unsampled-80x24.txt", FIXTURE_UNSAMPLED, TUI_TEXT, 80, 24, "TAB TAB O j j j j j j j j", false, NULL},
    {"unsampled-120x40.txt", FIXTURE_UNSAMPLED, TUI_TEXT, 120, 40, "TAB TAB c O", false, NULL},
    {"unsampled-200x60.txt", FIXTURE_UNSAMPLED, TUI_TEXT, 200, 60, "TAB TAB O j j j j j j j j", false, NULL},
    {"unsampled-ascii-120x40.txt", FIXTURE_UNSAMPLED, TUI_TEXT, 120, 40, "TAB TAB O j j j j j j j j", true,
     NULL},
    {"unsampled-projector-120x40.ansi", FIXTURE_UNSAMPLED, TUI_ANSI, 120, 40, "TAB TAB O j j j j j j j j",
     false, "projector"},
    {"watch-20x5.txt", FIXTURE_WATCH, TUI_TEXT, 20, 5, "", false, NULL},
    {"watch-80x24.txt", FIXTURE_WATCH, TUI_TEXT, 80, 24, "", false, NULL},
    {"watch-120x40.txt", FIXTURE_WATCH, TUI_TEXT, 120, 40, "j j 0 + + z", false, NULL},
    {"watch-200x60.txt", FIXTURE_WATCH, TUI_TEXT, 200, 60, "0", false, NULL},
    {"watch-ascii-120x40.txt", FIXTURE_WATCH, TUI_TEXT, 120, 40, "0 M", true, NULL},
    {"watch-projector-120x40.ansi", FIXTURE_WATCH, TUI_ANSI, 120, 40, "0 M", false, "projector"},
    {"overlap-20x5.txt", FIXTURE_TIMELINE, TUI_TEXT, 20, 5, "o j j j j", false, NULL},
    {"overlap-80x24.txt", FIXTURE_TIMELINE, TUI_TEXT, 80, 24, "o G", false, NULL},
    {"overlap-200x60.txt", FIXTURE_TIMELINE, TUI_TEXT, 200, 60, "o j j j", false, NULL},
    {"overlap-ascii-120x40.txt", FIXTURE_TIMELINE, TUI_TEXT, 120, 40, "TAB TAB g n [ n n n ] o", true, NULL},
    {"overlap-colorblind-120x40.ansi", FIXTURE_TIMELINE, TUI_ANSI, 120, 40, "o j j j", false, "colorblind"},
    {"path-80x24.txt", FIXTURE_TIMELINE, TUI_TEXT, 80, 24, "TAB TAB c O &", false, NULL},
    {"path-120x40.txt", FIXTURE_TIMELINE, TUI_TEXT, 120, 40, "TAB TAB c O &", false, NULL},
    {"path-120x40.ansi", FIXTURE_TIMELINE, TUI_ANSI, 120, 40, "TAB TAB c O &", false, NULL},
    {"path-projector-80x24.ansi", FIXTURE_TIMELINE, TUI_ANSI, 80, 24, "TAB TAB c O &", false, "projector"},
    {"path-ascii-80x24.txt", FIXTURE_TIMELINE, TUI_TEXT, 80, 24, "TAB TAB c O &", true, NULL},
    {"path-none-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "TAB &", false, NULL},
    {"what_if-20x5.txt", FIXTURE_TIMELINE, TUI_TEXT, 20, 5, ";", false, NULL},
    {"what_if-80x24.txt", FIXTURE_TIMELINE, TUI_TEXT, 80, 24, ";", false, NULL},
    {"what_if-200x60.txt", FIXTURE_TIMELINE, TUI_TEXT, 200, 60, "; 0 j SPACE", false, NULL},
    {"what_if-ascii-120x40.txt", FIXTURE_TIMELINE, TUI_TEXT, 120, 40, "; +", true, NULL},
    {"what_if-projector-120x40.ansi", FIXTURE_TIMELINE, TUI_ANSI, 120, 40, "; 1 2", false, "projector"},
    {"what_if-model-80x24.txt", FIXTURE_MODEL, TUI_TEXT, 80, 24, ";", false, NULL},
    {"what_if-none-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "j ;", false, NULL},
    {"range-20x5.txt", FIXTURE_TIMELINE, TUI_TEXT, 20, 5, "T j", false, NULL},
    {"range-80x24.txt", FIXTURE_TIMELINE, TUI_TEXT, 80, 24, "TAB TAB c T s", false, NULL},
    {"range-200x60.txt", FIXTURE_TIMELINE, TUI_TEXT, 200, 60, "TAB TAB c g n [ n n n ] T", false, NULL},
    {"range-ascii-120x40.txt", FIXTURE_TIMELINE, TUI_TEXT, 120, 40, "TAB TAB c T S", true, NULL},
    {"range-projector-120x40.ansi", FIXTURE_TIMELINE, TUI_ANSI, 120, 40, "TAB TAB c T j", false, "projector"},
    {"empty-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "j", false, NULL},
    {"panel-80x24.txt", FIXTURE_WORKLOADS, TUI_TEXT, 80, 24, "ENTER", false, NULL},
    {"panel-20x5.txt", FIXTURE_ROOFLINE, TUI_TEXT, 20, 5, "ENTER j j", false, NULL},
    {"panel-120x40.txt", FIXTURE_BOTH, TUI_TEXT, 120, 40, "ENTER j j j", false, NULL},
    {"panel-200x60.txt", FIXTURE_ROOFLINE, TUI_TEXT, 200, 60, "ENTER j j j j j j j j j j j", false, NULL},
    {"panel-ascii-120x40.txt", FIXTURE_ROOFLINE, TUI_TEXT, 120, 40, "j ENTER G", true, NULL},
    {"runs-80x24.txt", FIXTURE_WORKLOADS, TUI_TEXT, 80, 24, "r g j j j j j j j j", false, NULL},
    {"notices-80x24.txt", FIXTURE_PROGRAM, TUI_TEXT, 80, 24, "m", false, NULL},
    {"model-80x24.txt", FIXTURE_MODEL, TUI_TEXT, 80, 24, "", false, NULL},
    {"model-120x40.txt", FIXTURE_MODEL, TUI_TEXT, 120, 40, "", false, NULL},
    {"model-200x60.txt", FIXTURE_MODEL, TUI_TEXT, 200, 60, "", false, NULL},
    {"model-20x5.txt", FIXTURE_MODEL, TUI_TEXT, 20, 5, "", false, NULL},
    {"model-panel-80x24.txt", FIXTURE_MODEL, TUI_TEXT, 80, 24, "ENTER j j j", false, NULL},
    {"model-runs-80x24.txt", FIXTURE_MODEL, TUI_TEXT, 80, 24, "r g j", false, NULL},
    {"model-list-80x24.txt", FIXTURE_MODEL_LIST, TUI_TEXT, 80, 24, "", false, NULL},
    {"both-120x40.txt", FIXTURE_BOTH, TUI_TEXT, 120, 40, "", false, NULL},
    {"both-panel-80x24.txt", FIXTURE_BOTH, TUI_TEXT, 80, 24, "G ENTER j j j", false, NULL},
    {"both-runs-80x24.txt", FIXTURE_BOTH, TUI_TEXT, 80, 24, "r", false, NULL},
    {"glossary-80x24.txt", FIXTURE_MODEL_LIST, TUI_TEXT, 80, 24, "Y j", false, NULL},
    {"glossary-found-80x24.txt", FIXTURE_MODEL_LIST, TUI_TEXT, 80, 24,
     ": e x e c u t e SPACE t o g e t h e r ENTER", false, NULL},
    {"glossary-20x5.txt", FIXTURE_MODEL_LIST, TUI_TEXT, 20, 5, "Y", false, NULL},
    {"lab-80x24.txt", FIXTURE_MODEL, TUI_TEXT, 80, 24, "w j e", false, NULL},
    {"lab-120x40.txt", FIXTURE_BOTH, TUI_TEXT, 120, 40, "w j e 8 ENTER", false, NULL},
    {"lab-ascii-100x30.txt", FIXTURE_MODEL, TUI_TEXT, 100, 30, "w j e TAB TAB j j", true, NULL},
    {"lab-lesson-40x12.txt", FIXTURE_EMPTY, TUI_TEXT, 40, 12, "w j e TAB j j j", false, NULL},
    {"lab-20x5.txt", FIXTURE_EMPTY, TUI_TEXT, 20, 5, "w j e", false, NULL},
    {"amdahl-80x24.txt", FIXTURE_PROGRAM, TUI_TEXT, 80, 24, "a", false, NULL},
    {"amdahl-ascii-140x30.txt", FIXTURE_PROGRAM, TUI_TEXT, 140, 30, "a j", true, NULL},
    {"amdahl-40x10.txt", FIXTURE_WORKLOADS, TUI_TEXT, 40, 10, "a s", false, NULL},
    {"amdahl-model-120x40.txt", FIXTURE_MODEL, TUI_TEXT, 120, 40, "a", false, NULL},
    {"amdahl-none-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "a", false, NULL},
    {"device-80x24.txt", FIXTURE_PROGRAM, TUI_TEXT, 80, 24, "d", false, NULL},
    {"device-end-120x40.txt", FIXTURE_PROGRAM, TUI_TEXT, 120, 40, "d G", false, NULL},
    {"device-ascii-200x60.txt", FIXTURE_PROGRAM, TUI_TEXT, 200, 60, "d G k k k", true, NULL},
    {"device-20x5.txt", FIXTURE_PROGRAM, TUI_TEXT, 20, 5, "d", false, NULL},
    {"device-recording-120x40.txt", FIXTURE_WORKLOADS, TUI_TEXT, 120, 40, "d j j j j j j j j j j j", false,
     NULL},
    {"device-model-80x24.txt", FIXTURE_MODEL, TUI_TEXT, 80, 24, "d j j", false, NULL},
    {"device-none-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "d", false, NULL},
    {"compare-120x40.txt", FIXTURE_WORKLOADS, TUI_TEXT, 120, 40, "j X", false, NULL},
    {"compare-80x24.txt", FIXTURE_BOTH, TUI_TEXT, 80, 24, "r g j x j x X", false, NULL},
    {"compare-runs-80x24.txt", FIXTURE_WORKLOADS, TUI_TEXT, 80, 24, "r g j j x j x", false, NULL},
    {"compare-ascii-40x10.txt", FIXTURE_WORKLOADS, TUI_TEXT, 40, 10, "j X j", true, NULL},
    {"compare-20x5.txt", FIXTURE_WORKLOADS, TUI_TEXT, 20, 5, "j X", false, NULL},
    {"chart-120x40.txt", FIXTURE_WORKLOADS, TUI_TEXT, 120, 40, "/ c o p y ENTER p l l l", false, NULL},
    {"chart-share-80x24.txt", FIXTURE_WORKLOADS, TUI_TEXT, 80, 24, "/ c o p y ENTER p y y n", false, NULL},
    {"chart-bars-100x20.txt", FIXTURE_WORKLOADS, TUI_TEXT, 100, 20, "p l", false, NULL},
    {"chart-bars-ascii-60x12.txt", FIXTURE_WORKLOADS, TUI_TEXT, 60, 12, "p", true, NULL},
    {"chart-both-120x30.txt", FIXTURE_BOTH, TUI_TEXT, 120, 30, "G p j j j j j j", false, NULL},
    {"chart-both-ascii-80x24.txt", FIXTURE_BOTH, TUI_TEXT, 80, 24, "G p y l n n", true, NULL},
    {"chart-120x30.svg", FIXTURE_BOTH, TUI_SVG, 120, 30, "G p", false, NULL},
    {"chart-20x5.txt", FIXTURE_WORKLOADS, TUI_TEXT, 20, 5, "/ c o p y ENTER p", false, NULL},
    {"chart-none-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "j p", false, NULL},
    {"source-120x20.txt", FIXTURE_BOTH, TUI_TEXT, 120, 20, "v", false, NULL},
    {"source-ascii-60x12.txt", FIXTURE_WORKLOADS, TUI_TEXT, 60, 12, "v s", true, NULL},
    {"source-20x5.txt", FIXTURE_WORKLOADS, TUI_TEXT, 20, 5, "v", false, NULL},
    {"source-lines-200x60.txt", FIXTURE_LINES, TUI_TEXT, 200, 60, "v", false, NULL},
    {"source-lines-120x40.txt", FIXTURE_LINES, TUI_TEXT, 120, 40, "v TAB n", false, NULL},
    {"source-lines-80x24.txt", FIXTURE_LINES, TUI_TEXT, 80, 24, "v", false, NULL},
    {"source-lines-20x5.txt", FIXTURE_LINES, TUI_TEXT, 20, 5, "v", false, NULL},
    {"source-sass-ascii-100x24.txt", FIXTURE_LINES, TUI_TEXT, 100, 24, "v TAB TAB s", true, NULL},
    {"source-ptx-80x24.txt", FIXTURE_LINES, TUI_TEXT, 80, 24, "v V TAB z n s", false, NULL},
    {"source-projector-100x30.svg", FIXTURE_LINES, TUI_SVG, 100, 30, "v TAB", false, "projector"},
    {"occupancy-80x24.txt", FIXTURE_PROGRAM, TUI_TEXT, 80, 24, "C j l l", false, NULL},
    {"occupancy-120x40.txt", FIXTURE_WORKLOADS, TUI_TEXT, 120, 40, "C", false, NULL},
    {"occupancy-200x60.txt", FIXTURE_EMPTY, TUI_TEXT, 200, 60, "C j j L L L L", false, NULL},
    {"occupancy-ascii-60x20.txt", FIXTURE_PROGRAM, TUI_TEXT, 60, 20, "C G k L L L", true, NULL},
    {"occupancy-20x5.txt", FIXTURE_WORKLOADS, TUI_TEXT, 20, 5, "C j j", false, NULL},
    {"roofline-20x5.txt", FIXTURE_ROOFLINE, TUI_TEXT, 20, 5, "R j", false, NULL},
    {"roofline-80x24.txt", FIXTURE_ROOFLINE, TUI_TEXT, 80, 24, "R", false, NULL},
    {"roofline-120x40.txt", FIXTURE_ROOFLINE, TUI_TEXT, 120, 40, "R j j j", false, NULL},
    {"roofline-200x60.txt", FIXTURE_ROOFLINE, TUI_TEXT, 200, 60, "R G", false, NULL},
    {"roofline-ascii-80x24.txt", FIXTURE_ROOFLINE, TUI_TEXT, 80, 24, "R j j j", true, NULL},
    {"roofline-colorblind-120x40.ansi", FIXTURE_ROOFLINE, TUI_ANSI, 120, 40, "R j j", false, "colorblind"},
    {"roofline-model-80x24.txt", FIXTURE_MODEL, TUI_TEXT, 80, 24, "R", false, NULL},
    {"roofline-none-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "j R", false, NULL},
    {"lanes-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "j A j l l", false, NULL},
    {"lanes-shared-120x40.txt", FIXTURE_MODEL_LIST, TUI_TEXT, 120, 40, "j A n j l l", false, NULL},
    {"lanes-old-200x60.txt", FIXTURE_EMPTY, TUI_TEXT, 200, 60,
     "j A G h h h h h h h h h h h h h h h h h h h h h h h h h h h h", false, NULL},
    {"lanes-ascii-60x24.txt", FIXTURE_EMPTY, TUI_TEXT, 60, 24, "j A j l l l", true, NULL},
    {"lanes-colorblind-120x40.ansi", FIXTURE_EMPTY, TUI_ANSI, 120, 40, "j A", false, "colorblind"},
    {"lanes-projector-80x24.ansi", FIXTURE_EMPTY, TUI_ANSI, 80, 24, "j A n j l l l l l l", false,
     "projector"},
    {"lanes-beside-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "j j j A n l l b", false, NULL},
    {"lab-lanes-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "j e l", false, NULL},
    {"lanes-atomic-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "j j A", false, NULL},
    {"lanes-atomic-120x40.ansi", FIXTURE_EMPTY, TUI_ANSI, 120, 40, "j j A SPACE SPACE", false, NULL},
    {"lanes-20x5.txt", FIXTURE_EMPTY, TUI_TEXT, 20, 5, "j A", false, NULL},
    {"table-80x24.txt", FIXTURE_WORKLOADS, TUI_TEXT, 80, 24, ": p a r t s ENTER l s", false, NULL},
    {"table-40x10.txt", FIXTURE_WORKLOADS, TUI_TEXT, 40, 10, ": p a r t s ENTER l l l l z", false, NULL},
    {"table-20x5.txt", FIXTURE_WORKLOADS, TUI_TEXT, 20, 5, ": p a r t s ENTER j j", false, NULL},
    {"table-whole-ascii-80x24.txt", FIXTURE_PROGRAM, TUI_TEXT, 80, 24, ": p a r t s ENTER j G k k l ENTER",
     true, NULL},
    {"table-equal-60x12.txt", FIXTURE_WORKLOADS, TUI_TEXT, 60, 12, ": e q u a l s ENTER z", false, NULL},
    {"table-projector-120x40.ansi", FIXTURE_WORKLOADS, TUI_ANSI, 120, 40, ": p a r t s ENTER l s S j j",
     false, "projector"},
    {"help-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "?", false, NULL},
    {"help-end-80x24.txt", FIXTURE_EMPTY, TUI_TEXT, 80, 24, "? G", false, NULL},
};

static char *render(const struct screen_case *c)
{
    struct fixture fixture;
    struct error error = {0};
    const struct tui_options options = {.color = true, .ascii = c->ascii, .theme = c->theme};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fixture_init(&fixture, c->content);
    cr_assert_eq(tui_snapshot(&fixture.host, &options, c->format, c->width, c->height, c->keys, out, &error),
                 STATUS_OK, "%s: %s", c->name, error.text);
    fclose(out);
    fixture_fini(&fixture);
    return text;
}

Test(screens, equal_the_golden_files)
{
    int different = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *drawn = render(&cases[i]);
        const char *instead = cases[i].format == TUI_TEXT ? NULL : "(a picture)";
        different += !golden_equals(cases[i].name, drawn, instead);
        free(drawn);
    }
    cr_assert_eq(different, 0, "%d screens differ from their golden files", different);
}

/* No size makes it crash, and a text screen has as many lines as it was given rows and none is too wide. */
Test(screens, every_size_is_drawn)
{
    static const char *const keys[] = {"",
                                       "TAB TAB",
                                       "ENTER",
                                       "?",
                                       "r",
                                       "m",
                                       "+ + + l l -",
                                       "w j e TAB",
                                       "w e TAB TAB",
                                       "w j j j e",
                                       "d G",
                                       "j X",
                                       "r g j x j x X j",
                                       "p",
                                       "G p y n l j",
                                       "p s y y",
                                       "v s j",
                                       "v TAB n z V S",
                                       "v TAB TAB M n N / i ENTER * #",
                                       "a s j",
                                       "o G ENTER",
                                       "T s j G ENTER",
                                       "C j l G h L",
                                       "j A j l n G h",
                                       ": p a r t s ENTER l l l l l l l l l s z ENTER j"};
    for (int content = FIXTURE_EMPTY; content <= FIXTURE_MODEL_LIST; content++) {
        for (int width = 1; width <= 300; width += width < 40 ? 3 : 37) {
            for (int height = 1; height <= 100; height += height < 20 ? 2 : 23) {
                const struct screen_case c = {"any",  (enum fixture_content)content, TUI_TEXT,        width,
                                              height, keys[(width + height) % 25],   height % 3 == 0, NULL};
                char *text = render(&c);
                int lines = 0;
                for (const char *at = text; *at != '\0'; at++)
                    lines += *at == '\n';
                cr_assert_eq(lines, height, "%dx%d has %d lines", width, height, lines);
                free(text);
            }
        }
    }
}
