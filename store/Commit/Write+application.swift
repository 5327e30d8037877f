extension Write {
    /// - Throws: `INVALID_ARGUMENT` for what no store could apply.
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

    /// The fields that the document will have.
    func fields(from current: StoredDocument?, at time: Timestamp) throws(StoreError) -> Fields {
        var fields = try operation.fields(from: current, at: path)
        for transform in transforms { transform.apply(to: &fields, at: time) }
        // Merges and transforms can deepen a document, and fill it.
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
