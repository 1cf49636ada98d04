// SPDX-License-Identifier: Apache-2.0
// judge: n int 1000..9000
// judge: a float in [n]
// judge: b float in [n]
// judge: y float out [n] tolerance 1e-6
void reference(int n, const float *a, const float *b, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}
