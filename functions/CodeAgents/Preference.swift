import HTTPTypes
import Texts

/// The client's preferences about the time of a trigger's response, as far as this module supports [RFC
/// 7240](https://www.rfc-editor.org/rfc/rfc7240).
struct Preference: Hashable, Sendable {
    /// `true` if the response is sent before delivery (§4.1).
    private(set) var isAsync = false
    /// The time that the client is willing to wait (§4.3).
    private(set) var wait: Duration?

    /// - Parameter headerFields: The request's header fields; of a repeated preference, the first counts.
    init(_ headerFields: HTTPFields) {
        for field in headerFields where field.name.canonicalName == "prefer" {
            for preference in field.value.split(separator: ",") { take(preference) }
        }
    }

    /// - Parameter preference: A name, optionally with a value after `=` and parameters after `;`.
    private mutating func take(_ preference: Substring) {
        let parts = (preference.split(separator: ";").first ?? "").split(separator: "=", maxSplits: 1)
        let words = parts.map { $0.trimmingWhitespace().lowercased() }
        switch words.first {
        case "respond-async": isAsync = true
        case "wait" where wait == nil && words.count == 2: wait = Self.seconds(words[1])
        default: break
        }
    }

    /// - Parameter text: A number of seconds, optionally in quotation marks.
    private static func seconds(_ text: String) -> Duration? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "\"") }
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return .seconds(Int64(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}
