/*
 * In terminfo's strings the variables A to Z keep their value from one string to the next: F and B hold the
 * numbers of the colours that the terminal has, U is not 0 if underline or reverse may be on. The strings
 * that reset everything are empty here, so F and B stay true within a frame: curses sends them only at its
 * end and where it clears the screen, and then sets both colours. curses keeps the place of a string, so a
 * string is replaced in its place, and no new one may be longer.
 */
#include "tui/terminal/sgr.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

static const char *const names[SGR_COUNT] = {
    [SGR_FOREGROUND] = "setaf", [SGR_BACKGROUND] = "setab", [SGR_ATTRIBUTES] = "sgr",
    [SGR_PLAIN] = "sgr0",       [SGR_COLORLESS] = "op",
};

static const char attributes[] = "\x1b[%?%p6%t1%e22%;%?%gU%t;24;27%;%?%p2%t;4%;%?%p1%p3%|%t;7%;m"
                                 "%p1%p2%|%p3%|%PU";
/* No colour has the number 2^24. */
static const char forget[] = "%{16777216}%PF%{16777216}%PB%{1}%PU";

/* From "ESC [ %? (colour < 8) ... %e 38;5;%p1%d %; m": "38;5;%p1%d" if the number is not the variable's.
 * Every number may be sent in the last form. */
static bool make_color(struct sgr_text *text, char variable)
{
    static const char begin[] = "\x1b[%?", end[] = "%;m";
    const char *form = NULL;
    size_t length = strlen(text->own);
    for (const char *at = strstr(text->own, "%e"); at != NULL; at = strstr(form, "%e"))
        form = at + 2;
    if (form == NULL || strncmp(text->own, begin, strlen(begin)) != 0 ||
        strcmp(text->own + length - strlen(end), end) != 0)
        return false;
    snprintf(text->saving, sizeof text->saving, "%%?%%p1%%g%c%%=%%!%%t\x1b[%.*sm%%;%%p1%%P%c", variable,
             (int)(length - strlen(end) - (size_t)(form - text->own)), form, variable);
    return true;
}

void sgr_start(struct sgr *sgr)
{
    *sgr = (struct sgr){.able = COLORS >= 256};
    for (int i = 0; i < SGR_COUNT; i++) {
        struct sgr_text *text = &sgr->text[i];
        text->place = tigetstr(names[i]);
        if (text->place == NULL || text->place == (char *)-1 || strlen(text->place) >= SGR_SIZE) {
            sgr->able = false;
            return;
        }
        strcpy(text->own, text->place);
    }
    snprintf(sgr->text[SGR_ATTRIBUTES].saving, SGR_SIZE, "%s", attributes);
    sgr->able = sgr->able && strstr(sgr->text[SGR_ATTRIBUTES].own, "\x1b[0%?%p6%t;1%;") != NULL &&
                make_color(&sgr->text[SGR_FOREGROUND], 'F') && make_color(&sgr->text[SGR_BACKGROUND], 'B');
    for (int i = 0; i < SGR_COUNT; i++)
        sgr->able = sgr->able && strlen(sgr->text[i].saving) <= strlen(sgr->text[i].own);
}

void sgr_leave(struct sgr *sgr)
{
    for (int i = 0; i < SGR_COUNT && sgr->able; i++)
        strcpy(sgr->text[i].place, sgr->text[i].own);
}

bool sgr_begin(const struct sgr *sgr)
{
    if (sgr->saves)
        tiparm(forget);
    return sgr->saves;
}

void sgr_return(struct sgr *sgr)
{
    for (int i = 0; i < SGR_COUNT && sgr->saves; i++)
        strcpy(sgr->text[i].place, sgr->text[i].saving);
    sgr_begin(sgr);
}

void sgr_choose(struct sgr *sgr, bool all_colored)
{
    sgr->saves = sgr->able && all_colored;
    sgr_return(sgr);
}
