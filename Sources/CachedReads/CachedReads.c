#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "CachedReads.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

static _Thread_local bool isCachedOnly;

bool cached_reads_are_possible(const char *path) {
    bool isPossible = false;
#ifdef RWF_NOWAIT
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char byte;
    struct iovec buffer = {&byte, 1};
    isPossible = preadv2(file, &buffer, 1, 0, RWF_NOWAIT) >= 0 || errno == EAGAIN;
    close(file);
#endif
    return isPossible;
}

void cached_reads_begin(void) { isCachedOnly = true; }

void cached_reads_end(void) { isCachedOnly = false; }

// Reads only bytes that are in memory. An offset of -1 means the file's own position (preadv2(2)).
static ssize_t readCached(int file, void *bytes, size_t count, off_t offset) {
#ifdef RWF_NOWAIT
    struct iovec buffer = {bytes, count};
    ssize_t length = preadv2(file, &buffer, 1, offset, RWF_NOWAIT);
    // A shorter read may mean that the rest is not in memory.
    if (length == (ssize_t)count) return length;
#endif
    // Not EIO, which SQLite treats as a damaged file system.
    errno = EAGAIN;
    return -1;
}

ssize_t cached_read(int file, void *bytes, size_t count) {
    return isCachedOnly ? readCached(file, bytes, count, -1) : read(file, bytes, count);
}

ssize_t cached_pread(int file, void *bytes, size_t count, off_t offset) {
    return isCachedOnly ? readCached(file, bytes, count, offset) : pread(file, bytes, count, offset);
}
