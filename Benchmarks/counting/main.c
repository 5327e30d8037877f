/* Counts a program's allocations and SQL statements in a file that another process can read at the same time. Load it
   with LD_PRELOAD and set COUNTS to the path of the file. It wraps glibc's allocator and SQLite.

   allocations  calls of malloc, calloc, realloc and their aligned variants, each of which may return new memory
   bytes        the sizes that those calls requested
   statements   executions of SQL statements, including COMMIT and BEGIN
   documents    executions of statements that write the documents' table, one row each

   COUNTS_PLANTED=N adds N allocations of 16 bytes to each execution of a statement. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct counts {
    _Atomic uint64_t allocations, bytes, statements, documents;
};

struct sqlite3_stmt;

/* The counts before the file exists: the loader allocates before any constructor runs. */
static struct counts early;
static struct counts *counts = &early;
static unsigned long planted;
static int (*sqlite_step)(struct sqlite3_stmt *);
static int (*sqlite_is_busy)(struct sqlite3_stmt *);
static const char *(*sqlite_text)(struct sqlite3_stmt *);

__attribute__((constructor)) static void begin(void) {
    sqlite_step = (int (*)(struct sqlite3_stmt *))dlsym(RTLD_NEXT, "sqlite3_step");
    sqlite_is_busy = (int (*)(struct sqlite3_stmt *))dlsym(RTLD_NEXT, "sqlite3_stmt_busy");
    sqlite_text = (const char *(*)(struct sqlite3_stmt *))dlsym(RTLD_NEXT, "sqlite3_sql");
    const char *path = getenv("COUNTS");
    if (path == NULL) return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void *memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(struct counts)) == 0)
        memory = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        perror(path);
        _exit(1);
    }
    close(file);
    counts = memory;
    const char *number = getenv("COUNTS_PLANTED");
    planted = number ? strtoul(number, NULL, 10) : 0;
}

static void count_allocation(size_t size) {
    atomic_fetch_add_explicit(&counts->allocations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counts->bytes, size, memory_order_relaxed);
}

/* Memory */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    count_allocation(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    count_allocation(count * size);
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    count_allocation(size);
    return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
    count_allocation(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *result = memalign(alignment, size);
    if (result == NULL) return ENOMEM;
    *memory = result;
    return 0;
}

/* SQLite */

static int writes_document(const char *sql) {
    static const char *const beginnings[] = {"INSERT INTO documents ", "UPDATE documents ", "DELETE FROM documents "};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(sql, beginnings[i], strlen(beginnings[i])) == 0) return 1;
    return 0;
}

int sqlite3_step(struct sqlite3_stmt *statement) {
    if (!sqlite_is_busy(statement)) {
        atomic_fetch_add_explicit(&counts->statements, 1, memory_order_relaxed);
        const char *text = sqlite_text(statement);
        if (text != NULL && writes_document(text))
            atomic_fetch_add_explicit(&counts->documents, 1, memory_order_relaxed);
        for (unsigned long i = 0; i < planted; i++) {
            void *volatile memory = malloc(16);
            free(memory);
        }
    }
    return sqlite_step(statement);
}
