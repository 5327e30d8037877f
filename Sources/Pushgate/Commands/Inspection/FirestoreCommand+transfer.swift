import ArgumentParser
import FirestoreExports
import FirestoreProtos
import Foundation
import HTTPTypes
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

        @Argument(help: "The folder of the export, or its file that ends with .overall_export_metadata.")
        var path: String

        /// The numbers of documents and bytes of one commit. Requests have at most 10 MiB.
        private static let batch = (documents: 200, bytes: 4 << 20)

        func validate() throws { try database.checkIsNotOwn() }

        func run() async throws {
            var reader = try FirestoreExport(at: path).documents(
                project: database.project, database: database.database)
            var (writes, bytes): ([Google_Firestore_V1_Write], Int) = ([], 0)
            while let document = try reader.next() {
                let write = Google_Firestore_V1_Write.with { $0.update = document }
                let json: [UInt8] = try write.jsonUTF8Bytes()
                let size = json.count
                if writes.count == Self.batch.documents || bytes + size > Self.batch.bytes {
                    try await commit(writes)
                    (writes, bytes) = ([], 0)
                }
                writes.append(write)
                bytes += size
            }
            try await commit(writes)
            let count = reader.count
            print(
                gateway.json ? "{\"documents\":\(count)}" : "imported \(count) documents into \(database.name)")
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

        @Argument(help: "The folder to make. It must not exist.")
        var folder: String

        func validate() throws { try database.checkIsNotOwn() }

        func run() async throws {
            try await gateway.requireDocuments(in: database)
            let place = URL(filePath: folder)
            var writer = try ExportWriter(
                folder: place.deletingLastPathComponent().path, name: place.lastPathComponent,
                project: database.project, database: database.database)
            var pages = DocumentPages(gateway: gateway, database: database)
            while let page = try await pages.next() {
                for document in page { try writer.append(document) }
            }
            let (path, count) = (try writer.finish(), writer.count)
            print(gateway.json ? "{\"documents\":\(count)}" : "exported \(count) documents to \(path)")
        }
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

/// The documents of a database at one moment, in pages by name.
private struct DocumentPages {
    let gateway: GatewayOptions
    let database: FirestoreDatabase
    private var last: String?
    private var time: Google_Protobuf_Timestamp?
    private var isOver = false

    /// The number of documents in a page. The gateway reads all documents for each page, so small documents come in
    /// large pages.
    private var size = 64
    private static let sizes = 1...20_000
    /// The size of an answer to aim at, and the size that is refused, in bytes.
    private static let bytes = (wanted: 16 << 20, most: 64 << 20)

    init(gateway: GatewayOptions, database: FirestoreDatabase) {
        self.gateway = gateway
        self.database = database
    }

    /// Returns the next page; `nil` after the last.
    mutating func next() async throws -> [Google_Firestore_V1_Document]? {
        while !isOver {
            do {
                return try page(try await answer())
            } catch is GatewayClient.AnswerTooLarge where size > 1 {
                size = max(1, size / 8)
            }
        }
        return nil
    }

    private func answer() async throws -> [UInt8] {
        try await gateway.admin(
            .post, try String(urlPath: "/v1/\(database.name)/documents:runQuery"),
            bytes: try request.jsonUTF8Bytes(), maximumResponseBytes: Self.bytes.most
        ).bytes
    }

    /// Reads the documents of an answer, and determines the size of the next page.
    private mutating func page(_ answer: [UInt8]) throws -> [Google_Firestore_V1_Document] {
        let results = try Google_Firestore_V1_RunQueryResponse.array(fromJSONUTF8Bytes: answer)
        time = time ?? results.first?.readTime
        let page = results.filter(\.hasDocument).map(\.document)
        last = page.last?.name
        isOver = page.count < size
        let factor = min(8, Double(Self.bytes.wanted) / Double(answer.count + 1))
        size = Int(Double(size) * factor).clamped(to: Self.sizes)
        return page
    }

    private var request: Google_Firestore_V1_RunQueryRequest {
        .with { request in
            request.structuredQuery.from = [.with { $0.allDescendants = true }]
            request.structuredQuery.orderBy = [.with { $0.field.fieldPath = "__name__" }]
            request.structuredQuery.limit = Google_Protobuf_Int32Value(Int32(size))
            if let last { request.structuredQuery.startAt.values = [.with { $0.referenceValue = last }] }
            if let time { request.readTime = time }
        }
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
