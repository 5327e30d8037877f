/// Windows for what clients may send unasked (RFC 9113 §5.2).
///
/// A stream keeps HTTP/2's initial window, which holds more than ten payloads. A connection gets room for a thousand.
enum FlowControl {
    static let initialWindow = 65_535
    static let connectionWindow = 4 * 1024 * 1024

    /// How much to add to a connection's window; `nil` while it is more than half open.
    static func increment(from window: Int) -> Int? {
        window < connectionWindow / 2 ? connectionWindow - window : nil
    }
}
