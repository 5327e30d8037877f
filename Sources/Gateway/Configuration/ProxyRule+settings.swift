internal import HTTP2Client

/// The proxy on the way to Apple: `apns.proxy`, else that of the environment, by the rules of curl.
extension ProxyRule {
    static let key = "apns.proxy"

    /// Returns the setting's; `nil` if there is no such setting. An empty one stands for no proxy, as curl's `--proxy ""` does.
    static func setting(_ settings: Settings) throws(ConfigurationError) -> ProxyRule? {
        guard let url = settings.anyString(key) else { return nil }
        return url.isEmpty ? .direct : try rule(url, of: key, settings)
    }

    /// Returns that of `https_proxy` or `HTTPS_PROXY`.
    static func environment(_ settings: Settings) throws(ConfigurationError) -> ProxyRule {
        guard let (name, url) = settings.variable("https_proxy", "HTTPS_PROXY") else { return .direct }
        return try rule(url, of: name, settings)
    }

    private static func rule(
        _ url: String, of name: String, _ settings: Settings
    ) throws(ConfigurationError) -> ProxyRule {
        let exceptions = NoProxyList(settings.variable("no_proxy", "NO_PROXY")?.value ?? "")
        do {
            return ProxyRule(try HTTPProxy(url), except: exceptions)
        } catch {
            let advice = name == key ? "" : ". Or set \(key), which counts instead; empty, it stands for no proxy"
            throw ConfigurationError(key: name, problem: "\(error)\(advice)")
        }
    }
}
