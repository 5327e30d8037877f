import IPAddresses

/// The address of the operator in tokens (RFC 8292 §2.1), by the rules of the strictest service. Apple answers 403
/// `BadJwtToken` to an address without a real host, which says nothing about the reason.
package enum OperatorAddress {
    /// Names below which no public host is (RFC 6761, RFC 6762, RFC 8375, RFC 9476), and a few that networks use.
    private static let privateNames: Set<String> = [
        "localhost", "local", "invalid", "test", "example", "internal", "intranet", "lan", "home", "corp", "private",
        "home.arpa", "onion", "alt",
    ]

    /// Returns the reason why a text is not such an address, as a verb phrase; `nil` if it is one.
    package static func problem(with text: String) -> String? {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return "must have no blanks, and ASCII characters alone"
        }
        guard !text.contains(where: { "<>".contains($0) }) else {
            return "must have no < and >; write mailto:you@your-domain.com"
        }
        if text.hasPrefix("mailto:") { return problem(withMail: text.dropFirst("mailto:".count)) }
        if text.hasPrefix("https://") {
            guard let url = try? WebPushEndpoint(text) else { return "must be mailto: and an address, or an https URL" }
            return problem(withHost: url.host)
        }
        if text.contains("@"), !text.contains(":") { return "must begin with mailto:; write mailto:\(text)" }
        return "must begin with mailto: or https://"
    }

    private static func problem(withMail address: Substring) -> String? {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let server = try? WebPushEndpoint.server(parts[1]),
            server.port == nil
        else { return "must have one mail address behind mailto:, such as mailto:you@your-domain.com" }
        return problem(withHost: server.host)
    }

    private static func problem(withHost host: String) -> String? {
        guard IPAddress(host) == nil else { return "must have the name of a host, and has the address \(host)" }
        let labels = host.split(separator: ".")
        let endings = [labels.suffix(1), labels.suffix(2)].map { $0.joined(separator: ".") }
        guard labels.count > 1, !endings.contains(where: privateNames.contains) else {
            return "must have a host that is known on the internet, and has \(host), for which Apple would refuse "
                + "every message"
        }
        return nil
    }
}
