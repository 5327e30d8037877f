import Testing

@testable import Gateway

@Suite("Unknown environment variables")
struct UnknownVariableTests {
    private func warnings(_ names: String...) -> [String] {
        SettingVariables(.available).warnings(in: Dictionary(uniqueKeysWithValues: names.map { ($0, "x") }))
            .map(\.description)
    }

    @Test(
        "An unknown PUSHGATE variable is reported with the nearest variable",
        arguments: [
            ("PUSHGATE_PORT", "PUSHGATE_HTTP_PORT"), ("PUSHGATE_HTTP_PROT", "PUSHGATE_HTTP_PORT"),
            ("PUSHGATE_HOST", "PUSHGATE_HTTP_HOST"), ("PUSHGATE_APNS_KEYID", "PUSHGATE_APNS_KEY_ID"),
            ("PUSHGATE_DATA_DIR", "PUSHGATE_DATA_DIRECTORY"), ("PUSHGATE_LOGLEVEL", "PUSHGATE_LOG_LEVEL"),
            ("PUSHGATE_http_port", "PUSHGATE_HTTP_PORT"),
            ("PUSHGATE_TURNS_ENABLED", "PUSHGATE_FUNCTIONS_TURNS_ENABLED"),
            ("PUSHGATE_ADMIN_TOKENFILE", "PUSHGATE_ADMIN_TOKEN_FILE"),
        ])
    func nearest(name: String, variable: String) {
        #expect(warnings(name) == ["\(name) is not a setting; did you mean \(variable)?"])
    }

    @Test("An unknown PUSHGATE variable without a near one is reported with the page that lists them")
    func farFromAll() {
        #expect(warnings("PUSHGATE_FOO") == ["PUSHGATE_FOO is not a setting; docs/configuration.md lists the settings"])
    }

    @Test("Variables of settings, of the command line and of other programs are not reported")
    func known() {
        let keys = SettingTable.available.keys.map(\.environmentName)
        let others = [
            "PUSHGATE_DEVICE_TOKEN", "PUSHGATE_PUBLISHED_PORT", "PATH", "PUSHGATES", "MY_PUSHGATE_PORT",
        ]
        let environment = Dictionary(uniqueKeysWithValues: (keys + others).map { ($0, "") })
        #expect(SettingVariables(.available).warnings(in: environment) == [])
    }

    @Test("Several unknown PUSHGATE variables are reported in alphabetical order")
    func several() {
        let names = warnings("PUSHGATE_Z", "PATH", "PUSHGATE_A").map { $0.prefix { $0 != " " } }
        #expect(names == ["PUSHGATE_A", "PUSHGATE_Z"])
    }
}
