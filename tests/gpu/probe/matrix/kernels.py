# SPDX-License-Identifier: Apache-2.0
# writes probe_mma.inc: one struct per mma.sync configuration
FM={'f16':('F_F16',16,5,10),'bf16':('F_BF16',16,8,7),'tf32':('F_TF32',32,8,23),'f32':('F_F32',32,8,23),'f64':('F_F64',64,11,52),
 'e4m3':('F_E4M3',8,4,3),'e5m2':('F_E5M2',8,5,2),'s8':('F_INT',8,0,0),'u8':('F_INT',8,0,0),'s4':('F_INT',4,0,0),'u4':('F_INT',4,0,0),'s32':('F_INT',32,0,0),'b1':('F_BIT',1,0,0)}
def fmt(t): return '{%s, %d, %d, %d}'%FM[t]
out=[];names=[]
def add(m,n,k,d,a,b,c,al='row',bl='col',mod='',op='',full=512):
    shape='m%dn%dk%d'%(m,n,k)
    name='mma.%s.%s.%s.%s%s.%s.%s.%s.%s'%(shape,al,bl,mod.strip('.')+'.' if mod else '',d,a,b,c,op.strip('.'))
    name=name.rstrip('.')
    eb=FM[a][1]
    if shape=='m8n8k4' and a=='f16': nA=nB=2; nC=8 if c=='f32' else 4; nD=8 if d=='f32' else 4
    elif a=='f64': nA=m*k//32; nB=n*k//32; nC=nD=m*n//32
    else:
        nA=m*k*eb//1024; nB=n*k*eb//1024; nC=m*n*FM[c][1]//1024; nD=m*n*FM[d][1]//1024
    w='d' if a=='f64' else 'r'
    T='uint64_t' if a=='f64' else 'uint32_t'
    con='l' if a=='f64' else 'r'
    # f registers for f32, r for others
    def cons(t): return {'f32':'f','f64':'d'}.get(t,'r')
    i=0
    def grp(nn):
        nonlocal i
        s='{'+', '.join('%%%d'%(i+j) for j in range(nn))+'}'; i+=nn; return s
    D=grp(nD);A=grp(nA);B=grp(nB);C=grp(nC)
    inst='mma.sync.aligned.%s.%s.%s%s.%s.%s.%s.%s%s'%(shape,al,bl,mod,d,a,b,c,op)
    def arg(t,v): 
        return {'f32':'__uint_as_float(%s)','f64':'__longlong_as_double(%s)'}.get(t,'%s')%v
    def decl(t,nm,nn,src):
        ty={'f32':'float','f64':'double'}.get(t,'uint32_t')
        return '%s %s[%d];'%(ty,nm,nn)+(''.join(' %s[%d] = %s;'%(nm,j,arg(t,'%s[%d]'%(src,j))) for j in range(nn)) if src else '')
    s='struct M%d {\n'%len(names)
    s+='    static constexpr int m = %d, n = %d, k = %d, na = %d, nb = %d, nc = %d, nd = %d, quads = %d, acol = %d, bcol = %d, full = %d;\n'%(m,n,k,nA,nB,nC,nD,int(shape=='m8n8k4' and a=='f16'),int(al=='col'),int(bl=='col'),full)
    s+='    typedef %s word;\n'%T
    for x,t in (('fa',a),('fb',b),('fc',c),('fd',d)): s+='    __host__ __device__ static constexpr struct tile_format %s() { return %s; }\n'%(x,fmt(t))
    ty={'f32':'float','f64':'double'}
    s+='    __device__ static void mma(word *d, const word *a, const word *b, const word *c)\n    {\n'
    s+='        '+decl(d,'x',nD,None)+' '+decl(c,'y',nC,'c')+'\n'
    s+='        asm volatile("%s %s, %s, %s, %s;"\n'%(inst,D,A,B,C)
    s+='                     : '+', '.join('"=%s"(x[%d])'%(cons(d),j) for j in range(nD))+'\n'
    def ops(t,nm,nn): 
        # A and B of tf32 are b32, f64 are d
        cc='d' if t=='f64' else 'r'
        return ', '.join('"%s"(%s)'%(cc,('__longlong_as_double(%s[%d])' if t=='f64' else '%s[%d]')%(nm,j)) for j in range(nn))
    s+='                     : '+ops(a,'a',nA)+', '+ops(b,'b',nB)+',\n                       '+', '.join('"%s"(y[%d])'%(cons(c),j) for j in range(nC))+');\n'
    back={'f32':'__float_as_uint(x[%d])','f64':'__double_as_longlong(x[%d])'}.get(d,'x[%d]')
    s+='        '+' '.join(('d[%d] = '+back+';')%((j,j)) for j in range(nD))+'\n    }\n};\n'
    out.append(s);names.append(name)
for al in('row','col'):
    for bl in('row','col'):
        add(8,8,4,'f16','f16','f16','f16',al,bl); add(8,8,4,'f32','f16','f16','f32',al,bl); add(8,8,4,'f32','f16','f16','f16',al,bl)
for k in (8,16):
    add(16,8,k,'f16','f16','f16','f16'); add(16,8,k,'f32','f16','f16','f32'); add(16,8,k,'f32','bf16','bf16','f32')
for k in (4,8): add(16,8,k,'f32','tf32','tf32','f32')
add(8,8,4,'f64','f64','f64','f64')
for k in (4,8,16): add(16,8,k,'f64','f64','f64','f64')
for a in ('e4m3','e5m2'):
    for b in ('e4m3','e5m2'): add(16,8,32,'f32',a,b,'f32')
for x,shapes in (('8',((8,8,16),(16,8,16),(16,8,32))),('4',((8,8,32),(16,8,32),(16,8,64)))):
    for sh in shapes:
        for a in 'su':
            for b in 'su':
                for mod in ('','.satfinite'): add(*sh,'s32',a+x,b+x,'s32',mod=mod,full=32)
for sh in ((8,8,128),(16,8,128),(16,8,256)):
    for op in ('.xor.popc','.and.popc'): add(*sh,'s32','b1','b1','s32',op=op,full=32)
open('probe_mma.inc','w').write('\n'.join(out)+'\n#define MMA_LIST(X) \\\n'+' \\\n'.join('    X(%d, "%s")'%(i,n) for i,n in enumerate(names))+'\n#define MMA_COUNT %d\n'%len(names))
print(len(names))
