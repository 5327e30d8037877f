/// A document as an engine keeps it: its fields as ``FieldsEncoder`` writes them, in UTF-8.
struct StoredDocument: Sendable {
    let json: [UInt8]
    let createTime: Timestamp
    let updateTime: Timestamp
    /// The fields in ``json``, where they are at hand.
    var knownFields: Fields?

    /// - Throws: `DATA_LOSS` when the text at rest is not what an engine writes.
    func fields(at path: DocumentPath) throws(StoreError) -> Fields {
        if let knownFields { return knownFields }
        return try json.withUnsafeBufferPointer { bytes in
            Result { () throws(StoreError) in try FieldsDecoder.decode(bytes, of: path) }
        }.get()
    }

    func document(at path: DocumentPath) throws(StoreError) -> Document {
        Document(path: path, fields: try fields(at: path), createTime: createTime, updateTime: updateTime)
    }
}
