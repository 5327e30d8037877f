/// A language that the recipient's page speaks.
enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case arabic = "ar"

    var isRightToLeft: Bool { self == .arabic }

    /// Chooses the language by the preferences of a browser (RFC 9110 §12.5.4); English if it speaks none of them.
    ///
    /// - Parameter field: The value of `Accept-Language`, such as `de-AT,de;q=0.9,en;q=0.5`.
    init(accepting field: String?) {
        let preferences = (field ?? "").split(separator: ",").map(Preference.init)
        // The sort is stable: of equal preferences the first comes first.
        let wanted = preferences.filter { $0.quality > 0 }.sorted { $0.quality > $1.quality }
        self = wanted.lazy.compactMap { PageLanguage(rawValue: $0.language) }.first ?? .english
    }

    /// A language, without its region, and the weight that the browser gives it.
    private struct Preference {
        let language: String
        let quality: Double

        init(_ text: Substring) {
            let parts = text.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
            language = parts.first?.split(separator: "-").first?.lowercased() ?? ""
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            quality = weight.map { Double($0) ?? 0 } ?? 1
        }
    }
}
