package import DocumentStore
import Synchronization

/// The channels of a gateway, for its operator.
extension CardChannels {
    /// The channels of an app in an environment.
    package struct Usage: Hashable, Sendable {
        /// The app and the environment.
        package let app: AppIdentity
        /// The number of channels of cards, and of those that are being created.
        package let channels: Int
        /// The number of channels of others, as far as they are known.
        package let others: Int
    }

    /// A channel with its card.
    package struct Listed: Hashable, Sendable {
        /// Apple's id; `nil` while it is created.
        package let channel: ChannelID?
        /// The card; `nil` for a channel that was never given to one.
        package let card: String?
        /// The app and the environment.
        package let app: AppIdentity
        /// The state: `creating`, `open` or `ended`.
        package let state: String
        /// The time of the creation.
        package let createdAt: Timestamp
        /// The time at which the sweep has something to do.
        package let dueAt: Timestamp
    }

    /// A part of the list of channels.
    package struct ListPart: Sendable {
        /// The channels.
        package let channels: [Listed]
        /// The place of the next part; `nil` after the last.
        package let next: String?
    }

    /// The result of a deletion.
    package enum Deletion: String, Sendable {
        /// The channel is deleted.
        case deleted
        /// Its card is ended. The sweep deletes the channel as it does after any end.
        case ended
    }

    /// Returns the apps that have had channels, with their use.
    package func usage() async throws(StoreError) -> [Usage] {
        let apps = try await store.documents(matching: .collection(try CollectionPath(StrangeChannels.collection)))
        var usage: [Usage] = []
        for document in apps {
            guard let app = StrangeChannels.app(of: document) else { continue }
            usage.append(
                Usage(
                    app: app, channels: try await store.count(try Self.query(of: app)),
                    others: StrangeChannels.channels(in: document).count))
        }
        return usage.sorted { $0.app.channelKey < $1.app.channelKey }
    }

    /// Returns a part of the channels of all apps.
    ///
    /// - Parameters:
    ///   - place: the place in an earlier part; `nil` for the first part.
    ///   - limit: the number of documents that are read. A part may have fewer channels.
    package func list(after place: String? = nil, limit: Int) async throws(StoreError) -> ListPart {
        let collection = try CollectionPath(CardChannel.collection)
        var query = Query.collection(collection).ordered(by: .documentName).limited(to: limit)
        if let place {
            let path = try collection.document(place)
            query.start = Cursor([.reference(path.name(in: store.database))], isAfter: true)
        }
        let documents = try await store.documents(matching: query)
        let channels = documents.compactMap { document -> Listed? in
            guard document[CardChannel.app] != nil, let known = CardChannel(document) else { return nil }
            return Listed(
                channel: known.channel, card: known.card.isEmpty ? nil : known.card, app: known.app,
                state: known.state.rawValue, createdAt: known.createdAt, dueAt: known.dueAt)
        }
        return ListPart(channels: channels, next: documents.count == limit ? documents.last?.path.id : nil)
    }

    /// Returns the channels that an app has at Apple and no card here: those of other programs, and those that were
    /// left over, for instance because the database was restored from a backup.
    ///
    /// - Returns: `nil` if no push service has channels for the app.
    package func unknown(of app: AppIdentity) async throws -> Set<ChannelID>? {
        guard let service, let app = service.resolved(app) else { return nil }
        let listed = try await channelsAtApple(of: app, service)
        // The documents are read after the list: they have the channels that were created before it.
        return listed.subtracting(try await known(of: app))
    }

    /// Deletes a channel, also one that no card here has. The card of one that is in use is ended instead, and its
    /// channel deleted when its phones have learned of that.
    ///
    /// - Returns: `nil` if no push service has channels for the app.
    /// - Throws: ``ChannelError`` if Apple does not delete it, `StoreError` if the documents are not available.
    package func delete(_ channel: ChannelID, of app: AppIdentity) async throws -> Deletion? {
        guard let service, let app = service.resolved(app) else { return nil }
        let documents = try await store.documents(matching: try Self.query(of: app))
        if let document = documents.first(where: { $0[CardChannel.channel]?.string == channel.rawValue }),
            let known = CardChannel(document), known.state == .open
        {
            var ended = ending(known)
            ended.dueAt = now()
            let version = try await store.commit([
                .set(document.path, ended.fields, precondition: .updateTime(document.updateTime))
            ]).commitTime
            _ = await settle(ended, at: document.path, version, service)
            return .ended
        }
        try await deleteAtApple(channel, of: app, service)
        // The sweep forgets the document of an ended card when it finds that the channel is gone.
        try await forgetStranger(channel, of: app)
        return .deleted
    }

    /// Takes a channel out of those of others.
    private func forgetStranger(_ channel: ChannelID, of app: AppIdentity) async throws(StoreError) {
        let path = try StrangeChannels.path(of: app)
        guard let document = try await store.document(at: path) else { return }
        var strangers = StrangeChannels.channels(in: document)
        guard strangers.remove(channel) != nil else { return }
        _ = try await store.commit([
            .set(
                path, StrangeChannels.fields(strangers, of: app), precondition: .updateTime(document.updateTime))
        ])
        memory.withLock { [count = strangers.count] in $0.strangers[app] = count }
    }
}
