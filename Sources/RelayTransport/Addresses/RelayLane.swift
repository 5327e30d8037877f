import Cryptography
import WebPush

/// The lanes of relays: a fixed number, because clients name relays, and a lane for each would fill memory. All hosts
/// of a domain, which has one owner, are in one lane.
enum RelayLane {
    /// The number of lanes.
    static let count = 256

    /// Returns the name of the lane of a relay, such as `lane-0a`; of one that is not known if there is none.
    static func name(of server: RelayServer?) -> String {
        let domain = server.map { HostLane.domain(of: $0.host) } ?? ""
        let number = SHA256.withDigest(of: domain.utf8) { Int($0[0]) } % count
        return number < 16 ? "lane-0\(String(number, radix: 16))" : "lane-\(String(number, radix: 16))"
    }
}
