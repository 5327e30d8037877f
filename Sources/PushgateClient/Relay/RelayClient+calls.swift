import Foundation

/// The parts that all calls share: they are signed, one after the other, by the relay's clock.
extension RelayClient {
    /// Waits for the calls before this one: a former token never replaces a newer one.
    func begin() async throws(RelayError) {
        guard await queue.take(relay) else { throw .cancelled }
    }

    func end() async { await queue.giveBack(relay) }

    /// Sends a call, again with the relay's time if that is refused, and returns the answer's body.
    func send(_ call: RelayCall) async throws(RelayError) -> Data {
        try checkPause()
        var response = try await answer(to: call, at: relaySeconds)
        if correctsClock(response) { response = try await answer(to: call, at: relaySeconds) }
        return try body(of: response)
    }

    /// Throws the relay's last error while the pause that it has asked for lasts.
    func checkPause() throws(RelayError) {
        guard let pausedUntil, pausedUntil > now() else { return }
        throw .later(retryAfter: .seconds(pausedUntil.timeIntervalSince(now()).rounded(.up)))
    }

    /// Corrects the clock if the relay has refused the time of a call.
    ///
    /// - Returns: `true` if it has, so that the call is worth another attempt.
    func correctsClock(_ response: GatewayResponse) -> Bool {
        guard let time = Self.relayTime(in: response) else { return false }
        clockCorrection = time - seconds
        logger.log(.info, "corrected the clock by the relay's", ["seconds": "\(clockCorrection)"])
        return true
    }

    func body(of response: GatewayResponse) throws(RelayError) -> Data {
        guard let error = RelayError(response, now: now()) else { return response.body }
        pausedUntil = error.retryAfter.map { now().addingTimeInterval(TimeInterval($0.components.seconds)) }
        throw error
    }

    func answer(to call: RelayCall, at time: Int64) async throws(RelayError) -> GatewayResponse {
        let request: GatewayRequest
        do {
            request = try call.signed(by: loaded().keys, cryptography, to: relay, at: time)
        } catch let error as RelayError {
            throw error
        } catch {
            throw deviceFailure(error)
        }
        do {
            return try await http.send(request)
        } catch {
            throw RelayError(sending: error)
        }
    }

    /// Returns the time in an answer that refuses the request's.
    private static func relayTime(in response: GatewayResponse) -> Int64? {
        guard response.status == 401,
            let failure = try? JSONDecoder().decode(RelayAnswer.Failure.self, from: response.body),
            failure.error == "clock"
        else { return nil }
        return failure.time
    }

    private var seconds: Int64 { Int64(now().timeIntervalSince1970) }

    /// The relay's time in seconds since 1970, as far as it is known.
    var relaySeconds: Int64 { seconds + clockCorrection }

    func decoded<Answer: Decodable>(_ body: Data) throws(RelayError) -> Answer {
        do {
            return try JSONDecoder().decode(Answer.self, from: body)
        } catch {
            throw .unexpectedAnswer(status: 200)
        }
    }

    func encoded(_ body: some Encodable) throws(RelayError) -> Data {
        do {
            return try JSONEncoder().encode(body)
        } catch {
            throw deviceFailure(error)
        }
    }

    func deviceFailure(_ error: any Error) -> RelayError {
        guard !(error is CancellationError) else { return .cancelled }
        let error = error as NSError
        return .deviceFailed(reason: "\(error.domain) \(error.code)")
    }
}
