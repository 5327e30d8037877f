// load: sends requests on a number of HTTP/1.1 connections, one at a time on each, and prints the results. With -r the
// times of the requests are fixed in advance, and latencies count from those times, so that a slow server does not
// reduce the load.
//
// Every request may differ: in the head and the body, {n} is replaced by the request's number in ten digits, {uuid} by
// a UUID and {hex} by 64 hexadecimal digits, both derived from that number. The replacements have fixed lengths, so a
// request is a copy of one buffer with a few bytes overwritten, and one core is faster than the measured servers.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "load"
#include "../program.h"

enum { REQUEST_SIZE = 32 * 1024, RESPONSE_SIZE = 64 * 1024, MAXIMUM_PATCHES = 32, MAXIMUM_CONNECTIONS = 1024 };

// The time limit for outstanding answers after the last request.
static const double GRACE_SECONDS = 30;

// ---- Requests -------------------------------------------------------------------------------------------------------

typedef enum { NUMBER, UUID, HEX } Kind;

static const struct { const char *marker; size_t length; } kinds[] = {
    [NUMBER] = { "{n}", 10 }, [UUID] = { "{uuid}", 36 }, [HEX] = { "{hex}", 64 },
};

typedef struct { Kind kind; size_t offset; } Patch;

static struct {
    char bytes[REQUEST_SIZE];
    size_t length;
    Patch patches[MAXIMUM_PATCHES];
    size_t patchCount;
} request;

// splitmix64: turns consecutive numbers into unrelated ones, like the keys of real clients.
static uint64_t scramble(uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

static void writeHexadecimal(char *target, uint64_t value, int digits) {
    for (int digit = digits - 1; digit >= 0; digit--, value >>= 4) target[digit] = "0123456789abcdef"[value & 15];
}

static void writeNumber(char *target, uint64_t value) {
    for (int digit = 9; digit >= 0; digit--, value /= 10) target[digit] = (char)('0' + value % 10);
}

static void writeUUID(char *target, uint64_t number) {
    uint64_t high = scramble(number * 2), low = scramble(number * 2 + 1);
    memcpy(target, "00000000-0000-4000-8000-000000000000", 36);
    writeHexadecimal(target, high >> 32, 8);
    writeHexadecimal(target + 9, high >> 16, 4);
    writeHexadecimal(target + 15, high, 3);
    writeHexadecimal(target + 19, 0x8000 | (low >> 50), 4);
    writeHexadecimal(target + 24, low, 12);
}

static void apply(Patch patch, char *bytes, uint64_t number) {
    char *target = bytes + patch.offset;
    switch (patch.kind) {
    case NUMBER: writeNumber(target, number); break;
    case UUID: writeUUID(target, number); break;
    case HEX:
        for (int word = 0; word < 4; word++) {
            writeHexadecimal(target + word * 16, scramble(~(number * 4 + (uint64_t)word)), 16);
        }
    }
}

static size_t lengthOf(const char *template) {
    size_t length = strlen(template);
    for (Kind kind = NUMBER; kind <= HEX; kind++) {
        for (const char *at = template; (at = strstr(at, kinds[kind].marker)); at++) {
            length += kinds[kind].length - strlen(kinds[kind].marker);
        }
    }
    return length;
}

// Appends a text, and records the positions of the markers in it.
static void append(const char *template) {
    if (request.length + lengthOf(template) > REQUEST_SIZE) fail("the request is longer than %d bytes", REQUEST_SIZE);
    while (*template) {
        Kind kind = NUMBER;
        while (kind <= HEX && strncmp(template, kinds[kind].marker, strlen(kinds[kind].marker)) != 0) kind++;
        if (kind > HEX) {
            request.bytes[request.length++] = *template++;
            continue;
        }
        if (request.patchCount == MAXIMUM_PATCHES) fail("more than %d places to fill in", MAXIMUM_PATCHES);
        request.patches[request.patchCount++] = (Patch){ kind, request.length };
        request.length += kinds[kind].length;
        template += strlen(kinds[kind].marker);
    }
}

// ---- Settings -------------------------------------------------------------------------------------------------------

static struct {
    struct sockaddr_in address;
    int connections;
    double seconds;
    double rate; // Requests a second; with 0 a connection's next request follows its answer.
    uint64_t requests, first, step, modulo;
    const char *expected;
} settings = { .connections = 64, .seconds = 10, .requests = UINT64_MAX, .step = 1, .modulo = UINT64_MAX };

static const char usage[] =
    "usage: load [options] ADDRESS PORT METHOD TARGET\n"
    "  -c COUNT    connections (64)\n"
    "  -s SECONDS  start no requests after this time (10)\n"
    "  -n COUNT    the largest number of requests\n"
    "  -r COUNT    the number of requests a second, independent of the answers\n"
    "  -f NUMBER   the number of the first request (0)\n"
    "  -k COUNT    the difference between consecutive numbers (1)\n"
    "  -m COUNT    the number of requests after which the numbers start again\n"
    "  -H LINE     a header line; may be repeated\n"
    "  -b TEXT     the body\n"
    "  -x TEXT     a text in the body of each valid answer, whose status is always 200 or 202\n";

static void readSettings(int count, char **arguments) {
    const char *headers[16], *body = NULL;
    int headerCount = 0;
    for (int option; (option = getopt(count, arguments, "c:s:n:r:f:k:m:H:b:x:")) != -1;) {
        switch (option) {
        case 'c': settings.connections = atoi(optarg); break;
        case 's': settings.seconds = atof(optarg); break;
        case 'n': settings.requests = strtoull(optarg, NULL, 10); break;
        case 'r': settings.rate = atof(optarg); break;
        case 'f': settings.first = strtoull(optarg, NULL, 10); break;
        case 'k': settings.step = strtoull(optarg, NULL, 10); break;
        case 'm': settings.modulo = strtoull(optarg, NULL, 10); break;
        case 'H': if (headerCount < 16) headers[headerCount++] = optarg; break;
        case 'b': body = optarg; break;
        case 'x': settings.expected = optarg; break;
        default: fputs(usage, stderr); exit(64);
        }
    }
    char **operands = arguments + optind;
    settings.address.sin_family = AF_INET;
    if (count - optind != 4 || settings.connections < 1 || settings.connections > MAXIMUM_CONNECTIONS
        || settings.modulo == 0 || inet_pton(AF_INET, operands[0], &settings.address.sin_addr) != 1) {
        fputs(usage, stderr);
        exit(64);
    }
    settings.address.sin_port = htons((uint16_t)atoi(operands[1]));
    char line[512];
    snprintf(line, sizeof line, "%s %s HTTP/1.1\r\nHost: %s:%s\r\n", operands[2], operands[3], operands[0], operands[1]);
    append(line);
    for (int header = 0; header < headerCount; header++) append(headers[header]), append("\r\n");
    if (body) {
        snprintf(line, sizeof line, "Content-Length: %zu\r\n", lengthOf(body));
        append(line);
    }
    append("\r\n");
    if (body) append(body);
}

// ---- Connections ----------------------------------------------------------------------------------------------------

typedef struct {
    int socket;
    char out[REQUEST_SIZE], in[RESPONSE_SIZE + 1];
    size_t sent, received;
    double startedAt;
} Connection;

static struct {
    int poll;
    uint64_t started, finished, errors;
    double startedAt, finishedAt;
    float *latencies;
    size_t capacity;
    Connection *idle[MAXIMUM_CONNECTIONS]; // Used only with a rate.
    size_t idleCount;
} run;

static void connectSocket(Connection *connection) {
    int one = 1;
    connection->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection->socket, (struct sockaddr *)&settings.address, sizeof settings.address) != 0) {
        fail("cannot connect: %s", strerror(errno));
    }
    setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(connection->socket, F_SETFL, O_NONBLOCK);
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = connection };
    epoll_ctl(run.poll, EPOLL_CTL_ADD, connection->socket, &event);
}

static void sendRest(Connection *connection) {
    while (connection->sent < request.length) {
        ssize_t count = send(
            connection->socket, connection->out + connection->sent, request.length - connection->sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EAGAIN) return;
        if (count < 0) fail("the server closed a connection: %s", strerror(errno));
        connection->sent += (size_t)count;
    }
}

static void startRequest(Connection *connection, double time) {
    uint64_t number = settings.first + run.started++ % settings.modulo * settings.step;
    for (size_t index = 0; index < request.patchCount; index++) apply(request.patches[index], connection->out, number);
    connection->sent = connection->received = 0;
    connection->startedAt = time;
    sendRest(connection);
}

static int isEnough(double time) {
    return run.started == settings.requests || time - run.startedAt >= settings.seconds;
}

// Handles a complete answer.
static void startNext(Connection *connection, double time) {
    if (settings.rate > 0) run.idle[run.idleCount++] = connection;
    else if (!isEnough(time)) startRequest(connection, time);
}

// Returns the time of the next request, by the rate.
static double due(void) { return run.startedAt + (double)run.started / settings.rate; }

static int isToCome(void) { return settings.rate > 0 && !isEnough(due()); }

// Sends the requests that are due, as far as connections are idle, and returns the time until the next one.
static double startDue(void) {
    while (isToCome() && run.idleCount > 0) {
        double time = due(), left = time - now();
        if (left > 0) return left;
        startRequest(run.idle[--run.idleCount], time);
    }
    return 1;
}

static void noteLatency(double seconds) {
    if (run.finished == run.capacity) {
        run.capacity = run.capacity ? run.capacity * 2 : 1 << 16;
        run.latencies = realloc(run.latencies, run.capacity * sizeof *run.latencies);
        if (!run.latencies) fail("out of memory");
    }
    run.latencies[run.finished++] = (float)(seconds * 1e3);
}

// Returns the length of the complete answer in the buffer, or 0.
static size_t answerLength(const Connection *connection) {
    const char *end = strstr(connection->in, "\r\n\r\n");
    if (!end) return 0;
    const char *field = strcasestr(connection->in, "\r\ncontent-length:");
    if (!field || field > end) fail("an answer without a Content-Length:\n%.400s", connection->in);
    size_t length = (size_t)(end + 4 - connection->in) + strtoull(field + 17, NULL, 10);
    if (length > RESPONSE_SIZE) fail("an answer of %zu bytes; there is room for %d", length, RESPONSE_SIZE);
    return length <= connection->received ? length : 0;
}

static int isGood(const Connection *connection) {
    // 202 is that of an author's relay.
    int isOK = strncmp(connection->in, "HTTP/1.1 200", 12) == 0 || strncmp(connection->in, "HTTP/1.1 202", 12) == 0;
    if (!isOK) return 0;
    return !settings.expected || strstr(connection->in, settings.expected) != NULL;
}

static void receive(Connection *connection) {
    for (;;) {
        size_t room = RESPONSE_SIZE - connection->received;
        ssize_t count = recv(connection->socket, connection->in + connection->received, room, 0);
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) fail("the server closed a connection: %s", count ? strerror(errno) : "end of stream");
        connection->received += (size_t)count;
        connection->in[connection->received] = 0;
        if (answerLength(connection) == 0) continue;
        double time = now();
        if (!isGood(connection) && run.errors++ == 0) fprintf(stderr, "load: the first bad answer:\n%s\n", connection->in);
        noteLatency(time - connection->startedAt);
        run.finishedAt = time;
        startNext(connection, time);
        return;
    }
}

static void runRequests(Connection *connections) {
    run.poll = epoll_create1(0);
    for (int index = 0; index < settings.connections; index++) {
        memcpy(connections[index].out, request.bytes, request.length);
        // With few requests some connections never start one, and have nothing to send.
        connections[index].sent = request.length;
        connectSocket(&connections[index]);
    }
    run.startedAt = now();
    for (int index = 0; index < settings.connections; index++) startNext(&connections[index], run.startedAt);
    struct epoll_event events[MAXIMUM_CONNECTIONS];
    while (run.finished < run.started || isToCome()) {
        double wait = startDue();
        struct timespec time = { .tv_sec = (time_t)wait, .tv_nsec = (long)((wait - (double)(time_t)wait) * 1e9) };
        if (now() - run.startedAt > settings.seconds + GRACE_SECONDS) {
            fail("%zu requests have had no answer for %.0f s", (size_t)(run.started - run.finished), GRACE_SECONDS);
        }
        int count = epoll_pwait2(run.poll, events, MAXIMUM_CONNECTIONS, &time, NULL);
        for (int index = 0; index < count; index++) {
            Connection *connection = events[index].data.ptr;
            if (events[index].events & EPOLLOUT) sendRest(connection);
            if (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(connection);
        }
    }
}

// ---- The report -----------------------------------------------------------------------------------------------------

static int ascending(const void *left, const void *right) {
    float difference = *(const float *)left - *(const float *)right;
    return (difference > 0) - (difference < 0);
}

static double percentile(double share) { return run.latencies[(size_t)((double)(run.finished - 1) * share)]; }

int main(int count, char **arguments) {
    readSettings(count, arguments);
    Connection *connections = calloc((size_t)settings.connections, sizeof *connections);
    if (!connections) fail("out of memory");
    runRequests(connections);
    if (run.finished == 0) fail("nothing to do");
    qsort(run.latencies, run.finished, sizeof *run.latencies, ascending);
    printf("{\"requests\":%zu,\"errors\":%zu,\"started_at\":%.6f,\"seconds\":%.6f,\"p50_ms\":%.3f,\"p99_ms\":%.3f,"
           "\"max_ms\":%.3f}\n",
           (size_t)run.finished, (size_t)run.errors, run.startedAt, run.finishedAt - run.startedAt, percentile(0.5),
           percentile(0.99), percentile(1));
    return 0;
}
