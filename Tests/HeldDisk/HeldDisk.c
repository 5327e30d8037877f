// A disk that stops and goes on when a test says so: loaded into a gateway before its other libraries (LD_PRELOAD), this
// stands before pread(2), with which SQLite reads its files.
//
// HELD_DISK names a folder. While there is a file "hold" in it, reads of a database or its log wait. Each that waits adds a
// byte to the file "waiting".

#ifdef __linux__

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void waitWhileHeld(int file) {
    char path[PATH_MAX];
    if (folder == NULL) return;
    nameFile(path, "hold");
    if (access(path, F_OK) != 0 || !isDatabase(file)) return;
    addWaiting();
    while (access(path, F_OK) == 0) usleep(1000);
}

typedef ssize_t (*Read)(int file, void *bytes, size_t count, off64_t offset);

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
    static _Atomic(Read) next;
    if (next == NULL) next = (Read)dlsym(RTLD_NEXT, "pread64");
    waitWhileHeld(file);
    return next(file, bytes, count, offset);
}

// The same function where off_t has 64 bits; SQLite calls the one or the other by how it was compiled.
ssize_t pread(int file, void *bytes, size_t count, off_t offset) { return pread64(file, bytes, count, offset); }

#endif
