import Foundation
import Synchronization

/// The time in the form of the field `Date` (RFC 9110 §6.6.1), written once a second.
final class ResponseDate: Sendable {
    private struct Last {
        var second: time_t
        var text: String
    }

    private let last = Mutex(Last(second: 0, text: ""))

    /// The present time, for example `Sun, 06 Nov 1994 08:49:37 GMT`.
    var text: String {
        let now = time(nil)
        return last.withLock { last in
            if last.second != now { last = Last(second: now, text: Self.text(of: now)) }
            return last.text
        }
    }

    static func text(of second: time_t) -> String {
        var second = second
        var parts = tm()
        gmtime_r(&second, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
            let count = strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
