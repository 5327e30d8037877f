import Foundation

/// The calls about the send secrets of gateways.
extension RelayClient {
    /// Returns the stored way from a gateway to this installation; `nil` if there is no address, or no send secret for
    /// the gateway.
    func storedRoute(from gateway: GatewayURL) throws(RelayError) -> RelayRoute? {
        let state = try loaded()
        guard let address = state.address, let access = state.gateways[gateway.text] else { return nil }
        do {
            let key = try cryptography.publicKey(of: state.keys.sealing)
            return RelayRoute(
                address: address, sendSecret: access.sendSecret, publicKey: Array(key),
                authentication: state.keys.authentication, collapseKey: access.collapseKey)
        } catch {
            throw deviceFailure(error)
        }
    }

    /// Returns the way from a gateway to this installation, with a send secret of the gateway's own. Register first.
    ///
    /// - Throws: ``RelayError`` if the relay has given no address, or no send secret.
    public func route(from gateway: GatewayURL) async throws(RelayError) -> RelayRoute {
        if let route = try storedRoute(from: gateway) { return route }
        try await begin()
        do throws(RelayError) {
            try await makeAccess(for: gateway)
        } catch {
            await end()
            if error == .unknownAddress { note(.notRegistered) }
            throw error
        }
        await end()
        guard let route = try storedRoute(from: gateway) else { throw .unknownAddress }
        return route
    }

    private func makeAccess(for gateway: GatewayURL) async throws(RelayError) {
        // Another caller may have made it meanwhile.
        guard try storedRoute(from: gateway) == nil else { return }
        guard let id = try loaded().addressID else { throw .unknownAddress }
        let call = RelayCall("POST", "\(RelayCall.addresses)/\(id)/secrets", body: Data("{}".utf8))
        let answer: RelayAnswer.NewSecret = try await decoded(send(call))
        guard Base64URLText.isEncoded(answer.id), !answer.id.isEmpty else { throw .unexpectedAnswer(status: 200) }
        try change {
            $0.gateways[gateway.text] = RelayState.Access(
                id: answer.id, sendSecret: answer.sendSecret, collapseKey: .random(32))
        }
        logger.log(.info, "made a send secret for a gateway", ["gateway": gateway.text])
    }

    /// Takes a gateway's send secret away. A revocation that cannot be sent now is sent when the address is checked.
    ///
    /// - Throws: ``RelayError/storageFailed(reason:)`` if the storage cannot be read or written.
    public func revoke(_ gateway: GatewayURL) async throws(RelayError) {
        try await begin()
        do throws(RelayError) {
            try change { $0.revoke(gateway.text) }
        } catch {
            await end()
            throw error
        }
        await sendRevocations()
        await end()
    }

    /// Revokes the send secrets that are due. One that cannot be revoked now stays due.
    func sendRevocations() async {
        do throws(RelayError) {
            guard let address = try loaded().addressID else { return }
            for id in try loaded().revocations where Base64URLText.isEncoded(id) {
                try await endNow("\(RelayCall.addresses)/\(address)/secrets/\(id)")
                try change { _ = $0.revocations.remove(id) }
                logger.log(.info, "revoked a send secret")
            }
        } catch {
            logger.log(.warning, "failed to revoke a send secret", ["error": error.description])
        }
    }

    /// Ends an address or a send secret at the relay.
    func endNow(_ path: String) async throws(RelayError) {
        do throws(RelayError) {
            _ = try await send(RelayCall("DELETE", path))
        } catch {
            // It has ended already.
            guard error == .unknownAddress else { throw error }
        }
    }
}
