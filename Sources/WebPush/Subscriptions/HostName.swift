import IPAddresses
import Messaging
import Texts

/// The host of an endpoint: a name of the DNS (RFC 1035 §2.3.1, with underscores), or an IP address.
enum HostName {
    private static let maximumByteCount = 253
    private static let maximumLabelByteCount = 63

    /// Returns the host in lower case; an address in its canonical spelling, without brackets.
    ///
    /// A name whose last part begins with a digit is refused: resolvers read `2130706433` and `0x7f.1` as addresses.
    static func read(_ text: Substring) throws(SubscriptionError) -> String {
        if text.hasPrefix("[") {
            let address = text.dropFirst().dropLast()
            guard text.hasSuffix("]"), address.contains(":"), let parsed = IPAddress(address) else {
                throw SubscriptionError("endpoint", "must have an IPv6 address between its brackets")
            }
            return parsed.canonicalText
        }
        // An IPv4 address begins with a digit.
        if text.utf8.first?.isASCIIDigit == true, !text.contains(":"), IPAddress(text) != nil { return String(text) }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard !text.isEmpty, text.utf8.count <= maximumByteCount, labels.allSatisfy(isLabel),
            let last = labels.last, last.utf8.first?.isASCIIDigit != true
        else { throw SubscriptionError("endpoint", "must have the name or the address of a host") }
        return text.lowercased()
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...maximumLabelByteCount).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
            && label.utf8.allSatisfy {
                $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }
}
