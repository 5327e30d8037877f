/// The app's build, as registrations describe it to a gateway. A gateway needs it for builds other than its default
/// app, for example your own builds.
public struct AppBuild: Hashable, Sendable {
    /// The platform of the app, `ios` on iPads too, up to 32 UTF-16 units. It is informative, for the gateway's
    /// documents.
    public var platform: String
    /// The app's bundle id, which is the topic at APNs; `nil` for the gateway's default app.
    public var bundleID: String?
    /// The environment of the APNs token; `nil` for the gateway's default.
    public var apnsEnvironment: APNsEnvironment?
    /// The version of the app. It is informative, for the gateway's documents.
    public var version: String?
    /// `true` if the app sends receipts with a ``ReceiptReporter``. Gateways then ask for them.
    public var sendsReceipts: Bool

    /// Describes the gateway's default app on the current platform if no argument is given.
    public init(
        bundleID: String? = nil, apnsEnvironment: APNsEnvironment? = nil, version: String? = nil,
        platform: String = AppBuild.currentPlatform, sendsReceipts: Bool = false
    ) {
        self.bundleID = bundleID
        self.apnsEnvironment = apnsEnvironment
        self.version = version
        self.platform = platform
        self.sendsReceipts = sendsReceipts
    }

    /// The name of the current platform in the gateway's documents.
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

    /// An environment of APNs. The `aps-environment` entitlement determines it.
    public enum APNsEnvironment: String, Hashable, Sendable {
        /// `development` in the entitlement: builds run from Xcode.
        case sandbox
        /// `production` in the entitlement: builds from TestFlight and the App Store.
        case production
    }
}
