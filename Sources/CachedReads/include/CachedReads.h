// Reads of files that use only the operating system's page cache and never wait for the disk.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/// Returns true if the file's file system can report which bytes are in memory.
bool cached_reads_are_possible(const char *path);

/// Makes the calling thread's reads through the functions below fail with EAGAIN instead of waiting for the disk, until
/// `cached_reads_end`. All of them fail if the file system cannot report which bytes are in memory.
void cached_reads_begin(void);
/// Ends the effect of `cached_reads_begin` for the calling thread.
void cached_reads_end(void);

/// Reads like read(2), pread(2) and pread64(2).
ssize_t cached_read(int file, void *bytes, size_t count);
ssize_t cached_pread(int file, void *bytes, size_t count, off_t offset);
