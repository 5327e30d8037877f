import DocumentStore
package import FCMInterface
package import Instance
package import JSON
import Server

/// The files that a Firebase client needs to use a gateway: a service account, and environment variables that point
/// to the gateway.
///
/// The variables are in separate files. There are two kinds of client: one knows the gateway's address, the other
/// connects to Google's hosts and is redirected here, and a program with the variables of both would also send its
/// other requests to the gateway's proxy. Firestore has a file of its own, because a program that only sends messages
/// through the gateway must keep its database at Google.
package struct FirebaseFiles: Sendable {
    private let configuration: GatewayConfiguration
    private let directory: DataDirectory
    private let addresses: ClientAddresses
    private let scopes: Set<AccessScope>

    /// The path of the variables for clients that know the gateway's address; `nil` if the account is not for
    /// messages.
    package var variablesPath: String? {
        scopes.contains(.messaging) ? directory.path + "/" + Self.variablesName : nil
    }
    /// The path of the variables for clients that connect to Google's hosts; `nil` if the gateway serves no such
    /// clients, or the account is not for messages.
    package var proxyVariablesPath: String? {
        scopes.contains(.messaging) && !proxyVariables.isEmpty ? directory.path + "/" + Self.proxyVariablesName : nil
    }
    /// The path of the variables for clients of Firestore; `nil` if the gateway does not serve its interface, or only
    /// at an address that the variable cannot name, which is a host and a port without TLS.
    package var firestoreVariablesPath: String? {
        firestoreHost == nil ? nil : directory.path + "/" + Self.firestoreVariablesName
    }
    /// `true` if a proxy redirects clients of Google's hosts to the gateway.
    package var servesProxy: Bool { configuration.fcm.proxyPort != nil }
    /// The path of the certificate authority that these clients must trust.
    package var authorityPath: String { directory.authority.certificatePath }

    private static let variablesName = "firebase.env"
    private static let proxyVariablesName = "firebase-proxy.env"
    private static let firestoreVariablesName = "firestore.env"

    /// Prepares the files. Creates the data directory if it does not exist.
    ///
    /// - Parameter scopes: The interfaces that the service account is for.
    package init(
        configuration: GatewayConfiguration, addresses: ClientAddresses, scopes: Set<AccessScope> = [.messaging]
    ) throws(GatewayError) {
        self.scopes = scopes
        self.configuration = configuration
        self.addresses = addresses
        // Clients run in other working directories, so the paths must be absolute.
        directory = try DataDirectory(creating: configuration.data.absoluteDirectory)
        // A restore that is repeated removes all files in the directory.
        try directory.restoreMark.check()
    }

    /// Creates a service account. The gateway keeps only the public half of its key.
    package func serviceAccount() throws -> JSONValue {
        try ServiceAccountFiles(in: directory).create(
            project: configuration.fcm.projectID, url: addresses.url, scopes: scopes)
    }

    /// Creates a service account and writes its file, beside those of earlier accounts, which may be in use. Then
    /// writes the files of variables, which name the new account. Those for messages stay as they are if the account
    /// is not for messages. Firestore's is always written: its clients send no token of the account, but some do not
    /// start without one. Creates the certificate authority if there is none.
    ///
    /// - Returns: The path of the account's file.
    @discardableResult
    package func write() throws -> String {
        _ = try directory.authority.readOrCreate(for: GoogleHosts.certifiedNames)
        let account = try serviceAccount().text + "\n"
        return try directory.setupLock.exclusively { () throws(GatewayError) in
            let name = try unusedServiceAccountName()
            try directory.files.write(account, to: name)
            let path = directory.path + "/" + name
            if variablesPath != nil { try write(emulatorVariables, account: path, to: Self.variablesName) }
            if proxyVariablesPath != nil { try write(proxyVariables, account: path, to: Self.proxyVariablesName) }
            if let firestoreHost {
                try write(
                    [("FIRESTORE_EMULATOR_HOST", firestoreHost)], account: path, project: firestoreProject,
                    to: Self.firestoreVariablesName)
            }
            return path
        }
    }

    /// Returns the first unused name of `service-account.json`, `service-account-2.json` and so on.
    private func unusedServiceAccountName() throws(GatewayError) -> String {
        var number = 1
        while true {
            let name = "service-account\(number == 1 ? "" : "-\(number)").json"
            if try directory.files.file(name).access() == nil { return name }
            number += 1
        }
    }

    private func write(
        _ variables: [(name: String, value: String)], account path: String, project: String? = nil, to name: String
    ) throws(GatewayError) {
        let account = [
            ("GOOGLE_APPLICATION_CREDENTIALS", path), ("GOOGLE_CLOUD_PROJECT", project ?? configuration.fcm.projectID),
        ]
        let lines = (account + variables).map { "export \($0.0)=\($0.1.quotedForShells)\n" }
        try directory.files.write(lines.joined(), to: name)
    }

    private var emulatorVariables: [(name: String, value: String)] {
        [("FIREBASE_MESSAGING_EMULATOR_HOST", String(addresses.url.trimmingPrefix("http://")))]
    }

    /// The address for clients of Firestore, such as `127.0.0.1:8080`. They connect to it without TLS.
    private var firestoreHost: String? {
        guard configuration.servesFirestore, let origin = WebOrigin(addresses.url), origin.scheme == "http" else {
            return nil
        }
        return "\(origin.host.contains(":") ? "[\(origin.host)]" : origin.host):\(origin.port)"
    }

    /// The project of programs that name none. The default database of the project `pushgate` is the gateway's own,
    /// which is closed to them.
    private var firestoreProject: String {
        let project = configuration.fcm.projectID
        return project == DatabaseID.gateway.project ? "demo-\(project)" : project
    }

    /// The variables for clients of Google's hosts. The proxy leads to this gateway only, so requests to the
    /// gateway's own host, for access tokens, bypass it.
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
    /// The text quoted as one word of a shell command. It may contain any character.
    package var quotedForShells: String { "'\(replacing("'", with: "'\\''"))'" }
}
