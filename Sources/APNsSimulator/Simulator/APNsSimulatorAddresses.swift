import Texts

/// The addresses of a running simulator, and the files that a sender needs.
public struct APNsSimulatorAddresses: Hashable, Sendable {
    /// The URL for senders, such as `https://127.0.0.1:50123`.
    public let apns: String
    /// The URL of the management of channels, such as `https://127.0.0.1:50125`.
    public let channels: String
    /// The URL of the control address, such as `http://127.0.0.1:50124`.
    public let control: String
    /// The path of the PEM file with the CA that senders must trust.
    public let certificateAuthorityPath: String
    /// The path of the simulator's own provider key (`.p8`); `nil` if the configuration excludes one.
    public let providerKeyPath: String?
    /// The key id of the simulator's own provider key; `nil` if there is none.
    public let providerKeyID: String?
    /// The team id of the simulator's own provider key; `nil` if there is none.
    public let providerTeamID: String?
    /// `true` if signatures of provider tokens are checked; `false` if any well-formed token is accepted.
    public let checksSignatures: Bool
}

extension APNsSimulatorAddresses {
    /// The text to print after the start, with shell commands that connect a gateway to the simulator.
    public var banner: String {
        let signatures =
            checksSignatures
            ? "provider tokens   checked against the known keys"
            : "provider tokens   any well-formed one is accepted: no key to check signatures with"
        let key = providerKeyPath.map { path in
            """

              export PUSHGATE_APNS_KEY_PATH=\(Self.quoted(path))
              export PUSHGATE_APNS_KEY_ID=\(providerKeyID ?? "")
              export PUSHGATE_APNS_TEAM_ID=\(providerTeamID ?? "")
            """
        }
        return """
            APNs simulator    \(apns)
            channels          \(channels)
            control           \(control)
            \(signatures)

            To point a gateway at it:
              export PUSHGATE_APNS_ENDPOINT=\(apns)
              export PUSHGATE_APNS_CHANNEL_ENDPOINT=\(channels)
              export PUSHGATE_APNS_CA_FILE=\(Self.quoted(certificateAuthorityPath))\(key ?? "")
            """
    }

    /// Returns the path, quoted as one word for a shell.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { $0.isASCIILetterOrDigit || "/._-+".utf8.contains($0) }
        return isPlain
            ? path : "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
