import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@Suite("Publishing", .timeLimit(.minutes(10)))
struct PublishingTests {
    private typealias PublishingBench = SystemBench<Publishing>

    private func bench(
        _ configure: (inout PublishingSettings) -> Void = { _ in }
    ) async throws -> (bench: PublishingBench, token: String) {
        var settings = PublishingSettings()
        configure(&settings)
        var bench = try PublishingBench { Publishing(settings: settings, services: $0) }
        let making = try #require(bench.system.keyList?.making)
        let made = try await making.make("ci", "publish:builds")
        bench.headers = [.authorization: "Bearer \(made.value.text)"]
        return (bench, made.value.text)
    }

    /// Returns the message that a request stores.
    private func message(_ text: String, _ fields: KeyValuePairs<String, String>) async throws -> Message {
        let bench = try await bench().bench
        let answer = try await bench.call(.put, "/publish/builds", text: text, headers: HTTPFields(named: fields))
        #expect(answer.status == .ok, "\(answer.body)")
        let id = answer.body["id"]?.string ?? ""
        let history = DeliveryHistory(store: bench.store, logger: bench.log.logger)
        return try #require(try await history.delivery(of: id)).message
    }

    @Test(
        "Each of ntfy's names of a field is understood",
        arguments: [
            ["X-Title": "T", "X-Priority": "5", "X-Tags": "a,b", "X-Click": "https://x.example"],
            ["Title": "T", "Priority": "max", "Tags": "a,b", "Click": "https://x.example"],
            ["ti": "T", "prio": "URGENT", "tag": "a,b", "click": "https://x.example"],
            ["t": "=?UTF-8?B?VA==?=", "p": " 5 ", "ta": "a,b", "Click": "https://x.example"],
        ] as [KeyValuePairs<String, String>])
    func names(fields: KeyValuePairs<String, String>) async throws {
        let message = try await message(" done\n", fields)
        #expect(message.notification == Message.Notification(title: "T", body: "done"))
        #expect(
            message.data == ["topic": "builds", "priority": "5", "tags": "a,b", "click": "https://x.example"])
        #expect(message.apns?.payload["aps"]?["interruption-level"] == "time-sensitive")
        #expect(message.webPushHeader("urgency") == "high")
        #expect(message.webpush?["fcmOptions"]?["link"] == "https://x.example")
    }

    @Test(
        "Each digit and each name has its priority, in any case of the letters",
        arguments: [
            ("1", "1"), ("min", "1"), ("2", "2"), ("Low", "2"), ("3", "3"), ("default", "3"), ("4", "4"), ("HIGH", "4"),
            ("5", "5"), ("max", "5"), ("urgent", "5"), ("u=1, i", "3"), ("i", "3"),
        ])
    func priority(text: String, number: String) async throws {
        #expect(try await message("x", ["Priority": text]).data["priority"] == number)
    }

    @Test(
        "Encoded words are decoded wherever they are; those in another form stay",
        arguments: [
            ("=?UTF-8?Q?Gr=C3=BC=C3=9Fe_an_alle?=", "Grüße an alle"),
            ("=?utf-8?b?R3LDvMOf?= =?UTF-8?q?e?=", "Grüße"),
            ("=?UTF-8?Q?=C3?= \t=?UTF-8?Q?=BC?=", "ü"),
            ("Build =?iso-8859-1*de?q?f=FCr?= main", "Build für main"),
            ("=?us-ascii?Q?a?= b  c", "a b c"),
            ("=?koi8-r?Q?x?=", "=?koi8-r?Q?x?="), ("=?UTF-8?Q?=4?=", "=?UTF-8?Q?=4?="),
            ("=?UTF-8?Q?=FF?=", "=?UTF-8?Q?=FF?="), ("=?us-ascii?Q?=E9?=", "=?us-ascii?Q?=E9?="),
            ("=?UTF-8?B?A?=", "=?UTF-8?B?A?="), ("=?UTF-8?Q?a b?=", "=?UTF-8?Q?a b?="), ("a =? b", "a =? b"),
        ])
    func encodedWords(value: String, title: String) async throws {
        #expect(try await message("x", ["Title": value]).notification?.title == title)
    }

    @Test("Without fields the text alone is sent, with a sound; an empty one says that something happened")
    func plain() async throws {
        let plain = try await message("Grüße", [:])
        #expect(plain.notification == Message.Notification(title: nil, body: "Grüße"))
        #expect(plain.data == ["topic": "builds", "priority": "3"])
        #expect(plain.apns?.payload["aps"]?["sound"] == "default")
        #expect(try await message(" \n", [:]).notification?.body == "triggered")
        let quiet = try await message("x", ["p": "min"])
        #expect(quiet.apns?.payload["aps"]?["sound"] == nil && quiet.apns?.header("apns-priority") == "5")
    }

    @Test(
        "A value in another form is refused with 400, and nothing is stored",
        arguments: [
            ["Priority": "6"], ["Priority": "0"], ["p": "loud"], ["p": "+5"], ["p": "05"], ["p": "٣"], ["p": "5.0"],
            ["Click": "javascript:alert(1)"],
            ["Click": "x.example"], ["Click": "DATA:text/html,x"],
        ] as [KeyValuePairs<String, String>])
    func invalidFields(fields: KeyValuePairs<String, String>) async throws {
        let bench = try await bench().bench
        let answer = try await bench.call(.post, "/publish/builds", text: "x", headers: HTTPFields(named: fields))
        #expect(answer.status == .badRequest && answer.body["error"] == "bad_request")
        #expect(try await bench.documents(in: "messages") == [])
    }

    @Test("A text that is too long, or no text, is refused")
    func bodies() async throws {
        let bench = try await bench().bench
        let fits = String(repeating: "x", count: 3_000)
        #expect(try await bench.call(.post, "/publish/builds", text: fits).status == .ok)
        #expect(try await bench.call(.post, "/publish/builds", text: fits + "x").status == .contentTooLarge)
        #expect(try await bench.call(.post, "/publish/builds", bytes: [0xFF]).status == .badRequest)
        #expect(try await bench.documents(in: "messages").count == 1)
    }

    @Test("The token comes before everything else, and guesses are limited by address")
    func authentication() async throws {
        let bench = try await bench().bench
        for path in ["/publish/builds", "/publish", "/publish/a/b", "/publish/%00"] {
            let answer = try await bench.call(.post, path, text: "x", headers: [.authorization: ""])
            #expect(answer.status == .unauthorized && answer.headerFields[.wwwAuthenticate] == "Bearer", "\(path)")
        }
        let wrong: HTTPFields = [.authorization: "Bearer push_00000000000000000000000000000000"]
        for _ in 0..<10 {
            let answer = try await bench.call(
                .post, "/publish/builds", text: "x", headers: wrong, address: "198.51.100.7")
            #expect(answer.status == .unauthorized)
        }
        let limited = try await bench.call(
            .post, "/publish/builds", text: "x", headers: wrong, address: "198.51.100.7")
        #expect(limited.status == .tooManyRequests && limited.headerFields[.retryAfter] != nil)
        #expect(try await bench.call(.post, "/publish/builds", text: "x").status == .ok)
        #expect(try await bench.call(.get, "/publish/builds").status == .methodNotAllowed)
        #expect(try await bench.call(.post, "/publish").status == .notFound)
    }

    @Test("A token sends its messages of a minute, and more in the next one")
    func limit() async throws {
        let bench = try await bench { $0.messagesPerMinutePerToken = 2 }.bench
        for _ in 0..<2 { #expect(try await bench.call(.post, "/publish/builds", text: "x").status == .ok) }
        let refused = try await bench.call(.post, "/publish/builds", text: "x")
        #expect(refused.status == .tooManyRequests && refused.body["error"] == "rate_limited")
        #expect(try await bench.documents(in: "messages").count == 2)
        bench.clock.advance(by: .seconds(60))
        #expect(try await bench.call(.post, "/publish/builds", text: "x").status == .ok)
    }
}
