import Gateway
import Secrets

/// The text that a gateway prints after its start: addresses, data directory, transport, systems, and missing settings.
struct Banner {
    let text: String

    init(_ gateway: Gateway, at addresses: GatewayAddresses) {
        let configuration = gateway.configuration
        let directory = configuration.data.absoluteDirectory
        var lines = [
            "pushgate \(GatewayVersion.current)",
            "  address      \(addresses.http)",
            "  data         \(directory)",
            "  transport    \(gateway.transportDescription)",
            "  systems      \(gateway.systemNames.joined(separator: ", "))",
        ]
        if let host = gateway.firestoreHost(at: addresses) {
            lines.append("  firestore    FIRESTORE_EMULATOR_HOST=\(host)   (any project except pushgate)")
        }
        if let url = addresses.https {
            let isMissing = !gateway.missingCertificates.isEmpty
            lines.append("  https        \(url)" + (isMissing ? "   (obtaining a certificate; see the log)" : ""))
        }
        lines.append(
            "  console      \(addresses.https ?? addresses.http)/   (in a browser; sign in with the admin token)")
        if let url = addresses.redirect {
            lines.append("  redirect     \(url)   (leads browsers to https)")
        }
        if let url = addresses.tls {
            lines.append("  over TLS     \(url)   (also as fcm.googleapis.com; trust \(directory)/ca.pem)")
        }
        if let url = addresses.proxy {
            lines.append("  proxy        \(url)   (HTTPS_PROXY for clients of FCM; trust \(directory)/ca.pem)")
        }
        if gateway.isAdminTokenNew {
            lines.append("  admin token  \(gateway.adminToken.value)   (shown once; kept in \(directory)/admin-token)")
        } else if configuration.admin.token == nil {
            lines.append("  admin token  in \(directory)/admin-token")
        }
        if gateway.isEmulator {
            lines += [
                "  To deliver to phones, set apns.keyPath, apns.keyId, apns.teamId and apns.bundleId: docs/apns.md"
            ]
        }
        text = lines.joined(separator: "\n") + "\n"
    }
}
