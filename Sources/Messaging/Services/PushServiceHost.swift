package import Logging
package import Settings

/// The facts and services of a gateway that its push services use.
package struct PushServiceHost: Sendable {
    /// The bundle ids of apps that systems notify.
    package let bundleIDs: Set<String>
    /// Returns the rejection that some push service has for a message to any target; `nil` if there is none.
    package let rejection: @Sendable (OutgoingMessage) -> Rejection?
    /// The time in seconds since 1970.
    package let now: @Sendable () -> Int64
    /// The log.
    package let logger: Logger
    private let read: Contents
    private let check: AuthorityCheck

    /// A function that reads the file of a setting.
    package typealias Contents =
        @Sendable (_ key: String, _ path: String, _ expected: String) throws(ConfigurationError) -> [UInt8]
    /// A function that checks a setting's file of certificate authorities.
    package typealias AuthorityCheck = @Sendable (_ key: String, _ path: String) throws(ConfigurationError) -> Void

    /// Creates a host.
    ///
    /// - Parameters:
    ///   - contents: Reads the file of a setting.
    ///   - authorities: Checks a setting's file of certificate authorities.
    package init(
        bundleIDs: Set<String>, rejection: @escaping @Sendable (OutgoingMessage) -> Rejection?,
        contents: @escaping Contents, authorities: @escaping AuthorityCheck, now: @escaping @Sendable () -> Int64,
        logger: Logger
    ) {
        self.bundleIDs = bundleIDs
        self.rejection = rejection
        read = contents
        check = authorities
        self.now = now
        self.logger = logger
    }

    /// Returns the bytes of a file that a setting names.
    ///
    /// - Parameter expected: The value that the setting takes, for errors: `the path of the .p8 file`.
    package func contents(of path: String, key: String, expected: String) throws(ConfigurationError) -> [UInt8] {
        try read(key, path, expected)
    }

    /// Checks that the file of a setting has certificates of authorities, in PEM.
    package func checkAuthorities(at path: String, key: String) throws(ConfigurationError) {
        try check(key, path)
    }
}
