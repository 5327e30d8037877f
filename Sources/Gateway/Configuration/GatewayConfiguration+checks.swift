internal import Functions
internal import Messaging

/// Mistakes in an app's settings that Apple would answer by refusing everything, found without asking Apple.
extension GatewayConfiguration.App {
    func check() throws(ConfigurationError) {
        try checkOrder()
        try checkForm(of: keyID, "keyId", "a key's id has ten capital letters and digits, as ABC123DEFG")
        try checkForm(of: teamID, "teamId", "a team's id has ten capital letters and digits, as DEF123GHIJ")
        try checkFileName()
        try GatewayConfiguration.checkForm(of: bundleID, for: "\(place).bundleId")
        try GatewayConfiguration.checkPrefix(of: bundleID, teamIDs: [teamID], for: "\(place).bundleId")
        if let endpoint { try checkEndpoint(endpoint) }
    }

    /// The id in the name that Apple gives the file, `AuthKey_ABC123DEFG.p8`; `nil` for any other name.
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
                "is “\(keyID)”, and \(place).teamId is “\(teamID)”, which is the key's id by the name of \(keyPath): "
                + "the two are swapped")
    }

    private func checkForm(of id: String, _ name: String, _ form: String) throws(ConfigurationError) {
        guard !id.isAppleID else { return }
        throw ConfigurationError(key: "\(place).\(name)", problem: "“\(id)” cannot be one: \(form)")
    }

    private func checkFileName() throws(ConfigurationError) {
        guard let fileKeyID, fileKeyID != keyID else { return }
        throw ConfigurationError(
            key: "\(place).keyId",
            problem:
                "is “\(keyID)”, and \(keyPath) is the file of key \(fileKeyID) by its name. Give that id, or the other "
                + "key's file; if only the name is wrong, rename the file")
    }

    private func checkEndpoint(_ text: String) throws(ConfigurationError) {
        let key = "\(place).endpoint"
        guard text.hasPrefix("https://") else {
            throw ConfigurationError(key: key, problem: "must begin with https://, and end with the port")
        }
        let origin = text.dropFirst("https://".count).prefix { !"/?#".contains($0) }
        guard text.count == "https://".count + origin.count else {
            throw ConfigurationError(
                key: key, problem: "“\(text)” goes on behind host and port. Write https://\(origin)")
        }
        guard let authority = Authority(origin) else {
            throw ConfigurationError(
                key: key, problem: "“\(text)” is not https://, a host and a port, as https://127.0.0.1:2197")
        }
        guard authority.port != 0 else {
            throw ConfigurationError(key: key, problem: "“\(text)” has port 0, where nothing listens")
        }
        guard authority.port != nil else {
            throw ConfigurationError(
                key: key,
                problem: "“\(text)” has no port. Write \(text):2197 for a simulator, \(text):443 if that is meant")
        }
    }
}

extension GatewayConfiguration {
    /// Checks the bundle ids that systems have of their own.
    func checkSystems() throws(ConfigurationError) {
        let teamIDs = Set(apns?.apps.map(\.teamID) ?? [])
        let bundleIDs = [
            ("runs", systems.runs?.bundleID), ("turns", systems.turns?.bundleID),
            ("sessions", systems.sessions?.bundleID), ("humantasks", systems.humanTasks?.bundleID),
        ]
        for case (let name, let bundleID?) in bundleIDs {
            try Self.checkForm(of: bundleID, for: "functions.\(name).bundleId")
            try Self.checkPrefix(of: bundleID, teamIDs: teamIDs, for: "functions.\(name).bundleId")
        }
    }

    /// `CFBundleIdentifier` in Apple's documentation: letters and digits of ASCII, hyphens and dots.
    fileprivate static func checkForm(of bundleID: String, for key: String) throws(ConfigurationError) {
        guard !bundleID.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._".utf8.contains($0) }) else {
            return
        }
        throw ConfigurationError(
            key: key,
            problem:
                "“\(bundleID)” cannot be one: a bundle id has letters, digits, hyphens and dots, as com.example.app")
    }

    /// An App ID is the team's id, a dot and the bundle id; a topic is the bundle id alone.
    fileprivate static func checkPrefix(
        of bundleID: String, teamIDs: Set<String>, for key: String
    ) throws(ConfigurationError) {
        guard let team = teamIDs.first(where: { bundleID.hasPrefix($0 + ".") }) else { return }
        throw ConfigurationError(
            key: key,
            problem: "“\(bundleID)” begins with the team's id. The bundle id is \(bundleID.dropFirst(team.count + 1))")
    }
}

extension GatewayConfiguration.HTTP {
    /// Reads an address or a name to listen on.
    static func host(_ text: String) throws(ConfigurationError) -> String {
        func problem(_ text: String) -> ConfigurationError { ConfigurationError(key: "http.host", problem: text) }
        if text.contains("/") {
            throw problem("“\(text)” is a URL. Give the host alone, as 127.0.0.1, and the port as http.port")
        }
        if text.contains("[") || text.contains("]") {
            throw problem("“\(text)” has brackets. Give the address without, as ::1, and the port as http.port")
        }
        if text == "*" {
            throw problem("“*” is no address. 0.0.0.0 is every one of this machine's, :: those of IPv6 too")
        }
        if let authority = Authority(text), authority.port != nil {
            throw problem("“\(text)” has a port. Give \(authority.host) alone, and the port as http.port")
        }
        return text
    }
}

extension String {
    /// `true` for ten capital letters and digits, the form of the ids of keys and teams.
    fileprivate var isAppleID: Bool {
        utf8.count == 10
            && utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}
