public import Foundation

/// A storage for an installation's keys, its address at the relay, and the send secrets of its gateways.
///
/// Everything in it is secret. It should survive the app where the system permits that, so that a new installation of
/// the app on the same device has the same address; and it must stay on the device, because two devices with one
/// address receive each other's notifications. The app and its notification service extension share it.
public protocol RelayStorage: Sendable {
    /// Returns the bytes that were saved last; `nil` if there are none.
    ///
    /// - Throws: An error if they cannot be read now, for example before the device's first unlock. `nil` would make a
    ///   new installation.
    func load() throws -> Data?

    /// Replaces the saved bytes completely, or not at all.
    func save(_ bytes: Data) throws
}

/// A storage that uses a file that only its owner can read. It is for Linux, and for macOS without a Keychain.
public struct RelayFileStorage: RelayStorage {
    private let file: URL

    /// Creates a storage.
    ///
    /// - Parameter file: A file in a permanent folder. A missing folder is created.
    public init(file: URL) { self.file = file }

    /// Returns the bytes in the file; `nil` if there is no file.
    public func load() throws -> Data? {
        do {
            return try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        }
    }

    /// Writes a new file of mode 0600, and puts it in the place of the former one.
    public func save(_ bytes: Data) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let new = file.appendingPathExtension("new")
        try? FileManager.default.removeItem(at: new)
        // The file is empty until it has its mode.
        guard
            FileManager.default.createFile(
                atPath: new.path, contents: nil, attributes: [.posixPermissions: NSNumber(value: 0o600)])
        else { throw CocoaError(.fileWriteUnknown) }
        let handle = try FileHandle(forWritingTo: new)
        defer { try? handle.close() }
        try handle.write(contentsOf: bytes)
        try handle.synchronize()
        guard rename(new.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        try flushFolder()
    }

    /// Flushes the folder: a name is safe only then. After a power cut the device would have the keys of another
    /// installation than the relay.
    private func flushFolder() throws {
        let folder = open(file.deletingLastPathComponent().path, O_RDONLY)
        guard folder >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
