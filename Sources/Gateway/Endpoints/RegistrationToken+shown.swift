internal import Messaging

/// Tokens in the emulator's answers.
extension RegistrationToken {
    private static let emulatedPrefix = "emulated:"

    /// The text of an emulated token, with which nobody can reach a phone; the fingerprint of any other.
    var shown: String { value.hasPrefix(Self.emulatedPrefix) ? value : description }

    /// Returns the fingerprint of a token that a query names by its text, if it is emulated, or by the fingerprint.
    static func fingerprint(ofShown text: String) -> String {
        text.hasPrefix(emulatedPrefix) ? RegistrationToken(text).fingerprint : text
    }
}
