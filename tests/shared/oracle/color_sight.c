/* SPDX-License-Identifier: Apache-2.0 */
#include "color_sight.h"

#include <math.h>

const char *const sight_names[SIGHT_COUNT] = {"normal", "protanopia", "deuteranopia"};
const double sight_matrices[SIGHT_COUNT][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
};

struct rgb {
    double r, g, b; /* linear, 0 to 1 */
};

static double linear(uint32_t byte)
{
    double c = (double)byte / 255;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static struct rgb rgb_of(uint32_t color)
{
    return (struct rgb){linear(color >> 16 & 255), linear(color >> 8 & 255), linear(color & 255)};
}

double color_luminance(uint32_t color)
{
    struct rgb c = rgb_of(color);
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

double color_contrast(uint32_t a, uint32_t b)
{
    double x = color_luminance(a), y = color_luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static double cube_root(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static void lab_of(uint32_t color, enum sight sight, double lab[3])
{
    struct rgb c = rgb_of(color);
    double seen[3];
    for (int i = 0; i < 3; i++) {
        const double *row = sight_matrices[sight][i];
        seen[i] = fmin(1, fmax(0, row[0] * c.r + row[1] * c.g + row[2] * c.b));
    }
    double x = cube_root((0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2]) / 0.95047);
    double y = cube_root(0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2]);
    double z = cube_root((0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2]) / 1.08883);
    lab[0] = 116 * y - 16;
    lab[1] = 500 * (x - y);
    lab[2] = 200 * (y - z);
}

double color_lightness(uint32_t color)
{
    return 116 * cube_root(color_luminance(color)) - 16;
}

double color_distance_seen(uint32_t a, uint32_t b, enum sight sight)
{
    double one[3], other[3];
    lab_of(a, sight, one);
    lab_of(b, sight, other);
    return sqrt(pow(one[0] - other[0], 2) + pow(one[1] - other[1], 2) + pow(one[2] - other[2], 2));
}

uint32_t color_rgb_of_256(uint8_t index)
{
    static const uint32_t level[6] = {0, 95, 135, 175, 215, 255};
    if (index >= 232)
        return (8 + 10 * (index - 232u)) * 0x010101u;
    return level[(index - 16) / 36] << 16 | level[(index - 16) / 6 % 6] << 8 | level[(index - 16) % 6];
}
