package import Messaging

/// The notifications in flight, without I/O: the ones that are given up, and the requests by which a client finds the
/// others.
package struct NotificationsInFlight: Sendable {
    private struct Entry {
        /// The body of the latest request, which no other request has; `nil` if there was none yet.
        var body: [UInt8]?
        var isGivenUp = false
    }

    private var entries: [NotificationID: Entry] = [:]

    package init() {}

    package mutating func begin(_ id: NotificationID) { entries[id] = Entry() }

    package mutating func end(_ id: NotificationID) { entries[id] = nil }

    /// Notes the next request of a notification.
    ///
    /// - Returns: `false` if the notification is given up.
    package mutating func willSend(_ body: [UInt8], of id: NotificationID) -> Bool {
        guard !isGivenUp(id) else { return false }
        entries[id]?.body = body
        return true
    }

    package func isGivenUp(_ id: NotificationID) -> Bool { entries[id]?.isGivenUp ?? false }

    /// Gives a notification up.
    ///
    /// - Returns: The body of its latest request, which may be in progress; `nil` if there is none.
    package mutating func giveUp(_ id: NotificationID) -> [UInt8]? {
        entries[id]?.isGivenUp = true
        return entries[id]?.body
    }
}
