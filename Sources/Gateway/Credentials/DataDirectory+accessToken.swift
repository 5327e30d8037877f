internal import DocumentStore

extension DataDirectory {
    /// Makes an access token for FCM's interface, as a service account gets one.
    ///
    /// - Throws: if no gateway has made its key here, or the key cannot be read.
    public func accessToken(forProject project: String) throws(GatewayError) -> RedactedString {
        guard let key = try existingGatewayKey() else {
            throw GatewayError(
                "no gateway has been started on \(path) yet: it makes the key that access tokens are signed with. Start "
                    + "it, or name another directory with --data-directory.")
        }
        let tokens = AccessTokens(key: key.accessTokens, now: { Timestamp.now.seconds })
        return RedactedString(tokens.token(forProject: project))
    }
}
