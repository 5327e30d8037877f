import Foundation
import Testing

@testable import Functions

@Suite("The preview of a reply")
struct PreviewTests {
    @Test(
        "The preview leaves out the app's own blocks",
        arguments: [
            ("Done.", "Done."),
            ("a\n```codeagents-ui\n{\"x\":1}\n```\nb", "a b"),
            ("a\n```codeagents_ui\n{\"x\":1}\n```\nb", "a b"),
            ("a\r\n```codeagents-ui\r\n{\"x\":1}\r\n```\r\nb", "a b"),
            ("a ```CodeAgents-UI x``` b", "a b"), ("a ```CODEAGENTS_UI x``` b", "a b"),
            ("a ```  codeagents-ui x``` b", "a b"), ("a ```\tcodeagents-ui x``` b", "a b"),
            ("a ```codeagents-ui``` b", "a b"), ("a ```codeagents-ui x", "a"), ("a ```codeagents-ui", "a"),
            ("a ```codeagents-ui x\ny\nz", "a"),
            ("```codeagents-ui 1```a```codeagents_ui 2``` b ```codeagents-ui 3```", "a b"),
            ("```codeagents-ui 1``` a ```codeagents-ui 2", "a"),
            ("```codeagents-ui a `b` ``c`` d``` e", "e"),
            ("```swift\nlet x = 1\n``` b", "```swift let x = 1 ``` b"), ("``` x ```", "``` x ```"),
            ("codeagents-ui", "codeagents-ui"), ("``codeagents-ui x`` b", "``codeagents-ui x`` b"),
            ("a ```codeagents-uix y``` b", "a b"), ("a ```codeagents_ui-foo y``` b", "a b"),
            ("a\n```codeagents_ui-foo\n{}\n```\nb", "a b"), ("a ```CodeAgents-UI_2 y", "a"),
            ("```codeagents-u y``` b", "```codeagents-u y``` b"),
            ("```xcodeagents-ui y``` b", "```xcodeagents-ui y``` b"),
            ("```codeagentsui y``` b", "```codeagentsui y``` b"),
            ("```swift\nx\n```\n```codeagents-ui\ny\n```\nz", "```swift x ``` z"),
            ("````codeagents-ui x```` b", "`` b"),
        ])
    func blocks(reply: String, expected: String) {
        #expect(Preview.text(of: reply) == expected)
    }

    @Test(
        "The preview turns white space into single spaces",
        arguments: [
            ("  a  b\n\n\tc \r\n d ", "a b c d"), ("a\u{A0}\u{2003}b\u{2028}c\u{3000}", "a b c"),
            ("\u{85}a\u{85} b", "\u{85}a\u{85} b"), ("a\u{200B}b", "a\u{200B}b"), ("👩‍👩‍👧 ❤️ x", "👩‍👩‍👧 ❤️ x"),
            ("a \u{301}b", "a \u{301}b"),
        ])
    func whitespace(reply: String, expected: String) {
        #expect(Preview.text(of: reply).map { Array($0.utf8) } == Array(expected.utf8))
    }

    @Test(
        "A reply with nothing left has no preview",
        arguments: ["", " ", "\n\t", "```codeagents-ui x```", " ```codeagents-ui"])
    func nothing(reply: String) {
        #expect(Preview.text(of: reply) == nil)
    }

    @Test("A preview of 240 UTF-16 units stays whole, and a longer one is cut to 239 and an ellipsis")
    func length() {
        let text = String(repeating: "x", count: 240)
        #expect(Preview.text(of: text) == text)
        #expect(Preview.text(of: "  \(text)  ") == text)
        #expect(Preview.text(of: text + "y") == String(repeating: "x", count: 239) + "…")
        #expect(Preview.text(of: text + "y")?.utf16.count == 240)
        #expect(Preview.text(of: String(repeating: "x", count: 16_000))?.utf16.count == 240)
    }

    @Test("The length of a preview counts after blocks and white space are removed")
    func lengthAfterCleaning() {
        let text = String(repeating: "x", count: 120)
        #expect(Preview.text(of: text + "\n \n" + text.dropLast()) == text + " " + text.dropLast())
        let block = "```codeagents-ui " + String(repeating: "z", count: 500) + "```"
        #expect(Preview.text(of: text + block + text) == text + text)
    }

    @Test("The cut of a preview never splits a surrogate pair")
    func surrogates() throws {
        let emoji = String(repeating: "😀", count: 120)
        #expect(Preview.text(of: emoji) == emoji)
        // 238 units of emoji: the next emoji would take units 239 and 240.
        #expect(Preview.text(of: emoji + "x") == String(repeating: "😀", count: 119) + "…")
        #expect(Preview.text(of: "x" + emoji) == "x" + String(repeating: "😀", count: 119) + "…")
        #expect(Preview.text(of: "xy" + emoji) == "xy" + String(repeating: "😀", count: 118) + "…")
        let cut = try #require(Preview.text(of: "xy" + emoji))
        #expect(!cut.unicodeScalars.contains("\u{FFFD}"))
    }

    @Test("The preview has no space before the ellipsis")
    func trimmedCut() {
        let word = String(repeating: "x", count: 238)
        #expect(Preview.text(of: word + " yz") == word + "…")
        let shorter = String(repeating: "x", count: 237)
        #expect(Preview.text(of: shorter + " yzz") == shorter + " y…")
    }

    @Test("The worst texts take less than a second of processor time to preview")
    func worstCase() {
        let texts = [
            String(repeating: "`", count: 16_000), String(repeating: "```codeagents-ui", count: 1_000),
            String(repeating: "``` ", count: 4_000), "```" + String(repeating: " ", count: 16_000),
            String(repeating: "```\t\t\t", count: 2_500), String(repeating: "\u{301}", count: 8_000),
        ]
        for text in texts {
            let start = Self.processorTime
            _ = Preview.text(of: text)
            #expect(Self.processorTime - start < .seconds(1))
        }
    }

    /// The processor time of this thread, which other tests do not add to.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
