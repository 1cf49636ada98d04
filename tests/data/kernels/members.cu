/*
 * What lanes do together when they name different members, and from different places: each lane has a label, and its
 * members are the lanes of its label. Results are compared with what a loop over the lanes gives, and lanes whose result is
 * wrong are counted. The device model runs these (tests/unit/test_member_groups.c), and a GPU
 * (tests/gpu/programs/members.cu).
 */
__device__ unsigned member_value(unsigned lane, unsigned label)
{
    return (lane * 2654435761u ^ label * 40503u) >> 7;
}

__device__ void member_result(unsigned *wrong, bool bad)
{
    if (bad)
        atomicAdd(wrong, 1u);
}

#if __CUDA_ARCH__ >= 800
#define REDUCE(operation, members, value) __reduce_##operation##_sync(members, value)
#else
#define REDUCE(operation, members, value) 0u /* there is none: shown as wrong */
#endif

/* A warp a block, 32 labels each; wrong[operation], of all blocks. */
extern "C" __global__ void members(const unsigned *labels, unsigned *wrong)
{
    __shared__ unsigned words[32];
    const unsigned *own = labels + blockIdx.x * 32;
    unsigned lane = threadIdx.x, label = own[lane], value = member_value(lane, label);
    unsigned group = __match_any_sync(~0u, label), first = __ffs(group) - 1;

    unsigned ballot = __ballot_sync(group, value & 1);
    bool any = __any_sync(group, (value & 7) == 0), all = __all_sync(group, (value & 7) != 0);
    unsigned from_first = __shfl_sync(group, value, first);
    unsigned alike = __match_any_sync(group, value & 3);
    unsigned sum = REDUCE(add, group, value), least = REDUCE(min, group, value);
    unsigned either = REDUCE(or, group, 1u << (value & 31));
    words[lane] = value;
    __syncwarp(group);
    unsigned written = words[first];

    unsigned want_ballot = 0, want_alike = 0, want_sum = 0, want_least = ~0u, want_either = 0, want_first = 0;
    bool want_any = false, want_all = true;
    for (unsigned other = 32; other-- > 0;) {
        unsigned its = member_value(other, own[other]);
        if (own[other] != label)
            continue;
        want_ballot |= (its & 1) << other;
        want_any |= (its & 7) == 0;
        want_all &= (its & 7) != 0;
        want_first = its;
        want_alike |= (unsigned)((its & 3) == (value & 3)) << other;
        want_sum += its;
        want_least = its < want_least ? its : want_least;
        want_either |= 1u << (its & 31);
    }
    member_result(&wrong[0], ballot != want_ballot);
    member_result(&wrong[1], any != want_any);
    member_result(&wrong[2], all != want_all);
    member_result(&wrong[3], from_first != want_first);
    member_result(&wrong[4], alike != want_alike);
    member_result(&wrong[5], sum != want_sum);
    member_result(&wrong[6], least != want_least);
    member_result(&wrong[7], either != want_either);
    member_result(&wrong[8], written != want_first);
}

__device__ unsigned lanes_labelled(const unsigned *own, unsigned label)
{
    unsigned lanes = 0;
    for (unsigned other = 0; other < 32; other++)
        lanes |= (unsigned)(own[other] == label) << other;
    return lanes;
}

/* Members in both arms of an if: each arm has its own instruction. */
extern "C" __global__ void members_apart(const unsigned *labels, unsigned *wrong)
{
    const unsigned *own = labels + blockIdx.x * 32;
    unsigned lane = threadIdx.x, group = lanes_labelled(own, own[lane]), lanes;
    if (lane & 1)
        lanes = __ballot_sync(group, true) + 1;
    else
        lanes = __ballot_sync(group, lane & 2);
    member_result(wrong, lanes != (group & 0xeeeeeeeeu) + (lane & 1));
}

/* Odd lanes do behind an if what even ones do twice within it. */
extern "C" __global__ void members_in_turn(const unsigned *labels, unsigned *wrong)
{
    const unsigned *own = labels + blockIdx.x * 32;
    unsigned lane = threadIdx.x, group = lanes_labelled(own, own[lane]), first, second = 0;
    if (lane & 1) {
        first = __ballot_sync(group, lane & 2);
    } else {
        first = __ballot_sync(group, lane & 2);
        second = __ballot_sync(group, lane & 4);
    }
    __threadfence_block();
    if (lane & 1)
        second = __ballot_sync(group, lane & 4);
    member_result(wrong, first != (group & 0xccccccccu) || second != (group & 0xf0f0f0f0u));
}

/* Lane 0 and each other lane in turn, all at one instruction. */
extern "C" __global__ void members_in_pairs(const unsigned *, unsigned *wrong)
{
    unsigned lane = threadIdx.x, begin = lane ? lane : 1, end = lane ? lane : 31;
    bool bad = false;
    for (unsigned other = begin; other <= end; other++)
        bad |= __ballot_sync(1u | 1u << other, lane) != 1u << other;
    member_result(wrong, bad);
}

/* Lanes of odd labels vote with all; the others pass by, and end. */
extern "C" __global__ void members_that_end(const unsigned *labels, unsigned *wrong)
{
    const unsigned *own = labels + blockIdx.x * 32;
    unsigned lanes = 0, odd = 0;
    for (unsigned other = 0; other < 32; other++)
        odd |= (own[other] & 1) << other;
    if (own[threadIdx.x] & 1)
        lanes = __ballot_sync(~0u, true);
    member_result(wrong, lanes != (own[threadIdx.x] & 1 ? odd : 0));
}

/* Two warps: even threads ask for barrier 1, odd ones for barrier 2, at one instruction: not allowed. An H100 ends the
 * kernel with an illegal instruction; so does the model. */
extern "C" __global__ void members_at_barriers(const unsigned *labels, unsigned *wrong)
{
    __shared__ unsigned words[64];
    unsigned thread = threadIdx.x, value = labels[blockIdx.x * 32 + thread % 32] + thread;
    words[thread] = value;
    asm volatile("barrier.sync %0, 32;" ::"r"(1 + (thread & 1)) : "memory");
    member_result(wrong, words[thread ^ 32] != value - thread + (thread ^ 32));
}
