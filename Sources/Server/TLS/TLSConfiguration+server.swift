import NIOCore
package import NIOSSL

extension TLSConfiguration {
    /// Returns the configuration of a server, 1.2 or later.
    package static func server(
        certificateChain: [NIOSSLCertificateSource], privateKey: NIOSSLPrivateKeySource
    ) -> TLSConfiguration {
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: certificateChain, privateKey: privateKey)
        tls.minimumTLSVersion = .tlsv12
        // Do not wait for a client that has gone.
        tls.shutdownTimeout = .milliseconds(250)
        return tls
    }
}
