package import DocumentStore

/// The devices that a system notifies together, such as those that are subscribed to an agent.
package struct DeviceGroup: Sendable {
    /// The name for people, such as `the agent /srv/app`.
    package let name: String
    /// The registrations, up to the limit of the search.
    package let devices: [Document]
    /// The reason for which no message reaches any of them, with the remedy; `nil` if the system knows of none.
    package let trouble: String?

    package init(name: String, devices: [Document], trouble: String?) {
        self.name = name
        self.devices = devices
        self.trouble = trouble
    }
}
