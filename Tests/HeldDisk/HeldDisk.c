// A disk that stops and continues when a test says so. Loaded into a gateway before its other libraries
// (LD_PRELOAD), it replaces pread(2), preadv2(2), fsync(2) and fdatasync(2), with which SQLite reads and flushes its
// files.
//
// HELD_DISK names a folder. While it contains a file "hold", reads and flushes of a database or its log wait; reads
// that must not wait fail with EAGAIN, as for a page that is not in memory. Each waiting read or flush adds a byte to
// the file "waiting".

#ifdef __linux__

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *folder;

__attribute__((constructor)) static void begin(void) { folder = getenv("HELD_DISK"); }

static void nameFile(char path[PATH_MAX], const char *name) { snprintf(path, PATH_MAX, "%s/%s", folder, name); }

static int isDatabase(int file) {
    char link[64], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX);
    if (length < 0) return 0;
    path[length] = 0;
    return strstr(path, ".sqlite") != NULL;
}

static void addWaiting(void) {
    char path[PATH_MAX];
    nameFile(path, "waiting");
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || write(file, "+", 1) != 1) abort();
    close(file);
}

static int isHeld(int file) {
    char path[PATH_MAX];
    if (folder == NULL) return 0;
    nameFile(path, "hold");
    return access(path, F_OK) == 0 && isDatabase(file);
}

static void waitWhileHeld(int file) {
    if (!isHeld(file)) return;
    addWaiting();
    while (isHeld(file)) usleep(1000);
}

typedef ssize_t (*Read)(int file, void *bytes, size_t count, off64_t offset);

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    static _Atomic(Read) next;
    if (next == NULL) next = (Read)dlsym(RTLD_NEXT, "pread64");
    waitWhileHeld(file);
    return next(file, bytes, count, offset);
}

// The same function where off_t has 64 bits. SQLite calls either of them, depending on how it was compiled.
ssize_t pread(int file, void *bytes, size_t count, off_t offset) { return pread64(file, bytes, count, offset); }

typedef ssize_t (*ReadVector)(int file, const struct iovec *buffers, int count, off64_t offset, int flags);

ssize_t preadv64v2(int file, const struct iovec *buffers, int count, off64_t offset, int flags) {
    static _Atomic(ReadVector) next;
    if (next == NULL) next = (ReadVector)dlsym(RTLD_NEXT, "preadv64v2");
    if (flags & RWF_NOWAIT && isHeld(file)) {
        errno = EAGAIN;
        return -1;
    }
    waitWhileHeld(file);
    return next(file, buffers, count, offset, flags);
}

ssize_t preadv2(int file, const struct iovec *buffers, int count, off_t offset, int flags) {
    return preadv64v2(file, buffers, count, offset, flags);
}

typedef int (*Flush)(int file);

int fsync(int file) {
    static _Atomic(Flush) next;
    if (next == NULL) next = (Flush)dlsym(RTLD_NEXT, "fsync");
    waitWhileHeld(file);
    return next(file);
}

int fdatasync(int file) {
    static _Atomic(Flush) next;
    if (next == NULL) next = (Flush)dlsym(RTLD_NEXT, "fdatasync");
    waitWhileHeld(file);
    return next(file);
}

#endif
