import DocumentStore

/// The parts of an address beside its push service and its token. Only the service knows their meaning.
///
/// The app and its environment choose the lane, and anybody may see them. All other parts are as secret as the token.
package struct AddressAttributes: Sendable {
    /// The app and its environment, as the client named them.
    package let app: AppIdentity
    /// The secret parts by name, such as the keys of a browser's subscription; for the wire and the store only.
    package let secrets: [String: String]
    /// `true` if the app reports what arrives, and so wants notifications with the address for receipts. It is a wish
    /// of the registration and not a part of the address: addresses that differ in it alone are equal.
    package var asksForReceipts: Bool

    package init(app: AppIdentity = AppIdentity(), secrets: [String: String] = [:], asksForReceipts: Bool = false) {
        self.app = app
        self.secrets = secrets
        self.asksForReceipts = asksForReceipts
    }

    /// No attributes: the token is the whole address.
    package static let empty = AddressAttributes()

    /// Returns the attributes with the parts of an app that they leave open.
    package func completed(with app: AppIdentity) -> AddressAttributes {
        AddressAttributes(
            app: AppIdentity(
                bundleID: self.app.bundleID ?? app.bundleID, environment: self.app.environment ?? app.environment),
            secrets: secrets, asksForReceipts: asksForReceipts)
    }
}

extension AddressAttributes: Hashable {
    /// Returns `true` if the parts of the address are the same.
    package static func == (left: AddressAttributes, right: AddressAttributes) -> Bool {
        left.app == right.app && left.secrets == right.secrets
    }

    /// Adds the parts of the address to the hash.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(app)
        hasher.combine(secrets)
    }
}

/// The stored form of the secret parts: a map of texts, or nothing if there are none. The app and its environment have
/// fields of their own.
extension AddressAttributes {
    /// Reads the stored form; values that are no texts are left out.
    init(app: AppIdentity, stored: Value?, asksForReceipts: Bool = false) {
        var secrets: [String: String] = [:]
        for (name, text) in stored?.map ?? Fields() { secrets[name] = text.string }
        self.init(app: app, secrets: secrets, asksForReceipts: asksForReceipts)
    }

    /// The stored form; `nil` if there are no secret parts.
    var value: Value? {
        guard !secrets.isEmpty else { return nil }
        var map = Fields(minimumCapacity: secrets.count)
        for (name, value) in secrets { map[name] = .string(value) }
        return .map(map)
    }

    /// The approximate size of the stored form, in bytes.
    var storedSize: Int { secrets.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 32 } }
}

extension AddressAttributes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the secret parts, as `attributes(auth, p256dh)`.
    package var description: String { "attributes(\(secrets.keys.sorted().joined(separator: ", ")))" }
    /// The names of the secret parts, as `attributes(auth, p256dh)`.
    package var debugDescription: String { description }
    /// A mirror with the app, and without the values of the secret parts.
    package var customMirror: Mirror { Mirror(self, children: ["app": app, "names": secrets.keys.sorted()]) }
}
