import Foundation
import PushgateClient

/// The only server of this app: the device was paired with an agent of it, or its gateway and its secret are texts that
/// the user has entered.
struct OneServer: PushServerDirectory {
    static let id = "home"

    /// Returns gateway and secret; `nil` if the user has entered none. It throws while the device is locked.
    let stored: @Sendable () throws -> (gateway: String, secret: String)?
    /// Returns the pairing; `nil` if there is none. It throws while the device is locked.
    var pairing: @Sendable () throws -> DevicePairing? = { nil }

    func servers() async throws -> [PushServer] {
        if let pairing = try pairing() { return [PushServer(id: Self.id, pairing: pairing)] }
        guard let texts = try stored(), let gateway = GatewayURL(texts.gateway), let secret = PushSecret(texts.secret)
        else { return [] }
        return [PushServer(id: Self.id, secret: secret, gateway: gateway)]
    }
}
