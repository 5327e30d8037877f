extension ConnectError {
    /// - Parameter problem: a sentence whose subject is the proxy.
    static func proxy(_ proxy: HTTPProxy, _ problem: String) -> ConnectError {
        ConnectError(kind: .proxy, message: "the proxy \(proxy) \(problem)")
    }

    static func proxy(_ proxy: HTTPProxy, refused status: Int, to origin: HTTP2Origin) -> ConnectError {
        switch status {
        case 407 where proxy.credentials == nil: .proxy(proxy, "asks for a user and a password (407)")
        case 407: .proxy(proxy, "does not take the user and password that it was given (407)")
        case 403: .proxy(proxy, "does not allow a tunnel to \(origin.hostAndPort) (403)")
        case 502...504: .proxy(proxy, "cannot reach \(origin.hostAndPort) (\(status))")
        default: .proxy(proxy, "opens no tunnel to \(origin.hostAndPort) (\(status))")
        }
    }
}
