#if canImport(DeviceCheck)
    @preconcurrency internal import DeviceCheck
    public import Foundation

    /// The admission by App Attest: the first proof attests a new key of the device, later ones are assertions by it.
    ///
    /// The id of the key is in the user defaults, because the key ends with the app too.
    public actor AppAttestAdmission: RelayAdmission {
        private static let key = "pushgate.appAttestKey"

        /// The key of an attestation that the relay has not accepted yet.
        private var attested: String?

        /// Takes no settings: the key belongs to the app.
        public init() {}

        /// Returns an assertion, or the attestation of a new key.
        public func proof(for clientData: Data) async throws -> RelayAdmissionProof {
            let service = DCAppAttestService.shared
            let digest = Data(SHA256Digest.bytes(of: Array(clientData)))
            if let keyID = UserDefaults.standard.string(forKey: Self.key) {
                do {
                    return .assertion(keyID: keyID, try await service.generateAssertion(keyID, clientDataHash: digest))
                } catch let error as DCError where error.code == .invalidKey {
                    // The defaults are a back-up's, and the key is another device's.
                }
            }
            let keyID = try await service.generateKey()
            let attestation = try await service.attestKey(keyID, clientDataHash: digest)
            attested = keyID
            return .attestation(keyID: keyID, attestation)
        }

        /// Keeps the key: the relay has its attestation.
        public func wasAccepted() {
            guard let keyID = attested else { return }
            attested = nil
            UserDefaults.standard.set(keyID, forKey: Self.key)
        }

        /// Forgets the key: the relay does not have its attestation.
        public func wasRefused() {
            attested = nil
            UserDefaults.standard.removeObject(forKey: Self.key)
        }
    }
#endif
