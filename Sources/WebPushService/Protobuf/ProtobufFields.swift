/// The fields of one message in protobuf's wire format, in their order.
struct ProtobufFields {
    /// The value of a field, as its wire type has it.
    enum Value: Hashable {
        case number(UInt64)
        case bytes([UInt8])
    }

    private let fields: [(number: Int, value: Value)]

    /// Reads a message.
    ///
    /// - Throws: ``ProtobufError`` if the bytes are not a sequence of whole fields.
    init(_ bytes: some Collection<UInt8>) throws(ProtobufError) {
        var reader = Reader(rest: Array(bytes)[...])
        var fields: [(number: Int, value: Value)] = []
        while !reader.rest.isEmpty { fields.append(try reader.readField()) }
        self.fields = fields
    }

    /// Returns the last number with this field's number; `nil` if there is none.
    func number(_ field: Int) -> UInt64? {
        for (number, value) in fields.reversed() where number == field {
            if case .number(let found) = value { return found }
        }
        return nil
    }

    /// Returns the last text or content of this field; `nil` if there is none.
    func bytes(_ field: Int) -> [UInt8]? { allBytes(field).last }

    /// Returns the last text of this field; `nil` if there is none. Bytes that are not UTF-8 are replaced.
    func text(_ field: Int) -> String? { bytes(field).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns the texts of a repeated field.
    func texts(_ field: Int) -> [String] { allBytes(field).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns the contents of a repeated field.
    func allBytes(_ field: Int) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for (number, value) in fields where number == field {
            if case .bytes(let bytes) = value { found.append(bytes) }
        }
        return found
    }
}

extension ProtobufFields {
    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func readField() throws(ProtobufError) -> (number: Int, value: Value) {
            let key = try readVarint()
            guard let type = ProtobufWireType(rawValue: UInt8(key & 7)), (1...0x1FFF_FFFF).contains(key >> 3) else {
                throw .malformed
            }
            return (Int(key >> 3), try readValue(type))
        }

        private mutating func readValue(_ type: ProtobufWireType) throws(ProtobufError) -> Value {
            switch type {
            case .varint: .number(try readVarint())
            case .fixed64: .number(Self.littleEndian(try read(8)))
            case .fixed32: .number(Self.littleEndian(try read(4)))
            case .delimited: .bytes(Array(try read(readVarint())))
            }
        }

        private mutating func readVarint() throws(ProtobufError) -> UInt64 {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 70, by: 7) {
                guard let byte = rest.popFirst() else { throw .malformed }
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            throw .malformed
        }

        private mutating func read(_ count: UInt64) throws(ProtobufError) -> ArraySlice<UInt8> {
            guard count <= rest.count else { throw .malformed }
            defer { rest = rest.dropFirst(Int(count)) }
            return rest.prefix(Int(count))
        }

        private static func littleEndian(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}

/// An error for bytes that are not a message of protobuf.
enum ProtobufError: Error, Hashable {
    case malformed
}
