#include "tests/unit/fixture_accesses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t spec_number(const char *spec, const char *name, uint64_t standard)
{
    const char *at = strstr(spec, name);
    return at != NULL ? strtoull(at + strlen(name), NULL, 10) : standard;
}

enum status fixture_accesses(void *context, const struct tui_access_query *query,
                             struct tui_accesses *accesses, struct error *error)
{
    uint64_t offset = spec_number(query->spec, ",offset=", 1),
             stride = spec_number(query->spec, ",stride=", 2);
    (void)context;
    if (strncmp(query->spec, "copy", 4) != 0)
        return error_set(error, STATUS_STATE, "%s makes no memory access.", query->spec);
    *accesses =
        (struct tui_accesses){.count = 3, .sites = 2, .blocks = 64, .warps = 8, .model = "NVIDIA H200"};
    accesses->items = calloc(3, sizeof *accesses->items);
    if (accesses->items == NULL)
        abort();
    for (uint32_t i = 0; i < 3; i++) {
        struct tui_access *one = &accesses->items[i];
        *one = (struct tui_access){.site = i == 2,
                                   .execution = i == 1,
                                   .space = i == 2 ? TUI_SPACE_SHARED : TUI_SPACE_GLOBAL,
                                   .by_rule = true,
                                   .access = {.active = UINT32_MAX, .width_bytes = 4, .store = i == 2},
                                   .counted = 32,
                                   .counted_ideal = 4};
        for (uint64_t lane = 0; lane < WARP_LANES; lane++)
            one->access.address[lane] =
                4096 + 4 * (stride * (lane + 32 * query->warp + 256 * (query->block + i)) + offset);
        snprintf(one->kernel, sizeof one->kernel, "copy");
        one->line = 9 + i;
        snprintf(one->place, sizeof one->place, "kernel.cu:%u", 9 + i);
        snprintf(one->instruction, sizeof one->instruction,
                 i == 2 ? "st.shared.f32 [%%r1], %%f1" : "ld.global.f32 %%f1, [%%rd6]");
        snprintf(one->text, sizeof one->text, "tile[i] = in[i * stride + offset];");
    }
    return STATUS_OK;
}
