"""make_data.py OUT TREE: tests/data/matrix_h200.txt from the probe's text.txt and hashes.bin; products of e4m3 and e5m2 are left out."""
import re, struct, sys

# Not equal to the bit: m8n8k4 with C and D of halves (2 % of the elements), k4 of TF32 (a tile in some hundreds).
UNEQUAL = ('.f16.f16.f16.f16', 'm16n8k4.row.col.f32.tf32', 'wmma.m16n16k8.f32.tf32')
out, tree = sys.argv[1:3]
hashes = open(out + '/hashes.bin', 'rb').read()
with open(tree + '/tests/data/matrix_h200.txt', 'w') as to:
    to.write('# number, product, hashes of 8 groups of 64 tiles (tests/shared/oracle/matrix_tile.h), on an NVIDIA H200\n')
    for line in open(out + '/text.txt'):
        m = re.match(r'config (\d+) (\S+) .* hashes at (\d+)', line)
        if m and any(u in m[2] for u in UNEQUAL) and ('m8n8k4' in m[2] or 'tf32' in m[2]):
            continue
        if m and 'e4m3' not in line and 'e5m2' not in line:
            to.write('%s %s %s\n' % (m[1], m[2], ' '.join('%016x' % h for h in struct.unpack_from('<8Q', hashes, int(m[3])))))
