import WebPushService

/// A push service on this machine, with the settings that lead browsers and a gateway to it.
struct TestPushService: Sendable {
    let service: LocalPushService
    let addresses: LocalPushServiceAddresses

    /// Runs a push service for the body, and ends it afterwards, even if the body throws. Its endpoints have the names
    /// of the services' hosts.
    static func running<Output>(
        _ other: LocalPushServiceConfiguration = LocalPushServiceConfiguration(),
        _ body: (TestPushService) async throws -> Output
    ) async throws -> Output {
        var configuration = other
        configuration.usesServiceNames = true
        let service = LocalPushService(configuration: configuration)
        do {
            let output = try await body(TestPushService(service: service, addresses: try await service.start()))
            await service.shutdown()
            return output
        } catch {
            await service.shutdown()
            throw error
        }
    }

    /// The settings of a gateway. Chromium chooses one of Google's hosts by itself.
    var gatewaySettings: [String: String] {
        let server = addresses.push.replacing("https://", with: "")
        let hosts = ["fcm.googleapis.com", "jmt17.google.com", "updates.push.services.mozilla.com"]
        return [
            "webpush.subject": "mailto:ops@pushgate.dev", "webpush.caFile": addresses.certificateAuthorityPath,
            "webpush.connectTo": hosts.map { "\($0)=\(server)" }.joined(separator: ","),
        ]
    }

    var chromium: Browser.Options {
        Browser.Options(
            flags: addresses.chromiumFlags,
            environment: Dictionary(addresses.chromiumEnvironment.map { ($0.name, $0.value) }) { $1 },
            excludedFlags: ["disable-background-networking"])
    }
}

/// An unmodified browser of Debian.
enum BrowserKind: String, CaseIterable, Sendable {
    case chromium, firefox

    /// The service at which the browser subscribes.
    var service: PushServiceProfile {
        switch self {
        case .chromium: .google
        case .firefox: .mozilla
        }
    }
}

extension TestPushService {
    /// Runs a browser that subscribes at the service, and that allows an origin to notify.
    func withBrowser<Output>(
        _ kind: BrowserKind, allowing origin: String, _ body: (any DrivenBrowser) async throws -> Output
    ) async throws -> Output {
        switch kind {
        case .chromium:
            return try await Browser.running(.phone, chromium) { browser in
                try await browser.grant("notifications", to: origin)
                return try await body(browser)
            }
        case .firefox:
            return try await Firefox.running(addresses.firefoxPreferences) { try await body($0) }
        }
    }
}
