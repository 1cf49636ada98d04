/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads add to one number, under a lock or not: without it the thread sanitizer's build must fail this
 * program. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int locked;
static long total;

static void *add(void *unused)
{
    (void)unused;
    for (int i = 0; i < 10000; i++) {
        if (locked)
            pthread_mutex_lock(&mutex);
        total++;
        if (locked)
            pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    locked = argc == 2 && strcmp(argv[1], "locked") == 0;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, add, NULL))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("total %ld\n", total);
    return 0;
}
