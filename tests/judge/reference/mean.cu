// SPDX-License-Identifier: Apache-2.0
// judge: n int 20000..60000
// judge: s float 1..5
// judge: x float in [n] 0..1
// judge: y float out [1] tolerance 2e-2
void reference(int n, float s, const float *x, float *y)
{
    double t = 0;
    for (int i = 0; i < n; i++)
        t += x[i];
    y[0] = (float)(s * t / n);
}
