import COpenSSL

/// The names for which a certificate is valid (RFC 5280 §4.2.1.6).
///
/// The list is built name by name. In OpenSSL's configuration syntax, a comma in a name would start another name.
final class SubjectAlternativeNames {
    let list: OpaquePointer

    /// Makes a list of names.
    ///
    /// - Throws: an error if there is no name, a DNS name is not ASCII, or an address is not valid.
    init(dnsNames: [String], ipAddresses: [String]) throws(CryptographyError) {
        guard !dnsNames.isEmpty || !ipAddresses.isEmpty else {
            throw CryptographyError(operation: Self.operation, reason: "there is neither a DNS name nor an IP address")
        }
        list = try unwrapped(GENERAL_NAMES_new(), Self.operation)
        for name in dnsNames { try append(dnsName: name) }
        for address in ipAddresses { try append(ipAddress: address) }
    }

    deinit {
        GENERAL_NAMES_free(list)
    }

    private func append(dnsName: String) throws(CryptographyError) {
        let bytes = Array(dnsName.utf8)
        guard !bytes.isEmpty, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw CryptographyError(operation: Self.operation, reason: "\"\(dnsName)\" is not a DNS name in ASCII")
        }
        let value = try unwrapped(ASN1_IA5STRING_new(), Self.operation)
        try check(ASN1_STRING_set(value, bytes, Int32(clamping: bytes.count)), Self.operation)
        try append(GEN_DNS, value)
    }

    private func append(ipAddress: String) throws(CryptographyError) {
        guard let value = a2i_IPADDRESS(ipAddress) else {
            ERR_clear_error()
            throw CryptographyError(operation: Self.operation, reason: "\"\(ipAddress)\" is not an IP address")
        }
        try append(GEN_IPADD, value)
    }

    private func append(
        _ kind: Int32, _ value: UnsafeMutablePointer<ASN1_STRING>
    ) throws(CryptographyError) {
        let name = try unwrapped(GENERAL_NAME_new(), Self.operation)
        GENERAL_NAME_set0_value(name, kind, value)
        try check(COpenSSL_append_general_name(list, name), Self.operation)
    }

    private static let operation = "make a certificate's alternative names"
}
