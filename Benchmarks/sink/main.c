// sink: a stand-in for Apple, or for the push services of browsers, that is fast enough not to limit a measurement. It
// accepts notifications over HTTP/2 as fast as nghttp2 and OpenSSL can, answers, and counts them.
//
// It uses one thread and epoll. nghttp2 checks every frame; a connection that violates the protocol counts as an error.
// Each notification must be a POST to /3/device/ with an apns-id, which the answer repeats. Distinct ids are counted.
//
// With -w it must be a message for a browser: a POST to a path that ends with a token, with the fields of RFC 8030 and
// RFC 8292, and with one encrypted record in its body. The beginning of the body, which has the salt, is its id. The
// answer is 201.
//
//     sink [-w] [-l MILLISECONDS] [-g REQUESTS] [-s REQUESTS] [-d FILE] [-a FILE] [-p PORT] CERTIFICATE KEY
//
// -l delays each answer. -d names a file of device tokens, one on each line, that are answered 410. -g ends a
// connection with GOAWAY after a number of requests: requests that had begun are answered, later ones are ignored, and
// the client closes. -s answers a number of requests of a connection, and none after them. -a writes the arrivals into a
// file: the device token, and the seconds of CLOCK_MONOTONIC. -p is the port for notifications (default: a free port).
//
// It prints its ports as a line of JSON. A connection to the second port receives the counts so far as JSON.

#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROGRAM "sink"
#include "../program.h"

enum { STREAMS = 1000, RECORD = 16 * 1024, ID_LENGTH = 36, TOKEN_LENGTH = 64, EVENTS = 64 };
// The header of an encrypted body (RFC 8188): a salt, the size of a record, and a key with its length.
enum { SALT_SIZE = 16, PREFIX_SIZE = 22, HEADER_SIZE = 86 };
enum { WINDOW = 1 << 20 };

static struct {
    double latency;
    long goAwayAfter, stallAfter;
    const char *deadFile;
    FILE *arrivals;
    int port;
    bool isForBrowsers;
} settings;

static struct { uint64_t requests, distinct, gone, errors, connections, goAways, stalled, bytes; } counts;

// ---- A hash set of texts of one length, with open addressing

typedef struct {
    size_t length, count, capacity;
    char *slots; // The first byte of an empty slot is 0.
} Set;

static uint64_t hashOf(const char *text, size_t length) {
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    return hash ^ hash >> 29;
}

static char *slotFor(const Set *set, const char *text) {
    for (size_t i = hashOf(text, set->length);; i++) {
        char *slot = set->slots + (i & (set->capacity - 1)) * set->length;
        if (*slot == 0 || memcmp(slot, text, set->length) == 0) return slot;
    }
}

static bool contains(const Set *set, const char *text) { return set->count > 0 && *slotFor(set, text) != 0; }

static void insert(Set *set, const char *text) {
    if (2 * set->count >= set->capacity) {
        Set larger = {set->length, set->count, set->capacity ? 2 * set->capacity : 4096, NULL};
        larger.slots = calloc(larger.capacity, larger.length);
        if (!larger.slots) fail("out of memory");
        for (size_t i = 0; i < set->capacity; i++) {
            char *slot = set->slots + i * set->length;
            if (*slot) memcpy(slotFor(&larger, slot), slot, set->length);
        }
        free(set->slots);
        *set = larger;
    }
    char *slot = slotFor(set, text);
    if (*slot) return;
    memcpy(slot, text, set->length);
    set->count++;
}

static Set ids = {.length = ID_LENGTH}, deadTokens = {.length = TOKEN_LENGTH};

// ---- Connections

typedef struct Connection {
    int socket;
    SSL *tls;
    nghttp2_session *session;
    long requests;
    int32_t lastStream; // The last stream id of the GOAWAY; 0 before it.
    size_t waiting;     // The number of delayed answers.
    bool isOpen, isFinished, wantsToWrite;
    uint8_t output[RECORD];
    size_t outputLength, outputSent;
} Connection;

typedef struct {
    char id[ID_LENGTH], token[TOKEN_LENGTH];
    bool hasID, isPost, isDevice, isDead, isEncrypted, isIdentified, hasTTL;
    uint8_t prefix[PREFIX_SIZE];
    size_t bodyLength;
} Request;

// A delayed answer. The queue is in the order of the due times.
typedef struct {
    Connection *connection;
    int32_t stream;
    double due;
} Held;

static struct { Held *items; size_t first, end, capacity; } held;

static int poll;
static nghttp2_option *sessionOptions;

static nghttp2_nv field(const char *name, const char *value, size_t length) {
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), length, NGHTTP2_NV_FLAG_NONE};
}

static ssize_t readReason(
    nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t length, uint32_t *flags,
    nghttp2_data_source *source, void *context) {
    (void)session, (void)stream, (void)context;
    const char *text = source->ptr;
    size_t size = strlen(text);
    if (size > length) return NGHTTP2_ERR_CALLBACK_FAILURE;
    memcpy(buffer, text, size);
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)size;
}

static void answer(Connection *connection, int32_t stream) {
    Request *request = nghttp2_session_get_stream_user_data(connection->session, stream);
    if (!request) return;
    const char *accepted = settings.isForBrowsers ? "201" : "200";
    nghttp2_nv fields[] = {
        field(":status", request->isDead ? "410" : accepted, 3),
        field(settings.isForBrowsers ? "location" : "apns-id", request->id, ID_LENGTH),
        field("content-length", "0", 1)};
    static const char reason[] = "{\"reason\":\"Unregistered\",\"timestamp\":4000000000000}";
    nghttp2_data_provider body = {{.ptr = (void *)reason}, readReason};
    nghttp2_submit_response(
        connection->session, stream, fields, request->isDead ? 2 : 3, request->isDead ? &body : NULL);
}

static void hold(Connection *connection, int32_t stream) {
    if (held.end == held.capacity) {
        memmove(held.items, held.items + held.first, (held.end - held.first) * sizeof *held.items);
        held.end -= held.first;
        held.first = 0;
        if (2 * held.end >= held.capacity) {
            held.capacity = held.capacity ? 2 * held.capacity : 4096;
            held.items = realloc(held.items, held.capacity * sizeof *held.items);
            if (!held.items) fail("out of memory");
        }
    }
    held.items[held.end++] = (Held){connection, stream, now() + settings.latency};
    connection->waiting++;
}

static int beginHeaders(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
    Connection *connection = context;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    // The request came between GOAWAY's submission and its sending, when nghttp2 closes such streams.
    if (connection->lastStream && frame->hd.stream_id > connection->lastStream) return 0;
    Request *request = calloc(1, sizeof *request);
    if (!request) return NGHTTP2_ERR_CALLBACK_FAILURE;
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, request);
}

static bool is(const uint8_t *text, size_t length, const char *other) {
    return length == strlen(other) && memcmp(text, other, length) == 0;
}

static void setToken(Request *request, const uint8_t *token) {
    memcpy(request->token, token, TOKEN_LENGTH);
    request->isDead = contains(&deadTokens, request->token);
}

static void takeFieldForBrowser(
    Request *request, const uint8_t *name, size_t nameLength, const uint8_t *value, size_t valueLength) {
    static const char vapid[] = "vapid t=";
    if (is(name, nameLength, ":method")) {
        request->isPost = is(value, valueLength, "POST");
    } else if (is(name, nameLength, ":path")) {
        request->isDevice = valueLength > TOKEN_LENGTH && value[valueLength - TOKEN_LENGTH - 1] == '/';
        if (request->isDevice) setToken(request, value + valueLength - TOKEN_LENGTH);
    } else if (is(name, nameLength, "content-encoding")) {
        request->isEncrypted = is(value, valueLength, "aes128gcm");
    } else if (is(name, nameLength, "authorization")) {
        request->isIdentified = valueLength > strlen(vapid) && memcmp(value, vapid, strlen(vapid)) == 0;
    } else if (is(name, nameLength, "ttl")) {
        request->hasTTL = true;
    }
}

static int takeHeader(
    nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t nameLength,
    const uint8_t *value, size_t valueLength, uint8_t flags, void *context) {
    (void)flags, (void)context;
    static const char device[] = "/3/device/";
    Request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!request) return 0;
    if (settings.isForBrowsers) {
        takeFieldForBrowser(request, name, nameLength, value, valueLength);
    } else if (is(name, nameLength, ":method")) {
        request->isPost = is(value, valueLength, "POST");
    } else if (is(name, nameLength, ":path")) {
        size_t prefix = strlen(device);
        request->isDevice = valueLength > prefix && memcmp(value, device, prefix) == 0;
        if (!request->isDevice || valueLength != prefix + TOKEN_LENGTH) return 0;
        setToken(request, value + prefix);
    } else if (is(name, nameLength, "apns-id") && valueLength == ID_LENGTH) {
        memcpy(request->id, value, ID_LENGTH);
        request->hasID = true;
    }
    return 0;
}

static int takeData(
    nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t length, void *context) {
    (void)flags, (void)context;
    Request *request = nghttp2_session_get_stream_user_data(session, stream);
    if (!request) return 0;
    if (request->bodyLength < PREFIX_SIZE) {
        size_t missing = PREFIX_SIZE - request->bodyLength;
        memcpy(request->prefix + request->bodyLength, bytes, length < missing ? length : missing);
    }
    request->bodyLength += length;
    counts.bytes += length;
    return 0;
}

// Makes the id of the salt and the bytes behind it, and checks the rest of the beginning of a body: records of 4,096
// bytes, and a key that is an uncompressed point.
static bool isMessageForBrowser(Request *request) {
    static const uint8_t expected[] = {0, 0, 0x10, 0, 65, 4};
    for (int i = 0; i < ID_LENGTH; i++) {
        request->id[i] = "0123456789abcdef"[request->prefix[i / 2] >> (i % 2 ? 0 : 4) & 15];
    }
    return request->bodyLength > HEADER_SIZE
        && memcmp(request->prefix + SALT_SIZE, expected, sizeof expected) == 0 && request->isPost && request->isDevice
        && request->isEncrypted && request->isIdentified && request->hasTTL;
}

static bool isValid(Request *request) {
    if (settings.isForBrowsers) return isMessageForBrowser(request);
    return request->hasID && request->isPost && request->isDevice;
}

// All streams that have begun will be answered (RFC 9113, section 6.8).
static void sendAway(Connection *connection) {
    connection->lastStream = nghttp2_session_get_last_proc_stream_id(connection->session);
    nghttp2_submit_goaway(
        connection->session, NGHTTP2_FLAG_NONE, connection->lastStream, NGHTTP2_NO_ERROR, NULL, 0);
    counts.goAways++;
}

static int takeFrame(nghttp2_session *session, const nghttp2_frame *frame, void *context) {
    Connection *connection = context;
    bool mayEnd = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    if (!mayEnd || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    Request *request = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (!request) return 0;
    counts.requests++;
    counts.gone += request->isDead;
    if (isValid(request)) insert(&ids, request->id);
    else counts.errors++;
    if (settings.arrivals) fprintf(settings.arrivals, "%.*s %.6f\n", TOKEN_LENGTH, request->token, now());
    connection->requests++;
    if (settings.stallAfter && connection->requests > settings.stallAfter) return counts.stalled++, 0;
    if (settings.latency > 0) hold(connection, frame->hd.stream_id);
    else answer(connection, frame->hd.stream_id);
    if (connection->requests == settings.goAwayAfter) sendAway(connection);
    return 0;
}

static int closeStream(nghttp2_session *session, int32_t stream, uint32_t error, void *context) {
    (void)error, (void)context;
    free(nghttp2_session_get_stream_user_data(session, stream));
    nghttp2_session_set_stream_user_data(session, stream, NULL);
    return 0;
}

static int countInvalid(nghttp2_session *session, const nghttp2_frame *frame, int error, void *context) {
    (void)session, (void)frame, (void)error, (void)context;
    counts.errors++;
    return 0;
}

static nghttp2_session_callbacks *callbacks(void) {
    nghttp2_session_callbacks *callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, beginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, takeHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, takeData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, takeFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, closeStream);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, countInvalid);
    return callbacks;
}

static void watch(Connection *connection, bool wantsToWrite) {
    if (connection->wantsToWrite == wantsToWrite) return;
    connection->wantsToWrite = wantsToWrite;
    struct epoll_event event = {EPOLLIN | (wantsToWrite ? EPOLLOUT : 0), {.ptr = connection}};
    epoll_ctl(poll, EPOLL_CTL_MOD, connection->socket, &event);
}

static void end(Connection *connection) {
    if (!connection->isOpen) return;
    connection->isOpen = false;
    close(connection->socket);
    SSL_free(connection->tls);
    // Errors of this connection would otherwise count as errors of the next one.
    ERR_clear_error();
    nghttp2_session_del(connection->session);
}

// Ends the output of a connection. The client's remaining data must be read: closing the socket before that resets it,
// and answers in transit are lost.
static void finish(Connection *connection) {
    if (connection->isFinished) return;
    connection->isFinished = true;
    SSL_shutdown(connection->tls);
    shutdown(connection->socket, SHUT_WR);
}

// Writes the session's output, one TLS record at a time, until the socket is full.
static void flush(Connection *connection) {
    while (connection->isOpen) {
        if (connection->outputSent == connection->outputLength) {
            connection->outputSent = connection->outputLength = 0;
            const uint8_t *part;
            ssize_t size;
            // A frame is at most one record. A frame that does not fit begins the next record.
            static uint8_t frames[2 * RECORD];
            size_t length = 0;
            while (length < RECORD / 2 && (size = nghttp2_session_mem_send(connection->session, &part)) > 0) {
                if (length + (size_t)size > RECORD) fail("a frame of %zd bytes", size);
                memcpy(frames + length, part, (size_t)size);
                length += (size_t)size;
            }
            if (length == 0) {
                bool isDone = !nghttp2_session_want_read(connection->session)
                    && !nghttp2_session_want_write(connection->session);
                if (isDone && connection->waiting == 0) finish(connection);
                watch(connection, false);
                return;
            }
            memcpy(connection->output, frames, length);
            connection->outputLength = length;
        }
        int written = SSL_write(
            connection->tls, connection->output + connection->outputSent,
            (int)(connection->outputLength - connection->outputSent));
        if (written <= 0) {
            if (SSL_get_error(connection->tls, written) == SSL_ERROR_WANT_WRITE) return watch(connection, true);
            return end(connection);
        }
        connection->outputSent += (size_t)written;
    }
}

static void receive(Connection *connection) {
    static uint8_t input[RECORD];
    while (connection->isOpen) {
        int size = SSL_read(connection->tls, input, sizeof input);
        if (size <= 0) {
            int error = SSL_get_error(connection->tls, size);
            if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return end(connection);
            break;
        }
        if (connection->isFinished) continue;
        if (nghttp2_session_mem_recv(connection->session, input, (size_t)size) < 0) {
            counts.errors++;
            return end(connection);
        }
    }
    if (connection->isOpen && SSL_is_init_finished(connection->tls)) flush(connection);
}

static void acceptConnection(int listener, SSL_CTX *context, nghttp2_session_callbacks *callbacks) {
    int socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    int yes = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection *connection = calloc(1, sizeof *connection);
    if (!connection) fail("out of memory");
    connection->socket = socket;
    connection->isOpen = true;
    connection->tls = SSL_new(context);
    SSL_set_fd(connection->tls, socket);
    SSL_set_accept_state(connection->tls);
    nghttp2_session_server_new2(&connection->session, callbacks, connection, sessionOptions);
    nghttp2_settings_entry entries[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS}};
    nghttp2_submit_settings(connection->session, NGHTTP2_FLAG_NONE, entries, 1);
    // A window of 64 KiB is full with fewer messages for browsers than a gateway has in flight.
    if (settings.isForBrowsers)
        nghttp2_session_set_local_window_size(connection->session, NGHTTP2_FLAG_NONE, 0, WINDOW);
    struct epoll_event event = {EPOLLIN, {.ptr = connection}};
    epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
    counts.connections++;
}

// libcurl resets nearly every stream after its answer, and nghttp2 would disconnect it for that, so the limit is off.
static void makeSessionOptions(void) {
    nghttp2_option_new(&sessionOptions);
    nghttp2_option_set_stream_reset_rate_limit(sessionOptions, UINT32_MAX, UINT32_MAX);
}

static int chooseProtocol(
    SSL *tls, const unsigned char **out, unsigned char *outLength, const unsigned char *in, unsigned length,
    void *context) {
    (void)tls, (void)context;
    unsigned char *chosen;
    int result = nghttp2_select_next_protocol(&chosen, outLength, in, length);
    *out = chosen;
    return result == 1 ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static SSL_CTX *tlsContext(const char *certificate, const char *key) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_alpn_select_cb(context, chooseProtocol, NULL);
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1) fail("cannot use %s", certificate);
    if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) fail("cannot use %s", key);
    return context;
}

static int listenOnLoopback(int *port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), yes = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof address;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 512) != 0) fail("cannot listen");
    getsockname(listener, (struct sockaddr *)&address, &size);
    *port = ntohs(address.sin_port);
    return listener;
}

static void tellCounts(int control) {
    int socket = accept4(control, NULL, NULL, SOCK_CLOEXEC);
    if (socket < 0) return;
    counts.distinct = ids.count;
    if (settings.arrivals) fflush(settings.arrivals);
    dprintf(
        socket,
        "{\"requests\":%lu,\"distinct\":%lu,\"gone\":%lu,\"errors\":%lu,\"connections\":%lu,\"goaways\":%lu,"
        "\"stalled\":%lu,\"bytes\":%lu}\n",
        counts.requests, counts.distinct, counts.gone, counts.errors, counts.connections, counts.goAways,
        counts.stalled, counts.bytes);
    close(socket);
}

static void readDeadTokens(void) {
    if (!settings.deadFile) return;
    FILE *file = fopen(settings.deadFile, "r");
    if (!file) fail("cannot open %s", settings.deadFile);
    char line[TOKEN_LENGTH + 2];
    while (fgets(line, sizeof line, file))
        if (strspn(line, "0123456789abcdef") == TOKEN_LENGTH) insert(&deadTokens, line);
    fclose(file);
}

static int releaseHeld(void) {
    double time = now();
    while (held.first < held.end && held.items[held.first].due <= time) {
        Held *item = &held.items[held.first++];
        item->connection->waiting--;
        if (!item->connection->isOpen) continue;
        answer(item->connection, item->stream);
        // Other due answers of the same connection go into the same record.
        bool isLast = held.first == held.end || held.items[held.first].due > time
            || held.items[held.first].connection != item->connection;
        if (isLast) flush(item->connection);
    }
    return held.first == held.end ? -1 : (int)((held.items[held.first].due - time) * 1e3) + 1;
}

int main(int count, char **arguments) {
    for (int option; (option = getopt(count, arguments, "wl:g:s:d:a:p:")) != -1;) {
        switch (option) {
        case 'w': settings.isForBrowsers = true; break;
        case 'l': settings.latency = atof(optarg) / 1e3; break;
        case 'g': settings.goAwayAfter = atol(optarg); break;
        case 's': settings.stallAfter = atol(optarg); break;
        case 'a':
            settings.arrivals = fopen(optarg, "w");
            if (!settings.arrivals) fail("cannot write %s", optarg);
            break;
        case 'd': settings.deadFile = optarg; break;
        case 'p': settings.port = atoi(optarg); break;
        default: fail("unknown option");
        }
    }
    if (count - optind != 2) fail("usage: sink [options] CERTIFICATE KEY");
    readDeadTokens();
    makeSessionOptions();
    SSL_CTX *context = tlsContext(arguments[optind], arguments[optind + 1]);
    nghttp2_session_callbacks *sessionCallbacks = callbacks();
    int port = settings.port, controlPort = 0;
    int listener = listenOnLoopback(&port), control = listenOnLoopback(&controlPort);
    poll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {EPOLLIN, {.ptr = &listener}};
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    event.data.ptr = &control;
    epoll_ctl(poll, EPOLL_CTL_ADD, control, &event);
    printf("{\"port\":%d,\"control\":%d}\n", port, controlPort);
    fflush(stdout);
    while (true) {
        struct epoll_event events[EVENTS];
        int ready = epoll_wait(poll, events, EVENTS, releaseHeld());
        for (int i = 0; i < ready; i++) {
            void *source = events[i].data.ptr;
            if (source == &listener) acceptConnection(listener, context, sessionCallbacks);
            else if (source == &control) tellCounts(control);
            else if (events[i].events & (EPOLLERR | EPOLLHUP)) end(source);
            else {
                if (events[i].events & EPOLLOUT) flush(source);
                receive(source);
            }
        }
    }
}
