/// A decoder of the text that ``FieldsEncoder`` writes. It makes no `JSONValue`, because it runs at each read.
///
/// It accepts members in any order and white space between tokens, so that it can read a file that was repaired by
/// hand with SQLite's JSON functions. Any other text is damage.
struct FieldsDecoder {
    /// An error for a text that no engine writes.
    struct Malformed: Error {
        let offset: Int
    }

    private var scanner: TokenScanner

    static func decode(_ text: String) throws(Malformed) -> Fields {
        var text = text
        return try text.withUTF8 { bytes in
            Result { () throws(Malformed) in try decode(bytes) }
        }.get()
    }

    private static func decode(_ bytes: UnsafeBufferPointer<UInt8>) throws(Malformed) -> Fields {
        var decoder = FieldsDecoder(scanner: TokenScanner(bytes))
        return try decoder.document()
    }

    /// Decodes the stored fields of a document.
    ///
    /// - Throws: `DATA_LOSS` if no engine writes such a text.
    static func decode(_ bytes: UnsafeBufferPointer<UInt8>, of path: DocumentPath) throws(StoreError) -> Fields {
        do {
            return try decode(bytes)
        } catch {
            throw StoreError(
                .dataLoss,
                "the stored fields of \(path.brief) cannot be read; restore the document from a backup", cause: error)
        }
    }

    /// Decodes the value of one field, and reads no more of the text than that takes.
    ///
    /// - Returns: `nil` if the document has no such field.
    static func value(at path: FieldPath, in bytes: UnsafeBufferPointer<UInt8>) throws(Malformed) -> Value? {
        guard let name = path.segments.first else { return nil }
        var decoder = FieldsDecoder(scanner: TokenScanner(bytes))
        return try decoder.value(of: name)?.value(at: path.segments.dropFirst())
    }

    private mutating func value(of field: String) throws(Malformed) -> Value? {
        try scanner.expect("{")
        if !scanner.take("}") {
            repeat {
                let name = try scanner.string()
                try scanner.expect(":")
                if name.hasSameBytes(as: field) { return try value() }
                try scanner.skipObject()
            } while scanner.take(",")
            try scanner.expect("}")
        }
        guard scanner.next() == nil else { throw scanner.malformed }
        return nil
    }

    private mutating func document() throws(Malformed) -> Fields {
        let fields = try fields()
        guard scanner.next() == nil else { throw scanner.malformed }
        return fields
    }

    private mutating func fields() throws(Malformed) -> Fields {
        try scanner.expect("{")
        if scanner.take("}") { return [:] }
        // A small table has space for six fields, which is enough for most documents and maps.
        var fields = Fields(minimumCapacity: 6)
        repeat {
            let name = try scanner.string()
            try scanner.expect(":")
            fields[name] = try value()
        } while scanner.take(",")
        try scanner.expect("}")
        return fields
    }

    private mutating func value() throws(Malformed) -> Value {
        try scanner.expect("{")
        let key = try key()
        try scanner.expect(":")
        let value = try content(of: key)
        try scanner.expect("}")
        return value
    }

    private mutating func content(of key: ValueKey) throws(Malformed) -> Value {
        switch key {
        case .null: try null()
        case .boolean: .boolean(try boolean())
        case .integer: .integer(try integer())
        case .double: .double(try double())
        case .timestamp: .timestamp(try timestamp())
        case .string: .string(try storedString())
        case .bytes: .bytes(try base64())
        case .reference: .reference(try storedString())
        case .geoPoint: try geoPoint()
        case .array: .array(try array())
        case .map: .map(try map())
        }
    }
}

// MARK: Values

extension FieldsDecoder {
    private mutating func key() throws(Malformed) -> ValueKey {
        guard let key = scanner.takeKey() else { throw scanner.malformed }
        return key
    }

    private mutating func null() throws(Malformed) -> Value {
        guard scanner.takeWord("null") else { throw scanner.malformed }
        return .null
    }

    private mutating func boolean() throws(Malformed) -> Bool {
        if scanner.takeWord("true") { return true }
        if scanner.takeWord("false") { return false }
        throw scanner.malformed
    }

    private mutating func integer() throws(Malformed) -> Int64 {
        guard let value = Int64(try scanner.string()) else { throw scanner.malformed }
        return value
    }

    private mutating func double() throws(Malformed) -> Double {
        guard scanner.next() == UInt8(ascii: "\"") else { return try scanner.number() }
        guard let value = SpecialDouble.value(try scanner.string()) else { throw scanner.malformed }
        return value
    }

    private mutating func timestamp() throws(Malformed) -> Timestamp {
        guard let value = try scanner.plainString(RFC3339Parser.parse) else { throw scanner.malformed }
        return value
    }

    private mutating func storedString() throws(Malformed) -> String { StoredString.unescape(try scanner.string()) }

    private mutating func base64() throws(Malformed) -> [UInt8] {
        guard let value = Base64.decode(try scanner.string()) else { throw scanner.malformed }
        return value
    }

    private mutating func geoPoint() throws(Malformed) -> Value {
        var latitude: Double?
        var longitude: Double?
        try scanner.expect("{")
        repeat {
            let name = try scanner.string()
            try scanner.expect(":")
            if name == ValueKey.latitude { latitude = try scanner.number() } else { longitude = try scanner.number() }
        } while scanner.take(",")
        try scanner.expect("}")
        guard let latitude, let longitude else { throw scanner.malformed }
        return .geoPoint(latitude: latitude, longitude: longitude)
    }

    private mutating func array() throws(Malformed) -> [Value] {
        try scanner.expect("{")
        if scanner.take("}") { return [] }
        guard try scanner.string() == ValueKey.values else { throw scanner.malformed }
        try scanner.expect(":")
        let elements = try elements()
        try scanner.expect("}")
        return elements
    }

    private mutating func elements() throws(Malformed) -> [Value] {
        try scanner.expect("[")
        var elements: [Value] = []
        if scanner.take("]") { return elements }
        repeat { elements.append(try value()) } while scanner.take(",")
        try scanner.expect("]")
        return elements
    }

    private mutating func map() throws(Malformed) -> Fields {
        try scanner.expect("{")
        if scanner.take("}") { return [:] }
        guard try scanner.string() == ValueKey.fields else { throw scanner.malformed }
        try scanner.expect(":")
        let fields = try fields()
        try scanner.expect("}")
        return fields
    }
}
