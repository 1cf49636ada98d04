"""matmul.py OUT: writes matmul.ptx, a matrix product of halves that Triton 3.9 makes for sm_80, without a GPU. What follows
its code (line tables) is cut off, and comments are."""
import re
import sys

import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, sam, sbk, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0); pn = tl.program_id(1)
    om = pm * BM + tl.arange(0, BM); on = pn * BN + tl.arange(0, BN); ok = tl.arange(0, BK)
    a = a_ptr + om[:, None] * sam + ok[None, :]
    b = b_ptr + ok[:, None] * sbk + on[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=(om[:, None] < M) & (ok[None, :] < K - k * BK), other=0.0)
        y = tl.load(b, mask=(ok[:, None] < K - k * BK) & (on[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK; b += BK * sbk
    tl.store(c_ptr + om[:, None] * scm + on[None, :], acc.to(tl.float16), mask=(om[:, None] < M) & (on[None, :] < N))
src = ASTSource(fn=matmul, signature={'a_ptr':'*fp16','b_ptr':'*fp16','c_ptr':'*fp16','M':'i32','N':'i32','K':'i32','sam':'i32','sbk':'i32','scm':'i32','BM':'constexpr','BN':'constexpr','BK':'constexpr'}, constexprs={'BM':64,'BN':64,'BK':32}, attrs={(i,):[['tt.divisibility',16]] for i in (0,1,2,4,5,6,7,8)})
k = triton.compile(src, target=GPUTarget('cuda', 80, 32), options={'num_warps':4,'num_stages':3})
text = k.asm['ptx'].split('.section')[0]
text = '\n'.join(line for line in text.split('\n') if not re.match(r'\s*(\.(loc|file)\b|\$L__(tmp|func))', line))
text = re.sub(r'\n\s*\n+', '\n', re.sub(r'[ \t]*//[^\n]*', '', text).strip())
with open(sys.argv[1] + '/matmul.ptx', 'w') as out:
    out.write('// A matrix product of halves by Triton 3.9 for sm_80 (matmul.py): blocks of 64 x 64 by 32, 4 warps, 3 stages, '
              '%d bytes of shared memory.\n%s\n' % (k.metadata.shared, text))
