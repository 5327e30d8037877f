import Testing
import Texts

@Suite("Excerpts of texts from outside")
struct ExcerptTests {
    @Test("An excerpt of a short text is the text in quotation marks, without control characters")
    func short() {
        #expect("com.example.app".excerpt == "“com.example.app”")
        #expect("a\u{7}b\r\nc".excerpt == "“a?b?c”")
    }

    @Test("An excerpt of a long text has 40 characters and the length")
    func long() {
        let text = String(repeating: "é", count: 64)
        #expect(text.excerpt == "“\(String(repeating: "é", count: 40))”… (64 characters)")
        #expect(!text.excerpt.contains(String(repeating: "é", count: 41)))
    }
}
