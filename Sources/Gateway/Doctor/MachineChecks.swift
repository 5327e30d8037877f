import Foundation
import Messaging
import Server

/// The number of connections that this user may have.
struct DescriptorCheck: DoctorCheck {
    let part = "descriptors"

    /// The number of file descriptors for which nobody has to raise a limit.
    private static let enough = 4_096

    func findings(in context: DoctorContext) -> [Finding] {
        guard let (_, limit) = DescriptorLimit.raise() else { return [] }
        guard limit.count < Self.enough else { return [ok("\(limit.count) file descriptors")] }
        return [
            warning(
                "this user may open \(limit.count) files at once",
                because: "Each connection needs one: more than about \(limit.connections) clients at once are refused.",
                advice: "Set LimitNOFILE=20000 in the systemd unit, or raise the hard limit (ulimit -Hn).")
        ]
    }
}

/// The machine's own file of trusted authorities.
struct SystemAuthorityCheck: DoctorCheck {
    let part = "authorities"

    /// The paths of the file on Debian, Fedora, Alpine and macOS.
    private static let paths = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    func findings(in context: DoctorContext) -> [Finding] {
        guard context.configuration.services.settings.contains(where: \.trustsSystem) else { return [] }
        if let path = Self.paths.first(where: FileManager.default.isReadableFile) {
            return [ok("trusted certificate authorities in \(path)")]
        }
        return [
            failed(
                "this machine has no file of trusted certificate authorities",
                because: "Every connection to a push service fails without one.",
                advice: "Install it: apt-get install ca-certificates.")
        ]
    }
}
