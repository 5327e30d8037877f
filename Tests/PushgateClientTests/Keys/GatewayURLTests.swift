import Foundation
import PushgateClient
import Testing

@Suite("Base URL of a gateway")
struct GatewayURLTests {
    @Test(
        "A base URL may have a path prefix and a slash at its end",
        arguments: [
            ("https://push.example.com", "https://push.example.com/registerSubscription"),
            ("https://push.example.com/", "https://push.example.com/registerSubscription"),
            ("https://push.example.com//", "https://push.example.com/registerSubscription"),
            ("http://10.0.0.2:8080/demo/us-central1/", "http://10.0.0.2:8080/demo/us-central1/registerSubscription"),
            ("  https://push.example.com/push \n", "https://push.example.com/push/registerSubscription"),
            ("http://[::1]:8080", "http://[::1]:8080/registerSubscription"),
        ])
    func functions(text: String, url: String) throws {
        let gateway = try #require(GatewayURL(text))
        #expect(gateway.function("registerSubscription").absoluteString == url)
        #expect(!gateway.text.hasSuffix("/"))
    }

    @Test(
        "A base URL without scheme or host, or with characters unsafe in a file or URL, gives nil",
        arguments: [
            "", "push.example.com", "ftp://push.example.com", "https://", "https:///push", "https://a b/",
            "https://push.example.com?x=1", "https://push.example.com#x", "https://me:word@push.example.com",
            "https://push.example.com/a\nX=1", "https://push.example.com/a\rb", "https://push.example.com/a\tb",
            "https://push.example.com/\"", "https://push.example.com/'", "https://push.example.com/\\",
            "https://push.example.com/$HOME", "https://push.example.com/`x`", "https://größe.example.com",
            "https://push.example.com/größe", "https://push.example.com/a\0",
        ])
    func unusable(text: String) {
        #expect(GatewayURL(text) == nil)
    }
}
