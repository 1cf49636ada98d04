#include "tests/unit/fixture_source.h"

#include <stdlib.h>
#include <string.h>

const char fixture_source_text[] = "// A kernel of the tests.\n__global__ void kernel(float *out)\n{\n"
                                   "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    out[i * 8] = tile[i];\n    tile[i] = 0;\n}\n";

static const struct {
    const char *text;
    uint32_t line;
    double instructions, sectors, ideal_sectors, wavefronts, ideal_wavefronts;
} made[] = {
    {"ld.param.u64 %rd1, [out]", 2, 32, 0, 0, 0, 0},
    {"mad.lo.s32 %r4, %r1, %r2, %r3", 4, 512, 0, 0, 0, 0},
    {"mul.wide.u32 %rd2, %r4, 32", 4, 128, 0, 0, 0, 0},
    {"ld.shared.f32 %f1, [%r5]", 5, 128, 0, 0, 512, 128},
    {"st.global.f32 [%rd3], %f1", 5, 128, 4608, 576, 0, 0},
    {"st.shared.f32 [%r5], %f2", 6, 64, 0, 0, 256, 256},
    {"ret", 7, 8, 0, 0, 0, 0},
};
#define MADE (sizeof made / sizeof made[0])

enum status fixture_source(void *context, const struct tui_source_query *query, struct tui_source *source,
                           struct error *error)
{
    (void)context;
    if (strcmp(query->workload, "histogram") == 0)
        return error_set(error, STATUS_STATE, "The source of %s is not kept.", query->kernel);
    *source =
        (struct tui_source){.path = FIXTURE_SOURCE_PATH, .text = fixture_source_text, .model = "NVIDIA H200"};
    source->listing.provenance = PROVENANCE_MODELLED;
    source->listing.places = calloc(MADE, sizeof *source->listing.places);
    if (source->listing.places == NULL)
        abort();
    source->listing.count = MADE;
    for (uint32_t i = 0; i < MADE; i++) {
        struct code_place *place = &source->listing.places[i];
        *place = (struct code_place){.function = query->kernel,
                                     .text = made[i].text,
                                     .file = FIXTURE_SOURCE_PATH,
                                     .pc_offset = i,
                                     .line = made[i].line};
        place->costs[CODE_INSTRUCTIONS] = made[i].instructions;
        place->costs[CODE_SECTORS] = made[i].sectors;
        place->costs[CODE_IDEAL_SECTORS] = made[i].ideal_sectors;
        place->costs[CODE_WAVEFRONTS] = made[i].wavefronts;
        place->costs[CODE_IDEAL_WAVEFRONTS] = made[i].ideal_wavefronts;
    }
    for (int cost = 0; cost < CODE_COST_COUNT; cost++)
        source->listing.has[cost] = cost != CODE_SAMPLES;
    code_listing_sum(&source->listing);
    return STATUS_OK;
}
