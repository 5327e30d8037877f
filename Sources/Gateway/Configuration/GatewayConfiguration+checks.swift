import Server
import Settings

extension GatewayConfiguration.HTTP {
    /// Returns the address or host name to listen on.
    ///
    /// - Parameter key: The setting, next to which the port's is, such as `http.host`.
    static func host(_ text: String, for key: String) throws(ConfigurationError) -> String {
        func problem(_ text: String) -> ConfigurationError { ConfigurationError(key: key, problem: text) }
        let port = key.replacing("host", with: "port")
        if text.contains("/") {
            throw problem("“\(text)” is a URL. Set the host only, such as 127.0.0.1, and the port as \(port)")
        }
        if text.contains("[") || text.contains("]") {
            throw problem("“\(text)” has brackets. Set the address without, such as ::1, and the port as \(port)")
        }
        if text == "*" {
            throw problem("“*” is not an address. 0.0.0.0 stands for all IPv4 addresses, :: for IPv6 too")
        }
        if let authority = Authority(text), authority.port != nil {
            throw problem("“\(text)” has a port. Give \(authority.host) alone, and the port as \(port)")
        }
        return text
    }
}
