// SPDX-License-Identifier: Apache-2.0
// judge: m int 17..70
// judge: k int 17..70
// judge: n int 17..70
// judge: a float in [m * k]
// judge: b float in [k * n]
// judge: c float out [m * n] tolerance 1e-4
// judge: operations 2 * m * n * k
void reference(int m, int k, int n, const float *a, const float *b, float *c)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (double)a[i * k + l] * b[l * n + j];
            c[i * n + j] = (float)sum;
        }
}
