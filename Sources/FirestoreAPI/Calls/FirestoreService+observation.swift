extension FirestoreService {
    /// Runs a call and counts it, by its method and its code. Every transport calls the methods through this.
    ///
    /// - Parameters:
    ///   - method: the method's name in the proto, such as `RunQuery`.
    ///   - caller: the client.
    ///   - isTimed: `false` for a stream that lasts as long as its client wants.
    ///   - call: the call, with the caller to pass to the method.
    package func observing<Answer>(
        _ method: String, as caller: FirestoreCaller, isTimed: Bool = true,
        _ call: (FirestoreCaller) async throws(FirestoreStatus) -> Answer
    ) async throws(FirestoreStatus) -> Answer {
        let start = ContinuousClock.now
        defer { if isTimed { metrics.record(method, ContinuousClock.now - start) } }
        do {
            let answer = try await call(caller.observed(by: knownDatabases.observe))
            metrics.count(method, .ok)
            return answer
        } catch {
            metrics.count(method, error.code)
            throw error
        }
    }
}
