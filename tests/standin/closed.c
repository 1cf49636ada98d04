/* A double of one of NVIDIA's libraries, and a program that uses it. LIBRARY: the library alone; USER: the
 * program alone; neither: a program that contains it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int cufftPlan1d(int *plan, int size, int type, int batch);
int cufftGetVersion(int *version);

#ifndef USER
/* The library's own error, where it finds no driver. */
int cufftPlan1d(int *plan, int size, int type, int batch)
{
    *plan = size + type + batch;
    return dlopen("libcuda.so.1", RTLD_NOW) ? 5 : 6;
}

int cufftGetVersion(int *version)
{
    *version = 12000;
    return 0;
}
#endif

#ifndef LIBRARY
/* By name: a library of that name is opened. */
int main(int count, char **texts)
{
    int (*plan)(int *, int, int, int) = cufftPlan1d, (*version)(int *) = cufftGetVersion;
    int made = 0;

    if (count > 1) {
        void *library = dlopen(texts[1], RTLD_NOW);
        void *symbols[] = {library ? dlsym(library, "cufftPlan1d") : NULL,
                           library ? dlsym(library, "cufftGetVersion") : NULL};
        if (!symbols[0] || !symbols[1])
            return 2;
        memcpy(&plan, &symbols[0], sizeof plan);
        memcpy(&version, &symbols[1], sizeof version);
    }
    version(&made);
    printf("version %d\n", made);
    printf("plan %d\n", plan(&made, 64, 0x29, 1));
    return 0;
}
#endif
