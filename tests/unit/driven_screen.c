#include "tests/unit/driven_screen.h"

#include "tui/writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture fixture;
struct screen screen;
struct canvas canvas;

void start(enum fixture_content content, int width, int height)
{
    const struct tui_options options = {.color = true};
    fixture_init(&fixture, content);
    cr_assert_eq(screen_init(&screen, view_table, &fixture.host, &options, NULL), STATUS_OK);
    cr_assert_eq(canvas_init(&canvas, width, height, false, NULL), STATUS_OK);
    screen_update(&screen, width, height);
}

void stop(void)
{
    screen_fini(&screen);
    canvas_fini(&canvas);
    fixture_fini(&fixture);
}

void press(const char *keys)
{
    while (*keys != '\0') {
        size_t length = strcspn(keys, " ");
        uint32_t key = key_parse(keys, length);
        cr_assert_neq(key, 0, "no key: %s", keys);
        screen_key(&screen, key);
        screen_update(&screen, canvas.width, canvas.height);
        keys += length + strspn(keys + length, " ");
    }
}

void type(const char *text)
{
    for (; *text != '\0'; text++)
        screen_key(&screen, (unsigned char)*text);
    screen_update(&screen, canvas.width, canvas.height);
}

char *screen_text(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    screen_draw(&screen, &canvas);
    writer_text(&canvas, out);
    fclose(out);
    return text;
}

bool shows(const char *wanted)
{
    char *text = screen_text();
    bool found = strstr(text, wanted) != NULL;
    if (!found)
        fprintf(stderr, "'%s' is not on:\n%s", wanted, text);
    free(text);
    return found;
}
