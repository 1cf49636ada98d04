// SPDX-License-Identifier: Apache-2.0
// What a careless program does: handlers of signals that call CUDA, jumps out of functions of a stream, wrong
// pointers of the host, threads that end within a call. Each case must end by itself.
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add_one(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] += 1;
}

__global__ void turn(int *data, int times)
{
    int sum = threadIdx.x;
    for (int i = 0; i < times; i++)
        sum = sum * 1664525 + 1013904223;
    data[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static const int threads = 256, blocks = 64;
static int *data;
static sigjmp_buf place;
static std::atomic<int> seen{-1};

static void print(const char *what, cudaError_t code)
{
    printf("%s: %s\n", what, cudaGetErrorName(code));
    fflush(stdout);
}

static void launch_long()
{
    turn<<<blocks, threads>>>(data, 600000);
}

static void after(int milliseconds, void (*handler)(int))
{
    struct itimerval timer = {};
    signal(SIGALRM, handler);
    timer.it_value.tv_usec = milliseconds * 1000;
    setitimer(ITIMER_REAL, &timer, nullptr);
}

// A handler launches while the thread is in a launch.
static void launch_in_handler(int)
{
    add_one<<<1, 32>>>(data, 32);
    seen = cudaGetLastError();
}

static int signal_launches()
{
    after(100, launch_in_handler);
    launch_long();
    print("long launch", cudaDeviceSynchronize());
    while (seen < 0)
        usleep(1000);
    print("launch of the handler", (cudaError_t)seen.load());
    add_one<<<1, 32>>>(data, 32);
    print("later launch", cudaDeviceSynchronize());
    return 0;
}

static void jump(int)
{
    siglongjmp(place, 1);
}

static int signal_jump()
{
    after(100, jump);
    if (sigsetjmp(place, 1) == 0)
        launch_long();
    print("after the jump", cudaDeviceSynchronize());
    return 0;
}

static void end_in_handler(int)
{
    exit(3);
}

static int signal_exit()
{
    after(100, end_in_handler);
    launch_long();
    return 0;
}

static void *exits(void *)
{
    usleep(100000);
    exit(4);
}

static int thread_exits()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, exits, nullptr);
    launch_long();
    pause();
    return 0;
}

static pthread_t launch_beside()
{
    static std::atomic<bool> begun{false};
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void *) -> void * {
            begun = true;
            launch_long();
            return nullptr;
        },
        nullptr);
    while (!begun)
        usleep(1000);
    usleep(50000);
    return thread;
}

static int main_returns()
{
    launch_beside();
    return 0;
}

static void jump_out(void *)
{
    longjmp(place, 1);
}

static int callback_jump()
{
    if (setjmp(place) == 0)
        cudaLaunchHostFunc(0, jump_out, nullptr);
    print("after the jump", cudaDeviceSynchronize());
    return 0;
}

static void end_thread(void *)
{
    pthread_exit(nullptr);
}

static int callback_thread_ends()
{
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void *) -> void * {
            cudaLaunchHostFunc(0, end_thread, nullptr);
            return nullptr;
        },
        nullptr);
    pthread_join(thread, nullptr);
    print("afterwards", cudaDeviceSynchronize());
    return 0;
}

static int callback_exits()
{
    cudaLaunchHostFunc(
        0, [](void *) { exit(5); }, nullptr);
    return 0;
}

static int callback_calls()
{
    cudaLaunchHostFunc(
        0, [](void *) { seen = cudaDeviceSynchronize(); }, nullptr);
    cudaDeviceSynchronize();
    print("call of a host function", (cudaError_t)seen.load());
    return 0;
}

// A thread is cancelled in the middle of its calls.
static int cancel()
{
    for (int i = 0; i < 8; i++) {
        pthread_t thread;
        pthread_create(
            &thread, nullptr,
            [](void *) -> void * {
                pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
                for (;;) {
                    add_one<<<4, threads>>>(data, 1024);
                    cudaDeviceSynchronize();
                }
            },
            nullptr);
        usleep(20000);
        pthread_cancel(thread);
        pthread_join(thread, nullptr);
    }
    print("afterwards", cudaDeviceSynchronize());
    return 0;
}

// A child of a program that is in a launch.
static int fork_in_launch()
{
    int status = 0;
    pthread_t thread = launch_beside();
    pid_t child = fork();
    if (child == 0) {
        cudaError_t code = cudaDeviceSynchronize();
        _exit(code == cudaErrorInitializationError ? 0 : 1);
    }
    waitpid(child, &status, 0);
    printf("child: %d\n", status);
    pthread_join(thread, nullptr);
    print("parent", cudaDeviceSynchronize());
    return 0;
}

// Wrong pointers of the host.
static int from_one()
{
    print("copy", cudaMemcpy(data, (void *)1, 4096, cudaMemcpyHostToDevice));
    return 0;
}

static int to_one()
{
    print("copy", cudaMemcpy((void *)1, data, 4096, cudaMemcpyDeviceToHost));
    return 0;
}

static int to_text()
{
    print("copy", cudaMemcpy((void *)"constant", data, 4, cudaMemcpyDeviceToHost));
    return 0;
}

static int host_to_host()
{
    print("copy", cudaMemcpy((void *)1, &data, 4, cudaMemcpyHostToHost));
    return 0;
}

static int no_argument()
{
    void *arguments[2] = {nullptr, nullptr};
    print("launch", cudaLaunchKernel((const void *)add_one, dim3(1), dim3(1), arguments, 0, 0));
    return 0;
}

static int arguments_at_one()
{
    print("launch", cudaLaunchKernel((const void *)add_one, dim3(1), dim3(1), (void **)1, 0, 0));
    return 0;
}

static int truncated_file()
{
    char name[] = "clumsy-XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    if (ftruncate(file, 8192) != 0)
        return 9;
    void *mapped = mmap(nullptr, 8192, PROT_READ, MAP_SHARED, file, 0);
    if (ftruncate(file, 0) != 0)
        return 9;
    print("copy", cudaMemcpy(data, mapped, 4096, cudaMemcpyHostToDevice));
    return 0;
}

static int registered_and_gone()
{
    void *memory = mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    print("register", cudaHostRegister(memory, 1 << 16, cudaHostRegisterDefault));
    munmap(memory, 1 << 16);
    add_one<<<16, threads>>>((int *)memory, 4096);
    print("kernel", cudaDeviceSynchronize());
    return 0;
}

static int own_handler()
{
    signal(SIGSEGV, [](int) { siglongjmp(place, 1); });
    if (sigsetjmp(place, 1) == 0)
        cudaMemcpy(data, (void *)1, 4096, cudaMemcpyHostToDevice);
    puts("caught");
    print("afterwards", cudaDeviceSynchronize());
    return 0;
}

static int own_fault()
{
    cudaLaunchHostFunc(
        0, [](void *) { *(volatile int *)16 = 1; }, nullptr);
    return 0;
}

// The rest: what is closed, limited, renamed or gone.
static int at_exit()
{
    atexit([] {
        add_one<<<1, 32>>>(data, 32);
        print("at exit", cudaDeviceSynchronize());
    });
    return 0;
}

static int closed()
{
    add_one<<<1, 32>>>(data, 32);
    for (int i = 3; i < 4096; i++)
        close(i);
    for (int i = 0; i < 20; i++)
        open("/dev/null", O_RDWR);
    add_one<<<1, 32>>>(data, 32);
    print("closed", cudaDeviceSynchronize());
    return 0;
}

static int closed_first()
{
    for (int i = 0; i < 4096; i++)
        close(i);
    add_one<<<1, 32>>>(data, 32);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

static int limits()
{
    struct rlimit files = {3, 3}, stack = {1 << 20, 1 << 20}, processes = {0, 0};
    setrlimit(RLIMIT_NOFILE, &files);
    setrlimit(RLIMIT_STACK, &stack);
    setrlimit(RLIMIT_NPROC, &processes);
    add_one<<<64, threads>>>(data, 4096);
    print("limits", cudaDeviceSynchronize());
    return 0;
}

static int no_memory()
{
    struct rlimit memory = {1 << 28, 1 << 28};
    setrlimit(RLIMIT_AS, &memory);
    void *more;
    int count = 0;
    while (count < 2000 && cudaMalloc(&more, 1 << 20) == cudaSuccess)
        count++;
    printf("%s\n", count < 2000 ? "no memory" : "all");
    cudaGetLastError();
    add_one<<<64, threads>>>(data, 4096);
    print("launch", cudaGetLastError());
    print("kernel", cudaDeviceSynchronize());
    return 0;
}

static int elsewhere()
{
    if (chdir("/") != 0)
        return 9;
    setenv("TMPDIR", "/nonexistent", 1);
    setenv("PATH", "", 1);
    add_one<<<1, 32>>>(data, 32);
    print("elsewhere", cudaDeviceSynchronize());
    return 0;
}

static int ignored_child()
{
    add_one<<<1, 32>>>(data, 32);
    print("kernel", cudaDeviceSynchronize());
    return 0;
}

// Becomes itself twenty times, with a launch before each.
static int becomes_itself()
{
    const char *text = getenv("TIMES_LEFT");
    int left = text ? atoi(text) : 20;
    char number[16];
    add_one<<<1, 32>>>(data, 32);
    print("kernel", cudaDeviceSynchronize());
    if (left == 0)
        return 0;
    snprintf(number, sizeof number, "%d", left - 1);
    setenv("TIMES_LEFT", number, 1);
    execl("/proc/self/exe", "clumsy_static", "becomes_itself", static_cast<char *>(nullptr));
    return 1;
}

static const struct {
    const char *name;
    int (*run)();
} cases[] = {
    {"signal_launches", signal_launches},
    {"signal_jump", signal_jump},
    {"signal_exit", signal_exit},
    {"thread_exits", thread_exits},
    {"main_returns", main_returns},
    {"callback_jump", callback_jump},
    {"callback_thread_ends", callback_thread_ends},
    {"callback_exits", callback_exits},
    {"callback_calls", callback_calls},
    {"cancel", cancel},
    {"fork_in_launch", fork_in_launch},
    {"from_one", from_one},
    {"to_one", to_one},
    {"to_text", to_text},
    {"host_to_host", host_to_host},
    {"no_argument", no_argument},
    {"arguments_at_one", arguments_at_one},
    {"truncated_file", truncated_file},
    {"registered_and_gone", registered_and_gone},
    {"own_handler", own_handler},
    {"own_fault", own_fault},
    {"at_exit", at_exit},
    {"closed", closed},
    {"closed_first", closed_first},
    {"limits", limits},
    {"no_memory", no_memory},
    {"elsewhere", elsewhere},
    {"ignored_child", ignored_child},
    {"becomes_itself", becomes_itself},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    for (const auto &one : cases)
        if (strcmp(one.name, name) == 0) {
            if (strcmp(name, "ignored_child") == 0) // before the tools are run that take out the PTX
                signal(SIGCHLD, SIG_IGN);
            if (cudaMalloc(&data, blocks * threads * sizeof *data) != cudaSuccess)
                return 8;
            return one.run();
        }
    fprintf(stderr, "There is no case '%s'.\n", name);
    return 2;
}
