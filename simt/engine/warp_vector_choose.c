/* Selects the build of the loops of simt/engine/warp_vector.h: the same as for the lane functions. */
#include "simt/engine/warp_vector.h"
#include "simt/lanes/lanes_table.h"

extern const struct warp_vector warp_vector_baseline;
#ifdef LANES_WIDE_VARIANTS
extern const struct warp_vector warp_vector_avx2, warp_vector_avx512;
#endif

const struct warp_vector *warp_vector_choose(void)
{
    /* In the order of the lane functions' variants. */
    static const struct warp_vector *const builds[] = {
        &warp_vector_baseline,
#ifdef LANES_WIDE_VARIANTS
        &warp_vector_avx2,
        &warp_vector_avx512,
#endif
    };
    return builds[lanes_variant_chosen()];
}
