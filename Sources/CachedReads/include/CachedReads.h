// Reads of files that take what the operating system has in memory, and no more.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/// Returns whether a file's system can tell what is in memory.
bool cached_reads_are_possible(const char *path);

/// Has the calling thread's reads through the functions below fail with EAGAIN where they would have to wait for the disk, until
/// `cached_reads_end`. All of them fail where the file system cannot tell.
void cached_reads_begin(void);
void cached_reads_end(void);

/// As read(2), pread(2) and pread64(2).
ssize_t cached_read(int file, void *bytes, size_t count);
ssize_t cached_pread(int file, void *bytes, size_t count, off_t offset);
