/// A document between the writes of a commit. Each write costs as much as what it changes: the fields are decoded once,
/// and encoded after the last write.
struct DocumentDraft: Sendable {
    /// The document before the commit; `nil` if there was none, or if a write has deleted it.
    private var stored: StoredDocument?
    /// The fields after the last write; `nil` if no write has set any.
    private var content: DraftContent?

    init(_ stored: StoredDocument?) { self.stored = stored }

    var exists: Bool { content != nil || stored != nil }

    /// Applies a write whose precondition holds.
    ///
    /// - Parameters:
    ///   - write: the write.
    ///   - time: the commit's time.
    ///   - results: receives the results of the transforms.
    ///   - work: receives the cost of the array transforms.
    /// - Throws: `INVALID_ARGUMENT` if the document becomes too large, or the work too much; `DATA_LOSS` if the stored
    ///   fields cannot be read.
    mutating func apply(
        _ write: PreparedWrite, at time: Timestamp, results: inout [Value], work: inout CommitWork
    ) throws(StoreError) {
        switch write.write.operation {
        case .verify: return
        case .delete:
            (stored, content) = (nil, nil)
            return
        case .set(let fields):
            let createTime = content?.createTime ?? stored?.createTime ?? time
            content = write.encoded.map { DraftContent($0, createTime) } ?? DraftContent(fields, createTime)
        case .merge(let changes, let mask):
            if content == nil { content = try DraftContent(stored, at: write.write.path, time) }
            content?.merge(changes, mask)
        }
        guard write.encoded == nil else { return }
        if !write.transforms.isEmpty { results.reserveCapacity(write.transforms.count) }
        for transform in write.transforms {
            guard let result = try content?.apply(transform, at: time, &work) else { continue }
            results.append(result)
        }
        try content?.validateSize(at: write.write.path)
    }

    /// Returns the document after all writes, which is the one before the commit if nothing has changed; `nil` if there
    /// is none.
    func finished(at time: Timestamp) -> StoredDocument? {
        guard let content else { return stored }
        let json = content.json
        if let stored, stored.json == json { return stored }
        return StoredDocument(
            json: json, createTime: content.createTime, updateTime: time, knownFields: content.fields)
    }
}

/// Fields with their encoded text and their size.
struct EncodedFields: Sendable {
    let fields: Fields
    let json: [UInt8]
    /// The size as ``StorageSize`` counts it, without the document's name.
    let size: Int

    /// Encodes the fields of a document.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the document is too large.
    init(_ fields: Fields, at path: DocumentPath) throws(StoreError) {
        self.fields = fields
        size = StorageSize.fields(fields)
        try StorageSize.validate(fields: size, at: path)
        json = FieldsEncoder.encode(fields)
    }
}

/// The fields of a draft, with their size.
private struct DraftContent: Sendable {
    let createTime: Timestamp
    private(set) var fields: Fields
    private var size: Int
    /// The text of the fields; `nil` if they have changed since it was made.
    private var encoded: [UInt8]?

    init(_ content: EncodedFields, _ createTime: Timestamp) {
        self.createTime = createTime
        fields = content.fields
        size = content.size
        encoded = content.json
    }

    init(_ fields: Fields, _ createTime: Timestamp) {
        self.createTime = createTime
        self.fields = fields
        size = StorageSize.fields(fields)
    }

    /// Decodes a stored document, or begins a new one.
    init(_ stored: StoredDocument?, at path: DocumentPath, _ time: Timestamp) throws(StoreError) {
        self.init(try stored?.fields(at: path) ?? [:], stored?.createTime ?? time)
        encoded = stored?.json
    }

    var json: [UInt8] { encoded ?? FieldsEncoder.encode(fields) }

    mutating func merge(_ changes: Fields, _ mask: [FieldPath]?) {
        guard let mask else {
            for (name, value) in changes { set(value, named: name) }
            return
        }
        for field in mask where !field.isDocumentName { set(changes.value(at: field), at: field) }
    }

    /// Applies a transform.
    ///
    /// - Returns: the field's new value, or null for a union or a removal.
    mutating func apply(
        _ transform: PreparedTransform, at time: Timestamp, _ work: inout CommitWork
    ) throws(StoreError) -> Value {
        let field = transform.transform.field
        let value = try transform.result(from: fields.value(at: field), at: time, &work)
        set(value, at: field)
        return transform.givesResult ? value : .null
    }

    private mutating func set(_ value: Value, named name: String) {
        size += StorageSize.field(name, value) - (fields[name].map { StorageSize.field(name, $0) } ?? 0)
        fields[name] = value
        encoded = nil
    }

    private mutating func set(_ value: Value?, at path: FieldPath) {
        size += StorageSize.growth(of: fields, setting: value, at: path)
        fields.set(value, at: path)
        encoded = nil
    }

    func validateSize(at path: DocumentPath) throws(StoreError) {
        try StorageSize.validate(fields: size, at: path)
    }
}
