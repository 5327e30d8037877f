internal import Foundation

/// The number of descriptors this process may have: for connections, files, and the database.
public struct DescriptorLimit: Sendable, Equatable {
    public let count: Int

    /// The limit that holds now; `nil` if the system does not say.
    public static var current: DescriptorLimit? { read().map { DescriptorLimit($0.rlim_cur) } }

    /// Raises the limit as far as this process may.
    ///
    /// - Returns: the limits before and after; `nil` if the system does not say.
    public static func raise() -> (before: DescriptorLimit, after: DescriptorLimit)? {
        guard var limits = read() else { return nil }
        let before = DescriptorLimit(limits.rlim_cur)
        limits.rlim_cur = highest(limits.rlim_max)
        setrlimit(resource, &limits)
        return (before, current ?? before)
    }

    /// Those left for connections: files, the database and outgoing connections need the others.
    var connections: Int { count - min(count / 2, max(64, count / 16)) }

    init(count: Int) { self.count = count }

    private init(_ limit: rlim_t) { self.init(count: Int(clamping: limit)) }

    private static func read() -> rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }

    #if canImport(Darwin)
        private static let resource = RLIMIT_NOFILE
        /// Darwin says “unlimited”, and takes no more than this.
        private static func highest(_ limit: rlim_t) -> rlim_t { min(limit, rlim_t(OPEN_MAX)) }
    #else
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        private static func highest(_ limit: rlim_t) -> rlim_t { limit }
    #endif
}
