/// The collections at the root of the gateway's own database that the gateway writes, as docs/store.md lists them. The
/// console shows those of other programs first.
enum OwnCollections {
    static let names: Set = [
        "broadcasts", "codingSessions", "deadMansSwitch", "heldApps", "humanTaskDevices", "humanTaskKeys",
        "humanTaskPresence", "humanTaskTokens", "humanTaskVendors", "humanTasks", "idempotencyKeys", "liveActivityApps",
        "liveActivityCards", "liveActivityChannels", "messages", "outcomeHours", "pairedDevices", "pairings",
        "publishTokens", "receipts",
        "registrations", "relayAddresses", "relayInstallations", "relaySends", "relaySignatures",
        "relayUnknownAddresses",
        "removedSubscriptions", "runApprovals", "runDevices", "runEvents", "runState", "runs", "scheduledMessages",
        "schedules", "servers", "sessionDevices", "sessionKeys", "sessionNotifications", "sessionPhones",
        "sessionState", "subscriptionKeys", "topics", "turnDevices", "turnPlayers", "webhookQueues", "webhooks",
    ]
}
