import Settings
import TestSupport
import Testing

@testable import Gateway

@Suite("Addresses of a gateway for its clients")
struct ClientAddressesTests {
    private func addresses(
        host: String = "127.0.0.1", port: Int = 8_080, proxyPort: Int? = 8_444, url: String? = nil
    ) throws -> ClientAddresses {
        var configuration = GatewayConfiguration()
        configuration.http.host = host
        configuration.http.port = port
        configuration.fcm.proxyPort = proxyPort
        return try ClientAddresses(configuration, url: url)
    }

    @Test(
        "The address for clients is the listening address, or loopback as a guess if that is every address",
        arguments: [
            ("192.0.2.1", "http://192.0.2.1:8080", "http://192.0.2.1:8444", false),
            ("push.example", "http://push.example:8080", "http://push.example:8444", false),
            ("2001:db8::1", "http://[2001:db8::1]:8080", "http://[2001:db8::1]:8444", false),
            ("0.0.0.0", "http://127.0.0.1:8080", "http://127.0.0.1:8444", true),
            ("::", "http://[::1]:8080", "http://[::1]:8444", true),
        ])
    func byConfiguration(host: String, url: String, proxy: String, isGuessed: Bool) throws {
        let addresses = try addresses(host: host)
        #expect(addresses.url == url && addresses.proxy == proxy && addresses.isGuessed == isGuessed)
        #expect(try self.addresses(host: host, proxyPort: nil).proxy == nil)
    }

    @Test(
        "The configured URL is the address for clients, and gives the proxy's host if that listens everywhere",
        arguments: [
            ("0.0.0.0", "https://push.example.com", "https://push.example.com", "http://push.example.com:8444"),
            ("::", "https://push.example.com/fcm//", "https://push.example.com/fcm", "http://push.example.com:8444"),
            ("::", "http://[2001:db8::1]:80/", "http://[2001:db8::1]:80", "http://[2001:db8::1]:8444"),
            ("127.0.0.1", "https://push.example.com", "https://push.example.com", "http://127.0.0.1:8444"),
        ])
    func said(host: String, text: String, url: String, proxy: String) throws {
        let addresses = try addresses(host: host, port: 0, url: text)
        #expect(addresses.url == url && addresses.proxy == proxy && !addresses.isGuessed)
    }

    @Test(
        "A URL for clients that is no plain http or https URL is refused",
        arguments: [
            "", "push.example.com", "push.example.com:8080", "ftp://push.example.com", "https://", "https:///fcm",
            "https://a b", "https://user:word@push.example.com", "https://push.example.com?a=b",
            "https://push.example.com#a",
        ])
    func refused(url: String) {
        let error = #expect(throws: ConfigurationError.self) { try addresses(url: url) }
        #expect(error?.key == "--url")
    }

    @Test("The address for clients is unknown before the start if a port is 0")
    func anyPort() {
        let http = #expect(throws: ConfigurationError.self) { try addresses(port: 0) }
        #expect(http?.key == "http.port")
        for url in [nil, "https://push.example.com"] {
            let proxy = #expect(throws: ConfigurationError.self) { try addresses(proxyPort: 0, url: url) }
            #expect(proxy?.key == "fcm.proxy.port")
        }
    }
}
