public import Foundation

/// Keeps the list in a JSON file, which is replaced as a whole.
public struct JSONFileStorage: SubscriptionStorage {
    private let file: URL

    /// - Parameter file: in a folder that is backed up or not, as the app likes; the folder is made when missing.
    public init(file: URL) { self.file = file }

    public func load() throws -> SubscriptionState? {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        }
        return try? JSONDecoder().decode(SubscriptionState.self, from: data)
    }

    public func save(_ state: SubscriptionState) throws {
        let data = try JSONEncoder().encode(state)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file, options: Self.options)
    }

    /// A push may start the app while the phone is locked.
    private static var options: Data.WritingOptions {
        #if os(iOS)
            [.atomic, .completeFileProtectionUntilFirstUserAuthentication]
        #else
            [.atomic]
        #endif
    }
}
