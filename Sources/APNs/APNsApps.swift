internal import Messaging

/// The apps a gateway sends for.
public struct APNsApps: Sendable, CustomStringConvertible {
    /// Takes what names no app, and what names one that is not listed: a team's key is good for all apps of the team.
    public var standard: APNsApp
    /// More apps. One that is listed twice has an entry for each environment.
    public var others: [APNsApp]

    public init(_ standard: APNsApp, _ others: [APNsApp] = []) {
        self.standard = standard
        self.others = others
    }

    public var description: String {
        let more = others.isEmpty ? "" : ", and \(others.count) more"
        return "APNs (\(standard.endpoint ?? standard.environment.rawValue)), topic \(standard.bundleID)\(more)"
    }
}
