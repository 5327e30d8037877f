import DocumentStore

/// The parts of an address that only its push service knows, by name, such as the keys of a browser's subscription.
///
/// They are a secret, as a token is: their description has the names alone. They are stored in registrations and in
/// chunks, as a map of texts, and not at all if there are none.
package struct AddressAttributes: Hashable, Sendable {
    /// The values, for the wire and the store only.
    package let values: [String: String]

    /// Creates attributes.
    package init(_ values: [String: String]) { self.values = values }

    /// No attributes: the token is the whole address.
    package static let empty = AddressAttributes([:])

    /// Reads the stored form; values that are no texts are left out.
    init(stored: Value?) {
        var values: [String: String] = [:]
        for (name, text) in stored?.map ?? Fields() { values[name] = text.string }
        self.init(values)
    }

    /// The stored form; `nil` if there are no attributes.
    var value: Value? {
        guard !values.isEmpty else { return nil }
        var map = Fields(minimumCapacity: values.count)
        for (name, value) in values { map[name] = .string(value) }
        return .map(map)
    }

    /// The approximate size of the stored form, in bytes.
    var storedSize: Int { values.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 32 } }
}

extension AddressAttributes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names, as `attributes(auth, p256dh)`.
    package var description: String { "attributes(\(values.keys.sorted().joined(separator: ", ")))" }
    /// The names, as `attributes(auth, p256dh)`.
    package var debugDescription: String { description }
    /// A mirror without the values.
    package var customMirror: Mirror { Mirror(self, children: ["names": values.keys.sorted()]) }
}
