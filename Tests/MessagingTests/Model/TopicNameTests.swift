import Messaging
import Testing

@Suite("Topic names")
struct TopicNameTests {
    @Test(
        "A topic name may have letters, digits and -_.~%",
        arguments: ["a", "News", "a-b_c.d~e%20", "0", "%", "-", "...", "___", "__a", "a__"])
    func valid(name: String) { #expect(TopicName.canonical(name) == name) }

    @Test("A topic name may have FCM's prefix once")
    func prefix() {
        #expect(TopicName.canonical("/topics/news") == "news")
        #expect(TopicName.canonical("/topics//topics/news") == nil)
        #expect(TopicName.canonical("topics") == "topics")
    }

    @Test(
        "A topic name with any other character is invalid",
        arguments: ["", "/topics/", "a b", "a/b", "a@b", "a`b", "a[b", "a{b", "ä", "a\n", "😀", "a:b", "a+b"])
    func invalid(name: String) { #expect(TopicName.canonical(name) == nil) }

    @Test(
        "A topic name that is reserved for document ids is invalid", arguments: [".", "..", "____", "__a__", "_____"])
    func reserved(name: String) {
        #expect(TopicName.canonical(name) == nil)
        #expect(TopicName.canonical("/topics/\(name)") == nil)
        let error = #expect(throws: ConditionError.self) { try Condition(parsing: "'\(name)' in topics") }
        #expect(error?.reason == .invalidTopic && error?.position == 1)
    }

    @Test("A topic name has at most 900 characters without the prefix")
    func length() {
        let longest = String(repeating: "t", count: 900)
        #expect(TopicName.canonical(longest) == longest)
        #expect(TopicName.canonical("/topics/" + longest) == longest)
        #expect(TopicName.canonical(longest + "t") == nil)
    }
}
