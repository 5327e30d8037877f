import Cryptography
import DocumentStore
import JSON

/// The admission of unmodified apps on Apple's devices, by App Attest.
///
/// The app lets its key attest, and later sign, the installation's public key and the time of the call. The call itself
/// counts once, so an object is good for one registration of one installation.
struct AppAttestAdmission: RelayAdmission {
    private enum Field {
        static let keyID = "keyId"
        static let key = "key"
        static let counter = "counter"
    }

    let judge: AppAttest

    /// Returns the data whose SHA-256 the app gives to App Attest.
    static func clientData(of key: P256Point, at time: Int64) -> [UInt8] {
        Array(["pushgate-relay-attest-v1", Base64URL.encode(key.bytes), String(time)].joined(separator: "\n").utf8)
    }

    func admit(_ applicant: Applicant) throws(RelayError) -> Fields? {
        let proof = applicant.proof["app_attest"]
        guard let keyID = proof?["key_id"]?.string.flatMap({ Base64URL.decode($0) }) else { throw .notAdmitted }
        let clientData = Self.clientData(of: applicant.key, at: applicant.time)
        do throws(AppAttest.Refusal) {
            if let attestation = Self.bytes(proof?["attestation"]) {
                let key = try judge.key(
                    attestedBy: attestation, keyID: keyID, clientData: clientData, at: applicant.now)
                return Self.facts(keyID, key, counter: 0)
            }
            guard let assertion = Self.bytes(proof?["assertion"]), let (key, counter) = Self.key(keyID, applicant.kept)
            else { throw .form }
            let next = try judge.counter(of: assertion, by: key, after: counter, clientData: clientData)
            return Self.facts(keyID, key, counter: next)
        } catch {
            throw .notAdmitted
        }
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? { value?.string.flatMap { Base64URL.decode($0) } }

    private static func facts(_ keyID: [UInt8], _ key: P256Point, counter: Int) -> Fields {
        [Field.keyID: .bytes(keyID), Field.key: .bytes(key.bytes), Field.counter: .integer(Int64(counter))]
    }

    /// Returns the attested key and its counter; `nil` if the installation has not attested the key.
    private static func key(_ keyID: [UInt8], _ kept: Fields?) -> (key: P256Point, counter: Int)? {
        guard let kept, kept[Field.keyID] == .some(.bytes(keyID)), case .bytes(let bytes)? = kept[Field.key],
            let key = try? P256Point(bytes), let counter = kept[Field.counter]?.integer
        else { return nil }
        return (key, Int(counter))
    }
}
