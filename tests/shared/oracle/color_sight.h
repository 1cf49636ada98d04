/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How colours are seen, by published measures. Pure; any thread.
 *
 * Contrast: W3C, Web Content Accessibility Guidelines 2.1, relative luminance and contrast ratio; 4.5 is what
 * level AA asks of text, 7 what AAA does, 3 what is asked of lines and fills. Colour blindness: Machado,
 * Oliveira and Fernandes, A Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE
 * Transactions on Visualization and Computer Graphics 15(6), 2009, the matrices of severity 1, on linear RGB.
 * Distance: CIE 1976, Euclidean in L*a*b* under D65; 2.3 is a just noticeable difference.
 */
#ifndef TESTS_SHARED_ORACLE_COLOR_SIGHT_H
#define TESTS_SHARED_ORACLE_COLOR_SIGHT_H

#include <stdint.h>

enum sight { SIGHT_NORMAL, SIGHT_PROTANOPIA, SIGHT_DEUTERANOPIA, SIGHT_COUNT };

extern const char *const sight_names[SIGHT_COUNT];
extern const double sight_matrices[SIGHT_COUNT][3][3];

/* Colours are 0xRRGGBB. */
double color_luminance(uint32_t color);
double color_contrast(uint32_t a, uint32_t b);
/* L*, 0 to 100 for white. */
double color_lightness(uint32_t color);
double color_distance_seen(uint32_t a, uint32_t b, enum sight sight);
/* xterm's colours 16 to 255, which are the same on every terminal. */
uint32_t color_rgb_of_256(uint8_t index);

#endif
