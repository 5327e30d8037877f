import Functions
import Testing

@Suite("Paths of requests")
struct RequestPathTests {
    @Test(
        "The last segment of a path is the decoded one of a list of its segments",
        arguments: [
            "", "/", "//", "/a", "a", "/a/", "//a//b/", "/a/b/c", "/a/b/c/", "/a/b/c/d", "/a%2Fb", "/a/%C3%A9", "/%zz",
            "/é/ü", "/a/b/%63/d", "/a.b-c_d~/e:f",
        ])
    func lastSegment(path: String) {
        let segments = RequestPath(path).segments
        for most in 0...4 {
            let last = RequestPath.lastSegment(of: path[...], amongAtMost: most)
            #expect(last == (segments.count <= most ? segments.last : nil))
        }
        let rest = "before?\(path)"
        #expect(RequestPath.lastSegment(of: rest.dropFirst(7), amongAtMost: 4) == segments.last)
    }
}
