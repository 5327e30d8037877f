/// Two writes of a commit of which the second cannot succeed after the first, whatever the store contains.
struct Contradiction {
    /// The kind of a write in Firestore's messages.
    fileprivate enum Kind: String {
        case insert, upsert, update, delete
    }

    private let earlier: Kind
    private let later: Kind

    /// Returns the error of a failed commit: the contradiction if the document existed or was missing because of an
    /// earlier write, else the error with which the commit failed. Commits that succeed are not searched.
    static func error(of writes: some Sequence<Write>, explaining error: StoreError) -> StoreError {
        guard error.code == .alreadyExists || error.code == .notFound else { return error }
        return first(in: writes)?.error ?? error
    }

    private static func first(in writes: some Sequence<Write>) -> Contradiction? {
        var previous: [DocumentPath: Kind] = [:]
        for write in writes {
            let kind = write.kind
            if let earlier = previous.updateValue(kind, forKey: write.path), write.fails(after: earlier) {
                return Contradiction(earlier: earlier, later: kind)
            }
        }
        return nil
    }

    private var error: StoreError {
        .invalid("Cannot \(earlier.rawValue) then \(later.rawValue) an entity in the same request.")
    }
}

extension Write {
    fileprivate var kind: Contradiction.Kind {
        if case .delete = operation { return .delete }
        switch precondition {
        case nil: return .upsert
        case .exists(false): return .insert
        case .exists(true), .updateTime: return .update
        }
    }

    /// Returns `true` if the precondition cannot hold after a write of a kind.
    fileprivate func fails(after earlier: Contradiction.Kind) -> Bool {
        switch precondition {
        case nil, .updateTime: false
        case .exists(false): earlier != .delete
        case .exists(true): earlier == .delete
        }
    }
}
