import ArgumentParser
import FirestoreExports
import FirestoreProtos
import Foundation
import HTTPTypes
import Instance
import JSON
import SwiftProtobuf

/// The verbs that read and write exports.
extension FirestoreCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add the documents of an export to a database.",
            discussion: """
                Reads exports of “pushgate firestore export”, of Google's emulator (“firebase emulators:export”) and of \
                “gcloud firestore export”. A document replaces one of the same path; others stay. After an error the \
                verb can be repeated. It must run where the files are.
                """)

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var database: FirestoreDatabase

        @Argument(
            help: ArgumentHelp(
                "The folder of the export, or its file that ends with .overall_export_metadata.", valueName: "PATH"))
        var path: String

        /// The numbers of documents and bytes of one commit. Requests have at most 10 MiB.
        private static let batch = (documents: 200, bytes: 4 << 20)

        func validate() throws { try database.checkIsNotOwn() }

        func run() async throws {
            let count = try await ProgressLine.showing { try await importDocuments($0) }
            print(
                gateway.json ? "{\"documents\":\(count)}" : "imported \(count) documents into \(database.name)")
        }

        /// Imports all documents, and returns their number.
        private func importDocuments(_ line: ProgressLine) async throws -> Int {
            let export = try FirestoreExport(at: path)
            var reader = export.documents(project: database.project, database: database.database)
            var imported = 0
            func report() {
                line.report(
                    TransferProgress("importing documents", .documents, done: imported, of: export.documentCount))
            }
            report()
            var (writes, bytes): ([Google_Firestore_V1_Write], Int) = ([], 0)
            while let document = try reader.next() {
                let write = Google_Firestore_V1_Write.with { $0.update = document }
                let json: [UInt8] = try write.jsonUTF8Bytes()
                let size = json.count
                if writes.count == Self.batch.documents || bytes + size > Self.batch.bytes {
                    try await commit(writes)
                    imported += writes.count
                    report()
                    (writes, bytes) = ([], 0)
                }
                writes.append(write)
                bytes += size
            }
            try await commit(writes)
            return reader.count
        }

        private func commit(_ writes: [Google_Firestore_V1_Write]) async throws {
            guard !writes.isEmpty else { return }
            var request = Google_Firestore_V1_CommitRequest()
            request.writes = writes
            _ = try await gateway.admin(
                .post, try String(urlPath: "/v1/\(database.name)/documents:commit"),
                bytes: try request.jsonUTF8Bytes())
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all documents of a database to a folder.",
            discussion: """
                Google's emulator imports the folder (--seed_from_export with its file that ends with \
                .overall_export_metadata), and so do “gcloud firestore import” and “pushgate firestore import”. It has \
                the state of one moment; times of creation and of updates are not part of it.
                """)

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var database: FirestoreDatabase

        @Argument(help: ArgumentHelp("The folder to make. It must not exist.", valueName: "FOLDER"))
        var folder: String

        func validate() throws { try database.checkIsNotOwn() }

        func run() async throws {
            try await gateway.requireDocuments(in: database)
            let (path, count) = try await ProgressLine.showing { try await exportDocuments($0) }
            print(gateway.json ? "{\"documents\":\(count)}" : "exported \(count) documents to \(path)")
        }

        /// Exports all documents, and returns the path of the export and their number.
        private func exportDocuments(_ line: ProgressLine) async throws -> (path: String, count: Int) {
            // The gateway counts only for those who see the number.
            let total = line.isShown ? try await gateway.documentCount(in: database) : 0
            let place = URL(filePath: folder)
            var writer = try ExportWriter(
                folder: place.deletingLastPathComponent().path, name: place.lastPathComponent,
                project: database.project, database: database.database)
            func report(_ done: Int) {
                line.report(TransferProgress("exporting documents", .documents, done: done, of: total))
            }
            report(0)
            var pages = DocumentPages(gateway: gateway, database: database)
            while let page = try await pages.next() {
                for document in page { try writer.append(document) }
                report(writer.count)
            }
            return (try writer.finish(), writer.count)
        }
    }
}

extension GatewayOptions {
    /// Returns the number of documents in a database.
    fileprivate func documentCount(in database: FirestoreDatabase) async throws -> Int {
        let answer = try await admin(
            .post, try String(urlPath: "/v1/\(database.name)/documents:runAggregationQuery"),
            body: [
                "structuredAggregationQuery": [
                    "structuredQuery": ["from": [["allDescendants": true]]],
                    "aggregations": [["alias": "count", "count": [:]]],
                ]
            ])
        return answer[0]?["result"]?["aggregateFields"]?["count"]?["integerValue"]?.string.flatMap { Int($0) } ?? 0
    }
}

extension FirestoreDatabase {
    /// Throws an error for the gateway's own database, whose device tokens nobody may read.
    fileprivate func checkIsNotOwn() throws {
        guard name == "projects/pushgate/databases/(default)" else { return }
        throw ValidationError(
            "\(name) is the gateway's own database, which is part of a backup of the data directory (docs/store.md).")
    }
}
