public import Foundation

/// Keeps the list in a JSON file, which is replaced as a whole.
public struct JSONFileStorage: SubscriptionStorage {
    private let file: URL

    /// - Parameter file: in a folder that stays, such as Application Support; the folder is made when missing. On Apple's
    ///   systems the file is left out of back-ups: restored on another phone it would give two of them one installation id.
    public init(file: URL) { self.file = file }

    /// - Returns: nil also when what is there cannot be understood. It is moved aside then, to the same name with `.damaged`
    ///   behind it.
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

    /// An atomic write makes a new file each time, which has to be told anew.
    private func excludeFromBackup() {
        #if canImport(Darwin)
            var file = file
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? file.setResourceValues(values)
        #endif
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
