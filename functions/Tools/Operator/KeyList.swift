package import DocumentStore

/// The keys that the clients of a system got at run time, for the operator.
package struct KeyList: Sendable {
    /// A part of a list, and the place after which the next part begins; `nil` if there is none.
    package typealias Part = (keys: [ListedKey], next: String?)

    /// The system's name for people, such as `coding sessions`.
    package let system: String
    /// The system's name in forms, which tells the lists apart: its source.
    package let id: String
    /// The way in which keys are made, as a sentence.
    package let origin: HTML
    private let read: @Sendable (_ place: String?, _ limit: Int) async throws -> Part
    /// Revokes the key with an id. Returns `true` if there was one.
    package let revoke: @Sendable (_ id: String) async throws -> Bool
    /// The making of keys by the operator; `nil` if keys are made elsewhere.
    package var making: KeyMaking?

    /// Makes the list of a system whose keys are few, so that all of them are one part.
    ///
    /// - Parameters:
    ///   - system: The system's name for people.
    ///   - id: The system's source.
    ///   - origin: The way in which keys are made, as a sentence.
    ///   - keys: Returns the keys in the order of the list.
    ///   - revoke: Revokes the key with an id. Returns `true` if there was one.
    package init(
        system: String, id: String, origin: HTML, keys: @escaping @Sendable () async throws -> [ListedKey],
        revoke: @escaping @Sendable (_ id: String) async throws -> Bool
    ) {
        self.init(system: system, id: id, origin: origin, read: { _, _ in (try await keys(), nil) }, revoke: revoke)
    }

    /// Makes the list of a system that may have many keys.
    ///
    /// - Parameters:
    ///   - system: The system's name for people.
    ///   - id: The system's source.
    ///   - origin: The way in which keys are made, as a sentence.
    ///   - read: Returns the part after a place, or the first one.
    ///   - revoke: Revokes the key with an id. Returns `true` if there was one.
    package init(
        system: String, id: String, origin: HTML,
        read: @escaping @Sendable (_ place: String?, _ limit: Int) async throws -> Part,
        revoke: @escaping @Sendable (_ id: String) async throws -> Bool
    ) {
        self.system = system
        self.id = id
        self.origin = origin
        self.read = read
        self.revoke = revoke
    }

    /// Returns the part after a place, or the first one.
    package func part(after place: String?, limit: Int) async throws -> Part { try await read(place, limit) }
}

/// A key of a system's client, as the operator sees it.
package struct ListedKey: Sendable {
    /// The id, with which it is revoked.
    package let id: String
    /// The name that the operator gave it.
    package let name: String
    /// The first characters of the key, or the name of its device.
    package let prefix: String
    /// The rights, such as `read`.
    package let scopes: [String]
    /// The time at which it was made.
    package let createdAt: Timestamp
    /// The time of its last use; `nil` if it was never used.
    package let lastUsedAt: Timestamp?

    package init(
        id: String, name: String, prefix: String, scopes: [String], createdAt: Timestamp, lastUsedAt: Timestamp?
    ) {
        self.id = id
        self.name = name
        self.prefix = prefix
        self.scopes = scopes
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
    }
}

/// The making of keys by the operator.
package struct KeyMaking: Sendable {
    /// The forms that a scope has, for people, such as `read or write`.
    package let scopes: String
    /// The words of which a scope has one or several, with commas between them; empty if it has another form.
    package let words: [String]
    /// Makes a key of a name and a scope. It throws a ``KeyProblem`` if the scope has no form that it may have.
    package let make: @Sendable (_ name: String, _ scope: String) async throws -> MadeKey

    /// The maximum number of characters of a key's name.
    package static let longestName = 120

    package init(
        scopes: String, words: [String] = [],
        make: @escaping @Sendable (_ name: String, _ scope: String) async throws -> MadeKey
    ) {
        self.scopes = scopes
        self.words = words
        self.make = make
    }
}

/// A new key, whose text is shown once.
package struct MadeKey: Sendable {
    /// The key as lists show it.
    package let key: ListedKey
    /// The text.
    package let value: any IssuedSecret

    package init(key: ListedKey, value: any IssuedSecret) {
        self.key = key
        self.value = value
    }
}

/// The reason why a key is not made, in words for the operator.
package struct KeyProblem: Error {
    /// The words.
    package let text: String

    package init(_ text: String) { self.text = text }
}
