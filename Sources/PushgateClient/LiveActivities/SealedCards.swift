import Foundation

/// The content of a card that came over the relay of the app's author: the `ContentState` of the app's
/// `SealedRunActivityAttributes`. ``SealedCards`` opens it.
public struct SealedCardState: Codable, Hashable, Sendable {
    /// The sealed text in base64url.
    public let sealed: String

    /// Makes a state, for previews and tests.
    public init(sealed: String) { self.sealed = sealed }
}

/// A card that was opened.
public struct OpenedCard: Hashable, Sendable {
    /// The title; `nil` if there is none.
    public let title: String?
    /// The facts of the card's run, such as `run_id`, which the attributes of other cards have.
    public let data: [String: String]
    /// The content.
    public let state: RunCardState
}

/// The opener of cards that gateways have sealed for this installation, in the app's widget.
public struct SealedCards: Sendable {
    /// The version of the form that this version of the library reads.
    private static let version = 1

    private let storage: any RelayStorage
    private let cryptography: any RelayCryptography

    /// Takes the storage of the app's ``RelayClient``, which the widget shares with the app.
    public init(storage: any RelayStorage, cryptography: any RelayCryptography) {
        self.storage = storage
        self.cryptography = cryptography
    }

    /// Opens the content of a card.
    ///
    /// - Returns: `nil` if it was sealed for former keys, was changed on its way, or has a form of a later version, or
    ///   if the device has not been unlocked since its start. Show a neutral text then.
    public func open(_ state: SealedCardState) -> OpenedCard? {
        guard let bytes = Base64URLText.decode(state.sealed), let sealed = SealedContent(bytes),
            let stored = try? storage.load(), let kept = try? JSONDecoder().decode(RelayState.self, from: stored),
            let text = sealed.opened(by: kept.keys, cryptography),
            let content = try? JSONDecoder().decode(Content.self, from: Data(text)), content.v == Self.version
        else { return nil }
        return OpenedCard(title: content.title, data: content.data ?? [:], state: content.state)
    }

    private struct Content: Decodable {
        let v: Int
        let title: String?
        let data: [String: String]?
        let state: RunCardState
    }
}

#if canImport(CryptoKit)
    extension SealedCards {
        /// Takes the storage of the app's ``RelayClient``, with the cryptography of CryptoKit.
        public init(storage: any RelayStorage) {
            self.init(storage: storage, cryptography: CryptoKitCryptography())
        }
    }
#endif
