import DocumentStore
import FirestoreAPI
import Foundation

/// The part of the REST interface that a path leads to.
enum FirestoreTarget: Hashable, Sendable {
    /// A database, or something in it.
    case database(DatabaseID)
    /// The databases of a project.
    case databases
    /// The stream for SDKs in browsers (WebChannel).
    case channel
    /// A database whose project's id or own id is not one.
    case invalid(FirestoreStatus)

    /// Parses the path of a request. Those of other interfaces are not copied.
    init?(path: Substring) {
        guard Self.beginnings.contains(where: { path.utf8.starts(with: $0.utf8) }) else { return nil }
        self.init(path: String(path))
    }

    /// Parses a path, such as `/v1/projects/demo/databases/(default)/documents/rooms`; `nil` for the path of another
    /// interface.
    init?(path: String) {
        if path.hasPrefix(Self.channelPrefix) {
            self = .channel
            return
        }
        guard let prefix = Self.prefixes.first(where: { path.hasPrefix($0) }) else { return nil }
        let segments = path.dropFirst(prefix.count).split(
            separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard segments.count > 1, segments[1] == "databases", let project = segments[0].removingPercentEncoding else {
            return nil
        }
        guard segments.count > 2, let database = segments[2].removingPercentEncoding else {
            self = .databases
            return
        }
        do throws(StoreError) {
            self = .database(try DatabaseID(checkedProject: project, database: database))
        } catch {
            self = .invalid(FirestoreStatus(error))
        }
    }

    private static let prefixes = ["/v1/projects/", "/v1beta1/projects/", "/emulator/v1/projects/"]
    private static let channelPrefix = "/google.firestore.v1.Firestore/"
    private static let beginnings = prefixes + [channelPrefix]
}
