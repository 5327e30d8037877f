import FirestoreProtos
import Foundation
import SwiftProtobuf
import TestBasics
import Testing

@testable import FirestoreExports

@Suite("The search for an export")
struct FirestoreExportTests {
    @Test("An export is found by its folder, with a slash or without, and by its file")
    func paths() throws {
        for name in ["emulator", "emulator/", "emulator/emulator.overall_export_metadata"] {
            #expect(try FirestoreExport(at: fixture("") + "/" + name).documentCount == 19)
        }
    }

    @Test("A folder of `firebase emulators:export` leads to its part of Firestore, by its folder and by its file")
    func firebase() async throws {
        try await withTemporaryDirectory { folder in
            let path = try write([Document("a/b")], in: folder, name: "firestore_export")
            let json = """
                {"version": "14.2.0", "auth": {"version": "14.2.0", "path": "auth_export"}, "firestore": {"version":
                "1.19.8", "path": "firestore_export", "metadata_file":
                "firestore_export/firestore_export.overall_export_metadata"}}
                """
            let file = "\(folder)/firebase-export-metadata.json"
            try json.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try read(folder) == [Document("a/b")])
            #expect(try read(file) == [Document("a/b")])
            #expect(try read(path) == [Document("a/b")])
            try #"{"version": "1", "auth": {}}"#.write(toFile: file, atomically: true, encoding: .utf8)
            let error = try #require(throws: ExportError.self) { try read(folder) }
            #expect(error.kind == .notAnExport)
            #expect(error.description == "\(file): names no export of Firestore, only of other emulators.")
        }
    }

    @Test("An export by kind has the documents of all its parts, in their order")
    func kinds() async throws {
        try await withTemporaryDirectory { folder in
            let cities = try ["b", "a"].map { try entity("cities", $0).bytes() as [UInt8] }
            try writeParts(
                [("cities", cities), ("users", [try entity("users", "c").bytes()]), ("none", [])], in: folder)
            let export = try FirestoreExport(at: folder)
            #expect(export.documentCount == 3)
            #expect(export.outputFiles.count == 3)
            #expect(try read(folder) == [Document("cities/b"), Document("cities/a"), Document("users/c")])
        }
    }

    @Test("A path that leads to no export is an error with the reason")
    func notAnExport() async throws {
        try await withTemporaryDirectory { folder in
            let export = try write([], in: folder, name: "a")
            try FileManager.default.copyItem(
                atPath: "\(export)/a.overall_export_metadata", toPath: "\(export)/b.overall_export_metadata")
            try Data("x".utf8).write(to: URL(filePath: "\(folder)/file"))
            for (path, problem) in [
                ("\(folder)/none", "does not exist"), (folder, "no file in it ends with .overall_export_metadata"),
                (export, "contains several exports. Name one: a.overall_export_metadata, b.overall_export_metadata."),
                ("\(folder)/file", "is not an export"),
                ("gs://bucket/x", "gcloud storage cp --recursive gs://bucket/x"),
            ] {
                let error = try #require(throws: ExportError.self) { try FirestoreExport(at: path) }
                #expect(error.kind == .notAnExport)
                #expect(error.file == path)
                #expect(error.message.contains(problem), "\(error)")
            }
        }
    }

    @Test("An export of another version is an error that names the version")
    func version() async throws {
        try await withTemporaryDirectory { folder in
            let path = "\(folder)/x.overall_export_metadata"
            var log = try LogWriter(path)
            try log.append(Array("4".utf8))
            try log.append([])
            try log.finish()
            let error = try #require(throws: ExportError.self) { try FirestoreExport(at: path) }
            #expect(error.message.contains("version “4”"))
        }
    }

    @Test(
        "A name of a file outside the folder of the export is an error",
        arguments: ["../x", "/etc/passwd", "a/../../x", "a//b", "", "."])
    func escapes(name: String) throws {
        let error = try #require(throws: ExportError.self) { try RelativePath.resolve(name, namedBy: "/e/f") }
        #expect(error.kind == .damaged)
        #expect(throws: ExportError.self) { try RelativePath.resolve("a\0b", namedBy: "/e/f") }
        #expect(try RelativePath.resolve("a/..b/.c", namedBy: "/e/f") == "/e/a/..b/.c")
        #expect(try RelativePath.resolve("a", namedBy: "f") == "a")
    }
}
