internal import HTTP2Client
internal import Messaging

/// The apps a gateway sends for.
public struct APNsApps: Sendable, CustomStringConvertible {
    /// The app of registrations that name none. Its key is used for bundle ids without an entry, too: a team's key is good for
    /// all apps of the team.
    public var standard: APNsApp
    /// More apps. One that is listed twice has an entry for each environment.
    public var others: [APNsApp]

    /// Bundle ids without an entry that are sent for as well.
    public var moreBundleIDs: Set<String>
    /// Sends for every other bundle id as well.
    public var allowsUnconfigured: Bool

    public init(
        _ standard: APNsApp, _ others: [APNsApp] = [], moreBundleIDs: Set<String> = [], allowsUnconfigured: Bool = false
    ) {
        self.standard = standard
        self.others = others
        self.moreBundleIDs = moreBundleIDs
        self.allowsUnconfigured = allowsUnconfigured
    }

    public var description: String {
        let more = others.isEmpty ? "" : ", and \(others.count) more"
        return "APNs (\(standard.endpoint?.url ?? standard.environment.rawValue)), topic \(standard.bundleID)\(more)"
    }
}
