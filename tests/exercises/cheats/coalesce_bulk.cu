// exercise: coalesce
// Copies in bulk, 16 bytes each, in any order: they pass the counters of loads and stores by.
extern "C" __global__ void copy_offset(float *out, const float *in, unsigned offset)
{
    __shared__ alignas(128) float word[256];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned t = threadIdx.x, k = t % 8 * 32 + t / 8 * 4, first = blockIdx.x * 256 + offset + k;
    unsigned at = (unsigned)__cvta_generic_to_shared(&word[k]),
             wait = (unsigned)__cvta_generic_to_shared(&barrier);

    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(wait));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(wait) : "memory");
    }
    __syncthreads();
    if (t < 64)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" ::"r"(
                at),
            "l"(in + first), "r"(wait)
            : "memory");
    asm volatile(
        "{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(wait)
        : "memory");
    if (t < 64) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16;" ::"l"(out + first), "r"(at)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
