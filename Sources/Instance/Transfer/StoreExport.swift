import Cryptography
package import DocumentStore
package import FirestoreAPI
import JSON

/// A file with all documents of a gateway, in all its databases: lines of JSON with Firestore's typed values.
///
/// The first line says what the file is, the last has the number of documents and the SHA-256 of all lines before it.
/// Between them is a line for each document. Device tokens are whole, so the file is a secret.
package struct StoreExport: Sendable {
    /// The version of the form.
    private static let version: Int64 = 1

    /// The path of the file.
    package let path: String
    /// The time of the state that it has.
    package let madeAt: Timestamp
    /// The number of documents.
    package let documentCount: Int
    /// The SHA-256 of all lines but the last, in hexadecimal digits.
    package let digest: String

    /// Reads a file and checks that it is whole.
    ///
    /// - Throws: `GatewayError` if it is not an export, or one of a newer version, or not whole.
    package init(path: String) throws(GatewayError) {
        var reader = try LineReader(path)
        guard let first = try reader.next(), let heading = try? JSONValue(parsing: first),
            heading["pushgate"] == "export", let version = heading["version"]?.integer,
            let madeAt = heading["madeAt"]?.string.flatMap({ Timestamp($0) })
        else { throw GatewayError("\(path) is not an export; name a file that “pushgate export” wrote.") }
        guard version <= Self.version else {
            throw GatewayError("\(path) is of a newer version of pushgate; import it with that version or a later one.")
        }
        var digest = SHA256.Hasher()
        var (line, count) = (first, -1)
        while let next = try reader.next() {
            digest.update(line + [UInt8(ascii: "\n")])
            (line, count) = (next, count + 1)
        }
        let found = digest.hexadecimal
        guard let ending = try? JSONValue(parsing: line), ending["documents"] == .integer(Int64(count)) else {
            throw GatewayError(
                "\(path) is not whole: its last line, with the number of documents, is missing or wrong.")
        }
        guard ending["sha256"] == .string(found) else {
            throw GatewayError("\(path) is damaged: its digest is not that of its last line.")
        }
        (self.path, self.madeAt, documentCount, self.digest) = (path, madeAt, count, found)
    }

    /// Writes the documents of a store to a new file.
    ///
    /// - Parameters:
    ///   - madeAt: the time of the state.
    ///   - didWrite: called with the number of documents so far.
    static func write(
        _ engine: some DocumentEngine, madeAt: Timestamp, to path: String, didWrite: @Sendable (Int) -> Void
    ) async throws(GatewayError) -> StoreExport {
        var writer = try LineWriter(path)
        let heading: JSONValue = [
            "pushgate": "export", "version": .integer(version), "madeAt": .string(madeAt.description),
        ]
        try writer.append(heading.serialized)
        var count = 0
        do {
            try await engine.forEachPiece { documents, database in
                for document in documents { try writer.append(try DocumentLine.bytes(of: document, in: database)) }
                count += documents.count
                didWrite(count)
            }
        } catch let error as StoreError {
            throw GatewayError("cannot read the documents: \(error.message)")
        } catch let error as GatewayError {
            throw error
        } catch {
            throw GatewayError("cannot write the documents: \(error)")
        }
        let digest = writer.digest.hexadecimal
        let ending: JSONValue = ["documents": .integer(Int64(count)), "sha256": .string(digest)]
        try writer.append(ending.serialized)
        try writer.finish()
        return StoreExport(path: path, madeAt: madeAt, documentCount: count, digest: digest)
    }

    private init(path: String, madeAt: Timestamp, documentCount: Int, digest: String) {
        (self.path, self.madeAt, self.documentCount, self.digest) = (path, madeAt, documentCount, digest)
    }

    /// Creates the same export after its file was renamed.
    init(path: String, _ other: StoreExport) {
        self.init(path: path, madeAt: other.madeAt, documentCount: other.documentCount, digest: other.digest)
    }

    /// Calls the closure with each document, in order.
    ///
    /// - Parameter count: the number of documents to skip.
    package func forEachDocument(
        after count: Int, _ body: (DocumentLine) async throws -> Void
    ) async throws {
        var reader = try LineReader(path)
        _ = try reader.next()
        var number = 0
        while number < documentCount, let line = try reader.next() {
            if number >= count { try await body(try DocumentLine(line)) }
            number += 1
        }
    }
}
