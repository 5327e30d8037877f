/// A report of an app that a notification has arrived, or was opened.
package struct Receipt: Hashable, Sendable {
    /// The kind of report.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The notification has arrived on the device.
        case delivered
        /// The user has opened the notification.
        case opened
    }

    /// The id of the message, with its signature, as the notification had it.
    let signedID: String
    let kind: Kind
    /// The name that the app has given itself, so that its reports count once; empty if it has none.
    let device: String

    package init(signedID: String, kind: Kind, device: String) {
        self.signedID = signedID
        self.kind = kind
        self.device = device
    }
}
