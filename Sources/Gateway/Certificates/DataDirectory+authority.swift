import Cryptography
import Instance

extension DataDirectory {
    /// Returns the authority for Google's host names, and creates it if there is none.
    func certificateAuthority() throws(GatewayError) -> CertificateAuthority {
        try certificateAuthority(for: GoogleHosts.certifiedNames)
    }
}
