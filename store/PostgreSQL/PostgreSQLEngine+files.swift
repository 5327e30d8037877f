package import DocumentStore

/// The path of a file in the table `files`: the storage that it belongs to, a folder and a name.
package struct ServerFile: Hashable, Sendable {
    package let storage: String
    package let folder: String
    package let name: String

    package init(storage: String, folder: String, name: String) {
        self.storage = storage
        self.folder = folder
        self.name = name
    }

    fileprivate var parameters: [Parameter] { [.text(storage), .text(folder), .text(name)] }
}

/// Files for data that is too large for a document, in pieces in a table beside the documents. They are not part of
/// commits.
extension PostgreSQLEngine {
    /// The size of a piece in bytes, of which a read loads whole ones.
    private static let pieceBytes = 256 * 1024

    /// Writes a file, and replaces one of the same path.
    package func write(_ bytes: [UInt8], to file: ServerFile) async throws(StoreError) {
        let pieces = stride(from: 0, to: max(1, bytes.count), by: Self.pieceBytes).enumerated().map { number, start in
            let piece = Array(bytes[start..<min(start + Self.pieceBytes, bytes.count)])
            return Call(ServerSQL.insertPiece, file.parameters + [.integer(Int64(number)), .blob(piece)])
        }
        let calls = [Call("BEGIN"), Call(ServerSQL.deleteFile, file.parameters)] + pieces + [Call("COMMIT")]
        try await pool.run { connection in
            do {
                _ = try connection.run(calls)
            } catch {
                if connection.isAlive { try? connection.run(script: "ROLLBACK") }
                throw error
            }
        }
    }

    /// Returns the given range of a file, or less at its end; `nil` if there is no such file.
    package func contents(of file: ServerFile, _ range: Range<Int>) async throws(StoreError) -> [UInt8]? {
        let first = range.lowerBound / Self.pieceBytes
        let pieces = first..<max(first + 1, (range.upperBound + Self.pieceBytes - 1) / Self.pieceBytes)
        return try await pool.run { connection in
            let bounds: [Parameter] = [.integer(Int64(pieces.lowerBound)), .integer(Int64(pieces.upperBound))]
            let rows = try connection.run([
                Call(ServerSQL.selectPieces, file.parameters + bounds), Call(ServerSQL.selectSize, file.parameters),
            ])
            guard let size = rows[1].integer(0, 0).map({ Int($0) }) else { return nil }
            let found = (0..<rows[0].count).flatMap { rows[0].bytes($0, 0) ?? [] }
            let offset = first * Self.pieceBytes
            let end = min(range.upperBound, size) - offset
            let start = range.lowerBound - offset
            return start < end && end <= found.count ? Array(found[start..<end]) : []
        }
    }

    /// Returns the size of a file in bytes; `nil` if there is no such file.
    package func size(of file: ServerFile) async throws(StoreError) -> Int? {
        try await pool.run { connection in
            try connection.run(ServerSQL.selectSize, file.parameters).integer(0, 0).map { Int($0) }
        }
    }

    /// Removes a file. A missing one is not an error.
    package func remove(_ file: ServerFile) async throws(StoreError) {
        try await pool.run { connection in _ = try connection.run(ServerSQL.deleteFile, file.parameters) }
    }

    /// Removes a folder and all its files.
    package func removeFolder(_ folder: String, of storage: String) async throws(StoreError) {
        try await pool.run { connection in
            _ = try connection.run(ServerSQL.deleteFolder, [.text(storage), .text(folder)])
        }
    }

    /// Returns the names of the folders of a storage.
    package func folders(of storage: String) async throws(StoreError) -> [String] {
        try await pool.run { connection in
            let rows = try connection.run(ServerSQL.selectFolders, [.text(storage)])
            return (0..<rows.count).compactMap { rows.text($0, 0) }
        }
    }

    /// Returns the names of the files in a folder, with the time since each was written.
    package func files(
        in folder: String, of storage: String
    ) async throws(StoreError) -> [(name: String, age: Duration)] {
        try await pool.run { connection in
            let rows = try connection.run(ServerSQL.selectFiles, [.text(storage), .text(folder)])
            return (0..<rows.count).map { (rows.text($0, 0) ?? "", .microseconds(max(0, rows.integer($0, 1) ?? 0))) }
        }
    }
}
