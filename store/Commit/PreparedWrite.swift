/// A write that was checked, with as much of its work done as does not depend on what is stored: the caller pays for
/// it, in parallel with others, and not the one writer.
struct PreparedWrite: Sendable {
    let write: Write
    /// The fields to keep, and their text, where the write alone decides them.
    private let content: Content?

    private typealias Content = (fields: Fields, json: [UInt8])

    /// - Throws: `INVALID_ARGUMENT`.
    init(_ write: Write) throws(StoreError) {
        self.write = write
        try write.validate()
        if case .set(let fields) = write.operation, write.transforms.isEmpty {
            try fields.validateSize(at: write.path)
            content = (fields, FieldsEncoder.encode(fields))
        } else {
            content = nil
        }
    }

    /// What the document is after the write; nil when it is none then.
    ///
    /// - Parameter time: the commit's. A write that changes nothing gives back what it was given, update time and all.
    /// - Throws: the failed precondition's error, or `INVALID_ARGUMENT` for a document that grows too large.
    func applied(to current: StoredDocument?, at time: Timestamp) throws(StoreError) -> StoredDocument? {
        try write.precondition?.check(current, at: write.path)
        if case .delete = write.operation { return nil }
        let (fields, json) = try content(from: current, at: time)
        if let current, current.json == json { return current }
        return StoredDocument(
            json: json, createTime: current?.createTime ?? time, updateTime: time, knownFields: fields)
    }

    private func content(from current: StoredDocument?, at time: Timestamp) throws(StoreError) -> Content {
        if let content { return content }
        let fields = try write.fields(from: current, at: time)
        return (fields, FieldsEncoder.encode(fields))
    }
}

extension Precondition {
    fileprivate func check(_ current: StoredDocument?, at path: DocumentPath) throws(StoreError) {
        switch self {
        case .exists(true):
            if current == nil { throw StoreError(.notFound, "there is no document \(path.brief)") }
        case .exists(false):
            if current != nil { throw StoreError(.alreadyExists, "there is a document \(path.brief) already") }
        case .updateTime(let time):
            guard current?.updateTime == time else {
                throw StoreError(
                    .failedPrecondition,
                    "the document \(path.brief) was not last changed at \(time); read it again and decide anew")
            }
        }
    }
}
