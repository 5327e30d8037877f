/// A document as an engine stores it, with its fields in UTF-8 as ``FieldsEncoder`` writes them.
package struct StoredDocument: Sendable {
    package let json: [UInt8]
    package let createTime: Timestamp
    package let updateTime: Timestamp
    /// The decoded ``json``; `nil` if it has not been decoded.
    var knownFields: Fields?

    package init(json: [UInt8], createTime: Timestamp, updateTime: Timestamp) {
        self.init(json: json, createTime: createTime, updateTime: updateTime, knownFields: nil)
    }

    init(json: [UInt8], createTime: Timestamp, updateTime: Timestamp, knownFields: Fields?) {
        self.json = json
        self.createTime = createTime
        self.updateTime = updateTime
        self.knownFields = knownFields
    }

    /// Returns the decoded fields.
    ///
    /// - Throws: `DATA_LOSS` if no engine writes such a text.
    package func fields(at path: DocumentPath) throws(StoreError) -> Fields {
        if let knownFields { return knownFields }
        return try json.withUnsafeBufferPointer { bytes in
            Result { () throws(StoreError) in try FieldsDecoder.decode(bytes, of: path) }
        }.get()
    }

    package func document(at path: DocumentPath) throws(StoreError) -> Document {
        Document(path: path, fields: try fields(at: path), createTime: createTime, updateTime: updateTime)
    }
}
