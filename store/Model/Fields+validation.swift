extension Fields {
    /// Checks names, values and nesting; the size of the whole belongs to the document.
    ///
    /// - Throws: `INVALID_ARGUMENT`, naming the top-level field.
    func validate() throws(StoreError) {
        for (name, value) in self {
            try FieldPath.validate(name: name)
            do throws(StoreError) {
                try value.validate(depth: 0)
            } catch {
                throw .invalid("field \"\(name)\": \(error.message)")
            }
            try value.validateSize(of: name)
        }
    }

    /// - Throws: `INVALID_ARGUMENT` for a document that is too large.
    func validateSize(at path: DocumentPath) throws(StoreError) {
        let size = StorageSize.document(path, self)
        guard size <= Limits.documentSize else {
            throw .invalid(
                "the document \(path.brief) would be \(size) bytes: at most \(Limits.documentSize) are allowed")
        }
    }
}

extension Value {
    /// - Parameter depth: how many maps and arrays are around the value.
    func validate(depth: Int) throws(StoreError) {
        switch self {
        case .array(let elements):
            try Self.enter(depth)
            for element in elements {
                if case .array = element { throw .invalid("an array cannot hold an array directly; put a map between") }
                try element.validate(depth: depth + 1)
            }
        case .map(let fields):
            try Self.enter(depth)
            for (name, value) in fields {
                try FieldPath.validate(name: name)
                try value.validate(depth: depth + 1)
            }
        case .geoPoint(let latitude, let longitude):
            guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
                throw .invalid("a geo point's latitude is -90 to 90 and its longitude -180 to 180 degrees")
            }
        case .reference(let name): try Self.validateReference(name)
        default: break
        }
    }

    private static func enter(_ depth: Int) throws(StoreError) {
        guard depth < Limits.depth else { throw .invalid("maps and arrays nest at most \(Limits.depth) deep") }
    }

    private static func validateReference(_ name: String) throws(StoreError) {
        let parts = name.split(separator: "/", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "projects", parts[2] == "databases", parts[4] == "documents" else {
            throw .invalid("a reference is projects/{project}/databases/{database}/documents/{path}")
        }
        _ = try DocumentPath(String(parts[5]))
    }

    fileprivate func validateSize(of field: String) throws(StoreError) {
        let size = StorageSize.value(self)
        guard size <= Limits.valueSize else {
            throw .invalid("the field \"\(field)\" is \(size) bytes: at most \(Limits.valueSize) are allowed")
        }
    }
}
