import Foundation

/// A TCP connection on POSIX sockets that sends any byte unchanged. Its calls block the thread.
struct RawConnection: ~Copyable {
    /// The reason for which there is no connection.
    struct Failure: Error {
        /// The system's `errno`.
        let code: Int32
    }

    private let descriptor: Int32

    /// - Parameter source: the IPv4 address in loopback's network to connect from.
    init(port: UInt16, from source: String = "127.0.0.1") throws(Failure) {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw Failure(code: errno) }
        let isConnected =
            Self.withAddress(source, port: 0) { bind(descriptor, $0, $1) } == 0
            && Self.withAddress("127.0.0.1", port: port) { connect(descriptor, $0, $1) } == 0
        guard isConnected, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            let code = errno
            close(descriptor)
            throw Failure(code: code)
        }
        self.descriptor = descriptor
    }

    private static func withAddress(
        _ host: String, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }

    /// Waits until the socket is readable, or writable if `toWrite` is `true`.
    func wait(toWrite: Bool, atMost bound: Duration) -> (isReadable: Bool, isWritable: Bool) {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if toWrite { poller.events |= Int16(POLLOUT) }
        poll(&poller, 1, Int32(max(0, bound / .milliseconds(1)).rounded(.up)))
        let events = Int32(poller.revents)
        return (events & Int32(POLLIN | POLLHUP | POLLERR) != 0, events & Int32(POLLOUT) != 0)
    }

    /// - Returns: the received bytes; `nil` if the other end has closed or on an error.
    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { return Array(buffer.prefix(count)) }
        return count < 0 && errno == EAGAIN ? [] : nil
    }

    /// - Returns: the number of sent bytes; `nil` on an error.
    func write(_ bytes: ArraySlice<UInt8>) -> Int? {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
        if count >= 0 { return count }
        return errno == EAGAIN ? 0 : nil
    }

    func shutDownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }
}
