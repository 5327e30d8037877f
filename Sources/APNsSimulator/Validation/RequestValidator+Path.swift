extension RequestValidator {
    private static let prefix = "/3/device"
    /// Apple gives device tokens no fixed length; this bound only refuses what can be no token at all.
    static let longestDeviceToken = 200

    /// The device token of a path `/3/device/<token>`, in lower case: APNs compares tokens as bytes.
    static func deviceToken(inPath path: String) throws(Rejection) -> String {
        guard path.hasPrefix(prefix) else { throw .badPath }
        let rest = path.utf8.dropFirst(prefix.utf8.count)
        if rest.isEmpty || rest.elementsEqual("/".utf8) { throw .missingDeviceToken }
        guard rest.first == UInt8(ascii: "/") else { throw .badPath }
        let token = rest.dropFirst()
        if token.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) { throw .badPath }
        return Substring(token).lowercased()
    }

    /// A device token is at least one byte, written as two hexadecimal digits each.
    static func checkDeviceToken(_ token: String?) throws(Rejection) {
        guard let digits = token?.utf8, digits.count.isMultiple(of: 2),
            (1...longestDeviceToken).contains(digits.count / 2),
            digits.allSatisfy(UUIDText.isLowercaseHexadecimal)
        else { throw .badDeviceToken }
    }
}
