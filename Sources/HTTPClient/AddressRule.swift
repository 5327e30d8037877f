import CCurl
import IPAddresses

/// The rule for the addresses that one transfer may connect to.
///
/// libcurl asks it for the socket of each address, so no other address can be connected to than the one that it has
/// judged. A connection that is open already has an address that was allowed.
final class AddressRule {
    private let refusal: @Sendable (IPAddress, String) -> String?
    private var host = ""
    private var reason: String?
    private var hasOpened = false

    /// The reason why the last address was refused; `nil` if none was since the transfer began, or another address was
    /// connected to, so that the transfer failed for another reason.
    var refusalOfAll: String? { hasOpened ? nil : reason }

    init(_ refusal: @escaping @Sendable (IPAddress, String) -> String?) { self.refusal = refusal }

    /// Makes an easy handle ask this rule, which must outlive it.
    func set(on easy: UnsafeMutableRawPointer) {
        CCurl_easy_set_socket_opener(easy, openSocket, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Begins a transfer to a host.
    func begin(host: String) {
        self.host = host
        reason = nil
        hasOpened = false
    }

    /// Returns a socket for an address, or none if the address is refused.
    fileprivate func socket(for address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = CCurl_copy_address(address, &bytes)
        guard let parsed = IPAddress(bytes: bytes.prefix(count)) else {
            reason = "it is no IP address"
            return CURL_SOCKET_BAD
        }
        if let refusal = refusal(parsed, host) {
            reason = refusal
            return CURL_SOCKET_BAD
        }
        let socket = CCurl_open_socket(address)
        if socket != CURL_SOCKET_BAD { hasOpened = true }
        return socket
    }
}

/// libcurl's callback that opens a socket. The context is the rule.
private func openSocket(
    _ context: UnsafeMutableRawPointer?, _: curlsocktype, _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return CURL_SOCKET_BAD }
    return Unmanaged<AddressRule>.fromOpaque(context).takeUnretainedValue().socket(for: address)
}

/// An owner of the servers that libcurl connects to in place of hosts (`CURLOPT_CONNECT_TO(3)`).
final class ServerList {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    /// Makes a list of `127.0.0.1:8443` and the like, by host.
    init(_ servers: [String: String]) {
        for (host, server) in servers {
            // An empty port stands for all ports of the host.
            let name = host.contains(":") ? "[\(host)]" : host
            if let longer = curl_slist_append(pointer, "\(name)::\(server)") { pointer = longer }
        }
    }

    deinit { curl_slist_free_all(pointer) }
}
