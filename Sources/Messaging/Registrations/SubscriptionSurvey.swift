package import DocumentStore
package import JSON

/// A survey of the registrations of browsers: the servers that they lead to, by a sample.
package struct SubscriptionSurvey: Hashable, Sendable {
    /// A server of subscriptions.
    package struct Server: Hashable, Sendable {
        /// The name by which its push service is reached, such as `https://web.push.apple.com`.
        package let name: String
        /// The number of registrations that lead to it.
        package let registrations: Int

        package init(name: String, registrations: Int) {
            self.name = name
            self.registrations = registrations
        }
    }

    /// The number of registrations that were read.
    package let read: Int
    /// `true` if these are all.
    package let isComplete: Bool
    /// The servers, those of most registrations first, 20 at most.
    package let servers: [Server]
    /// The number of registrations that were last renewed before the gateway's key has replaced another one; `nil` if
    /// it has replaced none.
    package let withFormerKey: Int?

    package init(read: Int, isComplete: Bool, servers: [Server], withFormerKey: Int? = nil) {
        self.read = read
        self.isComplete = isComplete
        self.servers = servers
        self.withFormerKey = withFormerKey
    }
}

/// The form in which a running gateway tells it.
extension SubscriptionSurvey {
    private static let (read, complete, servers, withFormerKey) = ("read", "complete", "servers", "with_former_key")
    private static let (server, registrations) = ("server", "registrations")

    /// The survey as JSON.
    package var json: JSONValue {
        let list = servers.map { server -> JSONValue in
            [Self.server: .string(server.name), Self.registrations: .integer(Int64(server.registrations))]
        }
        var object: JSONObject = [
            Self.read: .integer(Int64(read)), Self.complete: .bool(isComplete), Self.servers: .array(list),
        ]
        object[Self.withFormerKey] = withFormerKey.map { JSONValue.integer(Int64($0)) }
        return .object(object)
    }

    /// Reads a survey; `nil` for any other value.
    package init?(_ json: JSONValue) {
        guard let read = json[Self.read]?.integer, let isComplete = json[Self.complete]?.bool,
            let list = json[Self.servers]?.array
        else { return nil }
        let servers = list.compactMap { server -> Server? in
            guard let name = server[Self.server]?.string, let count = server[Self.registrations]?.integer else {
                return nil
            }
            return Server(name: name, registrations: Int(clamping: count))
        }
        self.init(
            read: Int(clamping: read), isComplete: isComplete, servers: servers,
            withFormerKey: json[Self.withFormerKey]?.integer.map { Int(clamping: $0) })
    }
}

extension BrowserSubscriptions {
    /// The maximum number of registrations of one collection in a survey.
    private static let sample = 2_000
    /// The maximum number of servers in a survey.
    private static let maximumServers = 20

    /// Reads registrations of browsers, 2,000 of each collection at most. Their order is that of their digests, so that
    /// they are a random sample.
    ///
    /// - Parameters:
    ///   - time: The time at which the gateway's key has replaced another one; `nil` if it has replaced none.
    ///   - service: The push service of browsers. Addresses of others count only for their servers.
    ///   - server: Returns the server that an address leads to; `nil` if it names none.
    package func survey(
        keyReplacedAt time: Timestamp?, of service: TransportName, server: (PushAddress) -> String?
    ) async throws(StoreError) -> SubscriptionSurvey {
        var (read, former, isComplete) = (0, 0, true)
        var counts: [String: Int] = [:]
        for collection in collections {
            let documents = try await store.documents(matching: collection.ofBrowsers.limited(to: Self.sample))
            if documents.count == Self.sample { isComplete = false }
            for document in documents {
                let address = collection.fields.address(in: document)
                if let name = address.flatMap(server) { counts[name, default: 0] += 1 }
                guard address?.transport == service else { continue }
                read += 1
                if let time, collection.registrationTime(of: document) < time { former += 1 }
            }
        }
        let servers = counts.map { SubscriptionSurvey.Server(name: $0.key, registrations: $0.value) }
            .sorted { $0.registrations != $1.registrations ? $0.registrations > $1.registrations : $0.name < $1.name }
        return SubscriptionSurvey(
            read: read, isComplete: isComplete, servers: Array(servers.prefix(Self.maximumServers)),
            withFormerKey: time.map { _ in former })
    }
}

extension RegistrationCollection {
    /// Returns the last time at which a registration was known to be valid.
    fileprivate func registrationTime(of document: Document) -> Timestamp {
        fields.registeredAt.flatMap { document[$0]?.timestamp } ?? document.updateTime
    }
}
