package import DocumentStore
import HTTPTypes
import Logging
import Messaging

/// Messages to topics from scripts: `POST /publish/{topic}` with the text as the body and a token for the topic.
///
/// docs/functions/publishing.md is the contract.
package struct Publishing: FunctionModule {
    let settings: PublishingSettings
    let broadcaster: Broadcaster
    let tokens: PublishTokens
    let authentication = AuthenticationLimiter()
    let messages: FixedWindowLimiter
    let now: @Sendable () -> Timestamp
    let logger: Logger

    package init(settings: PublishingSettings, services: ModuleServices) {
        self.settings = settings
        broadcaster = services.broadcaster
        now = services.now
        logger = services.logger
        tokens = PublishTokens(store: services.store, now: services.now, logger: services.logger)
        messages = FixedWindowLimiter(limit: settings.messagesPerMinutePerToken, everySeconds: 60)
    }

    package static let name = "publishing"
    package static let source = "publish"
    package static let paths: [PathPattern] = ["/publish"]

    package var endpoints: [Endpoint] {
        [
            group.endpoint(.post, "/publish/{topic}", publish),
            group.endpoint(.put, "/publish/{topic}", publish),
        ]
    }

    /// Paths without an endpoint also require a token.
    package var fallbacks: [Fallback] {
        [
            group.fallback(below: Self.paths, .nothingHere) { allowed in .methodNotAllowed(allowed) }
        ]
    }
}

/// The tokens, for the operator.
extension Publishing: DeliveryReaders {
    package var deliveryReaders: (any DeliveryReaders)? { self }

    package var keyList: KeyList? {
        var list = KeyList(
            system: Self.name, id: Self.source,
            origin: """
                Programs publish with them, as <code>Authorization: Bearer …</code>; \
                <code>pushgate tokens create</code> makes them too.
                """
        ) { [tokens] in
            try await tokens.all().map(\.listed)
        } revoke: { [tokens] id in
            try await tokens.revoke(id)
        }
        list.making = KeyMaking(scopes: PublishScope.forms) { [tokens] name, scope in
            guard let scope = PublishScope(scope) else {
                throw KeyProblem("the scope must be \(PublishScope.forms), with the name of one topic")
            }
            let (token, value) = try await tokens.create(name: name, scope: scope)
            return MadeKey(key: token.listed, value: value)
        }
        return list
    }

    package func mayRead(_ bearer: String) async throws(StoreError) -> Bool {
        guard let credential = BearerCredential(bearer), let token = try await tokens.token(credential),
            token.scope == .read
        else { return false }
        await tokens.noteUse(of: token)
        return true
    }
}
