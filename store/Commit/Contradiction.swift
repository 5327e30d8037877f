/// Two writes of a commit to one document of which the second cannot succeed after the first, whatever the store
/// contains.
package enum Contradiction {
    /// The kind of a write in Firestore's messages.
    fileprivate enum Kind: String {
        case insert, upsert, update, delete, verify
    }

    private struct Earlier {
        var kind: Kind
        /// The update time that the document's first write requires; `nil` for none.
        let version: Timestamp?
    }

    /// Returns the error of a failed commit: the contradiction if there is one, else the error with which the commit
    /// failed. Commits that succeed are not searched.
    package static func error(of writes: some Sequence<Write>, explaining error: StoreError) -> StoreError {
        switch error.code {
        case .alreadyExists, .notFound, .failedPrecondition: first(in: writes) ?? error
        default: error
        }
    }

    private static func first(in writes: some Sequence<Write>) -> StoreError? {
        var known: [DocumentPath: Earlier] = [:]
        for write in writes {
            guard let earlier = known[write.path] else {
                // After a write that changes nothing, everything can succeed.
                if write.operation.changes { known[write.path] = Earlier(kind: write.kind, version: write.version) }
                continue
            }
            if write.fails(after: earlier.kind) {
                return .invalid(
                    "Cannot \(earlier.kind.rawValue) then \(write.kind.rawValue) an entity in the same request.")
            }
            if let version = write.version, version != earlier.version {
                return .invalid(
                    "Cannot require an update time of a document after a write in the same request that requires another, "
                        + "or none.")
            }
            if write.operation.changes { known[write.path]?.kind = write.kind }
        }
        return nil
    }
}

extension Write {
    /// `true` if the write requires an update time.
    var hasVersion: Bool { version != nil }

    fileprivate var version: Timestamp? { if case .updateTime(let time) = precondition { time } else { nil } }

    fileprivate var kind: Contradiction.Kind {
        switch operation {
        case .delete: return .delete
        case .verify: return .verify
        case .set, .merge: break
        }
        switch precondition {
        case nil: return .upsert
        case .exists(false): return .insert
        case .exists(true), .updateTime: return .update
        }
    }

    /// Returns `true` if the precondition cannot hold after a write of a kind.
    fileprivate func fails(after earlier: Contradiction.Kind) -> Bool {
        switch precondition {
        case nil: false
        case .exists(false): earlier != .delete
        case .exists(true): earlier == .delete
        case .updateTime: earlier == .delete && !operation.isDelete
        }
    }
}
