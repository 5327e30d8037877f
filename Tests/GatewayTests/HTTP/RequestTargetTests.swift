import Testing

@testable import Gateway

@Suite("The target of a request", .timeLimit(.minutes(1)))
struct RequestTargetTests {
    @Test(
        "a path is compared without escapes that it does not need",
        arguments: [
            ("/a%28b%29", "/a(b)"), ("/messages%3asend?q=%28", "/messages:send?q=%28"), ("/%41%7e%2D%5f", "/A~-_"),
            ("/a%2Fb%28", "/a%2Fb("), ("/a%2528", "/a%2528"), ("/%20%C3%A4%3F%23%00%41", "/%20%C3%A4%3F%23%00A"),
        ])
    func normalized(target: String, normalized: String) {
        #expect(RequestTarget.normalized(target) == normalized)
    }

    @Test(
        "a path without escapes, or with one that is none, stays",
        arguments: ["/a(b)?%28", "/%", "/%4", "/%zz%41", "/%%41"])
    func unchanged(target: String) {
        let normalized = RequestTarget.normalized(target)
        #expect(normalized == nil || normalized == target)
    }
}
