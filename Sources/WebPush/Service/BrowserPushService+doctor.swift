package import Messaging
package import Settings

/// The examination of the key, and of the ways to the services of browsers.
extension BrowserPushService {
    package static func checkCredentials(
        _ settings: WebPushSettings, host: PushServiceHost
    ) throws(ConfigurationError) {
        _ = try identity(settings, host)
    }

    package static func examine(_ settings: WebPushSettings, host: PushServiceHost) async -> [Finding] {
        guard let (identity, isKeyNew) = try? identity(settings, host) else { return [] }
        // A new key is not kept: it would mislead a page that subscribes with it.
        let key = isKeyNew ? "no key in the data directory yet" : "key \(identity.publicKey)"
        var findings: [Finding] = [.ok("webpush", "\(settings.subject), \(key): usable")]
        if !settings.connectTo.isEmpty {
            findings.append(
                .warning(
                    "webpush", "webpush.connectTo leads push services to other servers",
                    because: "No message reaches these services.", advice: "Remove the setting, unless this is a test.")
            )
        }
        let survey = await host.survey()
        findings.append(finding(survey))
        return findings + (await probes(in: survey, identity, settings, host))
    }

    /// Returns the finding about the registered browsers and their key.
    private static func finding(_ survey: SubscriptionSurvey?) -> Finding {
        guard let survey else {
            return .ok("webpush", "registered browsers are not examined: the gateway must run for that")
        }
        let read = "registrations of browsers: \(survey.read)\(survey.isComplete ? "" : " or more")"
        guard let former = survey.withFormerKey, former > 0 else { return .ok("webpush", read) }
        return .failed(
            "webpush", "\(read); \(former) of them or more were made with another key",
            because: "They get no message: their push services refuse the gateway's key.",
            advice: "Set webpush.privateKey to the former key if it was lost, as docs/webpush.md says; else their "
                + "pages must subscribe again.")
    }

    /// Asks the known services and the servers of registered browsers, all at once.
    private static func probes(
        in survey: SubscriptionSurvey?, _ identity: SenderIdentity, _ settings: WebPushSettings,
        _ host: PushServiceHost
    ) async -> [Finding] {
        let policy = settings.policy
        let client = WebPushClient(
            caFile: settings.written.caFile, connectTo: settings.connectTo, policy: { policy }, logger: host.logger)
        let findings = await withTaskGroup(of: (place: Int, finding: Finding).self) { group in
            for (place, probe) in ServerProbe.all(in: survey).enumerated() {
                group.addTask { (place, await probe.finding(identity, policy, client, host)) }
            }
            var findings: [(place: Int, finding: Finding)] = []
            for await finding in group { findings.append(finding) }
            return findings.sorted { $0.place < $1.place }.map(\.finding)
        }
        await client.shutdown()
        return findings
    }
}
