/* SPDX-License-Identifier: Apache-2.0 */
/* An array doubles, so that adding n elements one by one costs O(n) copies. No size wraps around: a size
 * beyond size_t fails in the same way as a failed allocation. */
#include "core/base/array.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARRAY_FIRST 8u /* elements */

static const char *files_folder;

void array_use_folder(const char *folder)
{
    files_folder = folder;
    if (folder)
        mallopt(M_MMAP_THRESHOLD, (int)ARRAY_IN_FILE_LEAST); /* each large array in pages of its own */
}

/* Puts a file under the whole pages of memory that is unused or zero. free() takes them away with the rest,
 * and with them the file. */
static void place_in_file(void *memory, size_t bytes)
{
    if (!memory || !files_folder || bytes < ARRAY_IN_FILE_LEAST)
        return;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before = (page - (uintptr_t)memory % page) % page;
    size_t inside = (bytes - before) / page * page;
    int file = open(files_folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    if (posix_fallocate(file, 0, (off_t)inside) == 0) /* if this mapping fails, the memory stays as it was */
        mmap((char *)memory + before, inside, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    close(file);
}

void *array_make(size_t count, size_t element_bytes)
{
    void *made = calloc(count, element_bytes);
    place_in_file(made, count * element_bytes);
    return made;
}

/* As realloc, which cannot move memory that lies partly in a file in place. */
static void *memory_resize(void *memory, size_t used_bytes, size_t bytes)
{
    if (!files_folder || bytes < ARRAY_IN_FILE_LEAST)
        return realloc(memory, bytes);
    void *made = malloc(bytes);
    if (!made)
        return NULL;
    place_in_file(made, bytes);
    if (used_bytes > 0)
        memcpy(made, memory, used_bytes);
    free(memory);
    return made;
}

/* array: the address of a pointer to elements of any type, so the pointer is copied as bytes. */
static bool array_grow_until(void *array, size_t *room, size_t most, size_t count, size_t more,
                             size_t element_bytes, bool zeroed)
{
    most = most < SIZE_MAX / element_bytes ? most : SIZE_MAX / element_bytes;
    if (count > most || more > most - count)
        return false;
    if (count + more <= *room)
        return true;
    size_t wanted = *room < most / 2 ? 2 * *room : most;
    wanted = wanted < ARRAY_FIRST && ARRAY_FIRST <= most ? ARRAY_FIRST : wanted;
    wanted = wanted < count + more ? count + more : wanted;
    void *grown;
    memcpy(&grown, array, sizeof grown);
    grown = memory_resize(grown, *room * element_bytes, wanted * element_bytes);
    if (!grown)
        return false;
    if (zeroed)
        memset((char *)grown + *room * element_bytes, 0, (wanted - *room) * element_bytes);
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return true;
}

bool array_grow_size(void *array, size_t *room, size_t count, size_t more, size_t element_bytes, bool zeroed)
{
    return array_grow_until(array, room, SIZE_MAX, count, more, element_bytes, zeroed);
}

bool array_grow_32(void *array, uint32_t *room, size_t count, size_t more, size_t element_bytes, bool zeroed)
{
    size_t wide = *room;
    bool grown = array_grow_until(array, &wide, UINT32_MAX, count, more, element_bytes, zeroed);
    *room = (uint32_t)wide;
    return grown;
}
