/// Files beside the database, for what is too large to be a document. A name or a folder is letters, digits, `.`, `-` and `_`.
public protocol FileStorage: Sendable {
    /// Writes a file; it is on the disk when this returns.
    func write(_ bytes: [UInt8], to name: String, in folder: String) async throws(FileStorageError)
    /// As much of these bytes of a file as there is; nil when there is no such file.
    func contents(of name: String, in folder: String, _ range: Range<Int>) async throws(FileStorageError) -> [UInt8]?
    /// In bytes; nil when there is no such file.
    func size(of name: String, in folder: String) async throws(FileStorageError) -> Int?
    /// A file that is not there is no error.
    func remove(_ name: String, in folder: String) async throws(FileStorageError)
    /// With all that is in it.
    func removeFolder(_ folder: String) async throws(FileStorageError)
    func folders() async throws(FileStorageError) -> [String]
    /// What is in a folder, whole files and others, and for how long.
    func files(in folder: String) async throws(FileStorageError) -> [StoredFile]
}

public struct StoredFile: Hashable, Sendable {
    public let name: String
    /// Since it was last written.
    public let age: Duration

    public init(name: String, age: Duration) {
        self.name = name
        self.age = age
    }
}

/// Why a file could not be written or read, for the log.
public struct FileStorageError: Error, Sendable, CustomStringConvertible {
    public let description: String
    /// `true` if the disk takes nothing new; that has been logged already.
    public let isOutOfRoom: Bool

    public init(_ description: String, isOutOfRoom: Bool = false) {
        self.description = description
        self.isOutOfRoom = isOutOfRoom
    }
}
