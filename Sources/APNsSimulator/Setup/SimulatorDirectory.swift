import Foundation

/// The folder with the files for senders, the CA's certificate and the provider key, and with the CA's key.
struct SimulatorDirectory: Sendable {
    let path: String
    /// `true` if the folder was created for this run only.
    let isTemporary: Bool

    /// Creates the folder if it is missing.
    ///
    /// - Parameter path: The folder, or `nil` for a new temporary one.
    init(_ path: String?) throws(APNsSimulatorError) {
        self.path = path ?? NSTemporaryDirectory() + "apns-simulator-" + UUIDText.random()
        self.isTemporary = path == nil
        do {
            try FileManager.default.createDirectory(
                atPath: self.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .files(operation: "create the folder", path: self.path, cause: "\(error.localizedDescription)")
        }
    }

    func path(of file: String) -> String {
        URL(fileURLWithPath: path, isDirectory: true).appendingPathComponent(file).path
    }

    /// Returns the text of a file; `nil` if it cannot be read.
    func read(_ file: String) -> String? {
        try? String(contentsOfFile: path(of: file), encoding: .utf8)
    }

    /// Replaces a file and returns its path. The file is created with the given mode, so that a key is never readable
    /// by others.
    @discardableResult
    func write(_ text: String, to file: String, mode: mode_t) throws(APNsSimulatorError) -> String {
        let path = path(of: file)
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, mode)
        guard descriptor >= 0 else {
            throw .files(operation: "write", path: path, cause: String(cString: strerror(errno)))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        } catch {
            throw .files(operation: "write", path: path, cause: "\(error.localizedDescription)")
        }
        return path
    }

    func removeIfTemporary() {
        if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    }
}
