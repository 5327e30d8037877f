public import Foundation

/// A storage for the list of subscriptions between launches. The list contains neither secrets nor tokens.
public protocol SubscriptionStorage: Sendable {
    /// Returns the state that was saved last.
    ///
    /// - Returns: `nil` if nothing was saved, or if the saved data was malformed and has been moved aside.
    /// - Throws: An error if the state cannot be read now, for example before the device's first unlock. `nil` would
    ///   start an empty list.
    func load() throws -> SubscriptionState?

    /// Replaces the saved state completely, or not at all.
    func save(_ state: SubscriptionState) throws
}

/// A storage that uses a JSON file, which is replaced atomically.
public struct JSONFileStorage: SubscriptionStorage {
    private let file: URL

    /// Creates a storage.
    ///
    /// - Parameter file: A file in a permanent folder, such as Application Support. A missing folder is created. On
    ///   Apple's systems the file is excluded from back-ups: restored to another device it would give two devices the
    ///   same installation id.
    public init(file: URL) { self.file = file }

    /// Returns the state in the file; `nil` if there is none. A malformed file is moved to the same name with the
    /// suffix `.damaged`, and the result is `nil` as well.
    public func load() throws -> SubscriptionState? {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        }
        do {
            return try JSONDecoder().decode(SubscriptionState.self, from: data)
        } catch is DecodingError {
            try moveAside()
            return nil
        }
    }

    /// Writes the file atomically.
    public func save(_ state: SubscriptionState) throws {
        let data = try JSONEncoder().encode(state)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file, options: Self.options)
        excludeFromBackup()
    }

    private func moveAside() throws {
        let aside = file.appendingPathExtension("damaged")
        try? FileManager.default.removeItem(at: aside)
        try FileManager.default.moveItem(at: file, to: aside)
    }

    /// Excludes the file from back-ups, after each save, because an atomic write creates a new file.
    private func excludeFromBackup() {
        #if canImport(Darwin)
            var file = file
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? file.setResourceValues(values)
        #endif
    }

    /// The options for writing. The file is readable while the device is locked, because a push may start the app then.
    private static var options: Data.WritingOptions {
        #if os(iOS)
            [.atomic, .completeFileProtectionUntilFirstUserAuthentication]
        #else
            [.atomic]
        #endif
    }
}

/// A storage that uses the user defaults.
///
/// It is not suitable for an app on iOS that may start in the background, for example by a push. Before the device's
/// first unlock the defaults are empty, so the client would treat the app as newly installed and overwrite the list.
/// The defaults are also backed up, including the installation id. ``JSONFileStorage`` has neither problem.
public struct UserDefaultsStorage: SubscriptionStorage {
    private let suiteName: String?
    private let key: String

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - suiteName: The suite of the app group, if an extension reads the list too; `nil` for the app's own defaults.
    ///   - key: The key of the list.
    public init(suiteName: String? = nil, key: String = "pushgate.subscriptions") {
        self.suiteName = suiteName
        self.key = key
    }

    /// Returns the state in the defaults; `nil` if there is none. A malformed value is copied to the same key with the
    /// suffix `.damaged`, and the result is `nil` as well.
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

    /// Replaces the value in the defaults.
    public func save(_ state: SubscriptionState) throws {
        try defaults().set(try JSONEncoder().encode(state), forKey: key)
    }

    /// Returns the defaults. They are fetched for each call, because `UserDefaults` is not `Sendable` on every system.
    private func defaults() throws -> UserDefaults {
        guard let suiteName else { return .standard }
        guard let defaults = UserDefaults(suiteName: suiteName) else { throw UnusableSuiteName() }
        return defaults
    }
}

/// An error for a suite name without user defaults.
struct UnusableSuiteName: Error {}
