package import DocumentStore
package import Logging
package import Settings

/// The facts and services of a gateway that its push services use.
package struct PushServiceHost: Sendable {
    /// The bundle ids of apps that systems notify.
    package let bundleIDs: Set<String>
    /// The address at which phones reach the gateway, without a slash at its end; `nil` if it is not configured.
    package let publicURL: String?
    /// The path of the gateway's own page that subscribes browsers; `nil` if it has none.
    package let browserPage: String?
    /// Returns the rejection that some push service has for a message to any target; `nil` if there is none.
    package let rejection: @Sendable (OutgoingMessage) -> Rejection?
    /// The gateway's documents, for what has to outlive the process; `nil` for an examination.
    package let store: (any DocumentStore)?
    /// The time in seconds since 1970.
    package let now: @Sendable () -> Int64
    /// The log.
    package let logger: Logger
    /// Returns the survey of registered browsers; `nil` if it cannot be had now. Only an examination asks for it.
    package let survey: @Sendable () async -> SubscriptionSurvey?
    private let read: Contents
    private let check: AuthorityCheck
    private let keep: SecretKeeper

    /// A function that reads the file of a setting.
    package typealias Contents =
        @Sendable (_ key: String, _ path: String, _ expected: String) throws(ConfigurationError) -> [UInt8]
    /// A function that checks a setting's file of certificate authorities.
    package typealias AuthorityCheck = @Sendable (_ key: String, _ path: String) throws(ConfigurationError) -> Void

    /// A function that returns the secret that the gateway keeps under a name. It makes it by the second argument if
    /// there is none.
    package typealias SecretKeeper =
        @Sendable (_ name: String, _ make: () throws(ConfigurationError) -> [UInt8]) throws(ConfigurationError)
        -> [UInt8]

    /// Creates a host.
    ///
    /// - Parameters:
    ///   - contents: Reads the file of a setting.
    ///   - authorities: Checks a setting's file of certificate authorities.
    ///   - secrets: Keeps the secrets that services make for themselves.
    ///   - survey: Returns the survey of registered browsers.
    ///   - store: The gateway's documents.
    package init(
        bundleIDs: Set<String>, publicURL: String?, browserPage: String? = nil,
        rejection: @escaping @Sendable (OutgoingMessage) -> Rejection?, contents: @escaping Contents,
        authorities: @escaping AuthorityCheck, secrets: @escaping SecretKeeper,
        survey: @escaping @Sendable () async -> SubscriptionSurvey? = { nil }, store: (any DocumentStore)? = nil,
        now: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        self.bundleIDs = bundleIDs
        self.publicURL = publicURL
        self.browserPage = browserPage
        self.rejection = rejection
        read = contents
        check = authorities
        keep = secrets
        self.survey = survey
        self.store = store
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

    /// Returns a secret that the gateway keeps, which is made at first need. All gateways over one database have the
    /// same, and a backup has it.
    ///
    /// - Parameters:
    ///   - name: The name of its file in the data directory, one of `SharedSecrets.names`.
    ///   - make: Makes the secret, as the bytes of a text.
    package func secret(
        _ name: String, make: () throws(ConfigurationError) -> [UInt8]
    ) throws(ConfigurationError) -> [UInt8] {
        try keep(name, make)
    }
}
