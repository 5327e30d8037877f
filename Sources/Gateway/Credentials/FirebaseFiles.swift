public import JSON

/// What a client of Firebase needs in order to talk to a gateway: a service account, and variables that point it here.
///
/// The variables are in two files, since a client goes one of two ways: it knows the gateway's address, or it looks for
/// Google and is led here. A program that had both would also send what it asks of others to the gateway's proxy.
public struct FirebaseFiles: Sendable {
    private let configuration: GatewayConfiguration
    private let directory: DataDirectory
    private let addresses: ClientAddresses

    /// For clients that know the gateway's address.
    public var variablesPath: String { directory.path + "/" + Self.variablesName }
    /// For clients that look for Google; nil when none of them is served.
    public var proxyVariablesPath: String? {
        proxyVariables.isEmpty ? nil : directory.path + "/" + Self.proxyVariablesName
    }
    /// A Boolean value indicating whether there is a proxy that leads clients here that look for Google.
    public var servesProxy: Bool { configuration.fcm.proxyPort != nil }
    public var authorityPath: String { directory.certificateAuthorityPath }

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

    /// Makes a service account and writes its file, beside those of earlier ones, which somebody may use; and the files of
    /// the variables, which name the new account; and the certificate authority where there is none.
    ///
    /// - Returns: the path of the account's file.
    @discardableResult
    public func write() throws -> String {
        _ = try directory.certificateAuthority()
        let account = try serviceAccount().text + "\n"
        return try directory.exclusively { () throws(GatewayError) in
            let name = try unusedServiceAccountName()
            try directory.write(account, to: name)
            let path = directory.path + "/" + name
            try write(emulatorVariables, account: path, to: Self.variablesName)
            if !proxyVariables.isEmpty { try write(proxyVariables, account: path, to: Self.proxyVariablesName) }
            return path
        }
    }

    /// `service-account.json`, `service-account-2.json` and so on.
    private func unusedServiceAccountName() throws(GatewayError) -> String {
        var number = 1
        while true {
            let name = "service-account\(number == 1 ? "" : "-\(number)").json"
            if try directory.file(name).access() == nil { return name }
            number += 1
        }
    }

    private func write(
        _ variables: [(name: String, value: String)], account path: String, to name: String
    ) throws(GatewayError) {
        let account = [
            ("GOOGLE_APPLICATION_CREDENTIALS", path), ("GOOGLE_CLOUD_PROJECT", configuration.fcm.projectID),
        ]
        let lines = (account + variables).map { "export \($0.0)=\($0.1.quotedForShells)\n" }
        try directory.write(lines.joined(), to: name)
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
        let authorities = ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "HTTPLIB2_CA_CERTS"]
            .map { ($0, authorityPath) }
        return (proxy ?? []) + authorities
    }
}

extension String {
    /// As one word of a shell's command, whatever is in it.
    public var quotedForShells: String { "'\(replacing("'", with: "'\\''"))'" }
}
