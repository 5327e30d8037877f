import Cryptography
import Foundation

/// `openssl s_server -www`, which answers every request with a page about its TLS session.
final class TLSServer {
    private static let tool = "/usr/bin/openssl"
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: tool) }

    struct DidNotStart: Error {}

    let port: Int
    private let process = Process()
    private let files: [TemporaryFile]

    init(_ certificate: IssuedCertificate) throws {
        files = [try TemporaryFile(certificate.certificatePEM), try TemporaryFile(certificate.privateKeyPEM)]
        let output = Pipe()
        process.executableURL = URL(filePath: Self.tool)
        process.arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", files[0].path, "-key", files[1].path,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        port = try Self.port(from: output.fileHandleForReading)
    }

    deinit {
        // `terminate()` does not work: the child inherits the signals that the runtime's threads block.
        kill(process.processIdentifier, SIGKILL)
    }

    /// Returns the port of the line `ACCEPT 127.0.0.1:54321`, which the tool prints when it listens.
    private static func port(from output: FileHandle) throws -> Int {
        var text = ""
        while case let data = output.availableData, !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
            let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last {
                $0.hasPrefix("ACCEPT")
            }
            if let port = line?.split(separator: ":").last.flatMap({ Int($0) }) { return port }
        }
        throw DidNotStart()
    }
}

/// A file that is deleted with its last reference.
final class TemporaryFile {
    let path: String

    init(_ text: String) throws {
        path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
