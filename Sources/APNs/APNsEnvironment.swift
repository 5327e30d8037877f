package import Messaging

/// The environment of a device token: one of Apple's two push services.
package enum APNsEnvironment: String, Sendable, CaseIterable {
    /// For apps that Xcode installs.
    case sandbox
    /// For apps from the App Store, TestFlight and enterprise distribution.
    case production
}

/// The attributes of an address at APNs: a bundle id, or another of the app's topics, and an environment.
extension AppIdentity {
    /// Creates the identity of an app in one of Apple's environments.
    ///
    /// - Parameter environment: The environment; `nil` for the one that the transport is configured with.
    package init(bundleID: String? = nil, environment: APNsEnvironment?) {
        self.init(bundleID: bundleID, environment: environment?.rawValue)
    }

    /// The environment; `nil` if the address names none, or one that Apple does not have.
    var apnsEnvironment: APNsEnvironment? { environment.flatMap(APNsEnvironment.init(rawValue:)) }
}
