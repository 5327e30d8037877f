/// A queue for one transport, app and environment.
///
/// A lane is the unit of fairness. If one stalls (an app whose key was refused, an environment that does not answer),
/// the others keep their own queue and their own window. Within a lane all targets share both: a transport to hosts
/// that clients name must not let one host stall the lane (see ``LaneFailure``).
package struct Lane: Hashable, Sendable {
    /// The transport that sends the lane's notifications.
    package let transport: TransportName
    /// The app and its environment.
    package let app: AppIdentity

    package init(transport: TransportName, app: AppIdentity = AppIdentity()) {
        self.transport = transport
        self.app = app
    }
}

extension Lane: CustomStringConvertible {
    /// A text for logs: `apns/com.example.app/sandbox`, without the parts that are `nil`.
    package var description: String {
        [transport.rawValue, app.bundleID, app.environment].compactMap(\.self).joined(separator: "/")
    }
}
