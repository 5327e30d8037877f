import Messaging
import Testing

@Suite("Names of topics")
struct TopicNameTests {
    @Test(
        "have letters, digits and -_.~%",
        arguments: ["a", "News", "a-b_c.d~e%20", "0", "%", "-", "...", "___", "__a", "a__"])
    func valid(name: String) { #expect(TopicName.canonical(name) == name) }

    @Test("may come with FCM's prefix, once")
    func prefix() {
        #expect(TopicName.canonical("/topics/news") == "news")
        #expect(TopicName.canonical("/topics//topics/news") == nil)
        #expect(TopicName.canonical("topics") == "topics")
    }

    @Test(
        "have nothing else",
        arguments: ["", "/topics/", "a b", "a/b", "a@b", "a`b", "a[b", "a{b", "ä", "a\n", "😀", "a:b", "a+b"])
    func invalid(name: String) { #expect(TopicName.canonical(name) == nil) }

    @Test("are none that a document cannot have", arguments: [".", "..", "____", "__a__", "_____"])
    func reserved(name: String) {
        #expect(TopicName.canonical(name) == nil)
        #expect(TopicName.canonical("/topics/\(name)") == nil)
        let error = #expect(throws: ConditionError.self) { try Condition(parsing: "'\(name)' in topics") }
        #expect(error?.reason == .invalidTopic && error?.position == 1)
    }

    @Test("have at most 900 characters, the prefix aside")
    func length() {
        let longest = String(repeating: "t", count: 900)
        #expect(TopicName.canonical(longest) == longest)
        #expect(TopicName.canonical("/topics/" + longest) == longest)
        #expect(TopicName.canonical(longest + "t") == nil)
    }
}
