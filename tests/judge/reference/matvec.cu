// SPDX-License-Identifier: Apache-2.0
// judge: rows int 64..256
// judge: cols int 128..512
// judge: a float in [rows*cols]
// judge: x float in [cols]
// judge: y float out [rows] tolerance 5e-2
// judge: operations 2 * rows * cols
void reference(int rows, int cols, const float *a, const float *x, float *y)
{
    for (int r = 0; r < rows; r++) {
        double t = 0;
        for (int c = 0; c < cols; c++)
            t += (double)a[r * cols + c] * x[c];
        y[r] = (float)t;
    }
}
