internal import Foundation
public import JSON

/// What a client of Firebase needs in order to talk to a gateway: a service account, and variables that point it here.
public struct FirebaseFiles: Sendable {
    private let configuration: GatewayConfiguration
    private let directory: DataDirectory
    private let url: String

    public var serviceAccountPath: String { directory.path + "/service-account.json" }
    public var variablesPath: String { directory.path + "/firebase.env" }
    public var authorityPath: String { directory.certificateAuthorityPath }

    /// - Parameter url: where the gateway listens, as clients reach it.
    public init(configuration: GatewayConfiguration, url: String) throws(GatewayError) {
        self.configuration = configuration
        self.url = url
        // Clients run elsewhere.
        directory = try DataDirectory(
            creating: URL(fileURLWithPath: configuration.dataDirectory).standardizedFileURL.path)
    }

    /// Makes a service account. The gateway keeps the public half of its key only.
    public func serviceAccount() throws -> JSONValue {
        try directory.makeServiceAccount(project: configuration.fcm.projectID, url: url)
    }

    /// Makes a service account, and writes its file and that of the variables, in the place of earlier ones; and the
    /// certificate authority where there is none.
    public func write() throws {
        try directory.write(try serviceAccount().text + "\n", to: serviceAccountPath)
        let lines = variables.map { "export \($0.name)='\($0.value.replacing("'", with: "'\\''"))'" }
        _ = try directory.certificateAuthority()
        try directory.write(lines.joined(separator: "\n") + "\n", to: variablesPath)
    }

    /// Those of the proxy only where there is one: it leads nowhere but here.
    private var variables: [(name: String, value: String)] {
        let proxy = configuration.fcm.proxyPort.map { port in
            [
                ("HTTPS_PROXY", "http://\(configuration.http.host):\(port)"),
                ("https_proxy", "http://\(configuration.http.host):\(port)"),
            ]
        }
        let authorities = ["REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"].map { ($0, authorityPath) }
        return account + (proxy.map { $0 + authorities } ?? [])
    }

    private var account: [(name: String, value: String)] {
        [
            ("GOOGLE_APPLICATION_CREDENTIALS", serviceAccountPath),
            ("GOOGLE_CLOUD_PROJECT", configuration.fcm.projectID),
            ("FIREBASE_MESSAGING_EMULATOR_HOST", String(url.trimmingPrefix("http://"))),
        ]
    }
}
