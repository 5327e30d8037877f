/// A write that is ready for the writer, with the key of its row.
package struct KeyedWrite: Sendable {
    package let write: PreparedWrite
    package let key: RowKey

    /// Checks and prepares a write.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the write can never succeed.
    package init(_ write: Write, allowing types: ValueTypes) throws(StoreError) {
        self.write = try PreparedWrite(write, allowing: types)
        key = RowKey(write.path)
    }

    package var path: DocumentPath { write.write.path }

    /// Checks and prepares the writes of a commit.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one can never succeed, or if a document has too many transforms.
    package static func keyed(
        _ writes: [Write], allowing types: ValueTypes = .bson
    ) throws(StoreError) -> [KeyedWrite] {
        try validateTransforms(of: writes)
        var keyed: [KeyedWrite] = []
        keyed.reserveCapacity(writes.count)
        for write in writes { keyed.append(try KeyedWrite(write, allowing: types)) }
        return keyed
    }

    private static func validateTransforms(of writes: [Write]) throws(StoreError) {
        var counts: [DocumentPath: Int] = [:]
        for write in writes where !write.transforms.isEmpty {
            let count = counts[write.path, default: 0] + write.transforms.count
            guard count <= Limits.transforms else {
                throw .invalid(
                    "a commit has more than \(Limits.transforms) transforms of the document \(write.path.brief)")
            }
            counts[write.path] = count
        }
    }
}
