/// Where a running simulator is to be found, and what a sender needs to talk to it.
public struct APNsSimulatorAddresses: Hashable, Sendable {
    /// For senders, as `https://127.0.0.1:50123`.
    public let apns: String
    /// For tests and people, as `http://127.0.0.1:50124`.
    public let control: String
    /// The PEM file of the CA that senders must trust.
    public let certificateAuthorityPath: String
    /// The `.p8` the simulator has made; `nil` when it was told not to.
    public let providerKeyPath: String?
    /// The key id of that `.p8`.
    public let providerKeyID: String?
    /// The team id of that `.p8`.
    public let providerTeamID: String?
    /// Whether provider tokens are checked against keys; if not, any well-formed one is taken.
    public let checksSignatures: Bool
}

extension APNsSimulatorAddresses {
    /// The text to print when the simulator has started, with lines for a shell that point a gateway at it.
    public var banner: String {
        let signatures =
            checksSignatures
            ? "provider tokens   checked against the known keys"
            : "provider tokens   any well-formed one is taken: no key to check signatures with"
        let key = providerKeyPath.map { path in
            """

              export PUSHGATE_APNS_KEY_PATH=\(Self.quoted(path))
              export PUSHGATE_APNS_KEY_ID=\(providerKeyID ?? "")
              export PUSHGATE_APNS_TEAM_ID=\(providerTeamID ?? "")
            """
        }
        return """
            APNs simulator    \(apns)
            control           \(control)
            \(signatures)

            To point a gateway at it:
              export PUSHGATE_APNS_ENDPOINT=\(apns)
              export PUSHGATE_APNS_CA_FILE=\(Self.quoted(certificateAuthorityPath))\(key ?? "")
            """
    }

    /// The path as one word of a shell.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/._-+".utf8.contains(byte)
            }
        }
        return isPlain
            ? path : "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
