import Fuzzing
import TestBasics

/// The keys of a fuzzed gateway, and the settings that contain them and lift its limits.
struct GatewayKeys {
    /// The values by their names in the table of routes.
    let values: [String: [String]]

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let names = ["admin", "runsKey", "turnsKey", "sessionsKey"]
        var values = Dictionary(uniqueKeysWithValues: names.map { ($0, [generator.text(40)]) })
        values["agentSecret"] = (0..<5).map { _ in generator.text(44) }
        self.values = values
    }

    /// Returns the settings by key, as in a configuration.
    ///
    /// Some limits per address cannot be lifted, so requests come through a trusted proxy, each from an address of
    /// its own.
    func settings(site: String) -> [String: String] {
        [
            "http.port": "0", "fcm.tls.port": "0", "fcm.proxy.port": "0", "http.trustedProxies": "127.0.0.1",
            // More hostile calls of Firestore's interface are in Tests/FirestoreClients.
            "firestore.enabled": "true",
            "http.requestTimeout": "2s", "fcm.sendWait": "50ms", "functions.codeagents.triggerWait": "50ms",
            "functions.codeagents.requestsPerMinutePerSecret": "0",
            "functions.codeagents.requestsPerMinutePerAddress": "0",
            "functions.codeagents.newServersPerHourPerAddress": "0",
            "webpush.newRegistrationsPerHourPerAddress": "0", "webpush.allowedOrigins": "https://app.example.com",
            "functions.runs.enabled": "true",
            "functions.turns.enabled": "true", "functions.turns.site": site,
            "functions.turns.newPlayersPerHourPerAddress": "0", "functions.sessions.enabled": "true",
            "functions.publishing.enabled": "true", "functions.publishing.messagesPerMinutePerToken": "0",
            "relay.enabled": "true", "relay.callsPerMinutePerAddress": "0", "relay.messagesPerMinutePerAddress": "0",
            "relay.messagesPerMinutePerInstallation": "0", "relay.messagesPerMinutePerSecret": "0",
            "relay.cardsPerHourPerInstallation": "0",
            "functions.humantasks.enabled": "true", "functions.humantasks.newDevicesPerHourPerAddress": "0",
            "functions.humantasks.newTasksPerHourPerDevice": "0", "admin.token": values["admin"]?.first ?? "",
            "functions.runs.apiKeys": values["runsKey"]?.first ?? "",
            "functions.turns.apiKeys": values["turnsKey"]?.first ?? "",
            "functions.sessions.masterKey": values["sessionsKey"]?.first ?? "",
        ]
    }
}
