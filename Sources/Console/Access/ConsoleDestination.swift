import Foundation

/// The page of the console that a user wanted to see before signing in.
struct ConsoleDestination: Hashable, Sendable {
    /// The path, with its query; that of the first page if another text was given.
    let path: String

    private static let longestPath = 4_096

    /// Takes the path of a page below `/console/`. No other text leads anywhere but to the first page: a link must not
    /// send people to another site, or change something, once they have signed in.
    init(_ text: (some StringProtocol)?) {
        let path = text.map { String($0) } ?? ""
        let isPage =
            path.hasPrefix("/console/") && path.utf8.count <= Self.longestPath
            && path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        self.path = isPage ? path : "/"
    }

    /// `true` for the first page, to which signing in leads without a destination.
    var isFirstPage: Bool { path == "/" }

    /// The path of the page to sign in, which leads here.
    var signInPath: String {
        guard !isFirstPage else { return "/" }
        var allowed = CharacterSet.urlQueryAllowed
        allowed.remove(charactersIn: "&+=?#")
        return "/?next=" + (path.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")
    }
}
