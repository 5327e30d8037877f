import Foundation
import PushgateClient

/// The only server of this app. Its gateway and its secret are texts that the user has entered.
struct OneServer: PushServerDirectory {
    static let id = "home"

    /// Returns gateway and secret; `nil` if the user has entered none. It throws while the device is locked.
    let stored: @Sendable () throws -> (gateway: String, secret: String)?

    func servers() async throws -> [PushServer] {
        guard let texts = try stored(), let gateway = GatewayURL(texts.gateway), let secret = PushSecret(texts.secret)
        else { return [] }
        return [PushServer(id: Self.id, secret: secret, gateway: gateway)]
    }
}
