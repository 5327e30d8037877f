import Cryptography
import DocumentStore
import FirestoreAPI
import Foundation
import Functions
package import Logging

/// A copy of everything that a gateway keeps in one store to another: documents, files and secrets. A copy that was
/// interrupted goes on where it was when it is repeated; until it has ended, no gateway starts on the new store.
package struct StoreCopy: Sendable {
    /// The number and the digest of a store's documents.
    package struct Contents: Hashable, Sendable {
        /// The number of documents.
        package var documents = 0
        /// The SHA-256 of their lines as in an export, ordered by database and name, without times.
        package fileprivate(set) var digest = ""
    }

    /// The result of a copy.
    package struct Result: Hashable, Sendable {
        package let contents: Contents
        /// The number of documents that this call has written; the others were copied before.
        package let written: Int
        /// The number of files that this call has written.
        package let files: Int
        /// The number of documents of the source that cannot be read, and were left out.
        package let unreadable: Int
    }

    /// The number of values after which a commit has no further document.
    private static let mostValues = 20_000

    private let source: OpenStore
    private let target: OpenStore
    private let storages: [String]
    private let leavesOutUnreadable: Bool
    private let report: TransferProgress.Report?
    private let willCommit: @Sendable (_ documents: Int) async throws -> Void

    /// Copies one store to another, which has no documents, or those of the same copy.
    ///
    /// - Parameters:
    ///   - settings: those of the gateway that is to run on the new store, for its indexes.
    ///   - leavesOutUnreadable: `true` to end a copy although documents could not be read.
    ///   - willCommit: called before each commit, with the number of documents that were copied before it.
    ///   - report: called with the progress; `nil` if nobody waits for it.
    /// - Throws: `GatewayError` if a gateway uses one of the stores, if documents could not be read, or if the stores
    ///   differ after the copy.
    package static func copy(
        from source: StorePlace, to target: StorePlace, _ settings: StoreSettings,
        leavesOutUnreadable: Bool = false, logger: Logger,
        willCommit: @escaping @Sendable (_ documents: Int) async throws -> Void = { _ in },
        report: TransferProgress.Report? = nil
    ) async throws -> Result {
        guard source != target else { throw GatewayError("both stores are \(source). Name another one with --to.") }
        return try await OpenStore.with(source, settings, isNew: false, logger) { old in
            try await OpenStore.with(target, settings, isNew: true, logger) { new in
                try await StoreCopy(
                    source: old, target: new, storages: settings.storages,
                    leavesOutUnreadable: leavesOutUnreadable, report: report, willCommit: willCommit
                ).run()
            }
        }
    }

    private func run() async throws -> Result {
        try await CopyProgress.check(source.engine)
        var progress = try await CopyProgress.read(from: target, copying: source)
        let before = progress.documents
        // A gateway that starts too soon makes none of its own.
        try source.copySecrets(to: target)
        let total = try await documentCount()
        try await copyDocuments(&progress, of: total)
        let files = try await copyFiles()
        let (expected, contents) = (
            try await contents(of: source, "comparing: the source", total),
            try await contents(of: target, "comparing: the copy", total)
        )
        guard expected == contents else {
            throw GatewayError(
                "the copy is not the same as its source: \(contents.documents) documents with SHA-256 "
                    + "\(contents.digest), not \(expected.documents) with \(expected.digest). A gateway may have "
                    + "written meanwhile. Empty \(target.place), stop all gateways, and repeat the copy.")
        }
        let unreadable = source.unreadable.count
        guard unreadable == 0 || leavesOutUnreadable else {
            throw GatewayError(
                "not all documents of \(source.place) can be read: \(unreadable) are missing from the copy, and the lines "
                    + "above name them. Repeat the copy with --leave-out-unreadable to do without them; or repair them, "
                    + "empty \(target.place), and repeat it.")
        }
        try await progress.end(in: target)
        return Result(
            contents: contents, written: progress.documents - before, files: files, unreadable: unreadable)
    }

    // MARK: Documents

    /// Returns the number of documents of the source, for the progress alone.
    private func documentCount() async throws -> Int {
        guard report != nil else { return 0 }
        var count = 0
        for database in try await source.engine.databases() {
            count += try await source.engine.store(for: database).count(.descendants(of: nil))
        }
        return count
    }

    private func copyDocuments(_ progress: inout CopyProgress, of total: Int) async throws {
        try await source.engine.forEachPiece(from: progress.database, after: progress.last) { documents, database in
            for batch in Self.batches(of: documents) {
                try await willCommit(progress.documents)
                let writes = batch.map { Write.set($0.path, $0.fields) }
                _ = try await target.engine.store(for: database).commitTransferred(writes)
                (progress.database, progress.last) = (database, batch.last?.path)
                progress.documents += batch.count
                try await progress.note(in: target)
                report?(TransferProgress("copying documents", .documents, done: progress.documents, of: total))
            }
        }
    }

    /// Returns the documents of each commit: those with many values are few.
    private static func batches(of documents: [Document]) -> [[Document]] {
        var (batches, values): ([[Document]], Int) = ([], mostValues)
        for document in documents {
            if values >= mostValues { (batches, values) = (batches + [[]], 0) }
            batches[batches.count - 1].append(document)
            values += 1 + document.fields.count
        }
        return batches
    }

    private func contents(of store: OpenStore, _ activity: String, _ total: Int) async throws -> Contents {
        var (contents, hasher) = (Contents(), SHA256.Hasher())
        try await store.engine.forEachPiece { documents, database in
            for document in documents where !CopyProgress.isProgress(document, in: database) {
                let timeless = Document(
                    path: document.path, fields: document.fields, createTime: .distantPast, updateTime: .distantPast)
                hasher.update(try DocumentLine.bytes(of: timeless, in: database) + [UInt8(ascii: "\n")])
                contents.documents += 1
            }
            report?(TransferProgress(activity, .documents, done: contents.documents, of: total))
        }
        contents.digest = hasher.hexadecimal
        return contents
    }

    // MARK: Files

    /// Copies the files that are missing. Returns their number.
    private func copyFiles() async throws -> Int {
        var count = 0
        for name in storages {
            let (old, new) = (source.files(name), target.files(name))
            for folder in try await old.folders() {
                for file in try await old.files(in: folder) {
                    guard let size = try await old.size(of: file.name, in: folder),
                        try await new.size(of: file.name, in: folder) != size,
                        let bytes = try await old.contents(of: file.name, in: folder, 0..<size)
                    else { continue }
                    try await new.write(bytes, to: file.name, in: folder)
                    count += 1
                }
            }
        }
        return count
    }
}
