import Foundation

extension String {
    /// Returns a server's secret in the app's form: 32 random bytes in base64.
    package static func randomSecret() -> String {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedString()
    }

    /// Returns a random device token in the form of APNs.
    package static func randomToken() -> String {
        (0..<64).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
    }
}
