import DocumentStore

/// The bytes of a message, written field by field ([encoding](https://protobuf.dev/programming-guides/encoding/)).
///
/// SwiftProtobuf determines the size of a nested message again at each level above it. Here a nested message is
/// written first, and its length afterwards.
struct MessageBytes {
    private(set) var bytes: [UInt8] = []

    private enum WireType: UInt64 {
        case varint = 0
        case fixed64 = 1
        case lengthDelimited = 2
    }

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func append(_ field: UInt64, integer: Int64) {
        append(field, .varint)
        append(varint: UInt64(bitPattern: integer))
    }

    mutating func append(_ field: UInt64, boolean: Bool) { append(field, integer: boolean ? 1 : 0) }

    mutating func append(_ field: UInt64, double: Double) {
        append(field, .fixed64)
        withUnsafeBytes(of: double.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ field: UInt64, text: String) {
        append(field, .lengthDelimited)
        append(varint: UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ field: UInt64, bytes value: some Collection<UInt8>) {
        append(field, .lengthDelimited)
        append(varint: UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Appends a nested message.
    ///
    /// - Parameter content: appends the fields of the message.
    mutating func append(_ field: UInt64, _ content: (inout MessageBytes) -> Void) {
        append(field, .lengthDelimited)
        // Most lengths take one byte.
        let start = bytes.count
        bytes.append(0)
        content(&self)
        var length = UInt64(bytes.count - start - 1)
        guard length > 0x7F else {
            bytes[start] = UInt8(length)
            return
        }
        bytes[start] = UInt8(truncatingIfNeeded: length) | 0x80
        length >>= 7
        var rest = MessageBytes(capacity: 9)
        rest.append(varint: length)
        bytes.insert(contentsOf: rest.bytes, at: start + 1)
    }

    private mutating func append(_ field: UInt64, _ type: WireType) { append(varint: field << 3 | type.rawValue) }

    private mutating func append(varint value: UInt64) {
        var value = value
        while value > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        bytes.append(UInt8(value))
    }
}

/// The messages of the store's values. The numbers of their fields are those of `Protos/`.
extension MessageBytes {
    /// Appends a document as a nested message.
    mutating func append(_ field: UInt64, _ document: Document, in database: DatabaseID) {
        append(field) { message in
            message.append(1, text: document.path.name(in: database))
            message.append(2, fields: document.fields)
            message.append(3, document.createTime)
            message.append(4, document.updateTime)
        }
    }

    /// Appends a timestamp as a nested message.
    mutating func append(_ field: UInt64, _ time: Timestamp) {
        append(field) { message in
            let (seconds, microseconds) = (time.seconds, time.microseconds - time.seconds * 1_000_000)
            if seconds != 0 { message.append(1, integer: seconds) }
            if microseconds != 0 { message.append(2, integer: microseconds * 1_000) }
        }
    }

    /// Appends a value as a nested message.
    private mutating func append(_ field: UInt64, _ value: Value) {
        append(field) { message in
            switch value {
            case .boolean(let value): message.append(1, boolean: value)
            case .integer(let number): message.append(2, integer: number)
            case .double(let number): message.append(3, double: number)
            case .reference(let name): message.append(5, text: name)
            case .map(let fields): message.append(6) { $0.append(1, fields: fields) }
            case .geoPoint(let latitude, let longitude):
                message.append(8) { point in
                    point.append(1, double: latitude)
                    point.append(2, double: longitude)
                }
            case .array(let elements):
                message.append(9) { array in
                    for element in elements { array.append(1, element) }
                }
            case .timestamp(let time): message.append(10, time)
            case .null: message.append(11, integer: 0)
            case .string(let text): message.append(17, text: text)
            case .bytes(let bytes): message.append(18, bytes: bytes)
            }
        }
    }

    /// Appends a map's entries, each a nested message.
    private mutating func append(_ field: UInt64, fields: Fields) {
        for (name, value) in fields {
            append(field) { entry in
                entry.append(1, text: name)
                entry.append(2, value)
            }
        }
    }
}
