import Foundation
package import NIOCore
import NIOPosix

/// The listeners of services for tests, and texts about their addresses.
package enum Listening {
    /// Listens on an address.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for a free one.
    ///   - configure: Adds the handlers to a new connection.
    package static func bind(
        host: String, port: Int, on group: any EventLoopGroup,
        _ configure: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 512)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer(configure)
            .bind(host: host, port: port)
            .get()
    }

    /// Returns the host and port of a listener, in the form of a URL.
    package static func authority(_ host: String, _ listener: any Channel) -> String {
        let port = listener.localAddress?.port ?? 0
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Returns the cause for which a server could not listen.
    package static func cause(of error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    }
}

/// Dates in the form of HTTP (RFC 9110 §5.6.7).
package enum HTTPDate {
    /// Returns a date in the form `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter seconds: The time in seconds since 1970.
    package static func text(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return text.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
