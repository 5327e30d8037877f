import Foundation

/// The address at the author's relay, in step with the gateways' registrations.
extension PushSubscriptions {
    /// The age after which the relay is asked again for the address.
    private static let confirmationInterval: TimeInterval = 3_600

    /// Takes a gateway's send secret away, for example one that was stolen, and registers with a new one.
    ///
    /// - Parameter serverID: The app's id of a server. Its gateway's other servers get the new secret too.
    /// - Throws: ``PushClientError`` if the servers cannot be read, or the keys cannot be saved. What could not be sent
    ///   is sent at the next occasion.
    @discardableResult
    public func replaceSendSecret(of serverID: String) async throws(PushClientError) -> ReplayReport {
        guard let relay, let server = try await listedServers().first(where: { $0.id == serverID }) else {
            return ReplayReport()
        }
        do throws(RelayError) {
            try await relay.revoke(server.gateway)
        } catch {
            throw .relay(error)
        }
        return try await registerPending()
    }

    /// Asks the relay for an address if there is none.
    func getFirstAddress() async {
        guard let relay, (try? await relay.address()) == nil else { return }
        await confirmAddress()
    }

    /// Asks the relay if it has not confirmed the address for the token within the hour.
    ///
    /// - Returns: The relay's error; `nil` if the address is confirmed, or there is no relay or no token yet.
    func confirmOldAddress() async -> RelayError? {
        if let addressConfirmedAt,
            (0..<Self.confirmationInterval).contains(now().timeIntervalSince(addressConfirmedAt))
        {
            return nil
        }
        return await confirmAddress()
    }

    /// Asks the relay for the address and gives it the token. Registrations with an address that had ended are due
    /// again.
    ///
    /// - Returns: The relay's error; `nil` if it has confirmed the address, or there is no relay or no token yet.
    @discardableResult
    func confirmAddress() async -> RelayError? {
        guard let relay, var target else { return nil }
        do throws(RelayError) {
            if try await relay.check() == .notRegistered { try forgetRegistrations() }
            while true {
                let shown = liveActivity
                try await relay.register(target, liveActivity: shown)
                guard let newer = self.target, newer != target || liveActivity != shown else { break }
                target = newer
            }
            addressConfirmedAt = now()
            relayError = nil
        } catch {
            logger.log(.warning, "failed to register with the relay", ["error": error.description])
            addressConfirmedAt = nil
            relayError = error
        }
        return relayError
    }

    /// Asks the relay again if a gateway or the relay has said that the address has ended.
    ///
    /// - Returns: `true` if registrations may be due again.
    func confirmDoubtedAddress() async -> Bool {
        guard isAddressDoubted else { return false }
        isAddressDoubted = false
        return await confirmAddress() == nil
    }

    /// Notes the gateway's answer that it has removed this device's former registration, because its address has ended.
    func noteRemoval(in response: GatewayResponse) {
        struct Answer: Decodable {
            let removedAt: String?

            private enum CodingKeys: String, CodingKey {
                case removedAt = "former_subscription_removed_at"
            }
        }

        guard relay != nil, let answer = try? JSONDecoder().decode(Answer.self, from: response.body),
            answer.removedAt != nil
        else { return }
        logger.log(.warning, "learned from a gateway that the address had ended")
        isAddressDoubted = true
    }

    /// Reads the way from a server's gateway, and gets a send secret if there is none.
    ///
    /// - Returns: The error for the chats; `nil` if there is a way, or none is needed.
    func readRoute(for turn: Sync) async -> PushClientError? {
        guard let relay, token != nil, let chats = try? loaded().subscriptions,
            chats.contains(where: { turn.concerns($0.chat) })
        else { return nil }
        do throws(RelayError) {
            routes[turn.account.gateway] = try await relay.route(from: turn.account.gateway)
            return nil
        } catch {
            routes[turn.account.gateway] = nil
            guard error == .unknownAddress else { return .relay(error) }
            // If the relay gave no address just now, its reason is the better error, and asking again does not help.
            if relayError == nil { isAddressDoubted = true }
            return .relay(relayError ?? error)
        }
    }

    /// Returns the way from a gateway to this device; `nil` if it is not known yet.
    func recipient(of gateway: GatewayURL) -> Recipient? {
        guard relay != nil else { return token.map(Recipient.token) }
        return token == nil ? nil : routes[gateway].map(Recipient.relay)
    }

    /// Takes the send secret of a server's gateway away, unless other chats need it.
    func revokeSendSecret(of serverID: String, in servers: [PushServer]) async {
        guard let relay, let gateway = servers.first(where: { $0.id == serverID })?.gateway,
            let chats = try? loaded().subscriptions
        else { return }
        let neighbors = Set(servers.filter { $0.gateway == gateway }.map(\.id))
        guard !chats.contains(where: { neighbors.contains($0.chat.serverID) }) else { return }
        routes[gateway] = nil
        do throws(RelayError) {
            try await relay.revoke(gateway)
        } catch {
            logger.log(.warning, "failed to revoke a send secret", ["error": error.description])
        }
    }

    /// Takes the send secrets of servers that were left away: the app may have ended before it did.
    func revokeSendSecretsOfLeft(_ servers: [PushServer]) async {
        guard relay != nil, let departures = try? loaded().departures.map(\.departure) else { return }
        for departure in departures where departure.chat == nil {
            await revokeSendSecret(of: departure.serverID, in: servers)
        }
    }

    private var target: RelayTarget? { token.map { RelayTarget(token: $0, build: build) } }

    private func forgetRegistrations() throws(RelayError) {
        do throws(PushClientError) {
            try change { $0.forgetRegistrations() }
        } catch {
            guard case .storageFailed(let reason) = error else { throw .storageFailed(reason: error.description) }
            throw .storageFailed(reason: reason)
        }
    }
}
