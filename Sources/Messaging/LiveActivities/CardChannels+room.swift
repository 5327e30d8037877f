import DocumentStore
import Synchronization

/// The room of an app for channels, which it shares with other programs.
extension CardChannels {
    /// The number of ended channels that a card may have deleted before their time.
    private static let reclaimed = 8
    /// The time after which the channels of others are counted again, if an app has no room.
    private static let recountInterval = Duration.seconds(600)

    /// Notes the channels of an app that were there before any of this owner.
    func learnStrangers(
        of app: AppIdentity, _ service: any ChannelService
    ) async throws(StoreError) -> CardChannelAbsence? {
        guard memory.withLock({ $0.strangers[app] }) == nil else { return nil }
        let path = try StrangeChannels.path(of: app)
        if let document = try await store.document(at: path) {
            memory.withLock { $0.strangers[app] = StrangeChannels.channels(in: document).count }
            return nil
        }
        let listed: Set<ChannelID>
        do throws(ChannelError) {
            listed = try await channelsAtApple(of: app, service)
        } catch {
            return note(error, of: app)
        }
        let strangers = listed.subtracting(try await known(of: app))
        do throws(StoreError) {
            _ = try await admitting.commit([.create(path, StrangeChannels.fields(strangers, of: app))])
        } catch {
            guard error.code == .alreadyExists else { throw error }
            // Another gateway has noted them, before it created any. They are read for the next card.
            return nil
        }
        memory.withLock { $0.strangers[app] = strangers.count }
        return nil
    }

    /// Returns `true` if an app has fewer channels than the limit. Near it, ended cards lose theirs early.
    func hasRoom(for app: AppIdentity, _ service: any ChannelService) async throws(StoreError) -> Bool {
        var strangers = memory.withLock { $0.strangers[app] ?? 0 }
        let query = try Self.query(of: app)
        if try await store.count(query) + strangers < limits.channels { return true }
        let hasReclaimed = try await reclaim(of: app, service)
        if !hasReclaimed {
            let left = try await recountStrangers(of: app, service)
            guard left < strangers else { return false }
            strangers = left
        }
        return try await store.count(query) + strangers < limits.channels
    }

    /// Forgets the channels of others that are gone, from time to time. Returns the number of those that are left.
    private func recountStrangers(
        of app: AppIdentity, _ service: any ChannelService
    ) async throws(StoreError) -> Int {
        let time = now()
        let (count, isDue) = memory.withLock { memory -> (Int, Bool) in
            let count = memory.strangers[app] ?? 0
            if let last = memory.recounts[app], time - last < Self.recountInterval { return (count, false) }
            if count > 0 { memory.recounts[app] = time }
            return (count, count > 0)
        }
        let path = try StrangeChannels.path(of: app)
        guard isDue, let document = try await store.document(at: path) else { return count }
        let listed: Set<ChannelID>
        do throws(ChannelError) {
            listed = try await channelsAtApple(of: app, service)
        } catch {
            return count
        }
        let left = StrangeChannels.channels(in: document).intersection(listed)
        do throws(StoreError) {
            let fields = StrangeChannels.fields(left, of: app)
            _ = try await store.commit([.set(path, fields, precondition: .updateTime(document.updateTime))])
        } catch {
            // Another gateway has counted them.
            guard error.code == .failedPrecondition else { throw error }
        }
        memory.withLock { $0.strangers[app] = left.count }
        return left.count
    }

    /// Deletes some channels of cards that have ended before their time. Returns `true` if there were any.
    func reclaim(of app: AppIdentity, _ service: any ChannelService) async throws(StoreError) -> Bool {
        let ended = try await endedChannels(of: app)
        for (known, document) in ended { await remove(known, at: document.path, document.updateTime, service) }
        return !ended.isEmpty
    }

    /// Returns some channels of an app whose cards have ended, the oldest first.
    private func endedChannels(of app: AppIdentity) async throws(StoreError) -> [(CardChannel, Document)] {
        var found: [(CardChannel, Document)] = []
        var query = try Self.dueQuery(until: now().adding(limits.linger)).limited(to: Self.batch)
        while found.count < Self.reclaimed {
            let page = try await store.documents(matching: query)
            for document in page where found.count < Self.reclaimed {
                guard let known = CardChannel(document), known.app == app, known.state == .ended,
                    known.channel != nil, known.end == nil
                else { continue }
                found.append((known, document))
            }
            guard page.count == Self.batch, let next = Self.cursor(after: page, in: store) else { break }
            query.start = next
        }
        return found
    }
}
