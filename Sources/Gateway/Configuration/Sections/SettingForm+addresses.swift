import IPAddresses
import Server
import Settings

extension SettingForm where Value == String {
    /// An address or host name to listen on.
    static func host() -> SettingForm<String> {
        SettingForm<String>("text") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key) else { return nil }
            if let problem = problem(ofHost: text, for: key) { throw settings.problem(key, problem) }
            return text
        }
    }

    /// Returns the problem of a text that is not an address or a host name alone, and the value to set instead.
    ///
    /// - Parameter key: The setting, next to which the port's is, such as `http.host`.
    private static func problem(ofHost text: String, for key: String) -> String? {
        let port = key.replacing("host", with: "port")
        if text.contains("/") {
            return "“\(text)” is a URL. Set the host only, such as 127.0.0.1, and the port as \(port)"
        }
        if text.contains("[") || text.contains("]") {
            return "“\(text)” has brackets. Set the address without, such as ::1, and the port as \(port)"
        }
        if text == "*" {
            return "“*” is not an address. 0.0.0.0 stands for all IPv4 addresses, :: for IPv6 too"
        }
        guard let authority = Authority(text), authority.port != nil else { return nil }
        return "“\(text)” has a port. Give \(authority.host) alone, and the port as \(port)"
    }
}

extension SettingForm where Value == [AddressRange] {
    /// A list of addresses and ranges.
    ///
    /// - Parameter example: A range for error texts.
    static func peers(_ example: String) -> SettingForm<[AddressRange]> {
        list("list of addresses and ranges", of: "an IP address or a range like \(example)", { AddressRange($0) })
    }
}
