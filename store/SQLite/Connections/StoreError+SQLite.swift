import GRDB

extension StoreError {
    /// Translates an error of SQLite, GRDB or the decoder for the caller
    /// ([result codes](https://www.sqlite.org/rescode.html)).
    init(wrapping error: any Error) {
        switch error {
        case let error as StoreError: self = error
        case let error as DatabaseError: self.init(error)
        case is CancellationError: self.init(.cancelled, Self.cancelled.message, cause: error)
        case let error as FieldsDecoder.Malformed:
            self.init(.dataLoss, "a document's stored fields cannot be read; restore a backup", cause: error)
        default: self.init(.internal, Self.failureMessage, cause: error)
        }
    }

    private init(_ error: DatabaseError) {
        let (code, message) = Self.meaning(of: error.extendedResultCode)
        self.init(code, message, cause: error)
    }

    /// Returns the code and message for one of SQLite's result codes.
    ///
    /// - Parameter code: an extended result code, which also matches its primary code.
    private static func meaning(of code: ResultCode) -> (Code, String) {
        switch code {
        // There was no space for the index of the write-ahead log, which SQLite creates again after a crash.
        case .SQLITE_FULL, .SQLITE_IOERR_SHMSIZE:
            (.resourceExhausted, "the disk is full and nothing was applied; free space and try again")
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            (.dataLoss, "the database file is damaged; stop the server and restore a backup")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            (.unavailable, "another program holds the database file; close it and try again")
        case .SQLITE_CANTOPEN:
            (.unavailable, "the database file cannot be opened; check that its directory is there and may be written")
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            (.unavailable, "the database file may not be written; check its owner and its permissions")
        case .SQLITE_IOERR: (.unavailable, "the disk failed to read or write the database file")
        case .SQLITE_MISUSE: (.unavailable, closed.message)
        case .SQLITE_INTERRUPT, .SQLITE_ABORT: (.cancelled, "the operation was interrupted")
        default: (.internal, failureMessage)
        }
    }
}
