/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_matrix FOLDER [THREADS]: the device model's products of matrices against a GPU's. FOLDER has
 * text.txt and hashes.bin of tests/gpu/probe/matrix: of each product a hash for each 64 of its 1,048,576
 * tiles. Prints a line for each product with a group that differs, and the sums; exit status 1 if one does.
 * 15 minutes of processor time on an H100's machine.
 */
#include "tests/shared/oracle/matrix_hash.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_TILES = 64, GROUPS = (1 << 20) / GROUP_TILES, PART = 256, THREADS_MAX = 256 };

struct product {
    char name[128];
    uint32_t config;
    const uint64_t *hashes;
    atomic_uint different, first_different;
};

static struct product products[512];
static uint32_t product_count;
static atomic_uint next_part;

/* Takes parts of products, of PART groups each, until there are none. */
static void *compare_parts(void *unused)
{
    (void)unused;
    for (uint32_t part; (part = atomic_fetch_add(&next_part, 1)) < product_count * (GROUPS / PART);) {
        struct product *const product = &products[part / (GROUPS / PART)];
        struct matrix_case *const of = matrix_case_create(product->name, product->config);
        const uint32_t first = part % (GROUPS / PART) * PART;
        for (uint32_t group = first; group < first + PART; group++) {
            if (of != NULL &&
                matrix_case_hash(of, group * GROUP_TILES, GROUP_TILES, NULL) == product->hashes[group])
                continue;
            atomic_fetch_add(&product->different, 1);
            atomic_store(&product->first_different, group);
        }
        matrix_case_destroy(of);
    }
    return NULL;
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

/* Products of e4m3 and e5m2, which the model refuses, are left out. */
static void read_products(const char *folder, uint64_t *hashes)
{
    FILE *const text = open_in(folder, "text.txt"), *const file = open_in(folder, "hashes.bin");
    char line[4096];
    while (fgets(line, sizeof line, text) != NULL) {
        struct product *const product = &products[product_count];
        const char *const at = strstr(line, " hashes at ");
        long offset;
        if (at == NULL || strstr(line, "e4m3") != NULL || strstr(line, "e5m2") != NULL ||
            sscanf(line, "config %" SCNu32 " %127s", &product->config, product->name) != 2 ||
            sscanf(at, " hashes at %ld", &offset) != 1)
            continue;
        uint64_t *const to = hashes + (size_t)product_count++ * GROUPS;
        if (fseek(file, offset, SEEK_SET) != 0 || fread(to, sizeof *to, GROUPS, file) != GROUPS) {
            fprintf(stderr, "hashes.bin has not all groups of %s: run the probe with all of its tiles\n",
                    product->name);
            exit(1);
        }
        product->hashes = to;
    }
    fclose(text);
    fclose(file);
}

int main(int argc, char **argv)
{
    const int wanted = argc > 2 ? atoi(argv[2]) : 1;
    const int threads = wanted < 1 ? 1 : wanted > THREADS_MAX ? THREADS_MAX : wanted;
    uint64_t *const hashes = malloc(sizeof products / sizeof *products * GROUPS * sizeof *hashes);
    pthread_t thread[THREADS_MAX];
    uint32_t equal = 0;
    if (argc < 2 || hashes == NULL) {
        fprintf(stderr, "usage: compare_matrix FOLDER [THREADS]\n");
        return 1;
    }
    read_products(argv[1], hashes);
    for (int i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, compare_parts, NULL) != 0)
            return 1;
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (uint32_t i = 0; i < product_count; i++) {
        if (products[i].different == 0)
            equal++;
        else
            printf("%s: %u of %u groups of 64 tiles differ, one of them begins at tile %u\n",
                   products[i].name, products[i].different, GROUPS,
                   products[i].first_different * GROUP_TILES);
    }
    printf("%u of %u products are equal to the bit in %u tiles each\n", equal, product_count,
           GROUPS * GROUP_TILES);
    free(hashes);
    return product_count == 0 || equal != product_count;
}
