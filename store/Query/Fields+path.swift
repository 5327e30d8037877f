extension Fields {
    /// The value at the path, through maps; nil where there is none.
    func value(at path: FieldPath) -> DocumentStoreValue? {
        guard let first = path.segments.first, var value = self[first] else { return nil }
        for name in path.segments.dropFirst() {
            guard let inner = value.map?[name] else { return nil }
            value = inner
        }
        return value
    }

    /// Sets the value at the path, making maps on the way; nil removes it, and makes none.
    mutating func set(_ value: DocumentStoreValue?, at path: FieldPath) {
        set(value, at: path.segments[...])
    }

    private mutating func set(_ value: DocumentStoreValue?, at segments: ArraySlice<String>) {
        guard let name = segments.first else { return }
        guard segments.count > 1 else {
            self[name] = value
            return
        }
        let inner = self[name]?.map
        if value == nil, inner == nil { return }
        var map = inner ?? [:]
        self[name] = nil
        map.set(value, at: segments.dropFirst())
        self[name] = .map(map)
    }

    /// Only what the paths name.
    func projected(to paths: [FieldPath]) -> Fields {
        var result: Fields = [:]
        for path in paths where !path.isDocumentName {
            if let value = value(at: path) { result.set(value, at: path) }
        }
        return result
    }
}
