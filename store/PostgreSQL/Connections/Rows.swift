import CPostgreSQL

/// The rows that a statement returned, in PostgreSQL's binary format.
final class Rows: @unchecked Sendable {  // because a result is only read
    private let result: OpaquePointer?
    let count: Int32

    /// Takes over a result of libpq.
    init(_ result: OpaquePointer?) {
        self.result = result
        count = PQntuples(result)
    }

    deinit { PQclear(result) }

    /// The number of rows that the statement changed.
    var changed: Int { Int(String(cString: PQcmdTuples(result))) ?? 0 }

    func isNull(_ row: Int32, _ column: Int32) -> Bool { PQgetisnull(result, row, column) == 1 }

    /// The size of a value in bytes.
    func size(_ row: Int32, _ column: Int32) -> Int { Int(PQgetlength(result, row, column)) }

    /// Returns a number of 64 bits; `nil` for NULL.
    func integer(_ row: Int32, _ column: Int32) -> Int64? {
        guard !isNull(row, column), let start = PQgetvalue(result, row, column) else { return nil }
        return start.withMemoryRebound(to: UInt8.self, capacity: 8) { bytes in
            Int64(bitPattern: (0..<8).reduce(0) { $0 << 8 | UInt64(bytes[$1]) })
        }
    }

    func isTrue(_ row: Int32, _ column: Int32) -> Bool { PQgetvalue(result, row, column)?.pointee == 1 }

    /// Returns the bytes of a text; `nil` for NULL.
    func bytes(_ row: Int32, _ column: Int32) -> [UInt8]? {
        guard !isNull(row, column), let start = PQgetvalue(result, row, column) else { return nil }
        let count = Int(PQgetlength(result, row, column))
        return start.withMemoryRebound(to: UInt8.self, capacity: max(1, count)) {
            Array(UnsafeBufferPointer(start: $0, count: count))
        }
    }

    func text(_ row: Int32, _ column: Int32) -> String? {
        bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
    }
}
