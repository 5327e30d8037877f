internal import Foundation
internal import NIOCore

extension GatewayError {
    /// Translates a failure to listen.
    ///
    /// - Parameter key: the configuration key of the port.
    /// - Returns: `nil` for a failure that neither host nor port explains.
    init?(listeningFailure error: any Error, host: String, port: Int, key: String) {
        switch error {
        case let error as IOError: self.init(errnoCode: error.errnoCode, host: host, port: port, key: key)
        case let error as SocketAddressError.UnknownHost:
            self.init(
                "http.host: “\(host)” has no address that this machine finds (\(error.errorDescription)). Set it to an address, as 127.0.0.1, or to a "
                    + "name of this machine.")
        default: return nil
        }
    }

    private init?(errnoCode: CInt, host: String, port: Int, key: String) {
        switch errnoCode {
        case EADDRINUSE:
            self.init("port \(port) on \(host) is taken. Stop what listens there, or set \(key) (0 takes any).")
        case EACCES, EPERM:
            self.init(
                "\(key): this user may not listen on port \(port): those below 1024 are for root. Set a higher one and put a "
                    + "proxy in front, or give the gateway the right (systemd: AmbientCapabilities=CAP_NET_BIND_SERVICE)."
            )
        case EADDRNOTAVAIL:
            self.init(
                "http.host: \(host) is no address of this machine. Set it to one that is, to 127.0.0.1 for this machine "
                    + "alone, or to 0.0.0.0 for all.")
        default: return nil
        }
    }
}
