package import DocumentStore

/// The rule for secrets in a database of which callers have redacted access: they see a mark in place of a secret.
package struct Redaction: Sendable {
    /// Returns fields with marks in place of secrets.
    let hide: @Sendable (Fields) -> Fields
    /// Returns the name of a field that contains such a mark; `nil` if there is none.
    private let marked: @Sendable (Fields) -> String?
    /// Returns `true` for a field whose value may be a secret, or an array of secrets. A secret in a map has a path of
    /// its own.
    let conceals: @Sendable (FieldPath) -> Bool

    /// Makes a rule.
    ///
    /// - Parameters:
    ///   - hide: returns fields with marks in place of secrets.
    ///   - marked: returns the name of a field that contains such a mark; `nil` if there is none.
    ///   - conceals: returns `true` for a field whose value may be a secret, or an array of secrets.
    package init(
        hide: @escaping @Sendable (Fields) -> Fields, marked: @escaping @Sendable (Fields) -> String?,
        conceals: @escaping @Sendable (FieldPath) -> Bool = { _ in true }
    ) {
        self.hide = hide
        self.marked = marked
        self.conceals = conceals
    }

    /// Checks that no write contains a mark. Otherwise a document that is read and sent back would lose its secret.
    ///
    /// - Throws: `INVALID_ARGUMENT` if one does.
    func check(_ writes: [Write]) throws(FirestoreStatus) {
        for write in writes {
            guard let field = write.writtenFields.lazy.compactMap(marked).first else { continue }
            throw .invalid(
                "The field \(field) contains the fingerprint of a secret, as documents are shown here. Send the secret, "
                    + "or leave the field out with a mask.")
        }
    }
}

extension Write {
    /// The fields of the write, and those of each of its transforms.
    fileprivate var writtenFields: [Fields] {
        let fields: Fields =
            switch operation {
            case .set(let fields), .merge(let fields, _): fields
            case .delete, .verify: [:]
            }
        return [fields]
            + transforms.compactMap { transform in
                transform.operation.operand.map { [transform.field.segments.last ?? "": $0] }
            }
    }
}

extension FieldTransform.Operation {
    fileprivate var operand: Value? {
        switch self {
        case .arrayUnion(let elements), .arrayRemove(let elements): .array(elements)
        case .increment(let value), .maximum(let value), .minimum(let value): value
        case .serverTime, .requestTime: nil
        }
    }
}
