/* Selects the build of simt/lanes/matrix_row.c: the same as for the lane functions. */
#include "simt/lanes/lanes_table.h"
#include "simt/lanes/matrix_row.h"

matrix_row_sum lanes_matrix_row_baseline;
#ifdef LANES_WIDE_VARIANTS
matrix_row_sum lanes_matrix_row_avx2, lanes_matrix_row_avx512;
#endif

matrix_row_sum *matrix_row_choose(void)
{
    /* In the order of the lane functions' variants. */
    static matrix_row_sum *const builds[] = {
        lanes_matrix_row_baseline,
#ifdef LANES_WIDE_VARIANTS
        lanes_matrix_row_avx2,
        lanes_matrix_row_avx512,
#endif
    };
    matrix_row_sum *chosen = builds[0];
    for (size_t i = 1; i < sizeof builds / sizeof builds[0]; i++)
        chosen = lanes_variant_at(i)->runs_here() ? builds[i] : chosen;
    return chosen;
}
