package import Functions
import HTTPTypes
import JSON
import Messaging
package import Settings
import Synchronization

/// The smallest system with parts for the operator: `POST /doorbell` notifies one device, and the console has a page,
/// and the key of all visitors.
///
/// It shows what a new system consists of: this folder, and a line in the list of modules.
package struct Doorbell: FunctionModule {
    package static let name = "doorbell"
    package static let source = "doorbell"
    package static let keys = SettingKeys(below: "functions.doorbell.", DoorbellSettings.self)

    private let settings: DoorbellSettings
    private let outbox: Outbox
    private let forms: TokenForms
    private let group: EndpointGroup<DoorbellError>
    private let visitors: VisitorKey

    package init(settings: DoorbellSettings, services: ModuleServices) {
        self.settings = settings
        outbox = services.outbox
        forms = services.host.forms
        visitors = VisitorKey(
            listed: ListedKey(
                id: "visitors", name: "Visitors", prefix: "ding", scopes: ["ring"], createdAt: services.now(),
                lastUsedAt: nil))
        group = EndpointGroup("doorbell", DoorbellError.self, logger: services.logger) { [visitors] _ in
            guard visitors.isValid else { throw DoorbellError.forbidden }
        }
    }

    package var endpoints: [Endpoint] { [group.endpoint(.post, "/doorbell", ring)] }

    package var pages: [OperatorPage] {
        [OperatorPage(name: "doorbell", title: "Doorbell") { "<p>The bell of the door notifies one device.</p>" }]
    }

    package var keyList: KeyList? {
        KeyList(system: Self.name, id: Self.source, origin: "All visitors have the same.") { [visitors] in
            visitors.isValid ? [visitors.listed] : []
        } revoke: { [visitors] id in
            visitors.revoke(id)
        }
    }

    @Sendable private func ring(_ request: FunctionRequest) async throws -> FunctionResponse {
        let visitor = try await request.jsonObject(limit: 1_024)["visitor"]?.string ?? "Somebody"
        let draft = Draft(
            message: Message(notification: .init(title: "Doorbell", body: "\(visitor) is at the door")),
            lifetime: .seconds(60), source: Self.source, registrationFields: RegistrationFields(token: "token"))
        let target = Target(address: forms.address(of: settings.device), registration: nil)
        _ = try await outbox.accept(draft, to: [target])
        return FunctionResponse(status: .accepted, content: .none)
    }
}

/// The key of all visitors, until the operator revokes it.
private final class VisitorKey: Sendable {
    let listed: ListedKey
    private let isRevoked = Mutex(false)

    init(listed: ListedKey) { self.listed = listed }

    var isValid: Bool { isRevoked.withLock { !$0 } }

    /// Returns `true` if the key has this id, and was valid.
    func revoke(_ id: String) -> Bool {
        isRevoked.withLock { isRevoked in
            guard id == listed.id, !isRevoked else { return false }
            isRevoked = true
            return true
        }
    }
}

/// The settings of the doorbell.
package struct DoorbellSettings: ModuleSettings, DeclaredSettings {
    package static let settings: [Setting<DoorbellSettings>] = [
        Setting("device", \.device, .text(), secrecy: .secret, "The device to notify; without it, the doorbell is off")
    ]

    /// The token of the device to notify.
    package var device = ""

    package init() {}

    package init?(_ settings: SettingsReader) throws(ConfigurationError) {
        self.init()
        try apply(settings)
        guard !device.isEmpty else { return nil }
    }
}

/// The errors that clients receive, `{"error":"<code>"}`.
package enum DoorbellError: String, FunctionError {
    case badRequest = "bad_request"
    case forbidden
    case unavailable
    case noRoom = "no_room"
    case internalError = "internal_error"

    package init(_ error: JSONBodyError) { self = .badRequest }

    package var code: String { rawValue }

    package var response: FunctionResponse {
        let status: HTTPResponse.Status =
            switch self {
            case .badRequest: .badRequest
            case .forbidden: .forbidden
            case .unavailable, .noRoom: .serviceUnavailable
            case .internalError: .internalServerError
            }
        return FunctionResponse(status: status, body: ["error": .string(code)])
    }
}
