/* SPDX-License-Identifier: Apache-2.0 */
/* In the place of CUDA 12's runtime, static or libcudart.so.12: without the stand-in each function fails, as
 * without a driver. */
#include "older.h"

#define NO_DRIVER 35

#ifdef OLDEST /* a program of CUDA 11 */
int __cudaRegisterFatBinary(void)
{
    return 0;
}

int main(void)
{
    return __cudaRegisterFatBinary();
}
#else

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define OLDER_DEFINE(name, parameters) \
    int name parameters                \
    {                                  \
        return NO_DRIVER;              \
    }
OLDER_FUNCTIONS(OLDER_DEFINE)
#endif
