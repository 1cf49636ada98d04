/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every opcode of PTX ISA 9.0, chapter 9, with the function that lowers it, or the reason why the model does
 * not support it. Sorted, for searching and for the list in docs/ptx.md. The forms of opcodes that
 * simt/lanes/lanes computes are in its tables.
 */
#include "simt/program/lower/lower_internal.h"

#include <stdlib.h>
#include <string.h>

#define TEXTURES "the model supports no queries of textures and surfaces, and no reductions in surfaces."
#define WARPGROUPS "the model has no products of matrices in shared memory (wgmma)."
#define TENSOR_MEMORY "the model has no tensor memory."
#define CLUSTERS "the model does not cancel clusters that have not begun."
#define TENSOR_COPIES "the model has no tensor copies (TMA tensor maps)."
#define STACK "the model has no dynamic stack."
#define VIDEO "the model has no video instructions."

/* clang-format off */ /* one row per opcode */
static const struct lower_opcode opcodes[] = {
    {"abs", lower_lanes, NULL},
    {"activemask", lower_activemask, NULL},
    {"add", lower_lanes, NULL},
    {"addc", lower_lanes, NULL},
    {"alloca", NULL, STACK},
    {"and", lower_lanes, NULL},
    {"applypriority", lower_nothing, NULL},
    {"atom", lower_atomic, NULL},
    {"bar", lower_bar, NULL},
    {"barrier", lower_bar, NULL},
    {"bfe", lower_lanes, NULL},
    {"bfi", lower_lanes, NULL},
    {"bfind", lower_lanes, NULL},
    {"bmsk", lower_lanes, NULL},
    {"bra", lower_bra, NULL},
    {"brev", lower_lanes, NULL},
    {"brkpt", lower_end, NULL},
    {"brx", lower_brx, NULL},
    {"call", lower_call, NULL},
    {"clusterlaunchcontrol", NULL, CLUSTERS},
    {"clz", lower_lanes, NULL},
    {"cnot", lower_lanes, NULL},
    {"copysign", lower_lanes, NULL},
    {"cos", lower_lanes, NULL},
    {"cp", lower_copy, NULL},
    {"createpolicy", lower_createpolicy, NULL},
    {"cvt", lower_cvt, NULL},
    {"cvta", lower_lanes, NULL},
    {"discard", lower_nothing, NULL},
    {"div", lower_lanes, NULL},
    {"dp2a", lower_lanes, NULL},
    {"dp4a", lower_lanes, NULL},
    {"elect", lower_elect, NULL},
    {"ex2", lower_lanes, NULL},
    {"exit", lower_end, NULL},
    {"fence", lower_fence, NULL},
    {"fma", lower_lanes, NULL},
    {"fns", lower_lanes, NULL},
    {"getctarank", lower_getctarank, NULL},
    {"griddepcontrol", lower_nothing, NULL},
    {"isspacep", lower_lanes, NULL},
    {"istypep", NULL, TEXTURES},
    {"ld", lower_load, NULL},
    {"ldmatrix", lower_ldmatrix, NULL},
    {"ldu", lower_load, NULL},
    {"lg2", lower_lanes, NULL},
    {"lop3", lower_lanes, NULL},
    {"mad", lower_lanes, NULL},
    {"mad24", lower_lanes, NULL},
    {"madc", lower_lanes, NULL},
    {"mapa", lower_mapa, NULL},
    {"match", lower_match, NULL},
    {"max", lower_lanes, NULL},
    {"mbarrier", lower_mbarrier, NULL},
    {"membar", lower_fence, NULL},
    {"min", lower_lanes, NULL},
    {"mma", lower_mma, NULL},
    {"mov", lower_mov, NULL},
    {"movmatrix", lower_movmatrix, NULL},
    {"mul", lower_lanes, NULL},
    {"mul24", lower_lanes, NULL},
    {"multimem", NULL, "the model has one device, and no memory shared by several."},
    {"nanosleep", lower_nanosleep, NULL},
    {"neg", lower_lanes, NULL},
    {"not", lower_lanes, NULL},
    {"or", lower_lanes, NULL},
    {"pmevent", lower_nothing, NULL},
    {"popc", lower_lanes, NULL},
    {"prefetch", lower_prefetch, NULL},
    {"prefetchu", lower_prefetch, NULL},
    {"prmt", lower_lanes, NULL},
    {"rcp", lower_lanes, NULL},
    {"red", lower_reduction, NULL},
    {"redux", lower_redux, NULL},
    {"rem", lower_lanes, NULL},
    {"ret", lower_end, NULL},
    {"rsqrt", lower_lanes, NULL},
    {"sad", lower_lanes, NULL},
    {"selp", lower_lanes, NULL},
    {"set", lower_lanes, NULL},
    {"setmaxnreg", lower_nothing, NULL},
    {"setp", lower_lanes, NULL},
    {"shf", lower_lanes, NULL},
    {"shfl", lower_shfl, NULL},
    {"shl", lower_lanes, NULL},
    {"shr", lower_lanes, NULL},
    {"sin", lower_lanes, NULL},
    {"slct", lower_lanes, NULL},
    {"sqrt", lower_lanes, NULL},
    {"st", lower_store, NULL},
    {"stackrestore", NULL, STACK},
    {"stacksave", NULL, STACK},
    {"stmatrix", lower_stmatrix, NULL},
    {"sub", lower_lanes, NULL},
    {"subc", lower_lanes, NULL},
    {"suld", lower_surface, NULL},
    {"suq", NULL, TEXTURES},
    {"sured", NULL, TEXTURES},
    {"sust", lower_surface, NULL},
    {"szext", lower_lanes, NULL},
    {"tanh", lower_lanes, NULL},
    {"tcgen05", NULL, TENSOR_MEMORY},
    {"tensormap", NULL, TENSOR_COPIES},
    {"testp", lower_lanes, NULL},
    {"tex", lower_texture, NULL},
    {"tld4", lower_texture, NULL},
    {"trap", lower_end, NULL},
    {"txq", NULL, TEXTURES},
    {"vabsdiff", NULL, VIDEO},
    {"vabsdiff2", lower_lanes, NULL},
    {"vabsdiff4", lower_lanes, NULL},
    {"vadd", NULL, VIDEO},
    {"vadd2", NULL, VIDEO},
    {"vadd4", lower_lanes, NULL},
    {"vavrg2", NULL, VIDEO},
    {"vavrg4", lower_lanes, NULL},
    {"vmad", NULL, VIDEO},
    {"vmax", NULL, VIDEO},
    {"vmax2", NULL, VIDEO},
    {"vmax4", lower_lanes, NULL},
    {"vmin", NULL, VIDEO},
    {"vmin2", NULL, VIDEO},
    {"vmin4", lower_lanes, NULL},
    {"vote", lower_vote, NULL},
    {"vset", NULL, VIDEO},
    {"vset2", NULL, VIDEO},
    {"vset4", NULL, VIDEO},
    {"vshl", NULL, VIDEO},
    {"vshr", NULL, VIDEO},
    {"vsub", lower_vsub, NULL},
    {"vsub2", NULL, VIDEO},
    {"vsub4", lower_lanes, NULL},
    {"wgmma", NULL, WARPGROUPS},
    {"wmma", lower_wmma, NULL},
    {"xor", lower_lanes, NULL},
};
/* clang-format on */
#define OPCODES (sizeof opcodes / sizeof opcodes[0])

const struct lower_opcode *lower_opcode_at(size_t index)
{
    return index < OPCODES ? &opcodes[index] : NULL;
}

static int compare_opcode(const void *key, const void *row)
{
    return strcmp(key, ((const struct lower_opcode *)row)->opcode);
}

const struct lower_opcode *lower_opcode_find(const char *opcode)
{
    return bsearch(opcode, opcodes, OPCODES, sizeof opcodes[0], compare_opcode);
}
