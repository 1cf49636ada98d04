/* European options by Black and Scholes' formula (1973), the normal distribution by Abramowitz and
 * Stegun's 26.2.17. */
__device__ float normal(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * expf(-0.5f * d * d) *
                 (k * (0.31938153f +
                       k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

extern "C" __global__ void black_scholes(const float *prices, const float *strikes, const float *years,
                                         float *calls, float *puts, float rate, float volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float root = sqrtf(years[i]);
    float d1 = (logf(prices[i] / strikes[i]) + (rate + 0.5f * volatility * volatility) * years[i]) /
               (volatility * root);
    float d2 = d1 - volatility * root;
    float discounted = strikes[i] * expf(-rate * years[i]);
    calls[i] = prices[i] * normal(d1) - discounted * normal(d2);
    puts[i] = discounted * (1 - normal(d2)) - prices[i] * (1 - normal(d1));
}
