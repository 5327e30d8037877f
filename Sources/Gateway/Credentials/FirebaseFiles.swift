public import JSON

/// What a client of Firebase needs in order to talk to a gateway: a service account, and variables that point it here.
///
/// The variables are in two files, since a client goes one of two ways: it knows the gateway's address, or it looks for
/// Google and is led here. A program that had both would also send what it asks of others to the gateway's proxy.
public struct FirebaseFiles: Sendable {
    private let configuration: GatewayConfiguration
    private let directory: DataDirectory
    private let addresses: ClientAddresses

    public var serviceAccountPath: String { directory.path + "/" + Self.serviceAccountName }
    /// For clients that know the gateway's address.
    public var variablesPath: String { directory.path + "/" + Self.variablesName }
    /// For clients that look for Google; nil when none of them is served.
    public var proxyVariablesPath: String? {
        proxyVariables.isEmpty ? nil : directory.path + "/" + Self.proxyVariablesName
    }
    public var authorityPath: String { directory.certificateAuthorityPath }

    private static let serviceAccountName = "service-account.json"
    private static let variablesName = "firebase.env"
    private static let proxyVariablesName = "firebase-proxy.env"

    public init(configuration: GatewayConfiguration, addresses: ClientAddresses) throws(GatewayError) {
        self.configuration = configuration
        self.addresses = addresses
        // Clients run elsewhere.
        directory = try DataDirectory(creating: configuration.absoluteDataDirectory)
    }

    /// Makes a service account. The gateway keeps the public half of its key only.
    public func serviceAccount() throws -> JSONValue {
        try directory.makeServiceAccount(project: configuration.fcm.projectID, url: addresses.url)
    }

    /// Makes a service account, and writes its file and those of the variables, in the place of earlier ones; and the
    /// certificate authority where there is none.
    public func write() throws {
        _ = try directory.certificateAuthority()
        try directory.write(try serviceAccount().text + "\n", to: Self.serviceAccountName)
        try write(emulatorVariables, to: Self.variablesName)
        if proxyVariables.isEmpty {
            try directory.file(Self.proxyVariablesName).remove()
        } else {
            try write(proxyVariables, to: Self.proxyVariablesName)
        }
    }

    private func write(_ variables: [(name: String, value: String)], to name: String) throws {
        let lines = (account + variables).map { "export \($0.name)=\($0.value.quotedForShells)\n" }
        try directory.write(lines.joined(), to: name)
    }

    private var account: [(name: String, value: String)] {
        [
            ("GOOGLE_APPLICATION_CREDENTIALS", serviceAccountPath),
            ("GOOGLE_CLOUD_PROJECT", configuration.fcm.projectID),
        ]
    }

    private var emulatorVariables: [(name: String, value: String)] {
        [("FIREBASE_MESSAGING_EMULATOR_HOST", String(addresses.url.trimmingPrefix("http://")))]
    }

    /// The proxy leads nowhere but here, so the gateway's own host is asked without it: for access tokens.
    private var proxyVariables: [(name: String, value: String)] {
        guard configuration.fcm.tlsPort != nil || configuration.fcm.proxyPort != nil else { return [] }
        let proxy = addresses.proxy.map { proxy in
            ["HTTPS_PROXY", "https_proxy"].map { ($0, proxy) } + ["NO_PROXY", "no_proxy"].map { ($0, addresses.host) }
        }
        let authorities = ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].map { ($0, authorityPath) }
        return (proxy ?? []) + authorities
    }
}

extension String {
    /// As one word of a shell's command, whatever is in it.
    public var quotedForShells: String { "'\(replacing("'", with: "'\\''"))'" }
}
