/// A change of one document, or a condition on one, as a part of a commit.
public struct Write: Sendable {
    /// The kind of change.
    public enum Operation: Sendable {
        /// Replaces the document's fields with these, or creates the document.
        case set(Fields)
        /// Sets the fields that the mask names, or all given fields if the mask is `nil`. A field that the mask names
        /// and the fields lack is deleted. Other fields stay. The mask's paths may overlap;
        /// ``FieldPath/documentName`` among them has no effect. An empty mask changes no field, but creates a missing
        /// document.
        case merge(Fields, mask: [FieldPath]?)
        /// Removes the document.
        case delete
        /// Changes nothing; the commit fails if the write's precondition does not hold.
        case verify
    }

    /// The document to change.
    public var path: DocumentPath
    /// The kind of change.
    public var operation: Operation
    /// The transforms, applied in order after the operation. A transform with `.delete` or `.verify` is an error.
    public var transforms: [FieldTransform]
    /// The condition on the document's present state; `nil` if there is none.
    public var precondition: Precondition?

    /// Makes a write. The static functions below are shorter.
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
    /// Returns a write that replaces the whole document, or creates it.
    public static func set(
        _ path: DocumentPath, _ fields: Fields, transforms: [FieldTransform] = [], precondition: Precondition? = nil
    ) -> Write {
        Write(.set(fields), at: path, transforms: transforms, precondition: precondition)
    }

    /// Returns a write of the whole document, which must not exist yet.
    public static func create(_ path: DocumentPath, _ fields: Fields) -> Write {
        Write(.set(fields), at: path, precondition: .exists(false))
    }

    /// Returns a write that sets the fields of the mask, or all given ones, and keeps the others. Creates the
    /// document if it does not exist.
    public static func merge(
        _ path: DocumentPath, _ fields: Fields, mask: [FieldPath]? = nil, transforms: [FieldTransform] = [],
        precondition: Precondition? = nil
    ) -> Write {
        Write(.merge(fields, mask: mask), at: path, transforms: transforms, precondition: precondition)
    }

    /// Returns a write like ``merge(_:_:mask:transforms:precondition:)``, of a document that must exist.
    public static func update(
        _ path: DocumentPath, _ fields: Fields, mask: [FieldPath]? = nil, transforms: [FieldTransform] = []
    ) -> Write {
        merge(path, fields, mask: mask, transforms: transforms, precondition: .exists(true))
    }

    /// Returns a write that removes the document. It is not an error if the document does not exist.
    public static func delete(_ path: DocumentPath, precondition: Precondition? = nil) -> Write {
        Write(.delete, at: path, precondition: precondition)
    }

    /// Returns a write that changes nothing. The commit fails if the document is in another state, as the client of a
    /// transaction demands for a document that it has read.
    public static func verify(_ path: DocumentPath, _ precondition: Precondition) -> Write {
        Write(.verify, at: path, precondition: precondition)
    }
}

/// A condition on a document, without which the whole commit fails.
public enum Precondition: Hashable, Sendable {
    /// The document exists, else the commit fails with `NOT_FOUND`; or, for `false`, it does not exist, else the
    /// commit fails with `ALREADY_EXISTS`.
    case exists(Bool)
    /// The document exists and its last change was at exactly this time. The commit fails with `FAILED_PRECONDITION`
    /// if the document is missing or its last change was later, also by an earlier write of the commit, and with
    /// `INVALID_ARGUMENT` if the last change was earlier. The time ``missing`` requires that there was no document.
    case updateTime(Timestamp)

    /// The update time of a document that does not exist, 1970-01-01T00:00:00Z: some of Firestore's SDKs require it of
    /// a document that was missing when they read it.
    public static let missing = Timestamp(microseconds: 0)
}
