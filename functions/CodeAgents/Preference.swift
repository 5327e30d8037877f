internal import HTTPTypes
internal import Messaging

/// The caller's wish as to when a trigger is answered: the preferences of
/// [RFC 7240](https://www.rfc-editor.org/rfc/rfc7240) that this module knows.
struct Preference: Hashable, Sendable {
    /// A Boolean value indicating whether to answer before delivery (§4.1).
    private(set) var isAsync = false
    /// The time that the caller is ready to wait (§4.3).
    private(set) var wait: Duration?

    /// - Parameter headerFields: those of a request; of a preference that is there twice, the first counts.
    init(_ headerFields: HTTPFields) {
        for field in headerFields where field.name.canonicalName == "prefer" {
            for preference in field.value.split(separator: ",") { take(preference) }
        }
    }

    /// - Parameter preference: a name, perhaps a value after `=`, perhaps parameters after `;`.
    private mutating func take(_ preference: Substring) {
        let parts = (preference.split(separator: ";").first ?? "").split(separator: "=", maxSplits: 1)
        let words = parts.map { $0.trimmingWhitespace().lowercased() }
        switch words.first {
        case "respond-async": isAsync = true
        case "wait" where wait == nil && words.count == 2: wait = Self.seconds(words[1])
        default: break
        }
    }

    /// - Parameter text: delta-seconds, which may be in quotation marks.
    private static func seconds(_ text: String) -> Duration? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "\"") }
        guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return .seconds(Int64(String(decoding: digits, as: UTF8.self)) ?? .max)
    }
}
