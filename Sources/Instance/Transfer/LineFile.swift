import Cryptography
import Foundation

/// Writes a new file of lines, which only its owner can read, and their digest.
struct LineWriter: ~Copyable {
    private static let bufferSize = 1 << 20

    private let path: String
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    /// The digest of all lines so far, with their ends.
    private(set) var digest = SHA256.Hasher()

    /// Creates the file, which must not exist.
    init(_ path: String) throws(GatewayError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw GatewayError("cannot create \(path): \(String(cString: strerror(errno)))") }
        self.path = path
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    mutating func append(_ line: [UInt8]) throws(GatewayError) {
        let bytes = line + [UInt8(ascii: "\n")]
        digest.update(bytes)
        buffer += bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Waits until all lines are on the disk.
    mutating func finish() throws(GatewayError) {
        try flush()
        do {
            try handle.synchronize()
        } catch {
            throw GatewayError("cannot write \(path): \(error.localizedDescription)")
        }
    }

    private mutating func flush() throws(GatewayError) {
        do {
            try handle.write(contentsOf: Data(buffer))
        } catch {
            throw GatewayError("cannot write \(path): \(error.localizedDescription)")
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Reads the lines of a file, one after the other.
struct LineReader: ~Copyable {
    private static let pieceSize = 1 << 20
    /// A document has at most 1 MiB; its JSON may have several times that.
    private static let longestLine = 32 << 20

    private let path: String
    private let handle: FileHandle
    private var rest: ArraySlice<UInt8> = []
    private var isAtEnd = false

    init(_ path: String) throws(GatewayError) {
        guard let handle = FileHandle(forReadingAtPath: path) else { throw GatewayError("cannot read \(path).") }
        self.path = path
        self.handle = handle
    }

    /// Returns the next line, without its end; `nil` at the end of the file.
    mutating func next() throws(GatewayError) -> [UInt8]? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = rest[(end + 1)...] }
                return Array(rest[..<end])
            }
            guard !isAtEnd else {
                guard !rest.isEmpty else { return nil }
                defer { rest = [] }
                return Array(rest)
            }
            guard rest.count < Self.longestLine else { throw GatewayError("\(path) has a line that is too long.") }
            do {
                let piece = try handle.read(upToCount: Self.pieceSize) ?? Data()
                isAtEnd = piece.isEmpty
                rest = ArraySlice(Array(rest) + [UInt8](piece))
            } catch {
                throw GatewayError("cannot read \(path): \(error.localizedDescription)")
            }
        }
    }
}
