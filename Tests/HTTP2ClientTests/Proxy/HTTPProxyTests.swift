import Testing

@testable import HTTP2Client

@Suite("URL of a proxy")
struct HTTPProxyTests {
    @Test(
        "A proxy URL with or without scheme and port gives host and port",
        arguments: [
            ("http://proxy.example:3128", "proxy.example", 3_128, "http://proxy.example:3128"),
            ("http://Proxy.Example:3128/", "proxy.example", 3_128, "http://proxy.example:3128"),
            ("HTTP://10.0.0.1:8080", "10.0.0.1", 8_080, "http://10.0.0.1:8080"),
            ("proxy:80", "proxy", 80, "http://proxy:80"),
            ("http://proxy_1", "proxy_1", 1_080, "http://proxy_1:1080"),
            ("http://[::1]:3128", "::1", 3_128, "http://[::1]:3128"),
            ("[2001:db8::1]", "2001:db8::1", 1_080, "http://[2001:db8::1]:1080"),
            ("user:word@proxy:65535", "proxy", 65_535, "http://proxy:65535"),
        ])
    func good(url: String, host: String, port: Int, description: String) throws {
        let proxy = try HTTPProxy(url)
        #expect(proxy.host == host && proxy.port == port)
        #expect("\(proxy)" == description)
        #expect((proxy.credentials != nil) == url.contains("@"))
    }

    @Test(
        "The user and password of a proxy URL become decoded Basic credentials",
        arguments: [
            ("Aladdin:open%20sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("user:p%40ss%3A1", "Basic dXNlcjpwQHNzOjE="),
            ("user", "Basic dXNlcjo="), ("user:", "Basic dXNlcjo="), (":word", "Basic OndvcmQ="),
            ("user:a:b@c", "Basic dXNlcjphOmJAYw=="),
        ])
    func credentials(text: String, authorization: String) throws {
        let proxy = try HTTPProxy("http://\(text)@proxy:3128")
        #expect(proxy.credentials?.authorization == authorization)
    }

    @Test("A printed proxy does not contain its credentials")
    func redaction() throws {
        let proxy = try HTTPProxy("http://user:s3cret@proxy:3128")
        let encoded = try #require(proxy.credentials?.authorization)
        var text = "\(proxy) \(String(reflecting: proxy))"
        dump(ProxyRule(proxy), to: &text)
        #expect(!text.contains("s3cret") && !text.contains(encoded) && text.contains("proxy:3128"))
    }

    @Test(
        "A text that is no proxy URL is refused with an error that does not repeat it",
        arguments: [
            ("", .host), ("http://", .host), ("http://:3128", .host), ("://proxy", .host), ("http://[::1", .host),
            ("http://[proxy]:1", .host), ("http://::1:3128", .host), ("http://pröxy", .characters),
            ("http://a b@proxy", .characters), ("http://proxy:0", .port), ("http://proxy:65536", .port),
            ("http://proxy:", .port), ("http://proxy:+1", .port), ("http://[::1]3128", .port),
            ("http://user:s3/cret@proxy:1", .port), ("http://proxy:3128/s3@cret", .path),
            ("http://proxy:3128/path", .path), ("http://proxy:1?a", .path),
            ("http://us%er:s3cret@proxy", .credentials), ("https://proxy:443", .scheme("https")),
            ("socks5://s3cret@proxy:1080", .scheme("socks5")),
        ] as [(String, HTTPProxyURLError)])
    func bad(url: String, error: HTTPProxyURLError) {
        let thrown = #expect(throws: HTTPProxyURLError.self) { try HTTPProxy(url) }
        #expect(thrown == error)
        #expect(thrown?.description.contains("http://proxy.example:3128") == true)
        #expect(thrown?.description.contains("s3cret") == false)
    }
}
