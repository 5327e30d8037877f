import FirestoreProtos
import TestBasics
import Testing
import Texts

@testable import FirestoreExports

@Suite("Documents through an export")
struct RoundTripTests {
    @Test("Random documents are equal after they are written and read", arguments: 1...20)
    func random(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let documents = (0..<25).map { generator.document($0) }
        try await withTemporaryDirectory { folder in
            let copies = try read(try write(documents, in: folder, fileSize: 200_000))
            #expect(copies.count == documents.count)
            for (copy, document) in zip(copies, documents) { #expect(try copy.bytes == document.bytes) }
        }
    }

    @Test("The random documents have values of all types, and numbers as ids")
    func coverage() throws {
        var generator = SeededGenerator(seed: 1)
        let documents = (0..<200).map { generator.document($0) }
        let meanings = Set(
            try documents.flatMap { document in
                try EntityEncoder(database: DatabaseName(project: "p", database: "(default)")).entity(document).all
            }.map(\.meaning))
        #expect(meanings == Set(Meaning.allCases.map(\.rawValue)).subtracting([15, 16]))
        #expect(documents.contains { $0.name.contains("/__id5__/") })
    }

    @Test("A map in 20 others is equal afterwards, and one in 33 others is refused")
    func depth() async throws {
        try await withTemporaryDirectory { folder in
            let deep = Document("c/d", ["f": nested(20)])
            #expect(try read(try write([deep], in: folder)) == [deep])
            let error = try #require(throws: ExportError.self) {
                try write([Document("c/d", ["f": nested(33)])], in: folder, name: "deeper")
            }
            #expect(error.kind == .unsupportedDocument)
            #expect(error.message.hasSuffix("has more than 32 maps in each other."))
        }
    }

    private func nested(_ count: Int) -> Value.OneOf_ValueType {
        (1..<count).reduce(.map(["leaf": .null])) { map, _ in .map(["m": map]) }
    }

    @Test("A time is cut to microseconds, as Firestore cuts it")
    func nanoseconds() async throws {
        try await withTemporaryDirectory { folder in
            let path = try write([Document("c/d", ["t": .time(-1, 999_999_999)])], in: folder)
            #expect(try read(path) == [Document("c/d", ["t": .time(-1, 999_999_000)])])
        }
    }
}

extension EntityProto {
    /// All properties, those of maps included.
    fileprivate var all: [Property] {
        get throws {
            let own = property + rawProperty
            return try own
                + own.filter { $0.meaning == Meaning.map.rawValue }
                .flatMap { try EntityProto(map: $0.value.stringValue).all }
        }
    }
}
