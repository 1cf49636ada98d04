/* The texts and capabilities of the list in the header, by feature. */
#include "core/hardware/arch_feature.h"

#define SINCE(id, since, text) [ARCH_FEATURE_##id] = since,
#define TEXT(id, since, text) [ARCH_FEATURE_##id] = text,

uint32_t arch_feature_since(enum arch_feature feature)
{
    static const uint32_t since[] = {ARCH_FEATURE_LIST(SINCE)};

    return since[feature];
}

const char *arch_feature_text(enum arch_feature feature)
{
    static const char *const texts[] = {ARCH_FEATURE_LIST(TEXT)};

    return texts[feature];
}
