/* SPDX-License-Identifier: Apache-2.0 */
/* A program without CUDA, linked with a library that has a runtime and kernels inside. */
#include <stdio.h>

int plugin_add_one(int value);

int main(void)
{
    int three = plugin_add_one(2);

    printf("%d\n", three);
    return three != 3;
}
