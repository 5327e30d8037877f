extension RequestValidator {
    private static let prefix = "/3/device"
    /// Apple gives device tokens no fixed length; this bound only refuses what can be no token at all.
    static let longestDeviceToken = 200

    /// The device token of a path `/3/device/<token>`, in lower case: APNs compares tokens as bytes.
    static func deviceToken(inPath path: String) throws(Refusal) -> String {
        guard path.hasPrefix(prefix) else { throw badPath(path) }
        let rest = path.utf8.dropFirst(prefix.utf8.count)
        if rest.isEmpty || rest.elementsEqual("/".utf8) {
            throw Refusal(.missingDeviceToken, "the path ends before a device token; it is /3/device/ and one")
        }
        guard rest.first == UInt8(ascii: "/") else { throw badPath(path) }
        let token = rest.dropFirst()
        if token.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) { throw badPath(path) }
        return Substring(token).lowercased()
    }

    /// Shows the parts of the path that are too short for a token, and no query.
    private static func badPath(_ path: String) -> Refusal {
        let parts = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        let shown = parts.map { $0.count > 16 ? "…" : String($0) }.joined(separator: "/")
        return Refusal(.badPath, "the path is \(shown.excerpt); it is /3/device/ and a device token")
    }

    /// A device token is at least one byte, written as two hexadecimal digits each.
    static func checkDeviceToken(_ token: String?) throws(Refusal) {
        guard let digits = token?.utf8, digits.count.isMultiple(of: 2),
            (1...longestDeviceToken).contains(digits.count / 2),
            digits.allSatisfy(UUIDText.isLowercaseHexadecimal)
        else {
            throw Refusal(
                .badDeviceToken,
                "the device token has \(token?.utf8.count ?? 0) characters; it takes an even number of hexadecimal digits, "
                    + "\(2 * longestDeviceToken) at most")
        }
    }
}
