import JSON

/// An encoder of fields as the JSON that an engine stores: Firestore's REST encoding in compact form with sorted
/// names, so that equal fields have equal bytes. It writes bytes without a `JSONValue` in between, because it runs at
/// each write.
struct FieldsEncoder {
    private var bytes: [UInt8] = []

    static func encode(_ fields: Fields) -> [UInt8] {
        var encoder = FieldsEncoder()
        encoder.bytes.reserveCapacity(fields.expectedJSONBytes)
        encoder.write(fields)
        return encoder.bytes
    }

    private mutating func write(_ fields: Fields) {
        append("{")
        var isFirst = true
        fields.forEachInByteOrder { name, value in
            if !isFirst { append(",") }
            isFirst = false
            JSONValue.writeString(name, to: &bytes)
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
        JSONValue.writeString(StoredString.escape(text), to: &bytes)
        append("}")
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}

extension Fields {
    /// The approximate number of bytes of these fields as JSON.
    fileprivate var expectedJSONBytes: Int { reduce(2) { $0 + $1.key.utf8.count + $1.value.expectedJSONBytes } }
}

extension Value {
    /// The approximate number of bytes of a field with this value as JSON, without its name. It is not too low for
    /// usual values: growing would copy the whole text.
    fileprivate var expectedJSONBytes: Int {
        switch self {
        case .null, .boolean: 28
        case .integer: 32
        case .timestamp: 52
        case .string(let text): 20 + JSONValue.expectedBytes(ofString: text)
        case .bytes(let bytes): 28 + bytes.count / 3 * 4
        case .array(let elements): elements.reduce(32) { $0 + $1.expectedJSONBytes }
        case .map(let fields): 30 + fields.expectedJSONBytes
        case .double, .reference, .geoPoint: 64
        }
    }
}
