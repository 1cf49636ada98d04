/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests whether two sets of repeated measurements differ by more than their spread. Pure, any thread.
 *
 * The chance that is returned is the p-value of a two-sided rank test, which assumes no distribution (times
 * of launches are skewed and have outliers, so that means and standard deviations mislead):
 * - between two sets the rank-sum test: H. B. Mann and D. R. Whitney, "On a test of whether one of two random
 * variables is stochastically larger than the other", Annals of Mathematical Statistics 18 (1947), with
 * mid-ranks for ties. Up to SPREAD_EXACT_MAX numbers in all the distribution is counted out, beyond that it
 * is taken as normal, corrected for ties and for continuity (M. Hollander, D. A. Wolfe, "Nonparametric
 * Statistical Methods", chapter 4);
 * - between a set and a number without a spread (what the device model gives) the sign test: how often
 * launches lie on each side of it (the same book, chapter 3). 1 when a set is empty.
 */
#ifndef CORE_ANALYSIS_MANN_WHITNEY_H
#define CORE_ANALYSIS_MANN_WHITNEY_H

#include <stddef.h>

#define SPREAD_EXACT_MAX 40
#define SPREAD_LEVEL 0.05 /* p-values up to this count as a difference */

double spread_chance(const double *a, size_t a_count, const double *b, size_t b_count);
double spread_chance_of_number(double number, const double *set, size_t count);

/* The smallest p-value possible with these counts: if it is above SPREAD_LEVEL, the numbers are too few for a
 * result. */
double spread_least_chance(size_t a_count, size_t b_count);
double spread_least_chance_of_number(size_t count);

#endif
