/// A name under which clients, or pages in a browser, reach a gateway.
package struct GatewayName: Hashable, Sendable {
    let host: String
    /// The port; `nil` for the scheme's standard port and the port that a request arrived at.
    private let port: Int?
    /// The scheme; `nil` for both `http` and `https`.
    private let scheme: String?

    /// Reads `push.example.com`, `push.example.com:8443` or `https://push.example.com`; `nil` for any other form.
    package init?(_ text: String) {
        if let origin = WebOrigin(text) {
            (host, port, scheme) = (origin.host, origin.port, origin.scheme)
        } else if let authority = Authority(text) {
            (host, port, scheme) = (authority.host, authority.port, nil)
        } else {
            return nil
        }
    }

    /// Takes the scheme, host and port of a web address, and ignores its path.
    package init?(ofURL url: String) {
        let parts = url.split(separator: "/", maxSplits: 2)
        guard parts.count > 1 else { return nil }
        self.init("\(parts[0])//\(parts[1])")
    }

    /// The URL of the name, by HTTPS unless the name says otherwise.
    package var url: String {
        let address = host.contains(":") ? "[\(host)]" : host
        return "\(scheme ?? "https")://\(address)" + (port.map { ":\($0)" } ?? "")
    }

    /// Returns `true` if pages of the origin belong to the gateway under this name.
    ///
    /// - Parameter requestPort: The port in the request's `Host` field.
    func covers(_ origin: WebOrigin, requestPort: Int?) -> Bool {
        guard origin.host == host, scheme == nil || scheme == origin.scheme else { return false }
        guard let port else { return origin.port == origin.standardPort || origin.port == requestPort }
        return origin.port == port
    }
}
