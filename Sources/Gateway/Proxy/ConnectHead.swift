internal import HTTPTypes

/// What a request to the proxy asks for.
struct ConnectHead {
    let method: String
    private let target: String

    /// nil when the lines are not those of a request of HTTP/1.1 or 1.0 (RFC 9112 §3, §3.2, §5.1).
    init?(lines: [String]) {
        let words = lines.first?.split(separator: " ", omittingEmptySubsequences: false).map(String.init) ?? []
        guard words.count == 3, HTTPField.Name(words[0]) != nil, !words[1].isEmpty else { return nil }
        let names = lines.dropFirst().map { $0.split(separator: ":", omittingEmptySubsequences: false) }
        // A name that is no token, such as one with white space, is one that others may read differently.
        guard names.allSatisfy({ $0.count > 1 && HTTPField.Name(String($0[0])) != nil }) else { return nil }
        let hosts = names.count { $0[0].lowercased() == "host" }
        switch words[2] {
        case "HTTP/1.1" where hosts == 1, "HTTP/1.0" where hosts <= 1: break
        default: return nil
        }
        (method, target) = (words[0], words[1])
    }

    /// Why this cannot be had; nil when it can.
    var refusal: ConnectRefusal? {
        guard method == "CONNECT" else { return .method }
        // RFC 9112 §3.2.3: a host and a port, both of them, and nothing else.
        guard let colon = target.lastIndex(of: ":") else { return .malformed }
        let (host, port) = (target[..<colon], target[target.index(after: colon)...])
        guard !host.isEmpty, !host.contains("@"), !host.contains("/"), UInt16(port) != nil else { return .malformed }
        return GoogleHosts.names.contains(host.lowercased()) && port == "443" ? nil : .destination
    }
}
