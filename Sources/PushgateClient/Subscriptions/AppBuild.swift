/// What a gateway must know of builds that are not the one it serves by itself: of your own builds, for one.
public struct AppBuild: Hashable, Sendable {
    /// The app's bundle id, which is the topic at APNs.
    public var bundleID: String?
    /// Where the APNs token is from.
    public var apnsEnvironment: APNsEnvironment?
    /// For whoever looks at the gateway's documents.
    public var version: String?

    public init(bundleID: String? = nil, apnsEnvironment: APNsEnvironment? = nil, version: String? = nil) {
        self.bundleID = bundleID
        self.apnsEnvironment = apnsEnvironment
        self.version = version
    }

    /// Which of APNs' two services knows the token: the one that the `aps-environment` entitlement names.
    public enum APNsEnvironment: String, Hashable, Sendable {
        /// `development` in the entitlement: run from Xcode.
        case sandbox
        /// TestFlight and the App Store.
        case production
    }
}
