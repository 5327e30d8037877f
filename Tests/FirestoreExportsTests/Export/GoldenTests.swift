import FirestoreProtos
import Foundation
import SwiftProtobuf
import TestBasics
import Testing

@testable import FirestoreExports

/// Tests against exports of Google's emulator and the documents that Google's client reads from it, which
/// `Fixtures/make` wrote.
@Suite("Exports of Google's emulator")
struct GoldenTests {
    private static let golden = "projects/golden/databases/(default)/"

    /// The documents that the client reads, by name.
    private func expected(in database: String) throws -> [String: Document] {
        let lines = try String(contentsOfFile: fixture("documents.jsonl"), encoding: .utf8)
        let documents = try lines.split(separator: "\n").map { line in
            try Document(jsonString: String(line).replacing(Self.golden, with: "\(database)/"))
        }
        return Dictionary(uniqueKeysWithValues: documents.map { ($0.name, $0) })
    }

    @Test("The export has the documents that Google's client reads, with values of all types")
    func emulator() throws {
        let documents = try read(fixture("emulator"), project: "golden")
        let expected = try expected(in: "projects/golden/databases/(default)")
        #expect(documents.count == 19)
        #expect(Set(documents.map(\.name)) == Set(expected.keys))
        for document in documents { #expect(try document.bytes == expected[document.name]?.bytes) }
    }

    @Test("For another database, names and references to the own database change, and no other value does")
    func otherDatabase() throws {
        let documents = try read(fixture("emulator"), project: "p", database: "d")
        let expected = try expected(in: "projects/p/databases/d")
        #expect(documents.count == 19)
        for document in documents { #expect(try document.bytes == expected[document.name]?.bytes) }
    }

    @Test("The export of a named database has the same documents")
    func named() throws {
        let documents = try read(fixture("named"), project: "golden", database: "named")
        let expected = try expected(in: "projects/golden/databases/named")
        #expect(documents.count == 19)
        for document in documents { #expect(try document.bytes == expected[document.name]?.bytes) }
    }

    @Test("Each entity has the same bytes if its document is written again, except for the order of its properties")
    func entities() throws {
        var log = try LogReader(fixture("emulator/all_namespaces/all_kinds/output-0"))
        let database = DatabaseName(project: "golden", database: "(default)")
        var count = 0
        while let record = try log.next() {
            let document = try EntityDecoder.document(try EntityProto(serializedBytes: record), in: database)
            let copy: [UInt8] = try EntityEncoder(database: database).entity(document).bytes()
            #expect(copy.count == record.count, "\(document.name)")
            #expect(copy.sorted() == record.sorted(), "\(document.name)")
            count += 1
        }
        #expect(count == 19)
    }

    @Test("The files that name the parts have the same content if they are written again")
    func metadata() async throws {
        try await withTemporaryDirectory { folder in
            var writer = try ExportWriter(folder: folder, name: "emulator", project: "golden", database: "(default)")
            for document in try read(fixture("emulator"), project: "golden") { try writer.append(document) }
            let path = try writer.finish()
            let part = "all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata"
            var (ours, google) = (try backup("\(path)/\(part)"), try backup(fixture("emulator/\(part)")))
            #expect(ours.backupInfo.startTimestamp <= ours.backupInfo.endTimestamp)
            ours.backupInfo.startTimestamp = 0
            ours.backupInfo.endTimestamp = 0
            google.backupInfo.startTimestamp = 0
            google.backupInfo.endTimestamp = 0
            #expect(ours == google)
            let overall = "emulator.overall_export_metadata"
            #expect(
                try InputFile("\(path)/\(overall)").contents() == InputFile(fixture("emulator/\(overall)")).contents())
        }
    }

    private func backup(_ path: String) throws -> Backup {
        try Backup(serializedBytes: try InputFile(path).contents())
    }
}
