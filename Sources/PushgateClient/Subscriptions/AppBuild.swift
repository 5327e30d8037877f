/// What a gateway is told of the app's build. It must know of builds that are not the one it serves by itself: of your own
/// builds, for one.
public struct AppBuild: Hashable, Sendable {
    /// The system the app was built for, `ios` on iPads too. For whoever looks at the gateway's documents; 32 UTF-16 units
    /// at most.
    public var platform: String
    /// The app's bundle id, which is the topic at APNs.
    public var bundleID: String?
    /// Where the APNs token is from.
    public var apnsEnvironment: APNsEnvironment?
    /// For whoever looks at the gateway's documents.
    public var version: String?

    public init(
        bundleID: String? = nil, apnsEnvironment: APNsEnvironment? = nil, version: String? = nil,
        platform: String = AppBuild.currentPlatform
    ) {
        self.bundleID = bundleID
        self.apnsEnvironment = apnsEnvironment
        self.version = version
        self.platform = platform
    }

    /// The platform's name as the gateway's documents have it.
    public static var currentPlatform: String {
        #if os(macOS)
            "macos"
        #elseif os(visionOS)
            "visionos"
        #elseif os(Linux)
            "linux"
        #else
            "ios"
        #endif
    }

    /// Which of APNs' two services knows the token: the one that the `aps-environment` entitlement names.
    public enum APNsEnvironment: String, Hashable, Sendable {
        /// `development` in the entitlement: run from Xcode.
        case sandbox
        /// TestFlight and the App Store.
        case production
    }
}
