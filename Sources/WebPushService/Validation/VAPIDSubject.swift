/// The check of a token's `sub`: a URL by which the service reaches the sender's operator (RFC 8292 §2.1).
enum VAPIDSubject {
    /// Returns the fault of a subject by RFC 8292; `nil` if it has none.
    static func fault(_ subject: String) -> String? {
        guard subject.hasPrefix("mailto:") || subject.hasPrefix("https://") else {
            return "it takes a “mailto:” or “https:” URL"
        }
        guard !subject.contains(where: { $0.isWhitespace || $0 == "<" || $0 == ">" }) else {
            return "a URL has neither blanks nor angle brackets"
        }
        return nil
    }

    /// Returns the fault of a subject by Apple's rules, which require the name of a public host too.
    static func appleFault(_ subject: String) -> String? {
        if let fault = fault(subject) { return fault }
        let host = host(subject).lowercased()
        guard host.contains("."), !host.hasPrefix("."), !host.hasSuffix(".") else {
            return "Apple requires the name of a public host"
        }
        guard let end = reservedEnds.first(where: { host.hasSuffix($0) }) else { return nil }
        return "Apple refuses hosts below “\(end)”, which are not public"
    }

    private static let reservedEnds = [".localhost", ".local", ".invalid"]

    private static func host(_ subject: String) -> Substring {
        let url = subject.drop { $0 != ":" }.dropFirst()
        guard subject.hasPrefix("https://") else {
            let address = url.prefix { $0 != "?" }
            return address.lastIndex(of: "@").map { address[address.index(after: $0)...] } ?? ""
        }
        let authority = url.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return host.prefix { $0 != ":" }
    }
}
