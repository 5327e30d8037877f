import DocumentStore
import FirestoreProtos
import Foundation
import SwiftProtobuf
import TestBasics
import Testing

@testable import FirestoreAPI

@Suite("Messages of a query's answer")
struct QueryResponseTests {
    private static let database = DatabaseID(project: "p", database: "d")

    @Test("The bytes of a message with a document are those of the message", arguments: ValueMessageTests.values)
    func document(value: Value) throws {
        try expectSame { $0.document = try Self.document(["field": value]) }
    }

    @Test(
        "The bytes of a message with a random document are those of the message",
        arguments: 1...200 as ClosedRange<UInt64>)
    func randomDocument(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fields = Self.fields(&random, depth: 0)
        try expectSame { response in
            response.document = try Self.document(fields)
            response.readTime = Timestamp(microseconds: Int64.random(in: -9_999_999...9_999_999, using: &random))
            response.skipped = Int32.random(in: 0...300, using: &random)
        }
    }

    @Test("The bytes of a message without a document are those of the message")
    func noDocument() throws {
        try expectSame { $0.transaction = Data([0, 255]) }
        try expectSame { response in
            response.isLast = true
            response.metrics = .with { $0.executionStats.resultsReturned = 3 }
            response.readTime = .distantPast
        }
    }

    private func expectSame(_ change: (inout QueryResponse) throws -> Void) throws {
        var response = QueryResponse(in: Self.database)
        try change(&response)
        let read = try Google_Firestore_V1_RunQueryResponse(serializedBytes: try QueryResponse.bytes(response))
        #expect(read == response.message)
        #expect(read.unknownFields.data.isEmpty)
    }

    private static func document(_ fields: Fields) throws -> Document {
        Document(
            path: try DocumentPath("c/\(String(repeating: "i", count: 200))"), fields: fields,
            createTime: Timestamp(microseconds: 1_000_000), updateTime: Timestamp(microseconds: 1_234_567))
    }

    private static func fields(_ random: inout SeededGenerator, depth: Int) -> Fields {
        var fields: Fields = [:]
        for number in 0..<random.number(0...6) { fields["f\(number)"] = value(&random, depth: depth) }
        return fields
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> Value {
        switch random.number(0...(depth < 4 ? 8 : 5)) {
        case 0: .integer(Int64(bitPattern: random.next()) >> Int64(random.number(0...63)))
        case 1: .string(String(repeating: "ü", count: random.number(0...300)))
        case 2: .double(Double(bitPattern: random.next() & ~(0x7FF << 52)))
        case 3: .bytes((0..<random.number(0...20_000)).map { UInt8(truncatingIfNeeded: $0) })
        case 4: .timestamp(Timestamp(microseconds: Int64(bitPattern: random.next()) >> 10))
        case 5: .geoPoint(latitude: Double(random.number(-90...90)), longitude: 0)
        case 6: .array((0..<random.number(0...5)).map { _ in value(&random, depth: depth + 1) })
        default: .map(fields(&random, depth: depth + 1))
        }
    }
}
