package import Messaging

/// The form of tokens in the emulator's responses and on its page.
extension RegistrationToken {
    /// The text of an emulated token, which cannot reach a real device, or the fingerprint of any other token.
    package var shown: String { isEmulated ? value : description }

    /// Returns the fingerprint of a token that a query names, either by the text of an emulated token or by the
    /// fingerprint.
    package static func fingerprint(ofShown text: String) -> String {
        let token = RegistrationToken(text)
        return token.isEmulated ? token.fingerprint : text
    }
}
