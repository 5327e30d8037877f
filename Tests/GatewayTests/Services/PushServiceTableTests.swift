import Console
import JSON
import Messaging
import Settings
import TestDoubles
import Testing
import WebPush

@testable import Gateway

@Suite("Table of push services")
struct PushServiceTableTests {
    private static let table = PushServiceTable.available
    /// The text of a browser's subscription.
    private static let subscription =
        "webpush:aHR0cHM6Ly93ZWIucHVzaC5hcHBsZS5jb20vUUd1UQ."
        + SampleSubscription.p256dh + "." + SampleSubscription.auth

    @Test(
        "The services recognize tokens in the forms on which documents without a service's name rely",
        arguments: [
            String(repeating: "ab", count: 32), String(repeating: "AB", count: 32), String(repeating: "0", count: 32),
            String(repeating: "0", count: 30), String(repeating: "0", count: 33), String(repeating: "٣", count: 64),
            "fMEqKB_-0:APA91bF" + String(repeating: "x", count: 120), "emulated:", "emulated:phone", "Emulated:phone",
            "https://push.example/endpoint", "",
        ])
    func forms(token: String) {
        #expect(Self.table.forms.address(of: token) == TokenForms.standard.address(of: token))
    }

    @Test("A text with the beginning of a subscription's token goes to no other service, and no client names its lane")
    func malformedSubscription() {
        let app = AppIdentity(bundleID: "com.example.app", environment: "sandbox")
        for text in ["webpush:", String(Self.subscription.dropLast()), Self.subscription + "="] {
            let address = Self.table.forms.address(of: text, app: app)
            #expect(address.transport == .webPush && address.token.value == text)
            #expect(address.lane == Self.table.forms.address(of: "webpush:").lane)
        }
    }

    @Test("Services have names, keys and token forms of their own, and one takes all other tokens")
    func distinct() {
        let types = Self.table.types
        #expect(Set(types.map { $0.name }).count == types.count)
        let keys = types.flatMap { $0.keys.declarations.map(\.key) }
        #expect(Set(keys).count == keys.count && !keys.isEmpty)
        #expect(types.filter { $0.takesOtherTokens }.map { $0.name } == [.fcm])
        #expect(types.filter { !$0.reachesDevices }.map { $0.name } == [.emulated])
        for token in [String(repeating: "0f", count: 32), "emulated:phone", Self.subscription, "relay:push.example/a"] {
            #expect(types.filter { $0.recognizes(RegistrationToken(token)) }.count == 1)
        }
    }

    @Test("The environments that settings, contracts of systems and FCM's import name are those of Apple's tokens")
    func environments() {
        #expect(Self.table.types.filter { !$0.environments.isEmpty }.map { $0.name } == [.apns])
        #expect(Self.table.forms.environments == ["sandbox", "production"])
        let app = AppIdentity(bundleID: "a", environment: "Sandbox")
        for token in [String(repeating: "0f", count: 32), "emulated:phone", "fcm"] {
            #expect(Self.table.forms.environment("staging", of: token) == nil)
            #expect(Self.table.forms.address(of: token, app: app).app.environment == "sandbox")
        }
    }

    @Test("The parts for Android and the web set the lifetime of messages that Google or a browser's service delivers")
    func platforms() {
        for type in Self.table.types {
            let expected: Set<Message.Platform> =
                switch type.name {
                case .fcm: [.android, .web]
                case .webPush: [.web]
                default: []
                }
            #expect(type.platforms == expected, "\(type.name)")
        }
    }

    @Test("A subscription's text leads to Web Push, and its JSON becomes that text")
    func subscriptions() throws {
        let address = Self.table.forms.address(of: Self.subscription)
        #expect(address.transport == .webPush && address.token.value == SampleSubscription.endpoint)
        #expect(try Self.table.forms.token(ofSubscription: SampleSubscription.json())?.value == Self.subscription)
        #expect(throws: SubscriptionError.self) { try Self.table.forms.token(ofSubscription: [:]) }
    }

    @Test("An address at a relay and a browser's subscription are each read by their own service")
    func relayAddress() throws {
        let json: JSONValue = [
            "address": "relay:Push.example:443/AbC", "send_secret": "0123456789abcdef",
            "p256dh": .string(SampleSubscription.p256dh), "auth": .string(SampleSubscription.auth),
            "collapse_key": "AAAAAAAAAAAAAAAAAAAAAA",
        ]
        let text = try #require(try Self.table.forms.token(ofSubscription: json))
        let address = Self.table.forms.address(of: text.value, app: AppIdentity(bundleID: "com.example.app"))
        #expect(address.transport.rawValue == "relay" && address.token.value == "relay:push.example/AbC")
        #expect(address.attributes.secrets.count == 4 && address.app.bundleID == "relay")
        #expect(Self.table.forms.address(of: "relay:push.example/AbC").token == address.token)
        #expect(Self.table.forms.problem(with: text.value) == nil)
        #expect(Self.table.forms.problem(with: "relay:push.example/AbC")?.requirement.contains("send_secret") == true)
    }

    @Test("Only a service that sends to no device says that a notification is in the inbox")
    func acceptances() {
        let explanations = Explanations(Self.table)
        for type in Self.table.types {
            #expect(explanations.acceptance(by: type.name).contains("inbox") == !type.reachesDevices)
        }
        #expect(explanations.acceptance(by: .apns).hasPrefix("Apple accepted it."))
        #expect(explanations.acceptance(by: .fcm).hasPrefix("Google accepted it."))
        #expect(explanations.acceptance(by: .webPush).hasPrefix("The browser's push service accepted it."))
    }

    @Test("A service's own words explain its reasons, and those of another service that it passes on")
    func reasons() {
        let explanations = Explanations(Self.table)
        let ours = explanations.failure(.invalidRegistrationToken, reason: "BadDeviceToken", by: .apns)
        #expect(ours.hasPrefix("Apple does not know the token in this environment"))
        #expect(explanations.failure(.invalidRegistrationToken, reason: "BadDeviceToken", by: .fcm) == ours)
        let google = explanations.failure(.messageRateExceeded, reason: "QUOTA_EXCEEDED (device)", by: .fcm)
        #expect(google.hasPrefix("Too many messages were sent, to this device or by the project."))
        #expect(
            explanations.failure(.invalidArgument, reason: "New", by: .apns).contains("takes the message for invalid"))
        // A status is a word of its own service alone.
        let refused = explanations.failure(.thirdPartyAuthError, reason: "HTTP403", by: .webPush)
        #expect(refused.hasPrefix("The push service refuses the gateway's identity for this subscription"))
        let ofApple = explanations.failure(.thirdPartyAuthError, reason: "HTTP403", by: .apns)
        #expect(ofApple.hasPrefix("The push service refuses the gateway's credentials."))
    }

    @Test(
        "A browser's service that refuses a subscription, the sender or a long message is explained, whatever its words",
        arguments: ServiceProfile.allCases)
    func refusalsOfBrowsersServices(profile: ServiceProfile) {
        let explanations = Explanations(Self.table)
        let bodies = ["", #"{"reason":"NewWord"}"#, #"{"errno":999}"#]
        for (status, words) in [
            (401, "identity"), (403, "identity"), (404, "must subscribe again"), (410, "must subscribe again"),
            (413, "too long"),
        ] {
            for body in bodies {
                for age in [0, 3_600] as [Int64] {
                    let answer = WebPushAnswer(from: profile, status: status, body: Array(body.utf8))
                    let text: String
                    switch answer.outcome(age: age) {
                    case .accepted: text = ""
                    case .rejected(let rejection):
                        text = explanations.failure(rejection.code, reason: rejection.reason, by: .webPush)
                    case .failed(let failure):
                        text = explanations.failure(failure.code, reason: failure.reason, by: .webPush)
                    }
                    #expect(text.contains(words) && !text.contains("apple.com"), "\(status) \(body): \(text)")
                }
            }
        }
        let unknown = explanations.failure(.registrationTokenNotRegistered, reason: "BadDeviceToken", by: .webPush)
        #expect(unknown == "Apple does not know the subscription. The page must subscribe again.")
    }

    @Test("A service without words of its own gets none that name another service or its settings")
    func generalWords() {
        let explanations = Explanations(Self.table)
        let codes: [MessagingErrorCode] = [
            .registrationTokenNotRegistered, .invalidRegistrationToken, .invalidArgument, .mismatchedCredential,
            .messageRateExceeded, .serverUnavailable, .internalError, .thirdPartyAuthError, .unknownError,
        ]
        for code in codes {
            for reason in ["HTTP500", "Expired", "timedOut", "couldNotConnect", "tls", "connectionLost"] {
                let text = explanations.failure(code, reason: reason, by: TransportName(rawValue: "new"))
                #expect(!text.isEmpty && !text.contains(/Apple|apple|Google|apns\.|webpush\./), "\(text)")
            }
        }
    }

    @Test("A connection that fails is explained with the hosts and settings of its own service")
    func connections() {
        let explanations = Explanations(Self.table)
        func words(_ reason: String, _ transport: TransportName) -> String {
            explanations.failure(.serverUnavailable, reason: reason, by: transport)
        }
        #expect(words("couldNotConnect", .apns).contains("to Apple must be open on port 443"))
        #expect(words("couldNotConnect", .fcm).contains("to Google must be open on port 443"))
        #expect(words("tls", .apns).contains("apns.caFile") && words("tls", .webPush).contains("webpush.caFile"))
        #expect(!words("tls", .fcm).contains("caFile"))
    }

    @Test("A device whose service is off gets advice that names the setting")
    func advice() {
        let advice = Self.table.types.map { $0.outcomes.requirement?.advice }
        #expect(advice.count == 5 && advice[4] == nil)
        #expect(advice[3]?.contains("set webpush.subject") == true)
        #expect(advice[2]?.contains("set relay.hosts") == true)
        #expect(advice[0]?.contains("set apns.keyPath") == true)
        #expect(advice[1]?.contains("set fcm.relay.serviceAccount") == true)
        let words = Explanations(Self.table).failure(.mismatchedCredential, reason: "NoTransportForToken", by: .apns)
        #expect(
            words
                == "The gateway has no push service for this kind of token: device tokens of Apple need apns.keyPath, "
                + "registration tokens of FCM fcm.relay.serviceAccount, addresses at authors' relays relay.hosts, "
                + "subscriptions of browsers webpush.subject.")
    }
}
