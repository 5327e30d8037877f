package import DocumentStore

/// The client of a call, by the databases that it may use.
package struct FirestoreCaller: Sendable {
    /// The extent of a client's access to a database.
    package enum Access: Hashable, Sendable {
        /// Reads and writes.
        case full
        /// Reads with secrets hidden, and writes of single documents.
        case redacted
    }

    private let rule: @Sendable (DatabaseID) -> Result<Access, FirestoreStatus>
    /// Returns `false` once the client is known not to wait for its answer any longer. Where the transport cancels the
    /// task of a call, it need not tell.
    let isWaiting: @Sendable () -> Bool

    /// Makes a caller with a rule for each database.
    package init(access: @escaping @Sendable (DatabaseID) -> Result<Access, FirestoreStatus>) {
        self.init(isWaiting: { true }, access: access)
    }

    private init(
        isWaiting: @escaping @Sendable () -> Bool,
        access: @escaping @Sendable (DatabaseID) -> Result<Access, FirestoreStatus>
    ) {
        self.isWaiting = isWaiting
        rule = access
    }

    /// Returns the caller's access to a database.
    ///
    /// - Throws: `PERMISSION_DENIED` or `UNAUTHENTICATED` if the caller has none.
    package func access(to database: DatabaseID) throws(FirestoreStatus) -> Access {
        try rule(database).get()
    }

    /// Returns this caller with a test whether it still waits for its answer.
    package func waiting(while isWaiting: @escaping @Sendable () -> Bool) -> FirestoreCaller {
        FirestoreCaller(isWaiting: isWaiting, access: rule)
    }

    /// Returns this caller with an observer of the databases to which it has access.
    func observed(by observe: @escaping @Sendable (DatabaseID) -> Void) -> FirestoreCaller {
        FirestoreCaller(isWaiting: isWaiting) { [rule] database in
            let access = rule(database)
            if case .success = access { observe(database) }
            return access
        }
    }
}
