/// The paths of the token endpoint: its own, and those that clients know Google's by.
enum TokenPath {
    /// The paths at `oauth2.googleapis.com`, at `www.googleapis.com` (Ruby), and of older clients (Node).
    static let all = ["/token", "/oauth2/v4/token", "/o/oauth2/token"]

    /// Returns whether a URL is that of a token endpoint, on any host. A proxy may have put a path of its own before the
    /// gateway's.
    static func isAudience(_ url: String) -> Bool {
        guard let scheme = url.firstRange(of: "://") else { return false }
        let rest = url[scheme.upperBound...].prefix { !"?#".contains($0) }
        guard let slash = rest.firstIndex(of: "/"), slash > rest.startIndex else { return false }
        return all.contains { rest[slash...].hasSuffix($0) }
    }
}
