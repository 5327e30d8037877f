import Foundation

/// A port on loopback that accepts connections and never answers: a trap for programs that must not connect.
package final class SilentListener: Sendable {
    private let descriptor: Int32
    package let port: UInt16

    /// The URL of the port, `http://127.0.0.1:50123`.
    package var url: String { "http://127.0.0.1:\(port)" }

    /// Opens any free port on loopback.
    package init() throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isListening else { throw CannotListen(code: errno) }
    }

    deinit { close(descriptor) }

    /// `true` if a client has connected.
    package var hasConnection: Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, 0) > 0
    }
}

/// An error for a port on loopback that cannot be opened.
struct CannotListen: Error {
    let code: Int32
}
