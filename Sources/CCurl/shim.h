#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// Typed functions for libcurl's setters and getters, one for each type of argument in use. The originals are variadic
// functions, whose arguments libcurl's headers check with macros; Swift imports neither. Each returns libcurl's code.

/// Sets an option of type `long`.
static inline CURLcode CCurl_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

/// Sets an option whose value is a size in bytes.
static inline CURLcode CCurl_easy_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

/// Sets an option of type string. libcurl copies the string.
static inline CURLcode CCurl_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

/// Sets an option of type pointer. libcurl keeps the pointer, so its target must outlive the transfer.
static inline CURLcode CCurl_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

/// Sets an option of type list. libcurl keeps the pointer, so the list must outlive the transfer.
static inline CURLcode CCurl_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

/// Sets a write callback.
static inline CURLcode CCurl_easy_set_callback(CURL *easy, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}

/// Sets the callback that libcurl calls with the context of TLS (`SSL_CTX`) of each new connection.
static inline CURLcode CCurl_easy_set_tls_callback(CURL *easy, curl_ssl_ctx_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, context);
}

/// Returns the name and version of libcurl's library of TLS, such as `OpenSSL/3.0.19`, or NULL if it has none.
static inline const char *CCurl_tls_library(void) {
    return curl_version_info(CURLVERSION_NOW)->ssl_version;
}

/// Returns the path of the file with authorities that libcurl was built with, or NULL if there is none.
static inline const char *CCurl_authority_file(void) {
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}

/// Returns the path of the folder with authorities that libcurl was built with, or NULL if there is none.
static inline const char *CCurl_authority_folder(void) {
    return curl_version_info(CURLVERSION_NOW)->capath;
}

/// Sets the callback that libcurl calls to open a socket for an address that it is about to connect to.
static inline CURLcode CCurl_easy_set_socket_opener(CURL *easy, curl_opensocket_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
    return code != CURLE_OK ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

/// Opens a socket for an address, as libcurl does without a callback.
static inline curl_socket_t CCurl_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype, address->protocol);
}

/// Copies the bytes of an IP address, in network byte order, and returns their number: 4, 16, or 0 for another family.
static inline size_t CCurl_copy_address(const struct curl_sockaddr *address, unsigned char *bytes) {
    switch (address->family) {
    case AF_INET:
        memcpy(bytes, &((const struct sockaddr_in *)&address->addr)->sin_addr, 4);
        return 4;
    case AF_INET6:
        memcpy(bytes, &((const struct sockaddr_in6 *)&address->addr)->sin6_addr, 16);
        return 16;
    default:
        return 0;
    }
}

/// Reads a value of type `long`.
static inline CURLcode CCurl_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

/// Reads a time in microseconds or a size in bytes, from the options whose names end with `_T`.
static inline CURLcode CCurl_easy_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

/// Sets an option of a multi handle of type `long`.
static inline CURLMcode CCurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// Sets the callback that libcurl calls if a socket has to be watched differently.
static inline CURLMcode CCurl_multi_set_socket_callback(CURLM *multi, curl_socket_callback callback, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
    return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}

/// Sets the callback that libcurl calls if its timer changes.
static inline CURLMcode CCurl_multi_set_timer_callback(
    CURLM *multi, curl_multi_timer_callback callback, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
    return code != CURLM_OK ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

/// Returns the next finished transfer and its result, or NULL if there is none. Swift does not import the message's
/// union.
static inline CURL *CCurl_multi_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

// A macro with a cast to `curl_socket_t`, which Swift does not import as a constant.
static const curl_socket_t CCurl_socket_timeout = CURL_SOCKET_TIMEOUT;

#ifdef __linux__
/// Sets the name of the calling thread. glibc's feature test macros hide `pthread_setname_np` from Swift.
static inline void CCurl_set_thread_name(const char *name) {
    (void)prctl(PR_SET_NAME, name);
}
#endif

#endif
