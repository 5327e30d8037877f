/// A checked write, with all work done that does not depend on the stored document. The callers do this work in
/// parallel, so that the single writer does not have to.
struct PreparedWrite: Sendable {
    let write: Write
    /// The new fields and their encoded text; `nil` if they depend on the stored document.
    private let content: Content?

    private typealias Content = (fields: Fields, json: [UInt8])

    /// Checks the write and encodes its fields if they do not depend on the stored document.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the write can never succeed.
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

    /// Returns the document after the write; `nil` if the write deletes it. A write that changes nothing returns the
    /// current document, with its old update time.
    ///
    /// - Parameter time: the commit's time.
    /// - Throws: the failed precondition's error, or `INVALID_ARGUMENT` if the document becomes too large.
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
                    "the document \(path.brief) was not last changed at \(time); read it again and retry")
            }
        }
    }
}

/// A document as an engine stores it, with its fields in UTF-8 as ``FieldsEncoder`` writes them.
struct StoredDocument: Sendable {
    let json: [UInt8]
    let createTime: Timestamp
    let updateTime: Timestamp
    /// The decoded ``json``; `nil` if it has not been decoded.
    var knownFields: Fields?

    /// Returns the decoded fields.
    ///
    /// - Throws: `DATA_LOSS` if no engine writes such a text.
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

extension Write {
    /// Checks the write without the stored document.
    ///
    /// - Throws: `INVALID_ARGUMENT` if no store could apply the write.
    func validate() throws(StoreError) {
        switch operation {
        case .set(let fields): try fields.validate()
        case .merge(let fields, let mask):
            try fields.validate()
            for field in mask ?? [] { try field.validate() }
        case .delete:
            guard transforms.isEmpty else { throw .invalid("a delete of \(path.brief) with transforms") }
        }
        for transform in transforms { try transform.validate() }
    }

    /// Returns the document's fields after the write.
    func fields(from current: StoredDocument?, at time: Timestamp) throws(StoreError) -> Fields {
        var fields = try operation.fields(from: current, at: path)
        for transform in transforms { transform.apply(to: &fields, at: time) }
        // Merges and transforms can make a document deeper and larger.
        if !transforms.isEmpty || operation.isMerge { try fields.validateNesting() }
        try fields.validateSize(at: path)
        return fields
    }
}

extension Write.Operation {
    fileprivate var isMerge: Bool { if case .merge = self { true } else { false } }

    fileprivate func fields(from current: StoredDocument?, at path: DocumentPath) throws(StoreError) -> Fields {
        switch self {
        case .set(let fields): return fields
        case .delete: return [:]
        case .merge(let changes, let mask):
            var fields = try current?.fields(at: path) ?? [:]
            if let mask {
                for field in mask { fields.set(changes.value(at: field), at: field) }
            } else {
                fields.merge(changes) { $1 }
            }
            return fields
        }
    }
}

extension Fields {
    fileprivate func validateNesting() throws(StoreError) {
        for value in values where value.isContainer { try value.validate(depth: 0) }
    }
}

extension Value {
    fileprivate var isContainer: Bool {
        switch self {
        case .array, .map: true
        default: false
        }
    }
}

extension FieldTransform {
    /// Checks the field path and the operand.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one of them is not valid.
    func validate() throws(StoreError) {
        try field.validate()
        switch operation {
        case .serverTime: break
        case .increment(let value), .maximum(let value), .minimum(let value):
            guard value.number != nil else { throw .invalid("the transform of \(field) needs a number") }
        case .arrayUnion(let elements), .arrayRemove(let elements):
            try Value.array(elements).validate(depth: 0)
        }
    }

    /// Applies the transform to a document's fields.
    ///
    /// - Parameter time: the commit's time.
    func apply(to fields: inout Fields, at time: Timestamp) {
        fields.set(result(from: fields.value(at: field), at: time), at: field)
    }

    private func result(from current: Value?, at time: Timestamp) -> Value {
        switch operation {
        case .serverTime: .timestamp(time)
        case .increment(let value): current.numberOrNil.map { $0.increased(by: value) } ?? value
        case .maximum(let value): current.numberOrNil.map { $0.extreme(value, keepingWhen: .after) } ?? value
        case .minimum(let value): current.numberOrNil.map { $0.extreme(value, keepingWhen: .before) } ?? value
        case .arrayUnion(let elements): .array(Self.union(current?.array ?? [], elements))
        case .arrayRemove(let elements):
            .array((current?.array ?? []).filter { element in !elements.contains { $0.matches(element) } })
        }
    }

    private static func union(_ current: [Value], _ elements: [Value]) -> [Value] {
        elements.reduce(into: current) { result, element in
            if !result.contains(where: { $0.matches(element) }) { result.append(element) }
        }
    }
}

extension Value? {
    fileprivate var numberOrNil: Value? { flatMap { $0.number == nil ? nil : $0 } }
}

extension Value {
    /// Returns the sum. Two integers give an integer, clamped to the range of 64 bits; with a double, the sum is a
    /// double.
    fileprivate func increased(by other: Value) -> Value {
        if case .integer(let left) = self, case .integer(let right) = other {
            let (sum, overflows) = left.addingReportingOverflow(right)
            return .integer(overflows ? (right < 0 ? .min : .max) : sum)
        }
        return .double((number ?? 0) + (other.number ?? 0))
    }

    /// Returns the number that is further to a side; this one if they are equal, and NaN if either is NaN
    /// ([FieldTransform](https://firebase.google.com/docs/firestore/reference/rest/v1/Write#fieldtransform)).
    fileprivate func extreme(_ other: Value, keepingWhen side: Ordering) -> Value {
        if number?.isNaN == true { return self }
        if other.number?.isNaN == true { return other }
        let ordering = numericOrdering(to: other)
        return ordering == side || ordering == .same ? self : other
    }
}
