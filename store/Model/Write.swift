/// One change to one document, as a part of a commit.
public struct Write: Sendable {
    public enum Operation: Sendable {
        /// The document becomes exactly these fields, whether it existed or not.
        case set(Fields)
        /// The fields named by the mask are set, or those given where it is `nil`; one named there and absent from the
        /// fields is deleted; others stay.
        case merge(Fields, mask: [FieldPath]?)
        case delete
    }

    public var path: DocumentPath
    public var operation: Operation
    /// Applied after the operation, in order. A transform with `.delete` is refused.
    public var transforms: [FieldTransform]
    public var precondition: Precondition?

    public init(
        _ operation: Operation, at path: DocumentPath, transforms: [FieldTransform] = [],
        precondition: Precondition? = nil
    ) {
        self.path = path
        self.operation = operation
        self.transforms = transforms
        self.precondition = precondition
    }
}

extension Write {
    /// Writes the whole document.
    public static func set(
        _ path: DocumentPath, _ fields: Fields, transforms: [FieldTransform] = [], precondition: Precondition? = nil
    ) -> Write {
        Write(.set(fields), at: path, transforms: transforms, precondition: precondition)
    }

    /// Writes the whole document, which must not exist yet.
    public static func create(_ path: DocumentPath, _ fields: Fields) -> Write {
        Write(.set(fields), at: path, precondition: .exists(false))
    }

    /// Sets the fields of the mask, or those given, and leaves the others; makes the document where there is none.
    public static func merge(
        _ path: DocumentPath, _ fields: Fields, mask: [FieldPath]? = nil, transforms: [FieldTransform] = [],
        precondition: Precondition? = nil
    ) -> Write {
        Write(.merge(fields, mask: mask), at: path, transforms: transforms, precondition: precondition)
    }

    /// As ``merge(_:_:mask:transforms:precondition:)``, of a document that must exist.
    public static func update(
        _ path: DocumentPath, _ fields: Fields, mask: [FieldPath]? = nil, transforms: [FieldTransform] = []
    ) -> Write {
        merge(path, fields, mask: mask, transforms: transforms, precondition: .exists(true))
    }

    /// Removes the document; one that does not exist is no error.
    public static func delete(_ path: DocumentPath, precondition: Precondition? = nil) -> Write {
        Write(.delete, at: path, precondition: precondition)
    }
}

/// What must be true of a document for a commit to apply.
public enum Precondition: Hashable, Sendable {
    /// Fails with `NOT_FOUND` (true) or `ALREADY_EXISTS` (false).
    case exists(Bool)
    /// The document exists and was last changed at exactly this time; fails with `FAILED_PRECONDITION`.
    case updateTime(Timestamp)
}

/// A change of one field that depends on its value, or on the time, when the commit is applied.
public struct FieldTransform: Sendable {
    public enum Operation: Sendable {
        /// The commit's time.
        case serverTime
        /// Adds; a missing or non-numeric field counts as 0, and integers stop at the ends of 64 bits.
        case increment(Value)
        case maximum(Value)
        case minimum(Value)
        /// Appends the elements that are not there yet.
        case arrayUnion([Value])
        case arrayRemove([Value])
    }

    public let field: FieldPath
    public let operation: Operation

    public init(_ field: FieldPath, _ operation: Operation) {
        self.field = field
        self.operation = operation
    }
}

/// What a commit did.
public struct CommitResult: Sendable {
    public let commitTime: Timestamp
    /// For each write, its document's update time: the commit's, or an older one where the write changed nothing; nil
    /// for a delete.
    public let updateTimes: [Timestamp?]

    public init(commitTime: Timestamp, updateTimes: [Timestamp?]) {
        self.commitTime = commitTime
        self.updateTimes = updateTimes
    }
}
