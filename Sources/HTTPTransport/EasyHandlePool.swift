/// Easy handles that are between two transfers.
struct EasyHandlePool {
    private let configuration: HTTPClient.Configuration
    private let limit: Int
    private var idle: [EasyHandle] = []

    init(_ configuration: HTTPClient.Configuration) {
        self.configuration = configuration
        limit = configuration.maximumConnectionsPerHost * configuration.maximumStreamsPerConnection
    }

    /// An idle handle or a new one; `nil` when memory is short.
    mutating func take() -> EasyHandle? {
        idle.popLast() ?? EasyHandle(configuration)
    }

    /// Keeps a handle whose transfer was answered over a connection that was open.
    ///
    /// Every other one is freed: libcurl counts its own retries in the handle, for good, and refuses after five.
    mutating func giveBack(_ handle: EasyHandle) {
        if idle.count < limit { idle.append(handle) }
    }
}
