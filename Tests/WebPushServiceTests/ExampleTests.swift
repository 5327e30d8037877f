import Foundation
import HTTPClient
import HTTPTypes
import JSON
import TestDoubles
import Testing
import WebPushService

/// The code of the pages about the push service as a library, which readers copy.
@Suite("Examples of the push service's pages", .timeLimit(.minutes(10)))
struct ExampleTests {
    @Test(
        "Each example of the push service's pages is in this file",
        arguments: ["Sources/WebPushService/WebPushService.docc/WebPushService.md", "docs/webpush-service.md"])
    func areHere(page: String) throws {
        let examples = try DocumentedExample.all(in: page)
        #expect(!examples.isEmpty)
        #expect(try examples.filter { try !$0.isPart(of: #filePath) }.map(\.description) == [])
    }

    @Test("The example of the push service's reference waits for an acknowledged message")
    func reference() async throws {
        let service = LocalPushService()
        let addresses = try await service.start()
        let (subscription, keys) = try service.subscribe(.mozilla)

        // `Notifier` stands for the program under test. It sends to subscription.endpoint, trusts the CA in
        // addresses.certificateAuthorityPath, and encrypts for keys.p256dh and keys.auth.
        var notifier = try Notifier(addresses, subscription, keys)
        try await notifier.notify("The build has finished.")

        let received = try await service.wait(for: 1, matching: MessageFilter(delivery: .acknowledged))
        await service.shutdown()

        #expect(received.map(\.status) == [201])
        #expect(notifier.isSubscribed)
    }

    @Test("A subscription that has ended gets no second message")
    func endedSubscription() async throws {
        let service = LocalPushService()
        let addresses = try await service.start()
        let (subscription, keys) = try service.subscribe(.apple)

        // Sends to subscription.endpoint, trusts the CA in addresses.certificateAuthorityPath, and encrypts for
        // keys.p256dh and keys.auth.
        var notifier = try Notifier(addresses, subscription, keys)

        service.script(
            token: subscription.token,
            answers: [ScriptedPushAnswer(status: 429, retryAfter: .seconds(1)), ScriptedPushAnswer(status: 410)])
        for text in ["The build has begun.", "The build has finished.", "The tests have passed."] {
            try await notifier.notify(text)
        }

        let received = try await service.wait(for: 2)
        #expect(received.map(\.status) == [429, 410])
        #expect(received.map(\.reason) == ["TooManyRequests", "Unregistered"])
        #expect(service.counters.accepted == 0)
        await service.shutdown()
    }
}

/// The program under test of the examples: it sends to one subscription, and forgets it when the service says so.
private struct Notifier {
    private let addresses: LocalPushServiceAddresses
    private let subscription: Subscription
    private let sample: SamplePush
    private(set) var isSubscribed = true

    init(_ addresses: LocalPushServiceAddresses, _ subscription: Subscription, _ keys: SubscriptionKeys) throws {
        self.addresses = addresses
        self.subscription = subscription
        self.sample = try SamplePush()
    }

    mutating func notify(_ text: String) async throws {
        guard isSubscribed else { return }
        let expiration = Int64(Date.now.timeIntervalSince1970) + 3_600
        let authorization = try sample.authorization(
            audience: .string(addresses.push), expiration: .integer(expiration))
        var fields: HTTPFields = [.authorization: authorization, .contentEncoding: "aes128gcm"]
        if let name = HTTPField.Name("ttl") { fields[name] = "60" }
        // As long as the text and a delimiter are when they are encrypted.
        let body = try sample.body(recordLength: text.utf8.count + 17)
        var configuration = HTTPClient.Configuration()
        configuration.caFile = addresses.certificateAuthorityPath
        let client = HTTPClient(configuration: configuration, logger: .silent)
        let request = HTTPClientRequest(
            method: .post, url: subscription.endpoint, headerFields: fields, body: body, deadline: .patience)
        let response = try await client.execute(request)
        await client.shutdown()
        if response.statusCode == 410 { isSubscribed = false }
    }
}
