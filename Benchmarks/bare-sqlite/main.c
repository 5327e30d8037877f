// bare-sqlite: a minimal program that makes the documents of a registration durable, as a reference for the gateway.
//
// The file is a copy of a gateway's database after one registration, so tables, indexes and rows are the gateway's own.
// Each commit writes the three rows again with another server key, and a group of commits is one transaction. The
// pragmas are those of store/SQLite/Connections/Connections.swift.

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROGRAM "bare-sqlite"
#include "../program.h"

enum { ROWS = 3, KEY_LENGTH = 64 };

typedef struct {
    sqlite3_int64 database;
    char *parent, *collection, *document, *fields;
} Row;

static sqlite3 *db;

static void execute(const char *sql) {
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail("%s: %s", sql, sqlite3_errmsg(db));
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) fail("%s: %s", sql, sqlite3_errmsg(db));
    return statement;
}

static void finish(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail("%s: %s", sqlite3_sql(statement), sqlite3_errmsg(db));
    sqlite3_reset(statement);
}

static char *text(sqlite3_stmt *statement, int column) {
    return strdup((const char *)sqlite3_column_text(statement, column));
}

static void openFile(const char *path) {
    if (sqlite3_open(path, &db) != SQLITE_OK) fail("cannot open %s: %s", path, sqlite3_errmsg(db));
    execute("PRAGMA journal_mode = WAL");
    execute("PRAGMA synchronous = FULL");
    execute("PRAGMA secure_delete = ON");
    execute("PRAGMA wal_autocheckpoint = 8192");
    execute("PRAGMA journal_size_limit = 33554432");
    execute("PRAGMA cache_size = -16384");
}

// The rows of the registration (server, agent, device), in the order of their parents' lengths.
static void readRows(Row *rows) {
    sqlite3_stmt *statement = prepare(
        "SELECT database, parent, collection, document, fields FROM documents "
        "WHERE collection IN ('servers', 'agents', 'devices') ORDER BY length(parent) LIMIT 3");
    for (int index = 0; index < ROWS; index++) {
        if (sqlite3_step(statement) != SQLITE_ROW) fail("the file does not have the rows of a registration");
        rows[index] = (Row){ sqlite3_column_int64(statement, 0), text(statement, 1), text(statement, 2),
                             text(statement, 3), text(statement, 4) };
    }
    sqlite3_finalize(statement);
}

// splitmix64: unordered keys, like hashes.
static uint64_t scramble(uint64_t number) {
    number += 0x9e3779b97f4a7c15;
    number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
    number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
    return number ^ (number >> 31);
}

static void makeKey(char *key, uint64_t number) {
    for (int word = 0; word < 4; word++) {
        sprintf(key + word * 16, "%016llx", (unsigned long long)scramble(number * 4 + (uint64_t)word));
    }
}

static void replace(char *text, const char *old, const char *new) {
    for (char *at = text; (at = strstr(at, old)); at += KEY_LENGTH) memcpy(at, new, KEY_LENGTH);
}

static void saveRow(sqlite3_stmt *save, const Row *row, sqlite3_int64 time) {
    sqlite3_bind_int64(save, 1, row->database);
    sqlite3_bind_text(save, 2, row->parent, -1, SQLITE_STATIC);
    sqlite3_bind_text(save, 3, row->collection, -1, SQLITE_STATIC);
    sqlite3_bind_text(save, 4, row->document, -1, SQLITE_STATIC);
    sqlite3_bind_int64(save, 5, time);
    sqlite3_bind_text(save, 6, row->fields, -1, SQLITE_STATIC);
    finish(save);
}

// Writes the rows of one commit with a new server key. `key` is their present key and is replaced by the new one.
static void saveRows(sqlite3_stmt *save, Row *rows, char *key, uint64_t number, sqlite3_int64 time) {
    char next[KEY_LENGTH + 1];
    makeKey(next, number);
    for (int index = 0; index < ROWS; index++) {
        replace(rows[index].parent, key, next);
        replace(rows[index].document, key, next);
        saveRow(save, &rows[index], time);
    }
    memcpy(key, next, KEY_LENGTH);
}

int main(int count, char **arguments) {
    if (count != 7) fail("usage: bare-sqlite FILE SECONDS COMMITS GROUP FIRST MODULO");
    double seconds = atof(arguments[2]);
    uint64_t limit = strtoull(arguments[3], NULL, 10), group = strtoull(arguments[4], NULL, 10), commits = 0;
    uint64_t first = strtoull(arguments[5], NULL, 10), modulo = strtoull(arguments[6], NULL, 10);
    Row rows[ROWS];
    openFile(arguments[1]);
    readRows(rows);
    char key[KEY_LENGTH + 1] = "";
    strncpy(key, rows[0].document, KEY_LENGTH);
    sqlite3_stmt *save = prepare(
        "INSERT INTO documents (database, parent, collection, document, created_at, updated_at, fields) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6) ON CONFLICT (database, parent, document) "
        "DO UPDATE SET updated_at = ?5, fields = ?6");
    sqlite3_stmt *clock = prepare("UPDATE clock SET last_commit = ?1");
    double startedAt = now();
    while (commits < limit && now() - startedAt < seconds) {
        sqlite3_int64 time = (sqlite3_int64)(1700000000000000 + commits);
        execute("BEGIN IMMEDIATE");
        for (uint64_t end = commits + group; commits < end; commits++) {
            saveRows(save, rows, key, first + commits % modulo, time);
        }
        sqlite3_bind_int64(clock, 1, time);
        finish(clock);
        execute("COMMIT");
    }
    printf("{\"requests\":%llu,\"errors\":0,\"seconds\":%.6f}\n", (unsigned long long)commits, now() - startedAt);
    return 0;
}
