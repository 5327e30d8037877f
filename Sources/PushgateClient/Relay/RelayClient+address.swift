import Foundation

/// The calls about the address.
extension RelayClient {
    /// Asks the relay about the address. Send secrets that it does not have are forgotten.
    ///
    /// ``PushSubscriptions`` calls it; an app without them does so at every launch, before it registers.
    ///
    /// - Returns: ``Standing/registered``, or ``Standing/notRegistered`` if the gateways' registrations are void: the
    ///   relay has ended the address, or does not know it.
    /// - Throws: ``RelayError`` if the relay has not answered.
    public func check() async throws(RelayError) -> Standing {
        try await begin()
        do throws(RelayError) {
            let standing = try await checkNow()
            note(standing)
            await sendRevocations()
            await end()
            return standing
        } catch {
            await end()
            if error.isRefusal { note(.notRegistered) }
            throw error
        }
    }

    private func checkNow() async throws(RelayError) -> Standing {
        guard let id = try loaded().addressID else { return .notRegistered }
        let answer: RelayAnswer.Address
        do throws(RelayError) {
            answer = try await decoded(send(RelayCall("GET", "\(RelayCall.addresses)/\(id)")))
        } catch {
            guard error == .unknownAddress else { throw error }
            logger.log(.warning, "dropped the address, which the relay does not know")
            try change { $0.forgetAddress() }
            return .notRegistered
        }
        // A relay's older answer has no list.
        if let secrets = answer.secrets { try change { $0.reconcile(withListed: Set(secrets.map(\.id))) } }
        guard answer.state == "registered" else {
            logger.log(.warning, "learned from the relay that the address had ended")
            return .notRegistered
        }
        return .registered
    }

    /// Gives the relay the device's token, and takes the address. The same installation has the same address again.
    ///
    /// - Parameters:
    ///   - target: The way from the relay to this device.
    ///   - liveActivity: The part for cards on the lock screen; `nil` for a device that shows none. It replaces the one
    ///     of the registration before.
    /// - Throws: ``RelayError`` if the relay has given no address.
    public func register(
        _ target: RelayTarget, liveActivity: LiveActivityRegistration? = nil
    ) async throws(RelayError) {
        try await begin()
        do throws(RelayError) {
            try await registerNow(target, liveActivity)
        } catch {
            await end()
            if error.isRefusal { note(.notRegistered) }
            if error == .notAdmitted { await admission?.wasRefused() }
            throw error
        }
        await end()
        await admission?.wasAccepted()
    }

    private func registerNow(
        _ target: RelayTarget, _ liveActivity: LiveActivityRegistration?
    ) async throws(RelayError) {
        // New keys are on the disk before the relay knows them.
        try change { _ in }
        let answer: RelayAnswer.Registration = try await decoded(sendRegistration(of: target, liveActivity))
        guard RelayState.id(of: answer.address) != nil else { throw .unexpectedAnswer(status: 200) }
        try change { $0.take(address: answer.address) }
        note(.registered)
        logger.log(.info, "registered with the relay")
    }

    /// Sends a registration. A relay that was restored from a backup may not have the attestation of the key that the
    /// proof is by: after the refusal of an assertion the admission makes another proof, once.
    private func sendRegistration(
        of target: RelayTarget, _ liveActivity: LiveActivityRegistration?
    ) async throws(RelayError) -> Data {
        do throws(RelayError) {
            return try await sendProvenRegistration(of: target, liveActivity)
        } catch {
            guard error == .notAdmitted, hasAsserted else { throw error }
            logger.log(.info, "making a new proof, because the relay has refused the last one")
            await admission?.wasRefused()
            return try await sendProvenRegistration(of: target, liveActivity)
        }
    }

    /// Sends a registration. Its proof is about the time of the call, so a call with another time has another one.
    private func sendProvenRegistration(
        of target: RelayTarget, _ liveActivity: LiveActivityRegistration?
    ) async throws(RelayError) -> Data {
        try checkPause()
        var time = relaySeconds
        var response = try await answer(to: registration(of: target, liveActivity, at: time), at: time)
        if correctsClock(response) {
            time = relaySeconds
            response = try await answer(to: registration(of: target, liveActivity, at: time), at: time)
        }
        return try body(of: response)
    }

    private func registration(
        of target: RelayTarget, _ liveActivity: LiveActivityRegistration?, at time: Int64
    ) async throws(RelayError) -> RelayCall {
        let body = try encoded(
            RelayRegistrationBody(
                target: target, liveActivity: liveActivity, proof: try await proof(at: time), text: neutralText))
        return RelayCall("POST", RelayCall.addresses, body: body)
    }

    private func proof(at time: Int64) async throws(RelayError) -> RelayAdmissionProof? {
        guard let admission else { return nil }
        do {
            let key = try cryptography.publicKey(of: loaded().keys.signing)
            let text = "pushgate-relay-attest-v1\n\(Base64URLText.encode(key))\n\(time)"
            let proof = try await admission.proof(for: Data(text.utf8))
            if case .assertion = proof { hasAsserted = true } else { hasAsserted = false }
            return proof
        } catch let error as RelayError {
            throw error
        } catch {
            throw deviceFailure(error)
        }
    }

    /// Closes the address: no gateway can send to it, until the installation registers again. For a user who switches
    /// all notifications off.
    ///
    /// - Throws: ``RelayError`` if the relay has not confirmed it.
    public func close() async throws(RelayError) {
        try await begin()
        do throws(RelayError) {
            if let id = try loaded().addressID {
                try await endNow("\(RelayCall.addresses)/\(id)")
                try change { $0.forgetAddress() }
            }
            note(.notRegistered)
        } catch {
            await end()
            throw error
        }
        await end()
    }
}
