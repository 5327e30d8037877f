/// A writer of messages in protobuf's wire format (https://protobuf.dev/programming-guides/encoding).
///
/// The service speaks a few messages of Google's, whose definitions are part of Chromium. Each of them is written and
/// read in one place by the numbers of its fields, so that the library needs no generated code.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends a number of any integer type, an enumeration or a Boolean.
    mutating func write(_ value: UInt64, _ field: Int) {
        writeKey(field, .varint)
        writeVarint(value)
    }

    /// Appends an integer that is not negative.
    mutating func write(_ value: Int, _ field: Int) { write(UInt64(max(value, 0)), field) }

    /// Appends a `fixed64`.
    mutating func write(fixed value: UInt64, _ field: Int) {
        writeKey(field, .fixed64)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ text: String, _ field: Int) { write(Array(text.utf8), field) }

    mutating func write(_ content: [UInt8], _ field: Int) {
        writeKey(field, .delimited)
        writeVarint(UInt64(content.count))
        bytes.append(contentsOf: content)
    }

    /// Appends a message within this one.
    mutating func write(_ field: Int, _ write: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        write(&inner)
        self.write(inner.bytes, field)
    }

    /// Appends a number in base 128, the least significant group first.
    mutating func writeVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func writeKey(_ field: Int, _ type: ProtobufWireType) {
        writeVarint(UInt64(field) << 3 | UInt64(type.rawValue))
    }
}

/// The form of a field on the wire. Groups, which protobuf no longer has, are not read.
enum ProtobufWireType: UInt8 {
    case varint = 0
    case fixed64 = 1
    case delimited = 2
    case fixed32 = 5
}
