// Reads of files that take what the operating system has in memory, and no more.
#pragma once

#include <sys/types.h>

/// Has the calling thread's reads through the functions below fail with EAGAIN where they would have to wait for the disk, until
/// `cached_reads_end`. File systems that cannot tell, and systems that cannot be asked, let all of them fail.
void cached_reads_begin(void);
void cached_reads_end(void);

/// As read(2), pread(2) and pread64(2).
ssize_t cached_read(int file, void *bytes, size_t count);
ssize_t cached_pread(int file, void *bytes, size_t count, off_t offset);
