/// A write that is ready for the writer, with the key of its row.
package struct KeyedWrite: Sendable {
    package let write: PreparedWrite
    package let key: RowKey

    /// Checks and prepares a write.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the write can never succeed.
    package init(_ write: Write) throws(StoreError) {
        self.write = try PreparedWrite(write)
        key = RowKey(write.path)
    }

    package var path: DocumentPath { write.write.path }
}
