import NIOSSL

/// The names in a server's certificate.
///
/// NIOSSL also takes a certificate for the address that it has connected to. For a request to a name that is not enough
/// (RFC 9110 §4.3.4): anyone with a certificate for an address who leads the name there would be trusted.
struct CertificateNames {
    private let hosts: [String]
    /// `true` if the certificate has no alternative names, so that NIOSSL has compared its common name.
    private let hasCommonNameAlone: Bool

    init(of certificate: NIOSSLCertificate) {
        let names = certificate._subjectAlternativeNames()
        hasCommonNameAlone = names.isEmpty
        hosts = names.filter { $0.nameType == .dnsName }.map { name in
            String(decoding: name.contents, as: UTF8.self).lowercased()
        }
    }

    /// Returns `true` if one of them is a host's name, or stands for its first label by `*.` (RFC 9525 §6.3).
    func include(_ host: String) -> Bool {
        if hasCommonNameAlone { return true }
        let host = host.lowercased()
        let domain = host.drop { $0 != "." }
        return hosts.contains { $0 == host || (!domain.isEmpty && $0.first == "*" && $0.dropFirst() == domain) }
    }
}
