import TestBasics
import Testing

@testable import PostgreSQLStore

@Suite("PostgreSQL: parameters", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct ParameterTests {
    @Test("The server reads each kind of parameter, also without elements, without bytes and with NULLs")
    func kinds() async throws {
        let url = try await PostgreSQLServer.emptySchema { url, sql in try PostgreSQLEngine.run(sql, at: url) }
        let connection = try Connection(PostgreSQLStoreConfiguration(url: url))
        let texts: [[UInt8]?] = [Array("é".utf8), nil, [], Array("a,b".utf8)]
        let large = [UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20)
        let sql = """
            SELECT $1::text IS NULL, $2::boolean, $3::bigint, $4::text, array_to_string($5::bigint[], ';', 'none'), \
            array_to_string($6::text[], ';', 'none'), $7::bytea, array_to_string($8::bytea[], ';'), \
            (cardinality($9::bigint[]) + cardinality($10::text[]) + cardinality($11::bytea[]))::bigint, \
            $12::text IS NULL, length($13::text)::bigint
            """
        let parameters: [Parameter] = [
            .null, .boolean(true), .integer(.min), .text("ab"), .integers([1, nil, -2]), .texts(texts),
            .blob([0, 255]), .blobs([[1], []]), .integers([]), .texts([]), .blobs([]), .text([]), .text(large),
        ]
        // Again, with memory that was used before, and with memory that is new after a large parameter.
        for _ in 0..<3 {
            let row = try connection.run(sql, parameters)
            #expect(row.isTrue(0, 0) && row.isTrue(0, 1) && row.integer(0, 2) == .min)
            #expect(row.text(0, 3) == "ab")
            #expect(row.text(0, 4) == "1;none;-2")
            #expect(row.text(0, 5) == "é;none;;a,b")
            #expect(row.bytes(0, 6) == [0, 255])
            #expect(row.text(0, 7) == "\\x01;\\x")
            #expect(row.integer(0, 8) == 0)
            #expect(!row.isTrue(0, 9) && row.integer(0, 10) == Int64(large.count))
            let small = try connection.run("SELECT $1::text", [.text("c")])
            #expect(small.text(0, 0) == "c")
        }
    }
}
