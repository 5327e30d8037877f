import Testing
import Texts

@Suite("Texts that compare by their bytes")
struct ExactTextTests {
    /// Texts that Swift's `String`s call equal: one scalar, and a letter and a mark; a letter, and a sign like it.
    static let equivalents = [("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{AC00}", "\u{1100}\u{1161}")]

    @Test("Texts that are canonically equivalent differ, and are two keys and two elements", arguments: equivalents)
    func equivalence(one: String, other: String) {
        #expect(one == other)
        #expect(ExactText(one) != ExactText(other))
        #expect(Set([ExactText(one), ExactText(other), ExactText(one)]).count == 2)
        #expect([ExactText(one): 1, ExactText(other): 2][ExactText(other)] == 2)
    }

    @Test("The order is that of the bytes, a prefix first")
    func order() {
        let texts: [ExactText] = ["", "\u{0}", "a", "a\u{0}", "aa", "b", "e\u{301}", "\u{E9}", "\u{FFFD}", "\u{10000}"]
        #expect(texts.shuffled().sorted() == texts)
        for (one, other) in zip(texts, texts.dropFirst()) { #expect(one < other && !(other < one) && one != other) }
    }

    @Test("A text begins with the bytes of another one, not with its characters")
    func beginning() {
        #expect(ExactText("a/\u{301}b").begins(with: "a/"))
        #expect(ExactText("a").begins(with: "") && ExactText("a").begins(with: "a"))
        #expect(!ExactText("\u{E9}a").begins(with: "e\u{301}") && !ExactText("a").begins(with: "ab"))
    }
}
