extension FunctionRequest {
    /// Judges an attempt with the request's key, and counts it if it fails.
    ///
    /// - Parameters:
    ///   - key: as the request brings it; `nil` if there is none.
    ///   - time: seconds since 1970.
    func verdict(
        on key: BearerCredential?, isRight: Bool, by limiter: AuthenticationLimiter, at time: Int64
    ) -> AuthenticationLimiter.Verdict {
        limiter.judge(isRight ? key?.digest : nil, from: clientNetworks, at: time)
    }
}
