/* SPDX-License-Identifier: Apache-2.0 */
/* A double of one of NVIDIA's libraries, and a program that uses it. LIBRARY: the library alone; USER: the
 * program alone; neither: a program that contains it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int nvjpegCreateSimple(void **handle);
int nvjpegGetProperty(int type, int *version);

#ifndef USER
/* The library's own error, where it finds no driver. */
int nvjpegCreateSimple(void **handle)
{
    *handle = handle;
    return dlopen("libcuda.so.1", RTLD_NOW) ? 5 : 6;
}

int nvjpegGetProperty(int type, int *version)
{
    (void)type;
    *version = 12000;
    return 0;
}
#endif

#ifndef LIBRARY
/* By name: a library of that name is opened. */
int main(int count, char **texts)
{
    int (*create)(void **) = nvjpegCreateSimple, (*version)(int, int *) = nvjpegGetProperty;
    void *handle = NULL;
    int made = 0;

    if (count > 1) {
        void *library = dlopen(texts[1], RTLD_NOW);
        void *symbols[] = {library ? dlsym(library, "nvjpegCreateSimple") : NULL,
                           library ? dlsym(library, "nvjpegGetProperty") : NULL};
        if (!symbols[0] || !symbols[1])
            return 2;
        memcpy(&create, &symbols[0], sizeof create);
        memcpy(&version, &symbols[1], sizeof version);
    }
    version(0, &made);
    printf("version %d\n", made);
    printf("created %d\n", create(&handle));
    return 0;
}
#endif
