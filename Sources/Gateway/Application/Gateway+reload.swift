internal import APNs
internal import FCMRelay
internal import Functions
internal import Logging
internal import Messaging

extension Gateway {
    /// Takes over the apps and keys, and the relay's account, of a configuration that was read anew, and tries again what
    /// was held up.
    ///
    /// All else stays as it was at the start; what has changed of it is named in the log. Nothing is changed when this
    /// throws.
    public func reload(_ new: GatewayConfiguration) throws(ConfigurationError) {
        let apps = try apps(of: new)
        let account = try account(of: new)
        if let apps { apns?.transport.replace(apps) }
        if let account { relay?.transport.replace(account) }
        if apns != nil || relay != nil {
            dispatcher.resumeAll()
            logger.notice(
                "configuration read anew",
                metadata: ["transport": "\(Self.description(of: apns, relay))"])
        }
        let sections = configuration.sectionsToRestartFor(new)
        guard !sections.isEmpty else { return }
        logger.warning(
            "the configuration has changed in more than apps and keys; restart the gateway for that",
            metadata: ["sections": "\(sections.joined(separator: ", "))"])
    }

    /// nil when there is no transport for them.
    private func apps(of new: GatewayConfiguration) throws(ConfigurationError) -> APNsApps? {
        guard apns != nil, let settings = new.apns else { return nil }
        // Systems keep the bundle ids that they were started with.
        return try APNsLink.apps(settings, configuration.systems)
    }

    /// nil when there is no transport for it.
    private func account(of new: GatewayConfiguration) throws(ConfigurationError) -> ServiceAccount? {
        guard relay != nil, let settings = new.fcm.relay else { return nil }
        return try RelayLink.account(settings)
    }
}

extension GatewayConfiguration {
    fileprivate func sectionsToRestartFor(_ new: GatewayConfiguration) -> [String] {
        let sections: [(String, Bool)] = [
            ("http", http != new.http), ("data", dataDirectory != new.dataDirectory), ("log", log != new.log),
            ("admin", adminToken != new.adminToken),
            (
                "messages",
                messageLifetime != new.messageLifetime || messageRetention != new.messageRetention
            ),
            ("functions", systems != new.systems),
            ("fcm", fcm.withoutAccount != new.fcm.withoutAccount),
            (
                "apns",
                (apns == nil) != (new.apns == nil) || apns?.caFile != new.apns?.caFile || apns?.proxy != new.apns?.proxy
            ),
        ]
        return sections.filter(\.1).map(\.0)
    }
}

extension GatewayConfiguration.FCM {
    /// Without what takes effect at once.
    fileprivate var withoutAccount: Self {
        var others = self
        others.relay?.serviceAccountPath = ""
        return others
    }
}
