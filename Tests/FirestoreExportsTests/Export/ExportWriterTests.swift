import FirestoreProtos
import Foundation
import TestBasics
import Testing
import Texts

@testable import FirestoreExports

@Suite("Writing an export")
struct ExportWriterTests {
    @Test("Documents go to another file once one is large enough, and are read in their order")
    func files() async throws {
        try await withTemporaryDirectory { folder in
            let documents = (0..<25).map {
                Document("c/\($0)", ["t": .stringValue(String(repeating: "x", count: 500))])
            }
            let path = try write(documents, in: folder, fileSize: 1_000)
            let export = try FirestoreExport(at: path)
            #expect(export.outputFiles.count == 13)
            #expect(export.outputFiles.last?.hasSuffix("/all_namespaces/all_kinds/output-12") == true)
            #expect(export.documentCount == 25)
            #expect(try read(path) == documents)
        }
    }

    @Test("An export without documents has one file, and no documents are read")
    func empty() async throws {
        try await withTemporaryDirectory { folder in
            let path = try write([], in: folder)
            #expect(try read(path).isEmpty)
            // The emulator's file for an empty database.
            #expect(
                try InputFile("\(path)/e.overall_export_metadata").contents() == [
                    0xB8, 0x6D, 0x44, 0x4E, 1, 0, 1, 0x33, 0x05, 0x2B, 0x28, 0x43, 0, 0, 1,
                ])
        }
    }

    @Test("The folder has its name only once the export is complete, and only its owner can read it")
    func atomic() async throws {
        try await withTemporaryDirectory { folder in
            var writer = try ExportWriter(folder: folder, name: "e", project: "p", database: "(default)")
            try writer.append(Document("a/b"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["e.partial"])
            let path = try writer.finish()
            #expect(path == "\(folder)/e")
            #expect(writer.count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["e"])
            for (path, mode) in [("e", 0o700), ("e/all_namespaces/all_kinds/output-0", 0o600)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
                #expect(attributes[.posixPermissions] as? Int == mode)
            }
        }
    }

    @Test("A writer that ends without `finish` leaves nothing")
    func abandoned() async throws {
        try await withTemporaryDirectory { folder in
            do {
                var writer = try ExportWriter(folder: folder, name: "e", project: "p", database: "(default)")
                try writer.append(Document("a/b"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test("An existing folder of the same name is an error, and is as before")
    func existing() async throws {
        try await withTemporaryDirectory { folder in
            let path = try write([Document("a/b")], in: folder)
            let error = try #require(throws: ExportError.self) { try write([], in: folder) }
            #expect(error.kind == .fileSystem)
            #expect(error.description == "\(path): exists already. Remove it, or choose another name.")
            #expect(try read(path) == [Document("a/b")])
        }
    }

    @Test("The folder of another writer is an error, and stays")
    func concurrent() async throws {
        try await withTemporaryDirectory { folder in
            var writer = try ExportWriter(folder: folder, name: "e", project: "p", database: "(default)")
            #expect(throws: ExportError.self) { try write([], in: folder) }
            try writer.append(Document("a/b"))
            #expect(try read(try writer.finish()) == [Document("a/b")])
        }
    }

    @Test("After a failure to write, the export cannot be completed, and nothing is left")
    func failure() async throws {
        try await withTemporaryDirectory { folder in
            do {
                var writer = try ExportWriter(
                    folder: folder, name: "e", project: "p", database: "(default)", fileSize: 1)
                try writer.append(Document("a/b"))
                let obstacle = "\(folder)/e.partial/all_namespaces/all_kinds/output-1"
                try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
                #expect(throws: ExportError.self) { try writer.append(Document("a/c")) }
                try FileManager.default.removeItem(atPath: obstacle)
                #expect(throws: ExportError.self) { try writer.finish() }
            }
            let contents = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(contents.isEmpty)
        }
    }

    @Test("A name that is no folder's, or a missing folder, is an error", arguments: ["", ".", "..", "a/b"])
    func names(name: String) async throws {
        try await withTemporaryDirectory { folder in
            #expect(throws: ExportError.self) { _ = try write([], in: folder, name: name) }
            #expect(throws: ExportError.self) { _ = try write([], in: folder, name: "a\0") }
            #expect(throws: ExportError.self) { _ = try write([], in: "\(folder)/none") }
            let contents = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(contents.isEmpty)
        }
    }

    @Test("A refused document is an error with its name, and documents after it are written")
    func refused() async throws {
        try await withTemporaryDirectory { folder in
            var writer = try ExportWriter(folder: folder, name: "e", project: "p", database: "(default)")
            do throws(ExportError) {
                try writer.append(Document("a/b", ["f": .array([.array([])])]))
                Issue.record("The document was written.")
            } catch {
                #expect(error.kind == .unsupportedDocument)
                #expect(
                    error.description
                        == "projects/p/databases/(default)/documents/a/b: the field “f” has an array directly in an array."
                )
            }
            try writer.append(Document("a/c"))
            #expect(try read(try writer.finish()) == [Document("a/c")])
        }
    }
}
