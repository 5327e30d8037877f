// bare-curl: a minimal libcurl program that sends notifications, as a reference for the gateway.
//
// It uses one thread, epoll, HTTP/2, reused easy handles, and a multi handle for each connection, so that an event of
// one connection visits only its own transfers (one handle for all takes a tenth more processor time). One file has the
// request, another one the device tokens; requests differ in the token in the path and the apns-id. Connections are
// open before the clock starts, as a gateway's are. 410 is a valid answer, like 200. libcurl repeats requests that a
// GOAWAY has refused.

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "bare-curl"
#include "../program.h"

enum { MAXIMUM_CONNECTIONS = 16, URL_SIZE = 256, FILE_SIZE = 16 * 1024, TOKEN_LENGTH = 64 };

// The time limit of the whole run.
static const double LIMIT_SECONDS = 120;

// A stream of a connection: an easy handle and the buffers of its current request.
typedef struct {
    CURL *easy;
    struct curl_slist *headers;
    char url[URL_SIZE], apnsID[64];
} Stream;

typedef struct {
    int number;
    CURLM *multi;
    Stream *streams;
    // The time at which libcurl has to be called without a socket event; negative for never.
    double wakesAt;
} Connection;

static struct {
    const char *url, *caFile;
    long connections, streams;
    char *headers, *payload;
    char (*tokens)[TOKEN_LENGTH + 1];
    long tokenCount;
} settings;

static struct { int poll; long started, finished, gone, errors, end; } run;

// The file has header lines, an empty line and the payload.
static void readRequest(const char *path) {
    static char text[FILE_SIZE];
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot open %s", path);
    text[fread(text, 1, FILE_SIZE - 1, file)] = 0;
    fclose(file);
    char *end = strstr(text, "\n\n");
    if (!end) fail("%s has no empty line", path);
    *end = 0;
    settings.headers = text;
    settings.payload = end + 2;
}

// One token a line.
static void readTokens(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot open %s", path);
    for (char token[TOKEN_LENGTH + 1]; fscanf(file, "%64s", token) == 1; settings.tokenCount++) {
        settings.tokens = realloc(settings.tokens, (size_t)(settings.tokenCount + 1) * sizeof *settings.tokens);
        if (!settings.tokens) fail("out of memory");
        memcpy(settings.tokens[settings.tokenCount], token, sizeof token);
    }
    fclose(file);
    if (settings.tokenCount == 0) fail("%s has no tokens", path);
}

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)context;
    return size * count;
}

static void prepare(Stream *stream) {
    stream->easy = curl_easy_init();
    curl_easy_setopt(stream->easy, CURLOPT_PRIVATE, stream);
    curl_easy_setopt(stream->easy, CURLOPT_NOSIGNAL, 1L);
    // libcurl does not read the environment for proxies at each request.
    curl_easy_setopt(stream->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(stream->easy, CURLOPT_CAINFO, settings.caFile);
    curl_easy_setopt(stream->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(stream->easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(stream->easy, CURLOPT_USERAGENT, "pushgate");
    curl_easy_setopt(stream->easy, CURLOPT_TIMEOUT, 60L);
    curl_easy_setopt(stream->easy, CURLOPT_BUFFERSIZE, 4096L);
    curl_easy_setopt(stream->easy, CURLOPT_UPLOAD_BUFFERSIZE, 16384L);
    curl_easy_setopt(stream->easy, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(stream->easy, CURLOPT_POSTFIELDS, settings.payload);
    curl_easy_setopt(stream->easy, CURLOPT_POSTFIELDSIZE, (long)strlen(settings.payload));
}

// Each request has a list of headers of its own, because its apns-id differs.
static void setHeaders(Stream *stream, long number) {
    curl_slist_free_all(stream->headers);
    stream->headers = NULL;
    snprintf(stream->apnsID, sizeof stream->apnsID, "apns-id: 00000000-0000-4000-8000-%012lx", number);
    stream->headers = curl_slist_append(stream->headers, stream->apnsID);
    char line[1024];
    for (const char *at = settings.headers; *at; at += strspn(at, "\n")) {
        size_t length = strcspn(at, "\n");
        if (length >= sizeof line) fail("a header line is too long");
        memcpy(line, at, length);
        line[length] = 0;
        stream->headers = curl_slist_append(stream->headers, line);
        at += length;
    }
    static const char *const unwanted[] = { "Accept:", "Content-Type:", "Expect:" };
    for (int index = 0; index < 3; index++) stream->headers = curl_slist_append(stream->headers, unwanted[index]);
    curl_easy_setopt(stream->easy, CURLOPT_HTTPHEADER, stream->headers);
}

static void start(Connection *connection, Stream *stream, long number) {
    const char *token = settings.tokens[number % settings.tokenCount];
    snprintf(stream->url, URL_SIZE, "%s/3/device/%s", settings.url, token);
    curl_easy_setopt(stream->easy, CURLOPT_URL, stream->url);
    setHeaders(stream, number);
    curl_multi_add_handle(connection->multi, stream->easy);
}

static void finish(const CURLMsg *message) {
    long status = 0;
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    if (message->data.result == CURLE_OK && status == 410) {
        run.gone++;
    } else if ((message->data.result != CURLE_OK || status != 200) && run.errors++ == 0) {
        fprintf(stderr, "bare-curl: %s, status %ld\n", curl_easy_strerror(message->data.result), status);
    }
    run.finished++;
}

// Handles the finished transfers of libcurl. Each free stream sends the next request.
static void takeFinished(Connection *connection) {
    int rest;
    for (CURLMsg *message; (message = curl_multi_info_read(connection->multi, &rest));) {
        Stream *stream;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &stream);
        finish(message);
        curl_multi_remove_handle(connection->multi, stream->easy);
        if (run.started < run.end) start(connection, stream, run.started++);
    }
}

static void act(Connection *connection, curl_socket_t socket, int events) {
    int running;
    curl_multi_socket_action(connection->multi, socket, events, &running);
    takeFinished(connection);
}

// ---- Callbacks of libcurl -------------------------------------------------------------------------------------------

static int noteSocket(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    Connection *connection = context;
    (void)easy;
    struct epoll_event event = { .data.u64 = (uint64_t)socket };
    event.data.u64 |= (uint64_t)(connection->number) << 32;
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (what == CURL_POLL_REMOVE) return epoll_ctl(run.poll, EPOLL_CTL_DEL, socket, NULL), 0;
    if (epoll_ctl(run.poll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event) != 0) fail("cannot watch a socket");
    curl_multi_assign(connection->multi, socket, connection);
    return 0;
}

static int noteTimer(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    ((Connection *)context)->wakesAt = milliseconds < 0 ? -1 : now() + (double)milliseconds / 1e3;
    return 0;
}

// ---- The loop -------------------------------------------------------------------------------------------------------

static Connection connections[MAXIMUM_CONNECTIONS];

static void openConnection(int number) {
    Connection *connection = &connections[number];
    *connection = (Connection){ .multi = curl_multi_init(), .number = number, .wakesAt = -1 };
    curl_multi_setopt(connection->multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    curl_multi_setopt(connection->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(connection->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, settings.streams);
    curl_multi_setopt(connection->multi, CURLMOPT_SOCKETFUNCTION, noteSocket);
    curl_multi_setopt(connection->multi, CURLMOPT_SOCKETDATA, connection);
    curl_multi_setopt(connection->multi, CURLMOPT_TIMERFUNCTION, noteTimer);
    curl_multi_setopt(connection->multi, CURLMOPT_TIMERDATA, connection);
    connection->streams = calloc((size_t)settings.streams, sizeof *connection->streams);
    for (long index = 0; index < settings.streams; index++) prepare(&connection->streams[index]);
}

// Calls libcurl for expired timers, and returns the milliseconds until the next one.
static int wakeConnections(void) {
    double time = now(), next = time + 1;
    for (int number = 0; number < settings.connections; number++) {
        Connection *connection = &connections[number];
        if (connection->wakesAt >= 0 && connection->wakesAt <= time) {
            connection->wakesAt = -1;
            act(connection, CURL_SOCKET_TIMEOUT, 0);
        }
        if (connection->wakesAt >= 0 && connection->wakesAt < next) next = connection->wakesAt;
    }
    double left = next - now();
    return left > 0 ? (int)(left * 1e3) + 1 : 0;
}

// Sends requests until `count` are answered, with a limited number at once on a connection. Returns the seconds.
static double sendRequests(long count, long streams) {
    double startedAt = now();
    run.end = run.started + count;
    for (long stream = 0; stream < streams; stream++) {
        for (int number = 0; number < settings.connections && run.started < run.end; number++) {
            start(&connections[number], &connections[number].streams[stream], run.started++);
        }
    }
    for (;;) {
        struct epoll_event events[MAXIMUM_CONNECTIONS];
        int milliseconds = wakeConnections();
        if (run.finished == run.end) return now() - startedAt;
        int ready = epoll_wait(run.poll, events, MAXIMUM_CONNECTIONS, milliseconds);
        for (int index = 0; index < ready; index++) {
            int what = (events[index].events & EPOLLOUT ? CURL_CSELECT_OUT : 0)
                | (events[index].events & ~(uint32_t)EPOLLOUT ? CURL_CSELECT_IN : 0);
            act(&connections[events[index].data.u64 >> 32], (curl_socket_t)(uint32_t)events[index].data.u64, what);
        }
        if (now() - startedAt > LIMIT_SECONDS) fail("not done after %.0f s", LIMIT_SECONDS);
    }
}

int main(int count, char **arguments) {
    if (count != 7) fail("usage: bare-curl URL CA-FILE REQUEST-FILE TOKEN-FILE CONNECTIONS STREAMS");
    settings.url = arguments[1];
    settings.caFile = arguments[2];
    readRequest(arguments[3]);
    readTokens(arguments[4]);
    settings.connections = atol(arguments[5]);
    settings.streams = atol(arguments[6]);
    if (settings.connections < 1 || settings.connections > MAXIMUM_CONNECTIONS) fail("1 to %d connections", MAXIMUM_CONNECTIONS);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    run.poll = epoll_create1(0);
    for (int number = 0; number < settings.connections; number++) openConnection(number);
    sendRequests(settings.connections, 1);
    double seconds = sendRequests(settings.tokenCount, settings.streams);
    printf("{\"requests\":%ld,\"gone\":%ld,\"errors\":%ld,\"seconds\":%.6f}\n", settings.tokenCount, run.gone,
           run.errors, seconds);
    return 0;
}
