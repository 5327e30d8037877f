import Foundation
import Functions
import Messaging

/// The name at which gateways of other people reach the author's relay. It is a part of all addresses, which gateways
/// keep for years.
struct RelayNameCheck: DoctorCheck {
    let part = "settings"

    func findings(in context: DoctorContext) -> [Finding] {
        guard context.configuration[AuthorRelay.self] != nil else { return [] }
        guard let url = context.configuration.http.publicURL else {
            return [
                warning(
                    "relay.enabled is true, and http.publicUrl is not set",
                    because: "Each address gets the host that the app has called, which another proxy or port changes.",
                    advice: "Set http.publicUrl to the relay's own name, as https://push.example.com.")
            ]
        }
        guard URL(string: url)?.path.isEmpty == false else { return [] }
        return [
            warning(
                "relay.enabled is true, and http.publicUrl has a path: \(url)",
                because: "Gateways call a relay at /relay/v1/send of its host, and below no path.",
                advice: "Let this path of the host lead here too, or give the relay a name of its own.")
        ]
    }
}
