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

    // The numbers of types (pg_type.dat), which never change.
    private static let bytea: Int32 = 17
    private static let bigint: Int32 = 20
    private static let text: Int32 = 25

    /// Appends the bytes to send. Returns `false` for NULL, which has none.
    func append(to bytes: inout [UInt8]) -> Bool {
        switch self {
        case .null: return false
        case .boolean(let value): bytes.append(value ? 1 : 0)
        case .integer(let value): bytes.append(bigEndian: value)
        case .text(let value), .blob(let value): bytes += value
        case .integers(let values):
            bytes.appendHeader(ofArrayOf: Self.bigint, values.count, hasNull: values.contains { $0 == nil })
            for value in values {
                bytes.append(bigEndian: value == nil ? -1 : Int32(Int64.bitWidth / 8))
                if let value { bytes.append(bigEndian: value) }
            }
        case .texts(let values):
            bytes.appendHeader(ofArrayOf: Self.text, values.count, hasNull: values.contains { $0 == nil })
            for value in values { bytes.append(element: value) }
        case .blobs(let values):
            bytes.appendHeader(ofArrayOf: Self.bytea, values.count, hasNull: false)
            for value in values { bytes.append(element: value) }
        }
        return true
    }
}

/// The parameters of one statement, in one piece of memory that further statements use again.
struct ParameterBuffer {
    /// The size beyond which the memory is not kept.
    private static let mostKept = 1 << 20

    private var bytes: [UInt8] = []
    /// The places of the parameters; `nil` for NULL.
    private var places: [Range<Int>?] = []

    /// Calls the closure with the arguments for libpq.
    mutating func with<Answer>(
        _ parameters: [Parameter],
        _ body: (_ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Answer
    ) -> Answer {
        for parameter in parameters {
            let start = bytes.count
            places.append(parameter.append(to: &bytes) ? start..<bytes.count : nil)
        }
        // libpq takes NULL for SQL's null, so that a value without bytes needs an address too.
        bytes.append(0)
        defer {
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.mostKept)
            places.removeAll(keepingCapacity: true)
        }
        return bytes.withUnsafeBytes { bytes in
            let values = places.map { place in
                place.flatMap { bytes.baseAddress?.advanced(by: $0.lowerBound).assumingMemoryBound(to: CChar.self) }
            }
            let formats = [Int32](repeating: 1, count: values.count)
            return body(values, places.map { Int32($0?.count ?? 0) }, formats)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends the beginning of an array of one dimension, in the format of `array_recv`
    /// (src/backend/utils/adt/arrayfuncs.c). The elements follow.
    fileprivate mutating func appendHeader(ofArrayOf type: Int32, _ count: Int, hasNull: Bool) {
        let dimensions: Int32 = 1
        let lowerBound: Int32 = 1
        append(bigEndian: dimensions)
        append(bigEndian: Int32(hasNull ? 1 : 0))
        append(bigEndian: type)
        append(bigEndian: Int32(count))
        append(bigEndian: lowerBound)
    }

    /// Appends an element of an array; `nil` for NULL.
    fileprivate mutating func append(element: [UInt8]?) {
        append(bigEndian: Int32(element?.count ?? -1))
        if let element { append(contentsOf: element) }
    }
}
