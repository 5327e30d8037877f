internal import Foundation

/// Keeps the list in the user defaults.
///
/// Not for an app on iOS that may be started in the background, by a push for one: before the phone's first unlock the defaults
/// read as empty, and the client would take itself for newly installed and write over the list. They are backed up, too, with
/// the installation id in them. ``JSONFileStorage`` has neither fault.
public struct UserDefaultsStorage: SubscriptionStorage {
    private let suiteName: String?
    private let key: String

    /// - Parameter suiteName: the app group's, when an extension is to see the list too.
    public init(suiteName: String? = nil, key: String = "pushgate.subscriptions") {
        self.suiteName = suiteName
        self.key = key
    }

    /// - Returns: nil also when what is there cannot be understood. It is kept then under the same key with `.damaged` behind
    ///   it.
    public func load() throws -> SubscriptionState? {
        let defaults = try defaults()
        guard let data = defaults.data(forKey: key) else { return nil }
        do {
            return try JSONDecoder().decode(SubscriptionState.self, from: data)
        } catch is DecodingError {
            defaults.set(data, forKey: key + ".damaged")
            return nil
        }
    }

    public func save(_ state: SubscriptionState) throws {
        try defaults().set(try JSONEncoder().encode(state), forKey: key)
    }

    /// Fetched anew each time, since not every system's `UserDefaults` is `Sendable`.
    private func defaults() throws -> UserDefaults {
        guard let suiteName else { return .standard }
        guard let defaults = UserDefaults(suiteName: suiteName) else { throw UnusableSuiteName() }
        return defaults
    }
}

/// There are no user defaults of that suite name.
struct UnusableSuiteName: Error {}
