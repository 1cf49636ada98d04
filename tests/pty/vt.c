/* SPDX-License-Identifier: Apache-2.0 */
#include "vt.h"

#include "tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUND, ESCAPE, CSI, CHARSET, STRING };

static const struct vt_look plain = {.foreground = VT_OWN, .background = VT_OWN};

void vt_init(struct vt *vt, int width, int height)
{
    memset(vt, 0, sizeof *vt);
    vt->look = vt->saved_look = plain;
    vt_resize(vt, width, height);
}

static void blank(struct vt *vt, int y, int from, int to)
{
    for (int x = from; x < to && x < VT_WIDTH_MAX; x++) {
        vt->cells[y][x] = ' ';
        vt->looks[y][x] = plain;
        if (!vt->keeps_ground)
            vt->looks[y][x].background = vt->look.background;
    }
}

void vt_resize(struct vt *vt, int width, int height)
{
    for (int y = 0; y < VT_HEIGHT_MAX; y++)
        blank(vt, y, y < vt->height ? vt->width : 0, VT_WIDTH_MAX);
    vt->width = width;
    vt->height = height;
    vt->top = 0;
    vt->bottom = height - 1;
    vt->x = vt->x < width ? vt->x : width - 1;
    vt->y = vt->y < height ? vt->y : height - 1;
}

static int clamp(int value, int high)
{
    return value < 0 ? 0 : value > high ? high : value;
}

/* Move lines [from, bottom] by n: positive up. */
static void scroll(struct vt *vt, int from, int n)
{
    for (int i = 0; i < (n < 0 ? -n : n); i++) {
        size_t lines = (size_t)(vt->bottom - from);
        int to = n > 0 ? from : from + 1, out = n > 0 ? from + 1 : from;
        memmove(vt->cells[to], vt->cells[out], lines * sizeof vt->cells[0]);
        memmove(vt->looks[to], vt->looks[out], lines * sizeof vt->looks[0]);
        blank(vt, n > 0 ? vt->bottom : from, 0, vt->width);
    }
}

static void line_feed(struct vt *vt)
{
    if (vt->y == vt->bottom)
        scroll(vt, vt->top, 1);
    else if (vt->y < vt->height - 1)
        vt->y++;
}

static struct vt_look seen_look(const struct vt_look *look, bool blank)
{
    bool shown = !blank || look->underline; /* what is in front */
    if (!look->reverse || look->foreground < VT_PLAIN || (shown && look->background < VT_PLAIN))
        return *look;
    return (struct vt_look){look->background, look->foreground, look->bold, look->underline, false};
}

static void put(struct vt *vt, uint32_t codepoint)
{
    char bytes[8] = {0};
    text_encode(codepoint, bytes);
    int width = text_width(bytes, 8);
    if (width == 0)
        return;
    if (vt->wrap_pending || vt->x + width > vt->width) {
        vt->x = 0;
        line_feed(vt);
    }
    vt->wrap_pending = false;
    struct vt_look look = seen_look(&vt->look, codepoint == ' ');
    vt->cells[vt->y][vt->x] = codepoint;
    vt->looks[vt->y][vt->x] = look;
    if (width == 2) {
        vt->cells[vt->y][vt->x + 1] = 0;
        vt->looks[vt->y][vt->x + 1] = look;
    }
    vt->x += width;
    vt->last = codepoint;
    if (vt->x >= vt->width) {
        vt->x = vt->width - 1;
        vt->wrap_pending = true;
    }
}

static void unknown(struct vt *vt, char final)
{
    vt->unknown++;
    snprintf(vt->unknown_text, sizeof vt->unknown_text, "CSI %c %d %c", vt->prefix ? vt->prefix : ' ',
             vt->arguments[0], final);
}

static void private_mode(struct vt *vt, char final)
{
    for (int i = 0; i < vt->argument_count; i++) {
        bool on = final == 'h';
        switch (vt->arguments[i]) {
        case 25: vt->cursor_hidden = !on; break;
        case 1049:
            /* What lay on the other screen is not kept. */
            vt->alternate = on;
            for (int y = 0; y < vt->height; y++)
                blank(vt, y, 0, vt->width);
            break;
        case 1000:
        case 1002: vt->mouse = on; break;
        case 2004: vt->pastes = on; break;
        default: break; /* cursor keys, blinking: nothing that is seen */
        }
    }
}

static void shift_cells(struct vt *vt, int n, bool insert)
{
    uint32_t *row = vt->cells[vt->y];
    struct vt_look *looks = vt->looks[vt->y];
    int count = vt->width - vt->x;
    n = n > count ? count : n;
    int to = insert ? vt->x + n : vt->x, from = insert ? vt->x : vt->x + n;
    memmove(row + to, row + from, (size_t)(count - n) * sizeof *row);
    memmove(looks + to, looks + from, (size_t)(count - n) * sizeof *looks);
    blank(vt, vt->y, insert ? vt->x : vt->width - n, insert ? vt->x + n : vt->width);
}

static void erase_display(struct vt *vt, int what)
{
    if (what == 0)
        blank(vt, vt->y, vt->x, vt->width);
    for (int y = what == 0 ? vt->y + 1 : 0; y < (what == 1 ? vt->y : vt->height); y++)
        blank(vt, y, 0, vt->width);
    if (what == 1)
        blank(vt, vt->y, 0, vt->x + 1);
}

/* 38 or 48: what follows is 5 and a number, or 2 and red, green and blue; after colons the number of a colour
 * space, which may be empty, stands before red (ISO 8613-6). Gives the arguments taken. */
static int long_color(const struct vt *vt, int first, int32_t *color)
{
    const int *arguments = &vt->arguments[first];
    int count = vt->argument_count - first, space = 0;
    if (count >= 3 && arguments[1] == 5) {
        *color = arguments[2] & 255;
        return 3;
    }
    if (count < 5 || arguments[1] != 2)
        return count;
    if (count >= 6 && (vt->colons >> (first + 5) & 1))
        space = 1;
    const int *rgb = arguments + 2 + space;
    *color = VT_DIRECT | (rgb[0] & 255) << 16 | (rgb[1] & 255) << 8 | (rgb[2] & 255);
    return 5 + space;
}

static void set_look(struct vt_look *look, int code)
{
    if (code >= 30 && code <= 37)
        look->foreground = code - 30;
    else if (code >= 90 && code <= 97)
        look->foreground = code - 90 + 8;
    else if (code >= 40 && code <= 47)
        look->background = code - 40;
    else if (code >= 100 && code <= 107)
        look->background = code - 100 + 8;
    switch (code) {
    case 0: *look = plain; break;
    case 1: look->bold = true; break;
    case 4: look->underline = true; break;
    case 7: look->reverse = true; break;
    case 22: look->bold = false; break;
    case 24: look->underline = false; break;
    case 27: look->reverse = false; break;
    case 39: look->foreground = VT_OWN; break;
    case 49: look->background = VT_OWN; break;
    default: break;
    }
}

static void graphics(struct vt *vt)
{
    if (vt->argument_count == 0)
        vt->look = plain;
    for (int i = 0; i < vt->argument_count;) {
        const int *code = &vt->arguments[i];
        if (*code == 38 || *code == 48) {
            i += long_color(vt, i, *code == 38 ? &vt->look.foreground : &vt->look.background);
        } else {
            set_look(&vt->look, *code);
            i++;
        }
    }
    vt->colored |= vt->look.foreground != VT_OWN || vt->look.background != VT_OWN;
}

static void csi(struct vt *vt, char final)
{
    int first = vt->argument_count > 0 ? vt->arguments[0] : 0, n = first > 0 ? first : 1;
    int second = vt->argument_count > 1 && vt->arguments[1] > 0 ? vt->arguments[1] : 1;
    if (vt->prefix == '?' && (final == 'h' || final == 'l')) {
        private_mode(vt, final);
        return;
    }
    if (vt->prefix != 0)
        return; /* queries and keyboard modes: nothing that is seen */
    if (final != 'm' && final != 'b')
        vt->wrap_pending = false;
    switch (final) {
    case 'A': vt->y = clamp(vt->y - n, vt->height - 1); break;
    case 'B': vt->y = clamp(vt->y + n, vt->height - 1); break;
    case 'C': vt->x = clamp(vt->x + n, vt->width - 1); break;
    case 'D': vt->x = clamp(vt->x - n, vt->width - 1); break;
    case 'G': vt->x = clamp(n - 1, vt->width - 1); break;
    case 'd': vt->y = clamp(n - 1, vt->height - 1); break;
    case 'H':
        vt->y = clamp(n - 1, vt->height - 1);
        vt->x = clamp(second - 1, vt->width - 1);
        break;
    case 'J': erase_display(vt, first); break;
    case 'K': blank(vt, vt->y, first == 0 ? vt->x : 0, first == 1 ? vt->x + 1 : vt->width); break;
    case 'X': blank(vt, vt->y, vt->x, vt->x + n < vt->width ? vt->x + n : vt->width); break;
    case '@': shift_cells(vt, n, true); break;
    case 'P': shift_cells(vt, n, false); break;
    case 'L': scroll(vt, vt->y, -n); break;
    case 'M': scroll(vt, vt->y, n); break;
    case 'S': scroll(vt, vt->top, n); break;
    case 'T': scroll(vt, vt->top, -n); break;
    case 'b':
        for (int i = 0; i < n && !vt->ignores_rep; i++)
            put(vt, vt->last);
        break;
    case 'r':
        vt->top = clamp(n - 1, vt->height - 1);
        vt->bottom = vt->argument_count > 1 ? clamp(second - 1, vt->height - 1) : vt->height - 1;
        vt->x = vt->y = 0;
        break;
    case 'm': graphics(vt); break;
    case 'n':
        vt->asked_x = vt->x + 1;
        vt->asked_y = vt->y + 1;
        break;
    case 'h':
    case 'l':
    case 't': break;
    default: unknown(vt, final); break;
    }
}

static void control(struct vt *vt, char c)
{
    if (c != 0x1b && c != 0x0e && c != 0x0f && c != 0x07)
        vt->wrap_pending = false;
    switch (c) {
    case '\r': vt->x = 0; break;
    case '\n': line_feed(vt); break;
    case '\b': vt->x = clamp(vt->x - 1, vt->width - 1); break;
    case '\t': vt->x = clamp(vt->x / 8 * 8 + 8, vt->width - 1); break;
    case 0x1b: vt->state = ESCAPE; break;
    case 0x0e:
    case 0x0f:
    case 0x07: break;
    default: unknown(vt, c); break;
    }
}

static void ground(struct vt *vt, unsigned char c)
{
    if (c >= 0x80) {
        if ((c & 0xc0) == 0x80) {
            vt->codepoint = vt->codepoint << 6 | (c & 0x3f);
            if (vt->continuation > 0 && --vt->continuation == 0)
                put(vt, vt->codepoint);
            return;
        }
        vt->continuation = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        vt->codepoint = c & (0x3fu >> vt->continuation);
        return;
    }
    if (c < 0x20 || c == 0x7f)
        control(vt, (char)c);
    else
        put(vt, c);
}

static void escape(struct vt *vt, char c)
{
    vt->state = GROUND;
    switch (c) {
    case '[':
        vt->state = CSI;
        vt->argument_count = 0;
        vt->colons = 0;
        memset(vt->arguments, 0, sizeof vt->arguments);
        vt->prefix = 0;
        break;
    case ']':
        vt->state = STRING;
        vt->string_bytes = 0;
        break;
    case '\\': break; /* the end of a string */
    case '(':
    case ')': vt->state = CHARSET; break;
    case 'D': line_feed(vt); break;
    case 'M':
        if (vt->y == vt->top)
            scroll(vt, vt->top, -1);
        else
            vt->y = clamp(vt->y - 1, vt->height - 1);
        break;
    case '7':
        vt->saved_x = vt->x;
        vt->saved_y = vt->y;
        vt->saved_look = vt->look;
        break;
    case '8':
        vt->x = clamp(vt->saved_x, vt->width - 1);
        vt->y = clamp(vt->saved_y, vt->height - 1);
        vt->look = vt->saved_look;
        break;
    case '=':
    case '>':
    case 'c': break;
    default: unknown(vt, c); break;
    }
}

void vt_feed(struct vt *vt, const char *bytes, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++) {
        char c = bytes[i];
        switch (vt->state) {
        case GROUND: ground(vt, (unsigned char)c); break;
        case ESCAPE: escape(vt, c); break;
        case CHARSET: vt->state = GROUND; break;
        case STRING:
            if (c == 0x07 || c == 0x1b)
                vt->state = c == 0x07 ? GROUND : ESCAPE;
            else if (vt->string_bytes + 1 < sizeof vt->string)
                vt->string[vt->string_bytes++] = c;
            vt->string[vt->string_bytes] = '\0';
            break;
        case CSI:
            if (c >= '0' && c <= '9') {
                if (vt->argument_count == 0)
                    vt->argument_count = 1;
                int *argument = &vt->arguments[vt->argument_count - 1];
                *argument = clamp(*argument * 10 + (c - '0'), 99999);
            } else if (c == ';' || c == ':') {
                if (vt->argument_count == 0)
                    vt->argument_count = 1;
                if (vt->argument_count < 16)
                    vt->colons |= (c == ':' ? 1u : 0) << vt->argument_count++;
            } else if (c >= '<' && c <= '?') {
                vt->prefix = c;
            } else if (c >= '@' && c <= '~') {
                vt->state = GROUND;
                csi(vt, c);
            }
            break;
        default: break;
        }
    }
}

char *vt_text(const struct vt *vt)
{
    char *text = malloc((size_t)vt->height * ((size_t)vt->width * 4 + 1) + 1), *at = text;
    if (text == NULL)
        abort();
    for (int y = 0; y < vt->height; y++) {
        int end = vt->width;
        while (end > 0 && vt->cells[y][end - 1] == ' ')
            end--;
        for (int x = 0; x < end; x++)
            if (vt->cells[y][x] != 0)
                at += text_encode(vt->cells[y][x], at);
        *at++ = '\n';
    }
    *at = '\0';
    return text;
}
