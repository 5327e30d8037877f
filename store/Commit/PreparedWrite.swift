/// A checked write, with all work done that does not depend on the stored document. The callers do this work in
/// parallel, so that the single writer does not have to.
package struct PreparedWrite: Sendable {
    package let write: Write
    /// The new fields with their text; `nil` if they depend on the stored document.
    let encoded: EncodedFields?
    let transforms: [PreparedTransform]

    /// Checks the write and encodes its fields if they do not depend on the stored document.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the write can never succeed.
    init(_ write: Write, allowing types: ValueTypes = .bson) throws(StoreError) {
        var write = write
        try write.validate(allowing: types)
        write.operation.makeCanonical()
        write.operation.removeRepeatedPaths()
        self.write = write
        transforms = write.transforms.map(PreparedTransform.init)
        if case .set(let fields) = write.operation, transforms.isEmpty {
            encoded = try EncodedFields(fields, at: write.path)
        } else {
            encoded = nil
        }
    }
}

extension PreparedWrite {
    /// `true` if the write creates a document whose fields are known.
    package var isCreation: Bool { encoded != nil && write.precondition == .exists(false) }

    /// The number of bytes of a document's text, and that of the fields of a merge, up to which a write is short.
    private static let (shortText, fewFields) = (65_536, 1_000)

    /// `true` if the writer may take long for it: it compares the elements of an array, writes a long text, or changes
    /// many fields of a document.
    var mayTakeLong: Bool {
        if transforms.contains(where: { !$0.givesResult }) { return true }
        if let encoded { return encoded.json.count > Self.shortText }
        guard case .merge(let fields, let mask) = write.operation else { return false }
        return max(fields.count, mask?.count ?? 0) > Self.fewFields
    }
}

extension Precondition {
    /// Checks the condition.
    ///
    /// - Parameters:
    ///   - exists: `true` if there is a document after the commit's earlier writes.
    ///   - version: the update time that the condition must name: the document's before the commit. `nil` if there was
    ///     none, or if an earlier write of the commit named no such condition.
    ///   - path: the document's path, for messages.
    ///   - database: the document's database, for messages.
    /// - Throws: the error of a commit whose condition does not hold.
    func check(
        exists: Bool, of version: Timestamp?, at path: DocumentPath, in database: DatabaseID
    ) throws(StoreError) {
        switch self {
        case .exists(true):
            if !exists {
                throw StoreError(.notFound, "No document to update: \(Self.name(path, database))")
            }
        case .exists(false):
            if exists {
                throw StoreError(.alreadyExists, "Document already exists: \(Self.name(path, database))")
            }
        case .updateTime(let time):
            guard version != time else { return }
            if let version, version != Self.missing, version < time {
                throw .invalid(
                    "Invalid base version, it is greater than the stored version: \(Self.name(path, database))")
            }
            throw StoreError(
                .failedPrecondition,
                """
                the stored version (\(version?.microseconds ?? 0)) does not match the required base version \
                (\(time.microseconds))
                """)
        }
    }

    /// The document's full name, with long ids shortened because they may be tokens.
    private static func name(_ path: DocumentPath, _ database: DatabaseID) -> String {
        "\(database)/documents/\(path.brief)"
    }
}

extension Write {
    /// Checks the write without the stored document.
    ///
    /// - Throws: `INVALID_ARGUMENT` if no store could apply the write.
    package func validate(allowing types: ValueTypes = .bson) throws(StoreError) {
        switch operation {
        case .set(let fields): try fields.validate(allowing: types)
        case .merge(let fields, let mask):
            try fields.validate(allowing: types)
            for field in mask ?? [] where !field.isDocumentName { try field.validate() }
        case .delete:
            guard transforms.isEmpty else { throw .invalid("a delete must not specify a update transform.") }
        case .verify:
            guard transforms.isEmpty else { throw .invalid("a verify must not specify a update transform.") }
        }
        for transform in transforms { try transform.validate() }
        if operation.writesDocument { try validateName() }
    }

    /// Checks the length of the document's name. One that was stored with a longer name can be read and deleted.
    private func validateName() throws(StoreError) {
        let size = StorageSize.name(of: path)
        guard size <= Limits.documentName else {
            throw .invalid(
                "the document \(path.brief) has a name of \(size) bytes: at most \(Limits.documentName) are allowed")
        }
    }
}

extension Write.Operation {
    package var isDelete: Bool { if case .delete = self { true } else { false } }

    /// `true` unless the write only verifies a precondition.
    package var changes: Bool { if case .verify = self { false } else { true } }

    /// `true` if the document exists after the write because of it.
    package var writesDocument: Bool {
        switch self {
        case .set, .merge: true
        case .delete, .verify: false
        }
    }

    /// Gives the fields their stored form.
    fileprivate mutating func makeCanonical() {
        switch self {
        case .set(let fields):
            if let canonical = fields.otherForm { self = .set(canonical) }
        case .merge(let fields, let mask):
            if let canonical = fields.otherForm { self = .merge(canonical, mask: mask) }
        case .delete, .verify: break
        }
    }

    /// The number of paths in a mask up to which it may repeat some.
    private static var fewPaths: Int { 8 }

    /// Removes repeated paths from the mask. They change nothing, and each takes as long as the value that it sets: a
    /// path to a large value, repeated thousands of times, would hold up the writer for minutes.
    fileprivate mutating func removeRepeatedPaths() {
        guard case .merge(let fields, let mask?) = self, mask.count > Self.fewPaths else { return }
        var known = Set<FieldPath>(minimumCapacity: mask.count)
        let distinct = mask.filter { known.insert($0).inserted }
        if distinct.count < mask.count { self = .merge(fields, mask: distinct) }
    }
}
