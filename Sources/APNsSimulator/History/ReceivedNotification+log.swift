import Cryptography
import Logging

extension ReceivedNotification {
    /// The request, for a log line: the device token as the fingerprint that a gateway logs, excerpts of header fields,
    /// and of the payload and the collapse id the sizes.
    func metadata(cause: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "status": "\(status)", "reason": "\(reason ?? "")", "cause": "\(cause)", "connection": "\(connection)",
            "apns_id": "\(apnsID)", "payload_bytes": "\(body.count)",
        ]
        if let token { metadata["token"] = "token#\(SHA256.hexadecimal(of: token).prefix(8))" }
        for (key, value) in [
            ("topic", topic), ("push_type", pushType), ("priority", priority), ("expiration", expiration),
        ] {
            if let value { metadata[key] = "\(value.excerpt)" }
        }
        if let collapseID { metadata["collapse_id_bytes"] = "\(collapseID.utf8.count)" }
        if let providerToken {
            metadata["key_id"] = "\(providerToken.keyID.excerpt)"
            metadata["team_id"] = "\(providerToken.teamID.excerpt)"
        }
        if !deviations.isEmpty { metadata["deviations"] = "\(deviations.map(\.rawValue).joined(separator: ", "))" }
        return metadata
    }
}
