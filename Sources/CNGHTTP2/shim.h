#include <nghttp2/nghttp2.h>
#include <stdint.h>

#ifndef __APPLE__
/* Versions before 1.57 lack this function. */
void nghttp2_option_set_stream_reset_rate_limit(nghttp2_option *option, uint64_t burst, uint64_t rate)
    __attribute__((weak));
#endif

/* Sets the library's own limit of resets to a value that cannot be reached. It counts the resets of streams that have
   been answered too, which are no attack. */
static inline void CNGHTTP2_option_set_no_reset_limit(nghttp2_option *option) {
    if (nghttp2_option_set_stream_reset_rate_limit) {
        nghttp2_option_set_stream_reset_rate_limit(option, UINT64_C(1) << 40, UINT64_C(1) << 20);
    }
}
