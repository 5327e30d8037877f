/// A file to be sent piece by piece, as its receiver takes them: it is never in memory whole, and open only while a piece
/// is read.
public struct StoredContents: Hashable, Sendable {
    private static let pieceBytes = 64 * 1024

    private let name: String
    private let folder: String
    private let files: any FileStorage
    /// In bytes.
    public let size: Int

    /// nil when there is no such file.
    init?(of name: String, in folder: String, _ files: any FileStorage) async throws(FileStorageError) {
        guard let size = try await files.size(of: name, in: folder) else { return nil }
        self.name = name
        self.folder = folder
        self.files = files
        self.size = size
    }

    /// What comes after so many bytes; an error when the file has gone meanwhile.
    public func piece(from offset: Int) async throws(FileStorageError) -> [UInt8] {
        let range = offset..<max(offset, min(offset + Self.pieceBytes, size))
        let piece = try await files.contents(of: name, in: folder, range)
        guard let piece, piece.count == range.count else { throw FileStorageError("a file has gone while it was sent") }
        return piece
    }

    public static func == (one: StoredContents, other: StoredContents) -> Bool {
        (one.name, one.folder, one.size) == (other.name, other.folder, other.size)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(folder)
    }
}
