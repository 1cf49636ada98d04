/* SPDX-License-Identifier: Apache-2.0 */
/* Logic, shifts and bit fields, bit by bit as the PTX ISA writes them: 9.0, 9.7.1, 9.7.8, 9.7.9.7. */
#include "tests/shared/oracle/ptx_oracle.h"

#include <string.h>

static bool is(const struct oracle_name *name, const char *opcode)
{
    return strcmp(name->words[0], opcode) == 0;
}

static uint64_t bit(uint64_t value, uint32_t index)
{
    return value >> index & 1;
}

static bool logic(const struct oracle_name *name, const uint64_t *s, uint32_t width, uint64_t *d)
{
    if (is(name, "and"))
        *d = s[0] & s[1];
    else if (is(name, "or"))
        *d = s[0] | s[1];
    else if (is(name, "xor"))
        *d = s[0] ^ s[1];
    else if (is(name, "not"))
        *d = ~s[0];
    else if (is(name, "cnot"))
        *d = oracle_low(s[0], width) == 0;
    else
        return false;
    return true;
}

static bool shift(const struct oracle_name *name, const uint64_t *s, uint32_t width, uint64_t *d)
{
    uint32_t count = (uint32_t)s[1];
    bool right = is(name, "shr");
    bool fill = right && name->words[name->count - 1][0] == 's' && bit(s[0], width - 1);
    if (!right && !is(name, "shl"))
        return false;
    count = count > width ? width : count;
    *d = oracle_low(s[0], width);
    for (uint32_t i = 0; i < count; i++)
        *d = right ? *d >> 1 | (uint64_t)fill << (width - 1) : *d << 1;
    return true;
}

static bool funnel(const struct oracle_name *name, const uint64_t *s, uint64_t *d)
{
    uint32_t c = (uint32_t)s[2];
    uint32_t n = oracle_has(name, "clamp") ? (c < 32 ? c : 32) : c & 31;
    uint64_t whole = (s[1] & UINT32_MAX) << 32 | (s[0] & UINT32_MAX);
    if (!is(name, "shf"))
        return false;
    for (uint32_t i = 0; i < n; i++)
        whole = oracle_has(name, "l") ? whole << 1 : whole >> 1;
    *d = oracle_has(name, "l") ? whole >> 32 : whole;
    return true;
}

static bool counting(const struct oracle_name *name, const uint64_t *s, uint32_t width, uint64_t *d)
{
    uint64_t a = oracle_low(s[0], width);
    if (is(name, "popc")) {
        *d = 0;
        for (uint32_t i = 0; i < width; i++)
            *d += bit(a, i);
    } else if (is(name, "clz")) {
        for (*d = 0; *d < width && !bit(a, width - 1 - (uint32_t)*d);)
            ++*d;
    } else if (is(name, "bfind")) {
        *d = UINT32_MAX;
        if (name->words[name->count - 1][0] == 's' && bit(a, width - 1))
            a = oracle_low(~a, width);
        for (uint32_t i = width; i-- > 0 && *d == UINT32_MAX;)
            if (bit(a, i))
                *d = oracle_has(name, "shiftamt") ? width - 1 - i : i;
    } else if (is(name, "brev")) {
        *d = 0;
        for (uint32_t i = 0; i < width; i++)
            *d |= bit(a, i) << (width - 1 - i);
    } else {
        return false;
    }
    return true;
}

static bool find_nth(const struct oracle_name *name, const uint64_t *s, uint64_t *d)
{
    int64_t position = (uint32_t)s[1];
    int64_t offset = (int32_t)(uint32_t)s[2];
    int64_t count = (offset < 0 ? -offset : offset) - 1;
    if (!is(name, "fns"))
        return false;
    *d = UINT32_MAX;
    if (offset == 0 && position < 32 && bit(s[0], (uint32_t)position))
        *d = (uint64_t)position;
    for (; offset != 0 && position >= 0 && position<32; position += offset> 0 ? 1 : -1) {
        if (bit(s[0], (uint32_t)position) && count-- == 0) {
            *d = (uint64_t)position;
            break;
        }
    }
    return true;
}

static bool fields(const struct oracle_name *name, const uint64_t *s, uint32_t width, uint64_t *d)
{
    uint32_t msb = width - 1;
    if (is(name, "bfe")) {
        uint32_t position = s[1] & 0xff, length = s[2] & 0xff, last = position + length - 1;
        bool is_signed = name->words[name->count - 1][0] == 's';
        uint64_t sign = !is_signed || length == 0 ? 0 : bit(s[0], last < msb ? last : msb);
        *d = 0;
        for (uint32_t i = 0; i <= msb; i++)
            *d |= (i < length && position + i <= msb ? bit(s[0], position + i) : sign) << i;
    } else if (is(name, "bfi")) {
        uint32_t position = s[2] & 0xff, length = s[3] & 0xff;
        *d = s[1];
        for (uint32_t i = 0; i < length && position + i <= msb; i++)
            *d = (*d & ~(UINT64_C(1) << (position + i))) | bit(s[0], i) << (position + i);
    } else if (is(name, "bmsk")) {
        uint32_t a = (uint32_t)s[0], b = (uint32_t)s[1];
        bool clamp = oracle_has(name, "clamp");
        uint64_t first = clamp ? a : a & 31, length = clamp ? b : b & 31;
        *d = 0;
        for (uint64_t i = first; i < 32 && i < first + length; i++)
            *d |= UINT64_C(1) << i;
    } else if (is(name, "szext")) {
        uint32_t n = oracle_has(name, "clamp") ? (uint32_t)s[1] : (uint32_t)s[1] & 31;
        bool is_signed = name->words[name->count - 1][0] == 's';
        *d = 0;
        for (uint32_t i = 0; i < 32; i++)
            *d |= (i < n ? bit(s[0], i) : is_signed && n > 0 ? bit(s[0], n - 1) : 0) << i;
    } else {
        return false;
    }
    return true;
}

static bool look_up(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    if (!is(name, "lop3"))
        return false;
    for (uint32_t i = 0; i < 32; i++)
        result->bits[0] |= bit(s[3], (uint32_t)(bit(s[0], i) << 2 | bit(s[1], i) << 1 | bit(s[2], i))) << i;
    if (name->count == 3) { /* lop3.or.b32 */
        result->bits[1] =
            oracle_has(name, "or") ? (result->bits[0] != 0) | s[4] : (result->bits[0] != 0) & s[4];
        result->count = 2;
    }
    return true;
}

/* PTX ISA 9.0, 9.7.9.7: the table of modes, a row per selector, b3 first. */
static uint32_t mode_selector(const struct oracle_name *name, uint32_t c, uint32_t byte)
{
    static const struct {
        const char *mode;
        char rows[4][5];
    } modes[] = {
        {"f4e", {"3210", "4321", "5432", "6543"}}, {"b4e", {"5670", "6701", "7012", "0123"}},
        {"rc8", {"0000", "1111", "2222", "3333"}}, {"ecl", {"3210", "3211", "3222", "3333"}},
        {"ecr", {"0000", "1110", "2210", "3210"}}, {"rc16", {"1010", "3232", "1010", "3232"}},
    };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (oracle_has(name, modes[i].mode))
            return (uint32_t)(modes[i].rows[c & 3][3 - byte] - '0');
    return c >> 4 * byte & 0xf;
}

static bool permute(const struct oracle_name *name, const uint64_t *s, uint64_t *d)
{
    uint64_t bytes = (s[1] & UINT32_MAX) << 32 | (s[0] & UINT32_MAX);
    if (!is(name, "prmt"))
        return false;
    *d = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t selector = mode_selector(name, (uint32_t)s[2], i);
        uint64_t byte = bytes >> 8 * (selector & 7) & 0xff;
        *d |= (selector & 8 ? (byte & 0x80 ? 0xffu : 0) : byte) << 8 * i;
    }
    return true;
}

bool oracle_bit_fields(const struct oracle_name *name, const uint64_t *s, struct oracle_result *result)
{
    struct oracle_type type = oracle_last_type(name);
    uint64_t d = 0;
    uint32_t width = type.bits ? type.bits : 1; /* .pred */
    bool to_32 = is(name, "popc") || is(name, "clz") || is(name, "bfind");
    if (look_up(name, s, result))
        return true;
    if (type.kind == ORACLE_FLOAT ||
        (!logic(name, s, width, &d) && !shift(name, s, width, &d) && !funnel(name, s, &d) &&
         !counting(name, s, width, &d) && !find_nth(name, s, &d) && !fields(name, s, width, &d) &&
         !permute(name, s, &d)))
        return false;
    result->bits[0] = oracle_low(d, to_32 ? 32 : width);
    return true;
}
