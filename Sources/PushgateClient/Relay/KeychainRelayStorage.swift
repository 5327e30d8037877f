#if canImport(Security)
    public import Foundation
    internal import Security

    /// A storage in the Keychain, in an item that stays on this device and is readable from the first unlock on.
    ///
    /// The item outlives the app, so a new installation on the same device has the same keys and the same address.
    public struct KeychainRelayStorage: RelayStorage {
        private let service: String
        private let accessGroup: String?

        /// Creates a storage.
        ///
        /// - Parameters:
        ///   - accessGroup: The Keychain group that the app and its notification service extension share, with the
        ///     team's prefix; `nil` for the app's own items.
        ///   - service: The name of the item.
        public init(accessGroup: String?, service: String = "pushgate.relay") {
            self.accessGroup = accessGroup
            self.service = service
        }

        /// Returns the bytes of the item; `nil` if there is none.
        public func load() throws -> Data? {
            var query = query
            query[kSecReturnData] = true
            var found: CFTypeRef?
            switch SecItemCopyMatching(query as CFDictionary, &found) {
            case errSecSuccess: return found as? Data
            case errSecItemNotFound: return nil
            case let status: throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
            }
        }

        /// Replaces the item's bytes, or makes the item.
        public func save(_ bytes: Data) throws {
            let values: [CFString: Any] = [kSecValueData: bytes]
            var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
            if status == errSecItemNotFound {
                var item = query
                item[kSecValueData] = bytes
                item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
                status = SecItemAdd(item as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
        }

        private var query: [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: "installation",
                kSecUseDataProtectionKeychain: true,
            ]
            query[kSecAttrAccessGroup] = accessGroup
            return query
        }
    }
#endif
