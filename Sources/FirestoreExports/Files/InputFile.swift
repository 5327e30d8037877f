import Foundation

/// A file that is read from its beginning, and closed at the end of its scope.
struct InputFile: ~Copyable, Sendable {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws(ExportError) {
        let opened = open(path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { throw ExportError(cannot: "be opened", path) }
        self.path = path
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Reads the next bytes in place of the buffer's contents: as many as the limit, fewer only at the end of the
    /// file.
    func read(upTo limit: Int, into buffer: inout [UInt8]) throws(ExportError) {
        if buffer.count != limit { buffer = [UInt8](repeating: 0, count: limit) }
        var count = 0
        while count < limit {
            let got = buffer.withUnsafeMutableBytes { bytes in
                Foundation.read(descriptor, bytes.baseAddress?.advanced(by: count), limit - count)
            }
            if got == 0 { break }
            if got > 0 { count += got } else if errno != EINTR { throw ExportError(cannot: "be read", path) }
        }
        buffer.removeLast(limit - count)
    }

    /// Returns all bytes from the current position to the end.
    func contents() throws(ExportError) -> [UInt8] {
        var (contents, buffer): ([UInt8], [UInt8]) = ([], [])
        repeat {
            try read(upTo: 65_536, into: &buffer)
            contents += buffer
        } while !buffer.isEmpty
        return contents
    }
}
