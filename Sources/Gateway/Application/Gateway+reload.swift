internal import Functions
internal import Logging
internal import Messaging

extension Gateway {
    /// Takes over the apps and keys of a configuration that was read anew, and tries again what was held up.
    ///
    /// All else stays as it was at the start; what has changed of it is named in the log. Nothing is changed when this
    /// throws.
    public func reload(_ new: GatewayConfiguration) throws(ConfigurationError) {
        if let relay, let account = new.fcm.relay { try relay.replaceAccount(account) }
        if let apns, let apps = new.apns { try apns.replaceApps(apps) }
        if apns != nil || relay != nil {
            dispatcher.resumeAll()
            logger.notice("configuration read anew", metadata: ["transport": "\(apns?.description ?? "FCM")"])
        }
        let sections = configuration.sectionsToRestartFor(new)
        guard !sections.isEmpty else { return }
        logger.warning(
            "the configuration has changed in more than apps and keys; restart the gateway for that",
            metadata: ["sections": "\(sections.joined(separator: ", "))"])
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
            ("functions", codeAgents != new.codeAgents), ("fcm", fcm != new.fcm),
            ("apns", (apns == nil) != (new.apns == nil) || apns?.caFile != new.apns?.caFile),
        ]
        return sections.filter(\.1).map(\.0)
    }
}
