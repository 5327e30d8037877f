#include "FatalSignals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Swift ends a process with the first two, and fatalError and malloc with SIGABRT.
static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS};
enum { count = sizeof signals / sizeof signals[0] };

// The actions before, which are those of Swift's report of crashes if it is on (SWIFT_BACKTRACE).
static struct sigaction earlier[count];
static unsigned report_seconds;

// The size of the allocation that is tried. Most that fail are smaller: those of requests, or of their parts.
static const size_t probe_bytes = 4 << 20;

static bool has_memory(void) {
    void *probe = mmap(NULL, probe_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (probe == MAP_FAILED) return false;
    munmap(probe, probe_bytes);
    return true;
}

static void say(const char *text) {
    // Nothing can be done if it fails.
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static void use_default_action(int number) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(number, &action, NULL);
}

// All functions that this calls are safe in a handler (signal-safety(7)), as are mmap and munmap on the systems that
// Swift supports.
static void handle(int number, siginfo_t *information, void *context) {
    int index = 0;
    while (signals[index] != number) index++;
    if (!has_memory()) {
        say("pushgate: memory has run out, so the process ends; see \"Memory runs out\" in docs/troubleshooting.md\n");
        // The report needs memory, and may wait for it for ever. After this function the signal comes again.
        use_default_action(number);
        return;
    }
    // Swift's report waits for another process, which may never finish.
    use_default_action(SIGALRM);
    alarm(report_seconds);
    if (earlier[index].sa_flags & SA_SIGINFO) {
        earlier[index].sa_sigaction(number, information, context);
    } else {
        use_default_action(number);
    }
}

void fatal_signals_end_the_process(unsigned seconds) {
    report_seconds = seconds;
    for (int index = 0; index < count; index++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = handle;
        // The flags of Swift's own handlers: on their stack, and with a crash within the report fatal at once.
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigaction(signals[index], &action, &earlier[index]);
    }
}
