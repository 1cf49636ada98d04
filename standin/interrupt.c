/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler may interrupt any code of the program, so it only sets the flag and wakes a thread, which does
 * the rest when it gets the lock of standin.c. A second signal ends the program at once.
 */
#include "standin/interrupt.h"

#include "core/base/clock.h"
#include "standin/standin.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#define STACK_BYTES (256 * 1024)
#define END_WITHIN_NS 5000000000 /* what `end` gets: the fault may be in malloc, which it needs */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

static struct {
    atomic_bool flag;
    atomic_int number;         /* of the signal; 0: a fault */
    void (*_Atomic end)(void); /* then: what ends the program */
    sem_t asked;
    bool begun;
} interrupt;

const atomic_bool *interrupt_flag(void)
{
    return &interrupt.flag;
}

void interrupt_end_by(int number)
{
    sigset_t only;

    signal(number, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    kill(getpid(), number);
    _exit(128 + number);
}

static void signal_take(int number)
{
    int saved_errno = errno;

    if (atomic_exchange(&interrupt.flag, true)) {
        interrupt_end_by(number);
    } else {
        atomic_store(&interrupt.number, number);
        sem_post(&interrupt.asked);
    }
    errno = saved_errno;
}

static void *interrupt_main(void *unused)
{
    (void)unused;
    while (sem_wait(&interrupt.asked) != 0) {
    }
    int number = atomic_load(&interrupt.number);
    if (number == 0)
        atomic_load (&interrupt.end)();
    standin_end_by_signal(number);
    interrupt_end_by(number);
}

void interrupt_begin(void)
{
    const struct sigaction ours = {.sa_handler = signal_take, .sa_flags = SA_RESTART};
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;

    if (sem_init(&interrupt.asked, 0, 0) != 0)
        return;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&thread, &attributes, interrupt_main, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    interrupt.begun = failure == 0;
    for (size_t i = 0; failure == 0 && i < sizeof signals / sizeof *signals; i++) {
        struct sigaction theirs;
        if (sigaction(signals[i], NULL, &theirs) == 0 && !(theirs.sa_flags & SA_SIGINFO) &&
            theirs.sa_handler == SIG_DFL)
            sigaction(signals[i], &ours, NULL);
    }
}

void interrupt_end(void (*end)(void))
{
    if (!interrupt.begun)
        return;
    if (end && !atomic_exchange(&interrupt.flag, true)) {
        atomic_store(&interrupt.end, end);
        sem_post(&interrupt.asked);
    }
    for (const int64_t until = clock_real_ns() + END_WITHIN_NS; clock_real_ns() < until;)
        clock_pause(END_WITHIN_NS); /* until a handler of the program's interrupts it */
}

void interrupt_cancel(void)
{
    atomic_store(&interrupt.flag, true);
}

void interrupt_forget(void)
{
    interrupt.begun = false; /* the thread is the parent's */
    atomic_store(&interrupt.flag, false);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
            now.sa_handler == signal_take)
            signal(signals[i], SIG_DFL);
    }
}
