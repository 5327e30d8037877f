internal import Foundation

/// Keeps the list in the user defaults.
///
/// Before the phone's first unlock these read as empty, and the client would take itself for newly installed: give it an
/// installation id from the Keychain, or use ``JSONFileStorage``.
public struct UserDefaultsStorage: SubscriptionStorage {
    private let suiteName: String?
    private let key: String

    /// - Parameter suiteName: the app group's, when an extension is to see the list too.
    public init(suiteName: String? = nil, key: String = "pushgate.subscriptions") {
        self.suiteName = suiteName
        self.key = key
    }

    public func load() throws -> SubscriptionState? {
        try defaults().data(forKey: key).flatMap { try? JSONDecoder().decode(SubscriptionState.self, from: $0) }
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
