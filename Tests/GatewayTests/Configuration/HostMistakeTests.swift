import Gateway
import Settings
import Testing

@Suite("Host to listen on")
struct HostMistakeTests {
    private func read(_ host: String) async throws -> GatewayConfiguration {
        try await GatewayConfiguration.read(flags: ["http.host": host], environment: [:], file: nil)
    }

    @Test(
        "A host with a scheme, brackets or a port is refused with the value to give instead",
        arguments: [
            ("http://127.0.0.1:8080", "is a URL"), ("https://push.example.com", "is a URL"), ("127.0.0.1/", "is a URL"),
            ("[::1]", "has brackets"), ("[::1]:8080", "has brackets"), ("127.0.0.1:8080", "Give 127.0.0.1 alone"),
            ("localhost:80", "Give localhost alone"), ("*", "0.0.0.0 stands for all"),
        ])
    func refused(host: String, words: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(host) }
        #expect(error?.key == "http.host")
        #expect(error?.problem.contains("“\(host)”") == true && error?.problem.contains(words) == true)
    }

    @Test(
        "A host that is an address or a name is accepted unchanged",
        arguments: ["127.0.0.1", "0.0.0.0", "::", "::1", "fe80::1", "2001:db8::80", "localhost", "push.example.com"])
    func taken(host: String) async throws {
        #expect(try await read(host).http.host == host)
    }
}
