/* Escape times of the Mandelbrot set: lanes of a warp leave the loop at different times. */
extern "C" __global__ void mandelbrot(int *times, int width, int height, float left, float top, float step,
                                      int limit)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    float real = left + column * step, imaginary = top + row * step;
    float x = 0, y = 0;
    int time = 0;
    while (time < limit && x * x + y * y <= 4) {
        float next = x * x - y * y + real;
        y = 2 * x * y + imaginary;
        x = next;
        time++;
    }
    times[row * width + column] = time;
}
