/// A certificate and the private key that goes with it.
public struct IssuedCertificate: Sendable {
    /// The certificate, X.509 PEM.
    public let certificatePEM: String
    /// Its private key, unencrypted PKCS#8 PEM. A secret.
    public let privateKeyPEM: String
}
