import HTTPTypes

/// The id of a request, which its response and all log lines about it carry.
///
/// It is random: with a counter, every client could tell how many requests others make.
enum RequestID {
    /// The id of the request that the current task works on; `nil` outside of requests.
    @TaskLocal static var current: String?

    /// Returns a new id: 60 random bits in hexadecimal, which fit in a `String` without an allocation.
    static func make() -> String { String(UInt64.random(in: 0..<1 << 60), radix: 16) }

    /// The field of the response, as many servers name it. HTTP defines none.
    static let field = HTTPField.Name("X-Request-Id")
    /// The key in the metadata of log lines.
    static let metadataKey = "request"
}
