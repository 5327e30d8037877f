import FirestoreProtos
import Foundation
import SwiftProtobuf
import TestBasics
import Testing
import Texts

@testable import FirestoreExports

@Suite("Damaged exports")
struct DamageTests {
    private static let files = [
        "e.overall_export_metadata", "all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata",
        "all_namespaces/all_kinds/output-0",
    ]

    private let documents = [
        Document("a/b", ["s": .stringValue("text"), "a": .array([.integerValue(1), .null]), "v": .vector([1, 2])]),
        Document("a/__id7__", ["m": .map(["t": .time(1), "g": .point(1, 2), "b": .bytesValue(Data([1, 2]))])]),
        Document("a/b/c/d", ["r": .referenceValue("projects/p/databases/(default)/documents/a/b")]),
    ]

    @Test("After a change of any byte, reading fails or gives equal documents", arguments: files)
    func changes(file: String) async throws {
        try await withDamagedExport(file) { bytes, read in
            for index in bytes.indices {
                for change: UInt8 in [0x01, 0x80, 0xFF] {
                    var changed = bytes
                    changed[index] ^= change
                    try read(changed)
                }
            }
        }
    }

    @Test("After a cut at any byte, reading fails or gives equal documents", arguments: files)
    func cuts(file: String) async throws {
        try await withDamagedExport(file) { bytes, read in
            for count in 0..<bytes.count { try read(Array(bytes[..<count])) }
            for count in 1...40 { try read(bytes + [UInt8](repeating: 0, count: count)) }
        }
    }

    /// Gives the body the bytes of a file, and a function that reads the export with other bytes in the file.
    private func withDamagedExport(
        _ file: String, _ body: ([UInt8], ([UInt8]) throws -> Void) throws -> Void
    ) async throws {
        try await withTemporaryDirectory { folder in
            let path = try write(documents, in: folder)
            let bytes = try InputFile("\(path)/\(file)").contents()
            var failures = 0
            try body(bytes) { changed in
                try Data(changed).write(to: URL(filePath: "\(path)/\(file)"))
                do {
                    #expect(try read(path) == documents)
                } catch {
                    #expect(error is ExportError)
                    failures += 1
                }
            }
            #expect(failures > 30)
        }
    }

    @Test("A missing file, and missing documents, are errors that name the file")
    func missing() async throws {
        try await withTemporaryDirectory { folder in
            let path = try write(documents, in: folder, fileSize: 1)
            let last = "\(path)/all_namespaces/all_kinds/output-2"
            try Data().write(to: URL(filePath: last))
            let incomplete = try #require(throws: ExportError.self) { try read(path) }
            #expect(incomplete.kind == .incomplete)
            #expect(incomplete.message.hasPrefix("lists 3 documents, but the files contain 2."))
            try FileManager.default.removeItem(atPath: last)
            let missing = try #require(throws: ExportError.self) { try read(path) }
            #expect(missing.kind == .fileSystem)
            #expect(missing.file == last)
        }
    }

    @Test("An entity that is no document is an error with its file, its place and its name")
    func entityError() async throws {
        try await withTemporaryDirectory { folder in
            var bad = entity("c", "bad")
            bad.key.nameSpace = "n"
            try writeParts([("c", [try entity("c", "good").bytes(), try bad.bytes()])], in: folder)
            var reader = try FirestoreExport(at: folder).documents(project: "p", database: "(default)")
            #expect(try reader.next() == Document("c/good"))
            do throws(ExportError) {
                _ = try reader.next()
                Issue.record("The entity was read.")
            } catch {
                #expect(error.kind == .unsupportedEntity)
                #expect(error.offset.map { $0 > 0 } == true)
                #expect(error.file == "\(folder)/all_namespaces/kind_c/output-0")
                #expect(error.message == "c/bad: is an entity of the namespace “n”, which only Datastore has.")
            }
        }
    }

    @Test("Random changes of entities, with valid checksums, give an error or a document", arguments: 1...8)
    func entities(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let database = DatabaseName(project: "p", database: "(default)")
        let records = try documents.map { try EntityEncoder(database: database).entity($0).bytes() as [UInt8] }
        var (results, errors) = (0, 0)
        for _ in 0..<3_000 {
            var record = generator.pick(records)
            for _ in 0..<generator.number(1...4) {
                record[generator.number(0...record.count - 1)] = generator.bytes(1)[0]
            }
            if generator.number(0...3) == 0 { record.removeLast(generator.number(0...record.count - 1)) }
            do {
                _ = try EntityDecoder.document(try EntityProto(serializedBytes: record), in: database)
                results += 1
            } catch {
                errors += 1
            }
        }
        #expect(results > 100)
        #expect(errors > 100)
    }

    @Test("Maps in each other without end are an error")
    func endlessDepth() throws {
        var bytes = Data()
        for _ in 0..<5_000 {
            bytes = try EntityProto.with { entity in
                entity.rawProperty = [Property("m", .map)]
                entity.rawProperty[0].value.stringValue = bytes
            }.bytes()
        }
        let database = DatabaseName(project: "p", database: "(default)")
        var top = entity("c", "d")
        top.rawProperty = try EntityProto(map: bytes).rawProperty
        let error = try #require(throws: EntityError.self) { try EntityDecoder.document(top, in: database) }
        #expect(error.problem == EntityError.tooDeep.problem)
    }
}
