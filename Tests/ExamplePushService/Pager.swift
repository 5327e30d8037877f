package import Messaging
package import Settings
import Synchronization

/// The smallest push service with a part of each kind: it pages numbers, without a network.
///
/// It shows what a new push service consists of: this folder, and a line in the table of services.
package struct Pager: PushService {
    package static let name = TransportName(rawValue: "pager")
    package static let keys = SettingKeys(below: "pager.", PagerSettings.self)
    /// The networks of pagers.
    package static let environments = ["ward", "street"]
    package static let outcomes = OutcomeTexts(
        acceptance: "The pager network accepted it. A pager without reception shows it later.",
        reasons: [
            "NumberRetired": "Nobody has the number any more. The pager must register again.",
            "WrongPIN": "The PIN of the pager has changed. The pager must register again.",
        ],
        requirement: OutcomeTexts.Requirement(
            setting: "pagers need pager.numbers",
            advice: "it is a pager, and there is no network; set pager.numbers"))

    private let pages: PagerTransport

    package init(settings: PagerSettings, host: PushServiceHost) { pages = PagerTransport(numbers: settings.numbers) }

    package var transport: any PushTransport { pages }
    package var senders: [PushSender] { [PushSender(name: "Pagers", detail: pages.description)] }

    package static func recognizes(_ token: RegistrationToken) -> Bool { token.value.hasPrefix("pager:") }

    /// Splits `pager:<number>;<PIN>` into the token and the PIN, which is an attribute of the address.
    package static func parts(of text: RegistrationToken) -> TokenForms.Parts {
        let halves = text.value.split(separator: ";", maxSplits: 1).map(String.init)
        guard halves.count == 2 else { return TokenForms.Parts(token: text) }
        return TokenForms.Parts(
            token: RegistrationToken(halves[0]), attributes: AddressAttributes(secrets: ["pin": halves[1]]))
    }

    package func change(to settings: PagerSettings) -> @Sendable () -> Void {
        return { [pages] in pages.replace(numbers: settings.numbers) }
    }

    package static func examine(_ settings: PagerSettings, host: PushServiceHost) async -> [Finding] {
        [.ok("pager", "\(settings.numbers) numbers have a pager")]
    }
}

/// The settings of the pagers.
package struct PagerSettings: PushServiceSettings, DeclaredSettings {
    /// The number of pagers. The service is off without any.
    package var numbers = 0

    package static let settings: [Setting<PagerSettings>] = [
        Setting(
            "numbers", \.numbers, .integer(0...1_000), effect: .reload,
            "The number of pagers, whose numbers begin at 0; 0 for none")
    ]

    package init() {}

    package init?(_ settings: SettingsReader, apps: [[String: String]]) throws(ConfigurationError) {
        self.init()
        try apply(settings)
        guard numbers > 0 else { return nil }
    }

    package func needsRestart(for new: PagerSettings) -> Bool { false }
}

/// A transport that brings each notification to an outcome by its number alone.
final class PagerTransport: PushTransport {
    let window = 10
    private let numbers: Mutex<Int>

    init(numbers: Int) { self.numbers = Mutex(numbers) }

    var description: String { "Pagers (\(numbers.withLock { $0 }) numbers)" }

    func replace(numbers: Int) { self.numbers.withLock { $0 = numbers } }

    func prepare(_ message: OutgoingMessage) -> any PreparedMessage { Page(transport: self) }

    /// The PIN of all pagers that have one.
    private static let pin = "swordfish"

    fileprivate func outcome(for address: PushAddress) -> Outcome {
        let number = Int(address.token.value.dropFirst("pager:".count)) ?? -1
        guard address.attributes.secrets["pin"] ?? Self.pin == Self.pin else {
            return .rejected(Rejection(code: .invalidRegistrationToken, reason: "WrongPIN"))
        }
        guard (0..<numbers.withLock { $0 }).contains(number) else {
            return .rejected(
                Rejection(
                    code: .registrationTokenNotRegistered, reason: "NumberRetired",
                    verdict: PlatformVerdict(by: Pager.name, status: 410, reason: "NumberRetired"),
                    invalidation: .unregistered(since: nil)))
        }
        return .accepted
    }
}

/// A message on its way to pagers.
private struct Page: PreparedMessage {
    let transport: PagerTransport

    func send(_ notification: OutgoingNotification) async -> Outcome {
        transport.outcome(for: notification.target.address)
    }
}
