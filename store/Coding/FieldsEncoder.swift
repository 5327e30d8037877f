import JSON

/// Writes fields as the JSON an engine keeps: Firestore's REST encoding in compact form, names sorted, so that equal
/// fields have equal bytes. Straight to bytes, without a `JSONValue` between: this runs at every write.
struct FieldsEncoder {
    private var bytes: [UInt8] = []

    static func encode(_ fields: Fields) -> [UInt8] {
        var encoder = FieldsEncoder()
        encoder.bytes.reserveCapacity(fields.values.reduce(64) { $0 + $1.expectedJSONBytes })
        encoder.write(fields)
        return encoder.bytes
    }

    private mutating func write(_ fields: Fields) {
        append("{")
        var isFirst = true
        for (name, value) in fields.sortedByName {
            if !isFirst { append(",") }
            isFirst = false
            writeName(name)
            append(":")
            write(value)
        }
        append("}")
    }

    private mutating func write(_ value: Value) {
        switch value {
        case .null: append("{\"nullValue\":null}")
        case .boolean(let value): append(value ? "{\"booleanValue\":true}" : "{\"booleanValue\":false}")
        case .integer(let value): write("{\"integerValue\":\"", String(value), "\"}")
        case .double(let value): write(value)
        case .timestamp(let value): write(value)
        case .string(let value): writeText("{\"stringValue\":", value)
        case .bytes(let value): write("{\"bytesValue\":\"", Base64.encode(value), "\"}")
        case .reference(let value): writeText("{\"referenceValue\":", value)
        case .geoPoint(let latitude, let longitude):
            write("{\"geoPointValue\":{\"latitude\":", latitude.description, ",\"longitude\":")
            write("", longitude.description, "}}")
        case .array(let elements): write(elements)
        case .map(let fields): writeMap(fields)
        }
    }

    private mutating func write(_ value: Timestamp) {
        append("{\"timestampValue\":\"")
        value.write(to: &bytes)
        append("\"}")
    }

    private mutating func write(_ value: Double) {
        if let special = SpecialDouble.text(value) {
            write("{\"doubleValue\":\"", special, "\"}")
        } else {
            write("{\"doubleValue\":", value.description, "}")
        }
    }

    private mutating func write(_ elements: [Value]) {
        guard !elements.isEmpty else { return append("{\"arrayValue\":{}}") }
        append("{\"arrayValue\":{\"values\":[")
        for (index, element) in elements.enumerated() {
            if index > 0 { append(",") }
            write(element)
        }
        append("]}}")
    }

    private mutating func writeMap(_ fields: Fields) {
        guard !fields.isEmpty else { return append("{\"mapValue\":{}}") }
        append("{\"mapValue\":{\"fields\":")
        write(fields)
        append("}}")
    }

    private mutating func write(_ opening: StaticString, _ content: String, _ closing: StaticString) {
        append(opening)
        bytes.append(contentsOf: content.utf8)
        append(closing)
    }

    private mutating func writeText(_ opening: StaticString, _ text: String) {
        append(opening)
        if !writePlain(text) { JSONValue.writeString(StoredString.escape(text), to: &bytes) }
        append("}")
    }

    private mutating func writeName(_ name: String) {
        if !writePlain(name) { JSONValue.writeString(name, to: &bytes) }
    }

    /// Most strings need no escape and are copied in one piece; false for those that do.
    private mutating func writePlain(_ string: String) -> Bool {
        string.utf8.withContiguousStorageIfAvailable { text in
            guard text.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
                return false
            }
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: text)
            bytes.append(UInt8(ascii: "\""))
            return true
        } ?? false
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension Value {
    /// About the bytes that a field with this value takes as JSON. Texts are the large ones, and a tenth of a message's is
    /// quotes, which are escaped.
    fileprivate var expectedJSONBytes: Int {
        guard case .string(let text) = self else { return 64 }
        return 64 + text.utf8.count + text.utf8.count / 8
    }
}
