import Server
import Settings
import Texts

/// Checks for mistakes in an app's settings for which Apple would refuse every request.
extension APNsSettings.App {
    func check() throws(ConfigurationError) {
        try checkOrder()
        try checkForm(of: keyID, "keyId", "a key id has ten capital letters and digits, such as ABC123DEFG")
        try checkForm(of: teamID, "teamId", "a team id has ten capital letters and digits, such as DEF123GHIJ")
        try checkFileName()
        try BundleID.checkForm(of: bundleID, for: "\(place).bundleId")
        try BundleID.checkPrefix(of: bundleID, teamIDs: [teamID], for: "\(place).bundleId")
        if let endpoint { try checkEndpoint(endpoint, "endpoint") }
        if let broadcastEndpoint { try checkEndpoint(broadcastEndpoint, "broadcastEndpoint") }
        if let channelEndpoint { try checkEndpoint(channelEndpoint, "channelEndpoint") }
    }

    /// The key id in the file name that Apple gives, `AuthKey_ABC123DEFG.p8`; `nil` if the file has another name.
    private var fileKeyID: String? {
        let name = keyPath.split(separator: "/").last ?? ""
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
        let id = String(name.dropFirst("AuthKey_".count).dropLast(".p8".count))
        return id.isAppleID ? id : nil
    }

    private func checkOrder() throws(ConfigurationError) {
        guard keyID != teamID else {
            throw ConfigurationError(
                key: "\(place).keyId", problem: "is the same as \(place).teamId; the two are different ids")
        }
        guard let fileKeyID, teamID == fileKeyID, keyID != fileKeyID else { return }
        throw ConfigurationError(
            key: "\(place).keyId",
            problem:
                "is “\(keyID)”, and \(place).teamId is “\(teamID)”, which is the key id in the name of \(keyPath): "
                + "the two are swapped")
    }

    private func checkForm(of id: String, _ name: String, _ form: String) throws(ConfigurationError) {
        guard !id.isAppleID else { return }
        throw ConfigurationError(key: "\(place).\(name)", problem: "“\(id)” is not valid: \(form)")
    }

    private func checkFileName() throws(ConfigurationError) {
        guard let fileKeyID, fileKeyID != keyID else { return }
        throw ConfigurationError(
            key: "\(place).keyId",
            problem:
                "is “\(keyID)”, and \(keyPath) is the file of key \(fileKeyID) by its name. Set that id, or the other "
                + "key's file; if only the name is wrong, rename the file")
    }

    private func checkEndpoint(_ text: String, _ name: String) throws(ConfigurationError) {
        let key = "\(place).\(name)"
        guard text.hasPrefix("https://") else {
            throw ConfigurationError(key: key, problem: "must begin with https://, and end with the port")
        }
        let origin = text.dropFirst("https://".count).prefix { !"/?#".contains($0) }
        guard text.count == "https://".count + origin.count else {
            throw ConfigurationError(
                key: key, problem: "“\(text)” has more than a host and a port. Write https://\(origin)")
        }
        guard let authority = Authority(origin) else {
            throw ConfigurationError(
                key: key, problem: "“\(text)” is not https://, a host and a port, such as https://127.0.0.1:2197")
        }
        guard authority.port != 0 else {
            throw ConfigurationError(key: key, problem: "“\(text)” has port 0; set the port that the server uses")
        }
        guard authority.port != nil else {
            throw ConfigurationError(
                key: key,
                problem: "“\(text)” has no port. Write \(text):2197 for a simulator, or \(text):443")
        }
    }
}

extension String {
    /// `true` if the text has the form of key ids and team ids: ten capital letters and digits.
    fileprivate var isAppleID: Bool {
        utf8.count == 10 && utf8.allSatisfy { $0.isASCIIUppercaseLetter || $0.isASCIIDigit }
    }
}
