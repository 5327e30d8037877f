import Foundation
import Synchronization

/// A server on loopback that gives every request one answer and closes the connection, or never answers.
final class LoopbackServer: Sendable {
    struct CouldNotListen: Error {}

    let port: Int
    private let listener: Int32
    private let received = Mutex<[String]>([])

    /// The requests so far, as text.
    var requests: [String] { received.withLock { $0 } }

    var url: String { "http://127.0.0.1:\(port)" }

    /// Listens while the body runs.
    ///
    /// - Parameter answer: Returns the answer for the server's own URL; `nil` for a server that never answers.
    static func running<Output>(
        answering answer: ((_ url: String) -> String)?, _ body: (LoopbackServer) async throws -> Output
    ) async throws -> Output {
        let server = try LoopbackServer()
        let text = answer?(server.url)
        Thread.detachNewThread { server.serve(text) }
        defer { shutdown(server.listener, Int32(SHUT_RDWR)) }
        return try await body(server)
    }

    private init() throws {
        #if os(Linux)
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (descriptor, status) = withUnsafeMutablePointer(to: &address) { [listener] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                (listener, bind(listener, generic, length) == 0 ? getsockname(listener, generic, &length) : -1)
            }
        }
        guard descriptor >= 0, status == 0, listen(descriptor, 16) == 0 else { throw CouldNotListen() }
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// MSG_NOSIGNAL: a client may close its connection before it has read everything.
    #if os(Linux)
        private static let flags: Int32 = 0x4000
    #else
        private static let flags: Int32 = 0
    #endif

    private func serve(_ answer: String?) {
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            let request = Self.readRequest(from: connection)
            received.withLock { $0.append(request) }
            if let answer {
                _ = Array(answer.utf8).withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Self.flags) }
            }
            if answer == nil { _ = Self.readRequest(from: connection) }
            close(connection)
        }
        close(listener)
    }

    /// Returns head and body, as far as `Content-Length` says.
    private static func readRequest(from connection: Int32) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while !isComplete(text) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }

    private static func isComplete(_ text: String) -> Bool {
        let parts = text.components(separatedBy: "\r\n\r\n")
        guard parts.count > 1 else { return false }
        let length = parts[0].components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces)) }
        return parts[1].utf8.count >= length ?? 0
    }
}
