import Foundation
import Instance
import NIOCore

extension GatewayError {
    /// Translates a failure to listen.
    ///
    /// - Parameter key: The configuration key of the port.
    /// - Returns: `nil` if neither host nor port explains the failure.
    init?(listeningFailure error: any Error, host: String, port: Int, key: String) {
        let hostKey = key.hasPrefix("http.tls") || key == "http.redirectPort" ? "http.tls.host" : "http.host"
        switch error {
        case let error as IOError:
            self.init(errnoCode: error.errnoCode, host: host, hostKey: hostKey, port: port, key: key)
        case let error as SocketAddressError.UnknownHost:
            self.init(
                "\(hostKey): “\(host)” cannot be resolved (\(error.errorDescription)). "
                    + "Set it to an address such as 127.0.0.1, or to a name of this machine.")
        default: return nil
        }
    }

    private init?(errnoCode: CInt, host: String, hostKey: String, port: Int, key: String) {
        switch errnoCode {
        case EADDRINUSE:
            self.init(
                "port \(port) on \(host) is in use. Stop the program that listens there, or set \(key) (0 takes any "
                    + "free port).")
        case EACCES, EPERM:
            self.init(
                "\(key): this user may not listen on port \(port): ports below 1024 are for root. Set a higher one "
                    + "and put a proxy in front, or give the gateway the permission (systemd: "
                    + "AmbientCapabilities=CAP_NET_BIND_SERVICE).")
        case EADDRNOTAVAIL:
            self.init(
                "\(hostKey): \(host) is not an address of this machine. Set it to one of its addresses, to "
                    + "127.0.0.1 for this machine only, or to 0.0.0.0 for all addresses.")
        default: return nil
        }
    }
}
