# SPDX-License-Identifier: Apache-2.0
"""make_data.py OUT TREE: tests/data/matrix_h200.txt from the probe's text.txt and hashes.bin; products of e4m3 and e5m2 are left out."""
import re, struct, sys

out, tree = sys.argv[1:3]
hashes = open(out + '/hashes.bin', 'rb').read()
with open(tree + '/tests/data/matrix_h200.txt', 'w') as to:
    to.write('# number, product, hashes of 8 groups of 64 tiles (tests/shared/oracle/matrix_tile.h), on an NVIDIA H200\n')
    for line in open(out + '/text.txt'):
        m = re.match(r'config (\d+) (\S+) .* hashes at (\d+)', line)
        if m and 'e4m3' not in line and 'e5m2' not in line:
            to.write('%s %s %s\n' % (m[1], m[2], ' '.join('%016x' % h for h in struct.unpack_from('<8Q', hashes, int(m[3])))))
