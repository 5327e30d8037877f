// A record of all changes and flushes below a folder, in their order. Loaded into a program before its other libraries
// (LD_PRELOAD), it replaces the functions of the C library that change files.
//
// RECORDED names the folder, as realpath(3) does, and RECORD the file to which records are appended. Processes can
// share both. A change and its record are one step under a lock, so that the order of the records is the order of the
// changes. A flush has two records, and no lock between them: it is for the changes before the first, and done at the
// second.
//
// Changes through memory (mmap(2)) and through stdio are not seen. The reader of the records compares their result with
// the folder, and so notices changes that are missing.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// The same numbers as in records.py.
enum kind {
    BEGIN = 1, CREATE, WRITE, RESIZE, GROW, MAKE_FOLDER, RENAME, UNLINK, REMOVE_FOLDER, LINK, MAKE_LINK, CHANGE_MODE,
    FLUSH, FLUSHED, UNKNOWN = 99
};

// The beginning of each record. Two texts or pieces of data follow, of the lengths `first` and `second`.
struct record {
    uint32_t kind, process;
    uint64_t time, inode;
    int64_t value, other;
    uint32_t first, second;
};

static const char *folder;
static size_t folder_length;
static int output = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// The record

static void fail(const char *what) {
    dprintf(STDERR_FILENO, "recorder: %s: %s\n", what, strerror(errno));
    _exit(111);
}

static void lock(void) {
    pthread_mutex_lock(&mutex);
    while (flock(output, LOCK_EX) != 0)
        if (errno != EINTR) fail("cannot lock the record");
}

static void unlock(void) {
    int number = errno;
    flock(output, LOCK_UN);
    pthread_mutex_unlock(&mutex);
    errno = number;
}

static void put(const void *bytes, size_t count) {
    for (const char *next = bytes; count > 0;) {
        ssize_t written = syscall(SYS_write, output, next, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail("cannot write the record");
        next += written;
        count -= (size_t)written;
    }
}

static void append(struct record record, const void *first, const void *second) {
    struct timespec now;
    int number = errno;
    clock_gettime(CLOCK_REALTIME, &now);
    record.time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    record.process = (uint32_t)getpid();
    put(&record, sizeof record);
    put(first, record.first);
    put(second, record.second);
    errno = number;
}

static void append_path(struct record record, const char *path) {
    record.first = (uint32_t)strlen(path);
    append(record, path, NULL);
}

static void append_paths(struct record record, const char *first, const char *second) {
    record.first = (uint32_t)strlen(first);
    record.second = (uint32_t)strlen(second);
    append(record, first, second);
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("RECORD");
    folder = getenv("RECORDED");
    if (path == NULL || folder == NULL) return;
    folder_length = strlen(folder);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    // A high number, so that the program's own descriptors have their usual ones.
    output = fcntl(file, F_DUPFD_CLOEXEC, 200);
    if (output < 0) fail(path);
    close(file);
    lock();
    append_path((struct record){BEGIN}, folder);
    unlock();
}

// Paths

static int is_below(const char *path) {
    return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}

static int path_of(int file, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return 1;
}

static int is_recorded(int file) {
    char path[PATH_MAX];
    int number = errno;
    int is_so = output >= 0 && path_of(file, path) && is_below(path);
    errno = number;
    return is_so;
}

// Finds the whole path without links before its last name. Returns 0 if it is not in the folder.
static int find(int directory, const char *name, char path[PATH_MAX]) {
    if (output < 0 || name == NULL) return 0;
    int number = errno;
    char start[PATH_MAX] = "", whole[2 * PATH_MAX], parent[PATH_MAX];
    if (name[0] != '/') {
        int is_found = directory == AT_FDCWD ? getcwd(start, sizeof start) != NULL : path_of(directory, start);
        if (!is_found) return 0;
    }
    snprintf(whole, sizeof whole, "%s%s%s", start, name[0] == '/' ? "" : "/", name);
    for (size_t end = strlen(whole); end > 1 && whole[end - 1] == '/'; end--) whole[end - 1] = 0;
    char *last = strrchr(whole, '/');
    *last = 0;
    int is_so = realpath(whole[0] ? whole : "/", parent) != NULL
        && snprintf(path, PATH_MAX, "%s/%s", parent, last + 1) < PATH_MAX && is_below(path);
    errno = number;
    return is_so;
}

static uint64_t inode_of(int file) {
    struct stat status;
    return fstat(file, &status) == 0 ? status.st_ino : 0;
}

static uint64_t inode_at(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 ? status.st_ino : 0;
}

static int64_t mode_of(int file) {
    struct stat status;
    return fstat(file, &status) == 0 ? status.st_mode & 07777 : 0600;
}

// Opening

static int open_recorded(int directory, const char *name, int flags, mode_t mode, const char *path) {
    lock();
    struct stat before;
    int is_temporary = (flags & O_TMPFILE) == O_TMPFILE;
    int is_new = is_temporary || lstat(path, &before) != 0;
    int file = (int)syscall(SYS_openat, directory, name, flags, mode);
    if (file >= 0 && is_new)
        append_path((struct record){CREATE, .inode = inode_of(file), .value = mode_of(file)}, is_temporary ? "" : path);
    else if (file >= 0 && flags & O_TRUNC)
        append((struct record){RESIZE, .inode = inode_of(file)}, NULL, NULL);
    unlock();
    return file;
}

static int open_any(int directory, const char *name, int flags, mode_t mode) {
    char path[PATH_MAX];
    int is_change = flags & (O_CREAT | O_TRUNC) || (flags & O_TMPFILE) == O_TMPFILE;
    if (is_change && find(directory, name, path)) return open_recorded(directory, name, flags, mode, path);
    return (int)syscall(SYS_openat, directory, name, flags, mode);
}

#define READ_MODE(flags, mode)                                                 \
    mode_t mode = 0;                                                           \
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {                 \
        va_list arguments;                                                     \
        va_start(arguments, flags);                                            \
        mode = va_arg(arguments, mode_t);                                      \
        va_end(arguments);                                                     \
    }

int open(const char *name, int flags, ...) {
    READ_MODE(flags, mode)
    return open_any(AT_FDCWD, name, flags, mode);
}

int openat(int directory, const char *name, int flags, ...) {
    READ_MODE(flags, mode)
    return open_any(directory, name, flags, mode);
}

int open64(const char *name, int flags, ...) __attribute__((alias("open")));
int openat64(int directory, const char *name, int flags, ...) __attribute__((alias("openat")));

int creat(const char *name, mode_t mode) { return open_any(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) __attribute__((alias("creat")));

// Names for temporary files are random: the C library chooses one, and this opens it.
int mkostemps(char *template, int suffix, int flags) {
    size_t length = strlen(template);
    if (suffix < 0 || length < 6 + (size_t)suffix) return errno = EINVAL, -1;
    char *random = template + length - (size_t)suffix - 6;
    for (int attempt = 0; attempt < 100; attempt++) {
        uint32_t number;
        if (getentropy(&number, sizeof number) != 0) return -1;
        char text[9];
        snprintf(text, sizeof text, "%08x", number);
        memcpy(random, text, 6);
        int file = open_any(AT_FDCWD, template, flags | O_CREAT | O_EXCL | O_RDWR, 0600);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

int mkostemp(char *template, int flags) { return mkostemps(template, 0, flags); }
int mkstemps(char *template, int suffix) { return mkostemps(template, suffix, 0); }
int mkstemp(char *template) { return mkostemps(template, 0, 0); }
int mkostemp64(char *template, int flags) __attribute__((alias("mkostemp")));
int mkstemp64(char *template) __attribute__((alias("mkstemp")));

// Contents

static void append_write(int file, int64_t offset, const void *bytes, size_t count) {
    append((struct record){WRITE, .inode = inode_of(file), .value = offset, .first = (uint32_t)count}, bytes, NULL);
}

// Copies a piece of a file into the record, after a call that has no pointer to the bytes, or several.
static void append_piece(int file, int64_t offset, size_t count) {
    char name[64], bytes[1 << 16];
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    int copy = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
    if (copy < 0) fail(name);
    while (count > 0) {
        ssize_t length = pread(copy, bytes, count < sizeof bytes ? count : sizeof bytes, offset);
        if (length <= 0) fail("cannot read what was written");
        append_write(file, offset, bytes, (size_t)length);
        offset += length;
        count -= (size_t)length;
    }
    close(copy);
}

static int64_t position(int file) { return lseek(file, 0, SEEK_CUR); }

ssize_t write(int file, const void *bytes, size_t count) {
    if (!is_recorded(file)) return syscall(SYS_write, file, bytes, count);
    lock();
    ssize_t length = syscall(SYS_write, file, bytes, count);
    if (length > 0) append_write(file, position(file) - length, bytes, (size_t)length);
    unlock();
    return length;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    if (!is_recorded(file)) return syscall(SYS_pwrite64, file, bytes, count, offset);
    lock();
    ssize_t length = syscall(SYS_pwrite64, file, bytes, count, offset);
    if (length > 0) append_write(file, offset, bytes, (size_t)length);
    unlock();
    return length;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t offset) __attribute__((alias("pwrite")));

ssize_t writev(int file, const struct iovec *pieces, int count) {
    if (!is_recorded(file)) return syscall(SYS_writev, file, pieces, count);
    lock();
    ssize_t length = syscall(SYS_writev, file, pieces, count);
    if (length > 0) append_piece(file, position(file) - length, (size_t)length);
    unlock();
    return length;
}

ssize_t pwritev2(int file, const struct iovec *pieces, int count, off_t offset, int flags) {
    if (!is_recorded(file)) return syscall(SYS_pwritev2, file, pieces, count, offset, 0, flags);
    lock();
    ssize_t length = syscall(SYS_pwritev2, file, pieces, count, offset, 0, flags);
    if (length > 0) append_piece(file, offset < 0 ? position(file) - length : offset, (size_t)length);
    unlock();
    return length;
}

ssize_t pwritev(int file, const struct iovec *pieces, int count, off_t offset) {
    return pwritev2(file, pieces, count, offset, 0);
}

ssize_t pwritev64(int file, const struct iovec *pieces, int count, off_t offset) __attribute__((alias("pwritev")));
ssize_t pwritev64v2(int file, const struct iovec *pieces, int count, off_t offset, int flags)
    __attribute__((alias("pwritev2")));

ssize_t sendfile(int to, int from, off_t *offset, size_t count) {
    if (!is_recorded(to)) return syscall(SYS_sendfile, to, from, offset, count);
    lock();
    ssize_t length = syscall(SYS_sendfile, to, from, offset, count);
    if (length > 0) append_piece(to, position(to) - length, (size_t)length);
    unlock();
    return length;
}

ssize_t sendfile64(int to, int from, off_t *offset, size_t count) __attribute__((alias("sendfile")));

ssize_t copy_file_range(int from, off64_t *start, int to, off64_t *offset, size_t count, unsigned flags) {
    if (!is_recorded(to)) return syscall(SYS_copy_file_range, from, start, to, offset, count, flags);
    lock();
    ssize_t length = syscall(SYS_copy_file_range, from, start, to, offset, count, flags);
    if (length > 0) append_piece(to, (offset ? *offset : position(to)) - length, (size_t)length);
    unlock();
    return length;
}

int ftruncate(int file, off_t size) {
    if (!is_recorded(file)) return (int)syscall(SYS_ftruncate, file, size);
    lock();
    int result = (int)syscall(SYS_ftruncate, file, size);
    if (result == 0) append((struct record){RESIZE, .inode = inode_of(file), .value = size}, NULL, NULL);
    unlock();
    return result;
}

int ftruncate64(int file, off_t size) __attribute__((alias("ftruncate")));

int truncate(const char *name, off_t size) {
    char path[PATH_MAX];
    if (!find(AT_FDCWD, name, path)) return (int)syscall(SYS_truncate, name, size);
    lock();
    int result = (int)syscall(SYS_truncate, name, size);
    if (result == 0) append((struct record){RESIZE, .inode = inode_at(path), .value = size}, NULL, NULL);
    unlock();
    return result;
}

int truncate64(const char *name, off_t size) __attribute__((alias("truncate")));

int fallocate(int file, int mode, off_t offset, off_t count) {
    if (!is_recorded(file)) return (int)syscall(SYS_fallocate, file, mode, offset, count);
    lock();
    int result = (int)syscall(SYS_fallocate, file, mode, offset, count);
    if (result == 0 && mode == 0)
        append((struct record){GROW, .inode = inode_of(file), .value = offset + count}, NULL, NULL);
    else if (result == 0 && mode != FALLOC_FL_KEEP_SIZE)
        append_path((struct record){UNKNOWN}, "fallocate");
    unlock();
    return result;
}

int fallocate64(int file, int mode, off_t offset, off_t count) __attribute__((alias("fallocate")));

int posix_fallocate(int file, off_t offset, off_t count) {
    int number = errno;
    int result = fallocate(file, 0, offset, count) == 0 ? 0 : errno;
    errno = number;
    return result;
}

int posix_fallocate64(int file, off_t offset, off_t count) __attribute__((alias("posix_fallocate")));

// Names

int renameat2(int old, const char *from, int new, const char *to, unsigned flags) {
    char first[PATH_MAX], second[PATH_MAX];
    int comes = find(old, from, first), goes = find(new, to, second);
    if (!comes && !goes) return (int)syscall(SYS_renameat2, old, from, new, to, flags);
    lock();
    int result = (int)syscall(SYS_renameat2, old, from, new, to, flags);
    if (result == 0 && comes && goes) append_paths((struct record){RENAME, .value = flags}, first, second);
    else if (result == 0) append_path((struct record){UNKNOWN}, "a rename into or out of the folder");
    unlock();
    return result;
}

int renameat(int old, const char *from, int new, const char *to) { return renameat2(old, from, new, to, 0); }
int rename(const char *from, const char *to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int directory, const char *name, int flags) {
    char path[PATH_MAX];
    if (!find(directory, name, path)) return (int)syscall(SYS_unlinkat, directory, name, flags);
    lock();
    int result = (int)syscall(SYS_unlinkat, directory, name, flags);
    if (result == 0) append_path((struct record){flags & AT_REMOVEDIR ? REMOVE_FOLDER : UNLINK}, path);
    unlock();
    return result;
}

int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

int remove(const char *name) {
    int result = unlinkat(AT_FDCWD, name, 0);
    return result != 0 && errno == EISDIR ? unlinkat(AT_FDCWD, name, AT_REMOVEDIR) : result;
}

int mkdirat(int directory, const char *name, mode_t mode) {
    char path[PATH_MAX];
    if (!find(directory, name, path)) return (int)syscall(SYS_mkdirat, directory, name, mode);
    lock();
    int result = (int)syscall(SYS_mkdirat, directory, name, mode);
    struct stat status;
    if (result == 0 && lstat(path, &status) == 0)
        append_path((struct record){MAKE_FOLDER, .inode = status.st_ino, .value = status.st_mode & 07777}, path);
    unlock();
    return result;
}

int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int linkat(int old, const char *from, int new, const char *to, int flags) {
    char path[PATH_MAX];
    if (!find(new, to, path)) return (int)syscall(SYS_linkat, old, from, new, to, flags);
    lock();
    int result = (int)syscall(SYS_linkat, old, from, new, to, flags);
    if (result == 0) append_path((struct record){LINK, .inode = inode_at(path)}, path);
    unlock();
    return result;
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int symlinkat(const char *target, int directory, const char *name) {
    char path[PATH_MAX];
    if (!find(directory, name, path)) return (int)syscall(SYS_symlinkat, target, directory, name);
    lock();
    int result = (int)syscall(SYS_symlinkat, target, directory, name);
    if (result == 0) append_paths((struct record){MAKE_LINK, .inode = inode_at(path)}, path, target);
    unlock();
    return result;
}

int symlink(const char *target, const char *name) { return symlinkat(target, AT_FDCWD, name); }

int fchmodat(int directory, const char *name, mode_t mode, int flags) {
    char path[PATH_MAX];
    if (!find(directory, name, path)) return (int)syscall(SYS_fchmodat, directory, name, mode);
    lock();
    int result = (int)syscall(SYS_fchmodat, directory, name, mode);
    if (result == 0) append((struct record){CHANGE_MODE, .inode = inode_at(path), .value = mode & 07777}, NULL, NULL);
    unlock();
    return result;
}

int chmod(const char *name, mode_t mode) { return fchmodat(AT_FDCWD, name, mode, 0); }

int fchmod(int file, mode_t mode) {
    if (!is_recorded(file)) return (int)syscall(SYS_fchmod, file, mode);
    lock();
    int result = (int)syscall(SYS_fchmod, file, mode);
    if (result == 0) append((struct record){CHANGE_MODE, .inode = inode_of(file), .value = mode & 07777}, NULL, NULL);
    unlock();
    return result;
}

// Flushes

// Appends the first record of a flush, and returns its number, which the second one has too. The inode 0 is for all
// files; `is_data` is 1 for a flush that leaves the mode out.
static int64_t begin_flush(uint64_t inode, int is_data) {
    static _Atomic int64_t flushes;
    int64_t number = ++flushes;
    lock();
    append((struct record){FLUSH, .inode = inode, .value = number, .other = is_data}, NULL, NULL);
    unlock();
    return number;
}

static void end_flush(int64_t number, long result) {
    if (result != 0) return;
    lock();
    append((struct record){FLUSHED, .value = number}, NULL, NULL);
    unlock();
}

static int flush(long call, int file, uint64_t inode, int is_data) {
    int64_t number = begin_flush(inode, is_data);
    int result = (int)syscall(call, file);
    end_flush(number, result);
    return result;
}

int fsync(int file) {
    return is_recorded(file) ? flush(SYS_fsync, file, inode_of(file), 0) : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
    return is_recorded(file) ? flush(SYS_fdatasync, file, inode_of(file), 1) : (int)syscall(SYS_fdatasync, file);
}

int syncfs(int file) {
    return is_recorded(file) ? flush(SYS_syncfs, file, 0, 0) : (int)syscall(SYS_syncfs, file);
}

void sync(void) {
    if (output < 0) {
        syscall(SYS_sync);
        return;
    }
    int64_t number = begin_flush(0, 0);
    syscall(SYS_sync);
    end_flush(number, 0);
}
