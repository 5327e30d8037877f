/// Files beside the database, for data that is too large for a document. Names of files and folders consist of
/// letters, digits, `.`, `-` and `_`.
package protocol FileStorage: Sendable {
    /// Writes a file and returns after it is on the disk.
    func write(_ bytes: [UInt8], to name: String, in folder: String) async throws(FileStorageError)
    /// Reads the given range of a file, or less at its end. Returns `nil` if the file does not exist.
    func contents(of name: String, in folder: String, _ range: Range<Int>) async throws(FileStorageError) -> [UInt8]?
    /// Returns the size in bytes, or `nil` if the file does not exist.
    func size(of name: String, in folder: String) async throws(FileStorageError) -> Int?
    /// Removes a file. A missing file is not an error.
    func remove(_ name: String, in folder: String) async throws(FileStorageError)
    /// Removes a folder and all its files.
    func removeFolder(_ folder: String) async throws(FileStorageError)
    /// Lists the names of all folders.
    func folders() async throws(FileStorageError) -> [String]
    /// Lists the files in a folder with their ages, incomplete ones included.
    func files(in folder: String) async throws(FileStorageError) -> [StoredFile]
}

/// An entry in a folder of a file storage.
package struct StoredFile: Hashable, Sendable {
    /// The file's name within its folder.
    package let name: String
    /// The time since the last write.
    package let age: Duration

    /// - Parameter age: The time since the last write.
    package init(name: String, age: Duration) {
        self.name = name
        self.age = age
    }
}

/// The reason why a file could not be written or read, for the log.
package struct FileStorageError: Error, Sendable, CustomStringConvertible {
    /// A text for the log.
    package let description: String
    /// `true` if the disk is too full for new data. That is already logged.
    package let isOutOfRoom: Bool

    /// - Parameter isOutOfRoom: `true` if the disk is too full for new data and that is already logged.
    package init(_ description: String, isOutOfRoom: Bool = false) {
        self.description = description
        self.isOutOfRoom = isOutOfRoom
    }
}

/// A file that is sent in pieces, at the receiver's pace. It is never in memory as a whole, and open only while a
/// piece is read.
package struct StoredContents: Hashable, Sendable {
    private static let pieceBytes = 64 * 1024

    private let name: String
    private let folder: String
    private let files: any FileStorage
    /// In bytes.
    package let size: Int

    /// Returns `nil` if the file does not exist.
    init?(of name: String, in folder: String, _ files: any FileStorage) async throws(FileStorageError) {
        guard let size = try await files.size(of: name, in: folder) else { return nil }
        self.name = name
        self.folder = folder
        self.files = files
        self.size = size
    }

    /// Reads the piece at an offset. Throws an error if the file was removed meanwhile.
    package func piece(from offset: Int) async throws(FileStorageError) -> [UInt8] {
        let range = offset..<max(offset, min(offset + Self.pieceBytes, size))
        let piece = try await files.contents(of: name, in: folder, range)
        guard let piece, piece.count == range.count else {
            throw FileStorageError("the file was removed while it was being sent")
        }
        return piece
    }

    package static func == (one: StoredContents, other: StoredContents) -> Bool {
        (one.name, one.folder, one.size) == (other.name, other.folder, other.size)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(folder)
    }
}
