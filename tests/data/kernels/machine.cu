/* Each thread runs a program of its own on a small stack machine: a switch in a loop, a stack
 * in local memory. */
enum { PUSH, ADD, SUBTRACT, MULTIPLY, DUPLICATE, SWAP, DIVIDE, JUMP_IF_NOT_ZERO, STOP };

extern "C" __global__ void machine(const int *programs, int length, int *results, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int *program = programs + i * length;
    int stack[16];
    int top = 0, at = 0, steps = 0;
    stack[0] = i;
    while (steps++ < 200) {
        int a = stack[top], b = top > 0 ? stack[top - 1] : 0;
        int operation = program[at] & 15, value = program[at] >> 4;
        at = at + 1 < length ? at + 1 : 0;
        switch (operation) {
        case PUSH:
            top = top < 15 ? top + 1 : top;
            stack[top] = value;
            break;
        case ADD:
            top = top > 0 ? top - 1 : 0;
            stack[top] = a + b;
            break;
        case SUBTRACT:
            top = top > 0 ? top - 1 : 0;
            stack[top] = b - a;
            break;
        case MULTIPLY:
            top = top > 0 ? top - 1 : 0;
            stack[top] = a * b;
            break;
        case DUPLICATE:
            top = top < 15 ? top + 1 : top;
            stack[top] = a;
            break;
        case SWAP:
            stack[top] = b;
            if (top > 0)
                stack[top - 1] = a;
            break;
        case DIVIDE: stack[top] = b / (a | 1); break;
        case JUMP_IF_NOT_ZERO: at = a != 0 ? value % length : at; break;
        default: results[i] = stack[top] + 1000 * steps; return;
        }
    }
    results[i] = stack[top];
}
