/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/shared/made/failing_disk.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int64_t bytes_left, failures;
static _Atomic int failure;
static sqlite3_vfs *real_vfs;
static sqlite3_vfs failing_vfs;

struct failing_file {
    sqlite3_file base;
    sqlite3_file *real; /* lies behind */
};

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((struct failing_file *)file)->real;
}

static int fail_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset)
{
    if (atomic_fetch_sub(&bytes_left, count) < count) {
        atomic_fetch_add(&failures, 1);
        return atomic_load(&failure);
    }
    return real_of(file)->pMethods->xWrite(real_of(file), bytes, count, offset);
}

#define FORWARD(name, parameters, arguments)            \
    static int forward_##name parameters                \
    {                                                   \
        return real_of(file)->pMethods->name arguments; \
    }
FORWARD(xClose, (sqlite3_file * file), (real_of(file)))
FORWARD(xRead, (sqlite3_file * file, void *bytes, int count, sqlite3_int64 offset),
        (real_of(file), bytes, count, offset))
FORWARD(xTruncate, (sqlite3_file * file, sqlite3_int64 size), (real_of(file), size))
FORWARD(xSync, (sqlite3_file * file, int flags), (real_of(file), flags))
FORWARD(xFileSize, (sqlite3_file * file, sqlite3_int64 *size), (real_of(file), size))
FORWARD(xLock, (sqlite3_file * file, int lock), (real_of(file), lock))
FORWARD(xUnlock, (sqlite3_file * file, int lock), (real_of(file), lock))
FORWARD(xCheckReservedLock, (sqlite3_file * file, int *result), (real_of(file), result))
FORWARD(xFileControl, (sqlite3_file * file, int what, void *argument), (real_of(file), what, argument))
FORWARD(xSectorSize, (sqlite3_file * file), (real_of(file)))
FORWARD(xDeviceCharacteristics, (sqlite3_file * file), (real_of(file)))
FORWARD(xShmMap, (sqlite3_file * file, int page, int size, int extend, void volatile **memory),
        (real_of(file), page, size, extend, memory))
FORWARD(xShmLock, (sqlite3_file * file, int offset, int count, int flags),
        (real_of(file), offset, count, flags))
FORWARD(xShmUnmap, (sqlite3_file * file, int remove), (real_of(file), remove))

static void forward_xShmBarrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static const sqlite3_io_methods failing_methods = {.iVersion = 2,
                                                   .xClose = forward_xClose,
                                                   .xRead = forward_xRead,
                                                   .xWrite = fail_write,
                                                   .xTruncate = forward_xTruncate,
                                                   .xSync = forward_xSync,
                                                   .xFileSize = forward_xFileSize,
                                                   .xLock = forward_xLock,
                                                   .xUnlock = forward_xUnlock,
                                                   .xCheckReservedLock = forward_xCheckReservedLock,
                                                   .xFileControl = forward_xFileControl,
                                                   .xSectorSize = forward_xSectorSize,
                                                   .xDeviceCharacteristics = forward_xDeviceCharacteristics,
                                                   .xShmMap = forward_xShmMap,
                                                   .xShmLock = forward_xShmLock,
                                                   .xShmBarrier = forward_xShmBarrier,
                                                   .xShmUnmap = forward_xShmUnmap};

static int failing_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags,
                        int *out_flags)
{
    struct failing_file *own = (struct failing_file *)file;
    (void)vfs;
    own->real = (sqlite3_file *)(own + 1);
    int result = real_vfs->xOpen(real_vfs, name, own->real, flags, out_flags);
    own->base.pMethods = own->real->pMethods ? &failing_methods : NULL;
    return result;
}

void failing_disk_install(int64_t bytes, int result)
{
    atomic_store(&bytes_left, bytes);
    atomic_store(&failures, 0);
    atomic_store(&failure, result);
    if (real_vfs)
        return;
    real_vfs = sqlite3_vfs_find(NULL);
    failing_vfs = *real_vfs;
    failing_vfs.zName = "failing-disk";
    failing_vfs.szOsFile += (int)sizeof(struct failing_file);
    failing_vfs.xOpen = failing_open;
    sqlite3_vfs_register(&failing_vfs, 1);
}

void failing_disk_allow(int64_t bytes)
{
    atomic_store(&bytes_left, bytes);
}

int64_t failing_disk_failures(void)
{
    return atomic_load(&failures);
}
