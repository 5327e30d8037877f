import Texts

/// The addresses of a running push service, and the settings that lead browsers and application servers to it.
public struct LocalPushServiceAddresses: Hashable, Sendable {
    /// The URL for application servers, such as `https://127.0.0.1:8030`.
    public let push: String
    /// The URL of Firefox's WebSocket, such as `ws://127.0.0.1:8031/`.
    public let firefox: String
    /// The URL of Chromium's check-in, such as `http://127.0.0.1:8031/checkin`.
    public let chromiumCheckIn: String
    /// The URL of Chromium's registration, such as `http://127.0.0.1:8031/register`.
    public let chromiumRegistration: String
    /// The address of MCS, such as `https://127.0.0.1:8032`.
    public let chromiumMCS: String
    /// The URL of the proxy that leads the names of the services' hosts here, such as `http://127.0.0.1:8033`.
    public let proxy: String
    /// The URL of the control address, such as `http://127.0.0.1:8034`.
    public let control: String
    /// The path of the PEM file with the CA that application servers must trust.
    public let certificateAuthorityPath: String
    /// The SHA-256 of the CA's public key (SubjectPublicKeyInfo) in base64, by which Chromium trusts the service.
    public let certificateAuthorityKeyHash: String
}

/// The settings of the browsers.
extension LocalPushServiceAddresses {
    /// Firefox's preferences: names, and values in the form of `user.js`.
    ///
    /// A driver of browsers switches push off unless the profile switches it on. A headless browser cannot ask for the
    /// permission for notifications, so all pages have it, and it has no desktop to hand them to, so it displays them
    /// itself.
    public var firefoxPreferences: [(name: String, value: String)] {
        [
            (name: "dom.push.serverURL", value: "\"\(firefox)\""),
            (name: "dom.push.connection.enabled", value: "true"),
            (name: "dom.push.testing.allowInsecureServerURL", value: "true"),
            (name: "permissions.default.desktop-notification", value: "1"),
            (name: "alerts.useSystemBackend", value: "false"),
        ]
    }

    /// The text of a `user.js` with Firefox's preferences.
    public var firefoxUserJS: String {
        firefoxPreferences.map { "user_pref(\"\($0.name)\", \($0.value));\n" }.joined()
    }

    /// Chromium's flags. It takes the last one only beside a `--user-data-dir`.
    public var chromiumFlags: [String] {
        [
            "--gcm-checkin-url=\(chromiumCheckIn)", "--gcm-registration-url=\(chromiumRegistration)",
            "--gcm-mcs-endpoint=\(chromiumMCS)",
            "--ignore-certificate-errors-spki-list=\(certificateAuthorityKeyHash)",
        ]
    }

    /// Chromium's environment. Without a key of Google's, builds of Chromium have no push; any text will do.
    public var chromiumEnvironment: [(name: String, value: String)] {
        ["GOOGLE_API_KEY", "GOOGLE_DEFAULT_CLIENT_ID", "GOOGLE_DEFAULT_CLIENT_SECRET"].map { (name: $0, value: "x") }
    }
}

extension LocalPushServiceAddresses {
    /// The text to print after the start, with the settings of both browsers, of a sender, and of a gateway.
    public var banner: String {
        let preferences = firefoxPreferences.map { "  user_pref(\"\($0.name)\", \($0.value));" }
        let environment = chromiumEnvironment.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        let flags = chromiumFlags.joined(separator: " \\\n    ")
        let server = push.dropFirst("https://".utf8.count)
        // Chromium makes its endpoints itself; those of other browsers have the service's own address.
        let substitutes = Self.chromiumHosts.map { "\($0)=\(server)" }.joined(separator: ",")
        return """
            Push service      \(push)
            proxy             \(proxy)
            control           \(control)

            For Firefox, in user.js of a profile of its own:
            \(preferences.joined(separator: "\n"))

            For Chromium:
              \(environment) \\
              chromium --user-data-dir="$(mktemp -d)" \\
                \(flags)

            For a sender:
              export SSL_CERT_FILE=\(Self.quoted(certificateAuthorityPath))
              export HTTPS_PROXY=\(proxy)

            To point a gateway at it:
              export PUSHGATE_WEBPUSH_CA_FILE=\(Self.quoted(certificateAuthorityPath))
              export PUSHGATE_WEBPUSH_ALLOWED_HOSTS=\(server)
              export PUSHGATE_WEBPUSH_CONNECT_TO=\(substitutes)
            """
    }

    /// The hosts of Chromium's endpoints.
    private static let chromiumHosts = ["fcm.googleapis.com", "jmt17.google.com"]

    /// Returns the path, quoted as one word for a shell.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { $0.isASCIILetterOrDigit || "/._-+".utf8.contains($0) }
        return isPlain
            ? path : "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
