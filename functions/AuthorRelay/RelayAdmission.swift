import Cryptography
import DocumentStore
import JSON

/// A way to decide which apps may have addresses at the relay.
protocol RelayAdmission: Sendable {
    /// Decides on a registration.
    ///
    /// - Returns: The facts to keep with the installation, which the next decision gets; `nil` for none.
    /// - Throws: ``RelayError/notAdmitted``, or an error about the form of the proof.
    func admit(_ applicant: Applicant) throws(RelayError) -> Fields?
}

/// An installation that registers, with the proof that it sends.
struct Applicant: Sendable {
    /// The installation's public key.
    let key: P256Point
    /// The time of the call by the installation's clock, in seconds since 1970.
    let time: Int64
    /// The time by the relay's clock, in seconds since 1970.
    let now: Int64
    /// The member `admission` of the body.
    let proof: JSONObject
    /// The facts that an earlier decision has kept.
    let kept: Fields?
}

/// The ways to decide, by their names in the settings.
package enum AdmissionKind: String, CaseIterable, Sendable {
    case open
    case secret
    case attest
}

/// The admission of every app, within the limits.
struct OpenAdmission: RelayAdmission {
    func admit(_ applicant: Applicant) throws(RelayError) -> Fields? { nil }
}

/// The admission of apps that know a secret of their author. It keeps out those who have not looked into the app.
struct AppSecretAdmission: RelayAdmission {
    let secrets: APIKeys

    func admit(_ applicant: Applicant) throws(RelayError) -> Fields? {
        guard let secret = BearerCredential(applicant.proof["secret"]?.string), secrets.contains(secret) else {
            throw .notAdmitted
        }
        return nil
    }
}
