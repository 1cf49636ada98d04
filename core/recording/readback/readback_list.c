/* Chunks that are back, in lists: those that were read, that are laid, and that were lifted. A lifted chunk
 * is freed when all who may be in it have let go of the session. */
#include "core/base/array.h"
#include "core/recording/readback/readback_internal.h"
#include "core/session/session_internal.h"

#include <stdlib.h>

bool readback_list_reserve(struct laid_list *list, size_t more)
{
    return array_grow(list->list, list->room, list->count, more);
}

bool readback_list_add(struct laid_list *list, const struct laid *laid)
{
    if (!readback_list_reserve(list, 1))
        return false;
    list->list[list->count++] = *laid;
    return true;
}

void readback_forget(struct readback *readback, struct laid *laid)
{
    free(laid->at.blocks);
    atomic_fetch_sub_explicit(&readback->session->refilled_bytes, laid->bytes, memory_order_relaxed);
}

/* Frees evicted chunks that no reader can be in any more. */
void readback_free_lifted(struct readback *readback)
{
    uint64_t oldest = readback->lifted.count > 0 ? session_oldest_hold(readback->session) : 0;
    size_t kept = 0;
    for (size_t i = 0; i < readback->lifted.count; i++) {
        struct laid *laid = &readback->lifted.list[i];
        if (laid->epoch < oldest)
            readback_forget(readback, laid);
        else
            readback->lifted.list[kept++] = *laid;
    }
    readback->lifted.count = kept;
}
