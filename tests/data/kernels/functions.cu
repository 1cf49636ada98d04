/* Calls that stay calls: greatest common divisors by Euclid, modular powers by squaring, in code where lanes
 * part. And edit distances (Wagner and Fischer, 1974) with a row in local memory. */
__noinline__ __device__ unsigned divisor(unsigned a, unsigned b)
{
    while (b != 0) {
        unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

struct power {
    unsigned long long value;
    int steps;
};

__noinline__ __device__ power modular_power(unsigned base, unsigned exponent, unsigned modulus)
{
    power result = {1 % modulus, 0};
    unsigned long long square = base % modulus;
    for (; exponent > 0; exponent >>= 1, result.steps++) {
        if (exponent & 1)
            result.value = result.value * square % modulus;
        square = square * square % modulus;
    }
    return result;
}

extern "C" __global__ void totatives(const unsigned *numbers, unsigned long long *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned a = numbers[2 * i], b = numbers[2 * i + 1] | 1;
    if (divisor(a, b) == 1) {
        power p = modular_power(a, b - 1, b);
        out[i] = p.value * 64 + p.steps;
    } else if (a % 2 == 0) {
        out[i] = divisor(a + 1, b);
    } else {
        out[i] = ~0ull;
    }
}

extern "C" __global__ void edit_distance(const char *words, int length, int *distances, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const char *a = words, *b = words + i * length;
    unsigned char row[25];
    for (int k = 0; k <= length; k++)
        row[k] = (unsigned char)k;
    for (int j = 1; j <= length; j++) {
        int diagonal = row[0];
        row[0] = (unsigned char)j;
        for (int k = 1; k <= length; k++) {
            int here = diagonal + (a[k - 1] != b[j - 1]);
            diagonal = row[k];
            here = min(here, min(row[k - 1] + 1, row[k] + 1));
            row[k] = (unsigned char)here;
        }
    }
    distances[i] = row[length];
}
