import DocumentStore
import Messaging
import TestDoubles

/// A draft with its targets.
struct Multicast: Sendable {
    var draft: Draft
    var targets: [Target]
}

extension Multicast {
    static func sample(
        _ targets: [Target], lifetime: Duration? = .seconds(86_400), body: String = "Sample body"
    ) -> Multicast {
        Multicast(draft: .sample(lifetime: lifetime, body: body), targets: targets)
    }

    static func sample(tokens: [String], topic: String? = nil) -> Multicast {
        sample(
            tokens.map { Target(address: PushAddress(token: $0, app: AppIdentity(bundleID: topic)), registration: nil) }
        )
    }
}

extension Outbox {
    func accept(_ multicast: Multicast, alongside writes: [Write] = []) async throws(StoreError) -> Delivery {
        try await accept(multicast.draft, to: multicast.targets, alongside: writes)
    }
}
