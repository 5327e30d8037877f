import Foundation

/// A new file that is written from its beginning, and closed at the end of its scope. Only its owner can read it.
struct OutputFile: ~Copyable, Sendable {
    private let path: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    private static let bufferSize = 262_144

    /// Creates a file, which must not exist.
    init(_ path: String) throws(ExportError) {
        let opened = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw ExportError(cannot: "be created", path) }
        self.path = path
        descriptor = opened
    }

    deinit { close(descriptor) }

    mutating func append(_ bytes: some Collection<UInt8>) throws(ExportError) {
        buffer += bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Waits until all bytes are on the disk.
    mutating func finish() throws(ExportError) {
        try flush()
        guard fsync(descriptor) == 0 else { throw ExportError(cannot: "be written", path) }
    }

    private mutating func flush() throws(ExportError) {
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count >= 0 { written += count } else if errno != EINTR { throw ExportError(cannot: "be written", path) }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
