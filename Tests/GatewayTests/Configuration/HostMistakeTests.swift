import Gateway
import Testing

@Suite("A host to listen on")
struct HostMistakeTests {
    private func read(_ host: String) async throws -> GatewayConfiguration {
        try await GatewayConfiguration.read(flags: ["http.host": host], environment: [:], file: nil)
    }

    @Test(
        "that is a URL, in brackets or has a port is refused with what to give instead",
        arguments: [
            ("http://127.0.0.1:8080", "is a URL"), ("https://push.example.com", "is a URL"), ("127.0.0.1/", "is a URL"),
            ("[::1]", "has brackets"), ("[::1]:8080", "has brackets"), ("127.0.0.1:8080", "Give 127.0.0.1 alone"),
            ("localhost:80", "Give localhost alone"), ("*", "0.0.0.0 is every one"),
        ])
    func refused(host: String, words: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(host) }
        #expect(error?.key == "http.host")
        #expect(error?.problem.contains("“\(host)”") == true && error?.problem.contains(words) == true)
    }

    @Test(
        "that is an address or a name is taken as it is",
        arguments: ["127.0.0.1", "0.0.0.0", "::", "::1", "fe80::1", "2001:db8::80", "localhost", "push.example.com"])
    func taken(host: String) async throws {
        #expect(try await read(host).http.host == host)
    }
}
