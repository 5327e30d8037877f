import Testing

@testable import Functions

@Suite("Shortening a text")
struct ShorteningTests {
    @Test(
        "by bytes keeps whole scalars and adds nothing",
        arguments: [
            ("", 0, ""), ("abc", 3, "abc"), ("abc", 2, "ab"), ("aé", 2, "a"), ("aé", 3, "aé"), ("👍🏽", 7, "👍"),
            ("👍", 3, ""),
        ])
    func bytes(text: String, limit: Int, kept: String) {
        #expect(text.prefix(utf8Bytes: limit) == kept)
    }

    @Test(
        "by UTF-16 units makes one line, and ends what was longer in an ellipsis",
        arguments: [
            ("", 3, ""), (" a \n b\t", 3, "a b"), ("abcd", 3, "ab…"), ("a cd", 3, "a…"), ("a👍👍", 4, "a👍…"),
            ("👍👍", 4, "👍👍"),
        ])
    func units(text: String, limit: Int, kept: String) {
        #expect(text.shortened(to: limit) == kept)
    }
}
