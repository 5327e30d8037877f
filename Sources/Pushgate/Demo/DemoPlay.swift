import Cryptography
import Foundation
import HTTPTypes
import JSON

/// The steps of the demo: three devices subscribe, a reply is finished, and the two devices of its agent are notified.
struct DemoPlay {
    struct Phone {
        let name: String
        let cwd: String
        /// A random device token in the form of APNs.
        let token = (0..<64).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
    }

    private static let cwd = "/home/me/projects/website"
    private static let otherCwd = "/home/me/projects/backend"

    let stage: DemoStage
    let phones = [
        Phone(name: "my-phone", cwd: cwd), Phone(name: "my-tablet", cwd: cwd),
        Phone(name: "a-colleagues-phone", cwd: otherCwd),
    ]
    private let secret = Data(RandomBytes.generate(32)).base64EncodedString()

    func run() async throws {
        print("1. Three devices open a chat and subscribe to its agent.\n")
        for phone in phones { try await subscribe(phone) }
        print("\n2. A reply is finished in \(Self.cwd), and the agent’s server reports it.\n")
        let answer = try await trigger()
        print("\n3. The simulator of Apple’s service received these notifications for the devices:\n")
        let notifications = try await received()
        for phone in phones { show(phone, notifications) }
        try check(answer, notifications)
    }

    private func subscribe(_ phone: Phone) async throws {
        let answer = try await GatewayClient(baseURL: stage.gatewayURL).succeed(
            .post, "/registerSubscription", bearer: secret,
            body: [
                "cwd": .string(phone.cwd), "installation_id": .string(phone.name), "fcm_token": .string(phone.token),
                "agent_display_name": .string("\(phone.cwd.split(separator: "/").last ?? "")@build-server"),
                "platform": "ios",
            ])
        print("   \(phone.name) → \(phone.cwd): \(answer["ok"] == true ? "subscribed" : answer.text)")
    }

    private func trigger() async throws -> JSONValue {
        let body: JSONValue = [
            "cwd": .string(Self.cwd), "conversation_id": "c-42",
            "message_preview": "All 128 tests pass now. I fixed the time zone in the invoice and added two cases.",
        ]
        print("   POST /triggerReplyFinished\n   \(body.text)\n")
        let answer = try await GatewayClient(baseURL: stage.gatewayURL).succeed(
            .post, "/triggerReplyFinished", bearer: secret, body: body)
        print("   200 \(answer.text)")
        return answer
    }

    private func received() async throws -> [JSONValue] {
        let answer = try await GatewayClient(baseURL: stage.controlURL).succeed(
            .get, "/notifications?wait_for=2&timeout=10", bearer: "none")
        return answer["notifications"]?.array ?? []
    }

    private func show(_ phone: Phone, _ notifications: [JSONValue]) {
        guard let notification = notifications.first(where: { $0["token"]?.string == phone.token }) else {
            return print("   \(phone.name): nothing\n")
        }
        print("   \(phone.name):")
        for header in notification["headers"]?.object?.members ?? [] {
            print("     \(header.name): \(header.value.string ?? "")")
        }
        let payload = notification["payload"]?.prettyText ?? ""
        print(payload.split(separator: "\n").map { "     \($0)" }.joined(separator: "\n") + "\n")
    }

    private func check(_ answer: JSONValue, _ notifications: [JSONValue]) throws {
        let expected = Set(phones.filter { $0.cwd == Self.cwd }.map(\.token))
        let actual = notifications.compactMap { $0["token"]?.string }
        guard answer["sent"] == 2, actual.count == expected.count, Set(actual) == expected,
            notifications.allSatisfy({ $0["status"] == 200 })
        else { throw CommandError("the notifications did not arrive as expected; the logs are above.") }
    }
}
