import Foundation
package import NIOCore

/// Texts about the addresses that services for tests listen on.
package enum Listening {
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
