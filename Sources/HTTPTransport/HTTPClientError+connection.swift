extension HTTPClientError {
    /// Whether there was no connection to send on, so that no request to the server fares better now. A connection that was
    /// lost is another matter: that may have been this request's fault.
    public var isWithoutConnection: Bool {
        switch kind {
        case .couldNotConnect, .tls: true
        case .timedOut: isUnprocessed
        default: false
        }
    }
}
