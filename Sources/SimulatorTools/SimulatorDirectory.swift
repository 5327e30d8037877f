import Foundation

/// The folder with a service's files for its clients, such as the CA's certificate, and with the CA's key.
package struct SimulatorDirectory: Sendable {
    /// The folder.
    package let path: String
    /// `true` if the folder was created for this run only.
    package let isTemporary: Bool

    /// Creates the folder if it is missing.
    ///
    /// - Parameters:
    ///   - path: The folder, or `nil` for a new temporary one.
    ///   - name: The beginning of the name of a temporary folder.
    package init(_ path: String?, name: String) throws(SimulatorSetupError) {
        self.path = path ?? NSTemporaryDirectory() + name + "-" + UUID().uuidString.lowercased()
        self.isTemporary = path == nil
        do {
            try FileManager.default.createDirectory(
                atPath: self.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .files(operation: "create the folder", path: self.path, cause: "\(error.localizedDescription)")
        }
    }

    /// Returns the path of a file in the folder.
    package func path(of file: String) -> String {
        URL(fileURLWithPath: path, isDirectory: true).appendingPathComponent(file).path
    }

    /// Returns the text of a file; `nil` if it cannot be read.
    package func read(_ file: String) -> String? {
        try? String(contentsOfFile: path(of: file), encoding: .utf8)
    }

    /// Replaces a file and returns its path.
    ///
    /// - Parameter isSecret: `true` for a key, whose file is created with mode 0600, so that it is never readable by
    ///   others.
    @discardableResult
    package func write(_ text: String, to file: String, isSecret: Bool) throws(SimulatorSetupError) -> String {
        let path = path(of: file)
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, isSecret ? 0o600 : 0o644)
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

    /// Removes a temporary folder with its files.
    package func removeIfTemporary() {
        if isTemporary { try? FileManager.default.removeItem(atPath: path) }
    }
}
