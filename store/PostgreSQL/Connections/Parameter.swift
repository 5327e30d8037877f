import CPostgreSQL

/// A parameter of a statement, in PostgreSQL's binary format.
enum Parameter: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A text, or bytes of UTF-8.
    case text([UInt8])
    case integers([Int64?])
    case texts([[UInt8]?])
    case blob([UInt8])
    case blobs([[UInt8]])

    static func text(_ text: String) -> Parameter { .text(Array(text.utf8)) }

    /// The bytes to send; `nil` for NULL.
    var bytes: [UInt8]? {
        switch self {
        case .null: nil
        case .boolean(let value): [value ? 1 : 0]
        case .integer(let value): value.bigEndianBytes
        case .text(let bytes), .blob(let bytes): bytes
        case .integers(let values): Self.array(of: Self.bigint, values.map { $0?.bigEndianBytes })
        case .texts(let values): Self.array(of: Self.text, values)
        case .blobs(let values): Self.array(of: Self.bytea, values)
        }
    }

    // The numbers of types (pg_type.dat), which never change.
    private static let bytea: Int32 = 17
    private static let bigint: Int32 = 20
    private static let text: Int32 = 25

    /// Returns an array of one dimension in the format of `array_recv` (src/backend/utils/adt/arrayfuncs.c).
    private static func array(of type: Int32, _ elements: [[UInt8]?]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + elements.reduce(0) { $0 + 4 + ($1?.count ?? 0) })
        let hasNull = elements.contains { $0 == nil }
        for number in [1, hasNull ? 1 : 0, type, Int32(elements.count), 1] as [Int32] {
            bytes += number.bigEndianBytes
        }
        for element in elements {
            bytes += Int32(element?.count ?? -1).bigEndianBytes
            if let element { bytes += element }
        }
        return bytes
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
