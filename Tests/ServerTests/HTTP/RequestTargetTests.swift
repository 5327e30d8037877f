import Testing

@testable import Server

@Suite("Request target", .timeLimit(.minutes(10)))
struct RequestTargetTests {
    @Test(
        "A path is normalized by decoding the escapes that it does not need",
        arguments: [
            ("/a%28b%29", "/a(b)"), ("/messages%3asend?q=%28", "/messages:send?q=%28"), ("/%41%7e%2D%5f", "/A~-_"),
            ("/a%2Fb%28", "/a%2Fb("), ("/a%2528", "/a%2528"), ("/%20%C3%A4%3F%23%00%41", "/%20%C3%A4%3F%23%00A"),
        ])
    func normalized(target: String, normalized: String) {
        #expect(RequestTarget.normalized(target) == normalized)
    }

    @Test(
        "A path without escapes, or with an invalid escape, is unchanged",
        arguments: ["/a(b)?%28", "/%", "/%4", "/%zz%41", "/%%41"])
    func unchanged(target: String) {
        let normalized = RequestTarget.normalized(target)
        #expect(normalized == nil || normalized == target)
    }
}
