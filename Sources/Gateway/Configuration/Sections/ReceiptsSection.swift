package import DocumentStore
package import Settings

/// The settings of receipts.
package struct ReceiptsSection: ConfigurationSection {
    static let name = "receipts"
    private static let deviceKey = "receipts.deadMansSwitch.device"
    private static let contactKey = "receipts.deadMansSwitch.contact"

    /// The maximum number of receipts that one address may send in a minute; 0 removes the limit.
    package var perMinutePerAddress = 300
    /// The registration of the device that the dead man's switch watches; `nil` without a switch.
    package var device: DocumentPath?
    /// The registration of the device that the dead man's switch tells; `nil` for none.
    package var contact: DocumentPath?

    /// The settings, each declared once.
    package static let settings: [Setting<ReceiptsSection>] = [
        Setting(
            "receipts.perMinutePerAddress", \.perMinutePerAddress, .count(),
            "The number of receipts that one address may send in a minute; 0 for no limit"),
        Setting(
            deviceKey, optional: \.device, .registration(),
            "The device that gets an alert every hour, and sends receipts"),
        Setting(
            contactKey, optional: \.contact, .registration(),
            "The device that is told when three of these alerts had no receipt"),
    ]

    package init() {}

    /// Checks that the switch can have receipts.
    func check(publicURL: String?) throws(ConfigurationError) {
        if device != nil, publicURL == nil {
            throw ConfigurationError(
                key: Self.deviceKey, problem: "needs http.publicUrl, the address to which the device sends receipts")
        }
        if contact != nil, device == nil {
            throw ConfigurationError(
                key: Self.contactKey, problem: "needs \(Self.deviceKey), the device whose receipts are awaited")
        }
    }
}

extension SettingForm where Value == DocumentPath {
    /// The path of a registration.
    fileprivate static func registration() -> SettingForm<DocumentPath> {
        SettingForm<DocumentPath>("path of a registration") {
            "`\($0)`"
        } read: { settings, key throws(ConfigurationError) in
            guard let text = settings.string(key) else { return nil }
            guard let path = try? DocumentPath(text) else {
                throw settings.problem(
                    key, "“\(text)” is not the path of a registration like runDevices/0123abcd; “pushgate why” shows it"
                )
            }
            return path
        }
    }
}
