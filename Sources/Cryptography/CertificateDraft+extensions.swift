internal import COpenSSL

extension CertificateDraft {
    /// What makes a certificate an authority's (RFC 5280 §4.2.1.9 and §4.2.1.3), and what binds it to names (§4.2.1.10).
    func addAuthorityExtensions(permittedDomains: [String]) throws(CryptographyError) {
        try add(NID_basic_constraints, "critical,CA:TRUE")
        try add(NID_key_usage, "critical,keyCertSign,cRLSign")
        if !permittedDomains.isEmpty { try add(NID_name_constraints, try nameConstraints(permittedDomains)) }
        try addKeyIdentifiers()
    }

    /// Each domain is checked, because a comma in one would start another constraint.
    private func nameConstraints(_ domains: [String]) throws(CryptographyError) -> String {
        if let other = domains.first(where: { $0.isEmpty || !Self.domainBytes.isSuperset(of: $0.utf8) }) {
            throw CryptographyError(operation: "bind an authority to names", reason: "\"\(other)\" is not a domain")
        }
        return "critical," + domains.map { "permitted;DNS:\($0)" }.joined(separator: ",")
    }

    /// What makes a certificate a TLS server's; clients compare the host with the alternative names only (RFC 9525
    /// §6.3).
    func addServerExtensions(dnsNames: [String], ipAddresses: [String]) throws(CryptographyError) {
        try add(NID_basic_constraints, "critical,CA:FALSE")
        try add(NID_key_usage, "critical,digitalSignature")
        try add(NID_ext_key_usage, "serverAuth")
        try addKeyIdentifiers()
        try addAlternativeNames(SubjectAlternativeNames(dnsNames: dnsNames, ipAddresses: ipAddresses))
    }

    private static let domainBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.".utf8)

    /// The authority's identifier is derived from its subject identifier, so this one's own must come first.
    private func addKeyIdentifiers() throws(CryptographyError) {
        try add(NID_subject_key_identifier, "hash")
        try add(NID_authority_key_identifier, "keyid:always")
    }

    /// Adds an extension in OpenSSL's configuration syntax (`x509v3_config(5)`); never with text that was not checked.
    private func add(_ identifier: Int32, _ value: String) throws(CryptographyError) {
        let operation = "add a certificate's extension"
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer.pointer, certificate.pointer, nil, nil, 0)
        let added = try unwrapped(X509V3_EXT_nconf_nid(nil, &context, identifier, value), operation)
        defer { X509_EXTENSION_free(added) }
        try check(X509_add_ext(certificate.pointer, added, -1), operation)
    }

    private func addAlternativeNames(_ names: SubjectAlternativeNames) throws(CryptographyError) {
        let operation = "add a certificate's alternative names"
        let list = UnsafeMutableRawPointer(names.list)
        try check(X509_add1_ext_i2d(certificate.pointer, NID_subject_alt_name, list, 0, 0), operation)
    }
}
