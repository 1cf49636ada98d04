// SPDX-License-Identifier: Apache-2.0
// judge: n int 1000..9000
// judge: x float in [n]
// judge: y float out [1] tolerance 1e-4
void reference(int n, const float *x, float *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    y[0] = (float)sum;
}
