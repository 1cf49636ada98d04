/* SPDX-License-Identifier: Apache-2.0 */
/* Which device's context is the calling thread's: it is set anew only when an operation of another device
 * comes. */
#include "workloads/cuda/cuda_device.h"

static _Thread_local struct cuda_device *current; /* whose context is the thread's */

struct cuda_device *cuda_of(struct device *device)
{
    struct cuda_device *cuda = (struct cuda_device *)device;

    if (current != cuda && cuda->context &&
        cuda->driver.cuCtxSetCurrent(cuda->context) == CUDA_RESULT_SUCCESS)
        current = cuda;
    return cuda;
}

void cuda_current_set(struct cuda_device *cuda)
{
    current = cuda;
}
