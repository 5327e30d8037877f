import Foundation

/// The maximum number of file descriptors of this process, which connections, files and the database share.
package struct DescriptorLimit: Sendable, Equatable {
    /// The number of descriptors.
    package let count: Int

    /// The current limit; `nil` if the system does not report it.
    package static var current: DescriptorLimit? { read().map { DescriptorLimit($0.rlim_cur) } }

    /// Raises the limit to the highest value that this process may set.
    ///
    /// - Returns: The limits before and after; `nil` if the system does not report them.
    package static func raise() -> (before: DescriptorLimit, after: DescriptorLimit)? {
        guard var limits = read() else { return nil }
        let before = DescriptorLimit(limits.rlim_cur)
        limits.rlim_cur = highest(limits.rlim_max)
        setrlimit(resource, &limits)
        return (before, current ?? before)
    }

    /// The number of descriptors for connections from clients. The rest is for files, the database and outgoing
    /// connections.
    package var connections: Int { count - min(count / 2, max(64, count / 16)) }

    init(count: Int) { self.count = count }

    private init(_ limit: rlim_t) { self.init(count: Int(clamping: limit)) }

    private static func read() -> rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }

    #if canImport(Darwin)
        private static let resource = RLIMIT_NOFILE
        /// Darwin reports “unlimited”, but accepts at most this value.
        private static func highest(_ limit: rlim_t) -> rlim_t { min(limit, rlim_t(OPEN_MAX)) }
    #else
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        private static func highest(_ limit: rlim_t) -> rlim_t { limit }
    #endif
}
