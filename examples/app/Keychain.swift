#if canImport(Security)
    import Foundation
    import Security

    /// The app's texts that stay on this device, and that it can read from the first unlock on.
    enum Keychain {
        struct Failure: Error {
            let status: OSStatus
        }

        /// Returns a text; `nil` if there is none.
        static func text(_ name: String) throws -> String? {
            var found: CFTypeRef?
            var query = query(name)
            query[kSecReturnData] = true
            switch SecItemCopyMatching(query as CFDictionary, &found) {
            case errSecSuccess: return (found as? Data).map { String(decoding: $0, as: UTF8.self) }
            case errSecItemNotFound: return nil
            case let status: throw Failure(status: status)
            }
        }

        static func remove(_ name: String) { SecItemDelete(query(name) as CFDictionary) }

        static func store(_ text: String, as name: String) throws {
            SecItemDelete(query(name) as CFDictionary)
            var item = query(name)
            item[kSecValueData] = Data(text.utf8)
            item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let status = SecItemAdd(item as CFDictionary, nil)
            guard status == errSecSuccess else { throw Failure(status: status) }
        }

        private static func query(_ name: String) -> [CFString: Any] {
            [kSecClass: kSecClassGenericPassword, kSecAttrService: "push", kSecAttrAccount: name]
        }
    }
#endif
