import ACME
import APNs
import DocumentStore
import FCMInterface
import Foundation
import Functions
import HTTP2Client
import IPAddresses
import Logging
import Messaging
import RelayTransport
import Secrets
import Server
import Settings
import TestSupport
import Testing
import WebPush
import Webhooks

@testable import Gateway

@Suite("Reading the configuration", .timeLimit(.minutes(10)))
struct ConfigurationReadingTests {
    private func read(
        flags: [String: String] = [:], environment: [String: String] = [:], file: String? = nil
    ) async throws -> GatewayConfiguration {
        try await GatewayConfiguration.read(flags: flags, environment: environment, file: file)
    }

    /// Reads a configuration with the YAML as its file.
    private func read(
        flags: [String: String] = [:], environment: [String: String] = [:], yaml: String
    ) async throws -> GatewayConfiguration {
        try await withTemporaryDirectory { directory in
            let path = directory + "/pushgate.yaml"
            try Data(yaml.utf8).write(to: URL(fileURLWithPath: path))
            return try await read(flags: flags, environment: environment, file: path)
        }
    }

    @Test("A configuration without any setting has the documented defaults")
    func defaults() async throws {
        let configuration = try await read(environment: ["PATH": "/bin", "PUSHGATE": "1"])
        #expect(configuration.http.host == "127.0.0.1")
        #expect(configuration.http.port == 8_080)
        #expect(configuration.http.trustedProxies == [] && configuration.http.forwardedField == .xForwardedFor)
        #expect(configuration.http.requestTimeout == .seconds(10) && configuration.http.idleTimeout == .seconds(75))
        #expect(configuration.messages.lifetime == .seconds(30 * 86_400))
        #expect(configuration.messages.retention == .seconds(7 * 86_400))
        #expect(configuration.data.directory == "./pushgate-data")
        #expect(configuration[APNsService.self] == nil)
        #expect(configuration.fcm.tlsPort == nil && configuration.fcm.proxyPort == nil)
        #expect(configuration.fcm.projectID == "pushgate" && configuration[RelayService.self] == nil)
        #expect(configuration.fcm.sendWait == .seconds(10) && configuration.fcm.unregisteredAs == .unregistered)
        let relayed = try await read(flags: ["fcm.relay.serviceAccount": "a.json"])
        #expect(relayed[RelayService.self]?.endpoint == "https://fcm.googleapis.com")
        #expect(configuration.admin.token == nil)
        #expect(configuration.log.level == .info)
        #expect(configuration.log.format == .human)
        #expect(configuration.modules.browserPage == "/try")
        let withoutPage = try await read(flags: ["functions.codeagents.pairing": "false"])
        #expect(withoutPage.modules.browserPage == nil)
        #expect(configuration[CodeAgents.self]?.minimumSecretLength == 32)
        #expect(configuration[CodeAgents.self]?.triggerWait == .seconds(2))
        #expect(configuration[CodeAgents.self]?.requestsPerMinutePerSecret == 60)
        #expect(configuration[CodeAgents.self]?.requestsPerMinutePerAddress == 120)
        #expect(configuration[CodeAgents.self]?.newServersPerHourPerAddress == 10)
        #expect(configuration[CodeAgents.self]?.updatesPerMinutePerSecret == 600)
        #expect(configuration.webPush.newRegistrationsPerHourPerAddress == 10)
        #expect(configuration.webPush.allowedOrigins.isEmpty)
    }

    @Test("A flag has precedence over the environment, the file and the default, in this order")
    func precedence() async throws {
        let yaml = """
            http:
              port: 1001
              host: file.example
            log: { level: error }
            functions: { codeagents: { triggerWait: 1s, requestsPerMinutePerSecret: 7 } }
            """
        let environment = [
            "PUSHGATE_HTTP_PORT": "1002", "PUSHGATE_LOG_LEVEL": "debug",
            "PUSHGATE_FUNCTIONS_CODEAGENTS_TRIGGER_WAIT": "3s",
        ]
        let flags = ["http.port": "1003", "functions.codeagents.triggerWait": "4s"]
        let fromFile = try await read(yaml: yaml)
        #expect(fromFile.http.port == 1_001)
        #expect(fromFile.http.host == "file.example")
        #expect(fromFile[CodeAgents.self]?.triggerWait == .seconds(1))
        #expect(fromFile[CodeAgents.self]?.requestsPerMinutePerSecret == 7)
        let withEnvironment = try await read(environment: environment, yaml: yaml)
        #expect(withEnvironment.http.port == 1_002)
        #expect(withEnvironment.http.host == "file.example")
        #expect(withEnvironment.log.level == .debug)
        #expect(withEnvironment[CodeAgents.self]?.triggerWait == .seconds(3))
        let all = try await read(flags: flags, environment: environment, yaml: yaml)
        #expect(all.http.port == 1_003)
        #expect(all.log.level == .debug)
        #expect(all[CodeAgents.self]?.triggerWait == .seconds(4))
        #expect(all[CodeAgents.self]?.requestsPerMinutePerSecret == 7)
        #expect(all[CodeAgents.self]?.minimumSecretLength == 32)
    }

    @Test("Every key of the configuration can be set by its environment variable")
    func environmentNames() async throws {
        let values = Self.environmentValues
        #expect(Set(values.keys) == SettingTable.available.keys, "a key has no value in this test, or was removed")
        let configuration = try await read(
            environment: Dictionary(uniqueKeysWithValues: values.map { ($0.key.environmentName, $0.value) }))
        #expect(configuration.http.host == "::1" && configuration.http.port == 0)
        #expect(
            configuration.http.trustedProxies == [AddressRange("10.0.0.0/8"), AddressRange("::1")].compactMap { $0 })
        #expect(configuration.http.forwardedField == .forwarded)
        #expect(configuration.http.requestTimeout == .seconds(5) && configuration.http.idleTimeout == .seconds(600))
        let tls = try #require(configuration.http.tls)
        #expect(tls.certificates.map(\.certificate) == ["a.pem", "b.pem"])
        #expect(tls.certificates.map(\.key) == ["a.key", "b.key"] && tls.listeningHost == "10.0.0.1")
        #expect(tls.port == 8_443 && tls.redirectPort == 8_081)
        let acme = try #require(tls.acme)
        #expect(acme.domains == ["a.example", "b.example"] && acme.caFile == "/srv/acme.pem")
        #expect(acme.session.directory == "https://acme.example/dir" && acme.session.email == "me@example.com")
        #expect(acme.session.externalAccount == ExternalAccount(keyID: "kid-1", hmacKey: [1, 2, 3]))
        #expect(configuration.http.localPeers == [AddressRange("172.18.0.1")].compactMap(\.self))
        let names = ["push.example", "https://a.example:8443"].compactMap { GatewayName($0) }
        #expect(configuration.http.names == names && names.count == 2)
        #expect(configuration.data.directory == "/srv/x" && configuration.admin.token?.value == "0123456789abcdef")
        #expect(configuration.log.level == .warning && configuration.log.format == .json)
        let channels = configuration.liveActivities.limits
        #expect(channels.channels == 7 && channels.lifetime == .seconds(3 * 3_600) && channels.linger == .seconds(240))
        #expect(channels.creation == .seconds(360))
        let cards = configuration.liveActivities.cards
        #expect(cards.updateInterval == .seconds(2) && cards.staleAfter == .seconds(300))
        #expect(cards.dismissal == .seconds(60))
        #expect(configuration.messages.lifetime == .seconds(60) && configuration.messages.retention == .seconds(120))
        let fcm = configuration.fcm
        #expect(fcm.tlsPort == 0 && fcm.proxyPort == 8_444 && fcm.projectID == "my-project")
        #expect(fcm.sendWait == .seconds(1) && fcm.unregisteredAs == .invalidArgument)
        let relay = configuration[RelayService.self]
        #expect(relay?.serviceAccountPath == "a.json" && relay?.endpoint == "https://relay.example")
        let firestore = configuration.firestore
        #expect(firestore.isEnabled == true && firestore.indexWarnings && firestore.allowedOrigins.count == 1)
        let indexes = [
            FieldIndex(collectionGroup: "users", field: "age"),
            FieldIndex(collectionGroup: "rooms", field: FieldPath(segments: ["a.b", "c"])),
        ]
        #expect(firestore.indexes == indexes)
        let orders = DatabaseID(project: "demo-app", database: "orders")
        let automatic: [IndexedDatabase] = [.database(DatabaseID(project: "other")), .database(orders)]
        #expect(firestore.automaticIndexes == automatic)
        #expect(firestore.allowedPeers == [AddressRange("172.18.0.2")].compactMap(\.self))
        let apns = try #require(configuration[APNsService.self])
        let app = try #require(apns.apps.first)
        #expect([app.keyPath, app.keyID, app.teamID, app.bundleID] == ["k", "ABC123DEFG", "DEF123GHIJ", "b"])
        #expect(app.environment == .production && app.endpoint == "https://localhost:2197")
        #expect(app.broadcastEndpoint == "https://localhost:2198" && app.channelEndpoint == "https://localhost:2196")
        #expect(apns.apps.count == 1 && apns.caFile == "ca.pem" && apns.allowsUnconfiguredApps)
        #expect(apns.proxy != .direct)
        #expect(configuration.http.publicURL == "https://push.example/gate")
        let webPush = try #require(configuration[BrowserPushService.self])
        #expect(webPush.subject == "mailto:ops@gate.example.org" && webPush.written.privateKey?.value.count == 43)
        #expect(webPush.written.payload == .data && webPush.written.allowedPorts == [443, 8_443])
        #expect(webPush.written.navigate?.url(for: ["id": "7"]) == "https://app.example/7")
        #expect(webPush.written.allowedHosts == ["ntfy.lan", "192.168.1.5:8443"].compactMap { AllowedHost($0) })
        #expect(webPush.written.caFile == "web.pem")
        #expect(configuration.webPush.newRegistrationsPerHourPerAddress == 9)
        let origins = ["https://app.example", "loopback"].compactMap { AllowedOrigin($0) }
        #expect(configuration.webPush.allowedOrigins == origins && origins.count == 2)
        #expect(webPush.written.connectTo.map(\.description) == ["fcm.googleapis.com=127.0.0.1:8443"])
        let relays = try #require(configuration[AuthorRelayService.self])
        #expect(relays.written.hosts == ["push.example.com", "*"].compactMap { RelayHosts.Entry($0) })
        #expect(relays.written.hosts.count == 2 && relays.written.caFile == "relay.pem")
        #expect(relays.written.connectTo.map(\.description) == ["push.example.com=127.0.0.1:8443"])
        #expect(configuration.webhooks.urls == ["http://ha.lan/a", "https://b.example/"])
        #expect(configuration.webhooks.events == [.heldUp] && configuration.webhooks.secret?.value.count == 38)
        let runs = try #require(configuration[Runs.self])
        #expect(runs.apiKeys == ["0123456789abcdef", "fedcba9876543210"] && runs.bundleID == "r")
        #expect(runs.reminders == [.seconds(1), .seconds(2)] && runs.environment == "sandbox")
        let turns = try #require(configuration[Turns.self])
        #expect(turns.apiKeys == ["0123456789abcdef"] && turns.site == "http://127.0.0.1:9" && turns.label == "dev")
        #expect(turns.interval == .seconds(5) && turns.requestsAtOnce == 3 && turns.newPlayersPerHourPerAddress == 4)
        #expect(turns.bundleID == "t" && turns.environment == "sandbox")
        let sessions = try #require(configuration[Sessions.self])
        #expect(sessions.masterKey == ["0123456789abcdef"] && sessions.bundleID == "s")
        #expect(sessions.readKeys == [Self.scopedKey("0")] && sessions.writeKeys == [Self.scopedKey("1")])
        #expect(sessions.coolDown == .seconds(1) && sessions.notificationRetention == .seconds(2 * 3_600))
        #expect(sessions.eventRetention == .seconds(3 * 3_600))
        let tasks = try #require(configuration[HumanTasks.self])
        #expect(tasks.publicURL == "https://tasks.example/here" && tasks.lifetime == .seconds(1))
        #expect(tasks.retention == .seconds(2) && tasks.maximumPhotoBytes == 2_048 && tasks.maximumPhotos == 3)
        #expect(tasks.newDevicesPerHourPerAddress == 4 && tasks.newTasksPerHourPerDevice == 5)
        #expect(tasks.bundleID == "h" && tasks.environment == "production")
        #expect(try #require(configuration[Publishing.self]).messagesPerMinutePerToken == 9)
        let own = try #require(configuration[AuthorRelay.self])
        #expect(own.admission == .secret && own.appSecrets == ["0123456789abcdef"])
        #expect(own.attestedApps == ["A1B2C3D4E5.com.example.app"] && own.attestDevelopment)
        #expect(own.attestRootFile == "root.pem")
        #expect(own.formerHosts.map(\.description) == ["push.example.org", "b.example:8443"])
        #expect(own.title == "T" && own.body == "B" && own.callsPerMinutePerAddress == 1)
        #expect(own.newInstallationsPerHourPerAddress == 2 && own.messagesPerMinutePerAddress == 3)
        #expect(own.messagesPerMinutePerInstallation == 4 && own.messagesPerMinutePerSecret == 5)
        #expect(own.cardsPerHourPerInstallation == 6)
        let agents = try #require(configuration[CodeAgents.self])
        #expect(agents.minimumSecretLength == 1 && agents.requestsPerMinutePerSecret == 2)
        #expect(agents.requestsPerMinutePerAddress == 3 && agents.newServersPerHourPerAddress == 4)
        #expect(agents.updatesPerMinutePerSecret == 5 && agents.updatesPerMinutePerAddress == 6)
        #expect(agents.triggerWait == .seconds(3))
        #expect(agents.maximumAgentsPerServer == 7 && agents.maximumDevicesPerAgent == 8)
        #expect(configuration.messages.maximumBytesPerOwner == 6 && configuration.data.minimumFreeBytes == 7)
        #expect(configuration.metrics.allowedPeers == [AddressRange("172.18.0.3")].compactMap(\.self))
        #expect(configuration.backups.keep == 8 && !configuration.backups.beforeUpgrade)
        #expect(configuration.store.url?.value == "postgres://a@b/c" && configuration.store.connections == 5)
        #expect(configuration.store.passwordFile == "/srv/password" && configuration.store.lease == .seconds(9))
        #expect(!configuration.store.notifies && configuration.store.files == .directory)
    }

    @Test(
        "A store that is no connection string is refused without its text, which may have a password",
        arguments: [
            "mysql://a:hunter2@b/c", "hunter2", "host='hunter2",
        ])
    func store(url: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(flags: ["store.url": url]) }
        #expect(error?.key == "store.url" && error?.problem.contains("postgres://") == true)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test("A file with a password needs a database")
    func passwordAlone() async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            try await read(flags: ["store.passwordFile": "x"])
        }
        #expect(error?.key == "store.passwordFile" && error?.problem.contains("needs store.url") == true)
    }

    @Test("A dead man's switch needs the address for receipts, and a contact the switch")
    func deadMansSwitch() async throws {
        let (device, contact) = ("receipts.deadMansSwitch.device", "receipts.deadMansSwitch.contact")
        let address = ["http.publicUrl": "https://push.example"]
        let withContact = address.merging([contact: "runDevices/b"]) { $1 }
        for (flags, key) in [([device: "runDevices/a"], device), (withContact, contact)] {
            let error = await #expect(throws: ConfigurationError.self) { try await read(flags: flags) }
            #expect(error?.key == key)
        }
        let alone = try await read(flags: address.merging([device: "runDevices/a"]) { $1 })
        #expect(alone.receipts.device?.description == "runDevices/a" && alone.receipts.contact == nil)
    }

    @Test("A changed value needs a restart of its section if its setting declares that, and otherwise none")
    func effects() async throws {
        let environment = Dictionary(
            uniqueKeysWithValues: Self.environmentValues.map { ($0.key.environmentName, $0.value) })
        let all = try await read(environment: environment)
        var compared = 0
        for declaration in SettingTable.available.declarations {
            var others = environment
            others[declaration.key.environmentName] = nil
            // Some settings are required beside others.
            guard let changed = try? await read(environment: others) else { continue }
            compared += 1
            let section = String(declaration.key.prefix { $0 != "." })
            let expected = declaration.effect == .restart ? [section] : []
            #expect(all.sectionsToRestart(for: changed) == expected, "\(declaration.key)")
        }
        #expect(compared > 70)
    }

    /// Values that differ from the defaults.
    private static let environmentValues = [
        "http.host": "::1", "http.port": "0", "http.trustedProxies": "10.0.0.0/8, ::1", "http.requestTimeout": "5s",
        "http.idleTimeout": "10m",
        "http.tls.certificate": "a.pem, b.pem", "http.tls.key": "a.key, b.key", "http.tls.port": "8443",
        "http.tls.host": "10.0.0.1", "http.redirectPort": "8081",
        "http.acme.domains": "A.example, b.example, a.example", "http.acme.directory": "https://acme.example/dir",
        "http.acme.email": "me@example.com", "http.acme.caFile": "/srv/acme.pem",
        "http.acme.externalAccount.keyId": "kid-1", "http.acme.externalAccount.hmacKey": "AQID",
        "http.forwardedField": "Forwarded",
        "http.publicUrl": "https://push.example/gate/", "webpush.subject": "mailto:ops@gate.example.org",
        "webpush.privateKey": "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "webpush.payload": "data",
        "webpush.navigate": "https://app.example/{id}", "webpush.allowedHosts": "ntfy.lan, 192.168.1.5:8443",
        "receipts.perMinutePerAddress": "11", "receipts.deadMansSwitch.device": "runDevices/one",
        "receipts.deadMansSwitch.contact": "runDevices/two",
        "webhooks.urls": "http://ha.lan/a, https://b.example/", "webhooks.events": "app.held_up",
        "webhooks.secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "webpush.allowedPorts": "443, 8443", "webpush.caFile": "web.pem",
        "webpush.connectTo": "fcm.googleapis.com=127.0.0.1:8443", "webpush.newRegistrationsPerHourPerAddress": "9",
        "webpush.allowedOrigins": "https://app.example, loopback",
        "relay.hosts": "push.example.com, *", "relay.caFile": "relay.pem",
        "relay.connectTo": "push.example.com=127.0.0.1:8443",
        "http.localPeers": "172.18.0.1", "http.names": "push.example, https://a.example:8443",
        "apns.allowUnconfiguredApps": "true", "apns.proxy": "http://proxy.example:3128",
        "data.directory": "/srv/x", "data.minimumFreeBytes": "7", "backups.keep": "8",
        "store.url": "postgres://a@b/c", "store.passwordFile": "/srv/password", "store.connections": "5",
        "store.lease": "9s", "store.notify": "false", "store.files": "directory",
        "metrics.allowedPeers": "172.18.0.3",
        "backups.beforeUpgrade": "false", "admin.token": "0123456789abcdef",
        "admin.readToken": "fedcba9876543210",
        "log.level": "WARNING",
        "log.format": "json",
        "apns.keyPath": "k", "apns.keyId": "ABC123DEFG", "apns.teamId": "DEF123GHIJ", "apns.bundleId": "b",
        "apns.environment": "production", "apns.endpoint": "https://localhost:2197", "apns.caFile": "ca.pem",
        "apns.broadcastEndpoint": "https://localhost:2198", "apns.channelEndpoint": "https://localhost:2196",
        "fcm.tls.port": "0", "fcm.proxy.port": "8444", "fcm.projectId": "my-project", "fcm.sendWait": "1s",
        "fcm.messagesPerMinutePerAccount": "7",
        "fcm.unregisteredAs": "invalid_argument", "fcm.relay.serviceAccount": "a.json",
        "firestore.enabled": "true", "firestore.allowedPeers": "172.18.0.2",
        "firestore.allowedOrigins": "https://app.example", "firestore.indexWarnings": "true",
        "firestore.indexes": "users/age, rooms/`a.b`.c", "firestore.automaticIndexes": "other, demo-app/orders",
        "fcm.relay.endpoint": "https://relay.example", "messages.lifetime": "1m", "messages.retention": "2m",
        "liveActivities.maximumChannels": "7", "liveActivities.lifetime": "3h", "liveActivities.linger": "4m",
        "liveActivities.creationLimit": "6m",
        "liveActivities.updateInterval": "2s", "liveActivities.staleAfter": "5m", "liveActivities.dismissal": "1m",
        "messages.maximumBytesPerOwner": "6", "functions.codeagents.maximumAgentsPerServer": "7",
        "functions.codeagents.maximumDevicesPerAgent": "8",
        "functions.codeagents.minimumSecretLength": "1", "functions.codeagents.requestsPerMinutePerSecret": "2",
        "functions.codeagents.requestsPerMinutePerAddress": "3",
        "functions.codeagents.updatesPerMinutePerSecret": "5", "functions.codeagents.updatesPerMinutePerAddress": "6",
        "functions.codeagents.newServersPerHourPerAddress": "4", "functions.codeagents.triggerWait": "3s",
        "functions.codeagents.servers": "listed", "functions.codeagents.pairing": "false",
        "functions.runs.enabled": "true", "functions.runs.apiKeys": "0123456789abcdef, fedcba9876543210",
        "functions.runs.reminders": "1s, 2s", "functions.runs.bundleId": "r", "functions.runs.environment": "sandbox",
        "functions.turns.enabled": "true", "functions.turns.apiKeys": "0123456789abcdef",
        "functions.turns.site": "http://127.0.0.1:9/", "functions.turns.interval": "5s",
        "functions.turns.requestsAtOnce": "3", "functions.turns.newPlayersPerHourPerAddress": "4",
        "functions.turns.label": "dev", "functions.turns.bundleId": "t", "functions.turns.environment": "sandbox",
        "functions.sessions.enabled": "true", "functions.sessions.masterKey": "0123456789abcdef",
        "functions.sessions.readKeys": scopedKey("0"), "functions.sessions.writeKeys": scopedKey("1"),
        "functions.sessions.coolDown": "1s", "functions.sessions.notificationRetention": "2h",
        "functions.sessions.eventRetention": "3h", "functions.sessions.bundleId": "s",
        "functions.humantasks.enabled": "true", "functions.humantasks.publicUrl": "https://tasks.example/here/",
        "functions.humantasks.lifetime": "1s", "functions.humantasks.retention": "2s",
        "functions.humantasks.maximumPhotoBytes": "2048", "functions.humantasks.maximumPhotos": "3",
        "functions.humantasks.newDevicesPerHourPerAddress": "4",
        "functions.humantasks.newTasksPerHourPerDevice": "5", "functions.humantasks.bundleId": "h",
        "functions.humantasks.environment": "production",
        "functions.publishing.enabled": "true", "functions.publishing.messagesPerMinutePerToken": "9",
        "relay.enabled": "true", "relay.admission": "secret", "relay.appSecrets": "0123456789abcdef",
        "relay.attestedApps": "A1B2C3D4E5.com.example.app", "relay.attestDevelopment": "true",
        "relay.attestRootFile": "root.pem", "relay.formerHosts": "Push.example.org:443, b.example:8443",
        "relay.title": "T", "relay.body": "B", "relay.callsPerMinutePerAddress": "1",
        "relay.newInstallationsPerHourPerAddress": "2", "relay.messagesPerMinutePerAddress": "3",
        "relay.messagesPerMinutePerInstallation": "4", "relay.messagesPerMinutePerSecret": "5",
        "relay.cardsPerHourPerInstallation": "6",
    ]

    private static func scopedKey(_ digit: String) -> String { "claud_" + String(repeating: digit, count: 32) }

    @Test("The environment variable of a key is its name in upper case with underscores")
    func documentedNames() {
        #expect("http.host".environmentName == "PUSHGATE_HTTP_HOST")
        #expect("apns.bundleId".environmentName == "PUSHGATE_APNS_BUNDLE_ID")
        #expect(
            "functions.codeagents.requestsPerMinutePerSecret".environmentName
                == "PUSHGATE_FUNCTIONS_CODEAGENTS_REQUESTS_PER_MINUTE_PER_SECRET")
    }

    @Test(
        "A relay endpoint with TLS, or without TLS on loopback, is accepted",
        arguments: [
            "https://fcm.example", "https://fcm.example:8443/", "http://127.0.0.1:80", "http://127.1.2.3",
            "http://localhost:1", "http://[::1]:1",
        ])
    func relayEndpoint(endpoint: String) async throws {
        let configuration = try await read(
            flags: ["fcm.relay.serviceAccount": "a.json", "fcm.relay.endpoint": endpoint])
        #expect(configuration[RelayService.self]?.endpoint == endpoint)
    }

    @Test("A relay endpoint without an account, and an invalid project id, are refused")
    func otherFCMValues() async throws {
        let alone = await #expect(throws: ConfigurationError.self) {
            try await read(flags: ["fcm.relay.endpoint": "https://fcm.example"])
        }
        #expect(alone?.key == "fcm.relay.serviceAccount")
        for id in ["My-Project", "a/b", "a_b", "é", String(repeating: "a", count: 64)] {
            let error = await #expect(throws: ConfigurationError.self) { try await read(flags: ["fcm.projectId": id]) }
            #expect(error?.key == "fcm.projectId")
        }
    }

    @Test("A list in YAML may be a sequence or a text, and a number may be quoted")
    func yamlForms() async throws {
        let sequence = try await read(yaml: "http: { trustedProxies: [127.0.0.1, \"::1\"], port: \"9000\" }")
        #expect(sequence.http.trustedProxies.count == 2)
        #expect(sequence.http.port == 9_000)
        let text = try await read(yaml: "http: { trustedProxies: \"127.0.0.1,::1\" }")
        #expect(text.http.trustedProxies.count == 2)
        let seconds = try await read(yaml: "functions: { codeagents: { triggerWait: 3 } }")
        #expect(seconds[CodeAgents.self]?.triggerWait == .seconds(3))
    }

    @Test("A value that cannot be used is refused with its key and the value", arguments: ConfigurationError.examples)
    func badValue(key: String, value: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(flags: [key: value]) }
        #expect(error?.key == key)
        #expect(error?.description.hasPrefix("\(key): ") == true)
        #expect(error?.problem.contains("“\(value)”") == true)
    }

    @Test(
        "A secret value that cannot be used is refused with its key, and is not repeated",
        arguments: [
            ("webhooks.urls", "hidden.lan/token"), ("webhooks.urls", "ftp://a.example/token"),
            ("webhooks.secret", "hidden"),
        ])
    func badSecret(key: String, value: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(flags: [key: value]) }
        #expect(error?.description.hasPrefix("\(key): ") == true)
        #expect(error?.description.contains(value) == false)
    }

    @Test("An invalid value in a file is refused with its key, as in a flag")
    func badFileValue() async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(yaml: "http: { port: eighty }") }
        #expect(error?.key == "http.port")
        let tooLarge = await #expect(throws: ConfigurationError.self) { try await read(yaml: "http: { port: 99999 }") }
        #expect(tooLarge?.key == "http.port")
    }

    @Test(
        "A configuration file that is missing or no YAML is refused with its path", arguments: [nil, "a: [", "\t- b"])
    func badFile(yaml: String?) async throws {
        let error = await #expect(throws: ConfigurationError.self) {
            if let yaml { try await read(yaml: yaml) } else { try await read(file: "/nonexistent/pushgate.yaml") }
        }
        #expect(error?.description.contains("pushgate.yaml") == true)
    }

    @Test(
        "An incomplete set of APNs settings is refused with the missing key",
        arguments: ["keyPath", "keyId", "teamId", "bundleId"])
    func partialAPNs(missing: String) async throws {
        let all = ["keyPath", "keyId", "teamId", "bundleId"]
        let flags = Dictionary(uniqueKeysWithValues: all.filter { $0 != missing }.map { ("apns.\($0)", "x") })
        let error = await #expect(throws: ConfigurationError.self) { try await read(flags: flags) }
        #expect(error?.key == "apns.\(missing)")
        #expect(
            try await read(flags: ["apns.endpoint": "https://localhost:1", "apns.caFile": "x"])[APNsService.self] == nil
        )
    }

    @Test(
        "An admin token that is short or not valid in a header is refused, and the error does not show it",
        arguments: ["fifteen-letters", "with blanks in it", "0123456789abcdéf"])
    func adminToken(token: String) async throws {
        let error = await #expect(throws: ConfigurationError.self) { try await read(flags: ["admin.token": token]) }
        #expect(error?.key == "admin.token" && error?.problem.contains("at least 16 characters") == true)
        #expect(error?.description.contains(token) == false)
    }

    @Test("A configuration and its errors never show the admin token")
    func redaction() async throws {
        let configuration = try await read(flags: ["admin.token": "s3cret-s3cret-s3cret"])
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(configuration.admin.token?.value == "s3cret-s3cret-s3cret")
        #expect(!"\(configuration) \(String(reflecting: configuration))".contains("s3cret"))
        #expect(!dumped.contains("s3cret"))
        let error = await #expect(throws: ConfigurationError.self) {
            try await read(flags: ["admin.token": "s3cret-s3cret-s3cret", "http.port": "x"])
        }
        #expect(error?.description.contains("s3cret") == false)
    }
}

extension ConfigurationError {
    static let examples: [(String, String)] = [
        ("http.port", "eighty"), ("http.port", "-1"), ("http.port", "65536"), ("http.port", "80.5"),
        ("http.port", " 80"),
        ("fcm.tls.port", "on"), ("fcm.tls.port", "-1"), ("fcm.proxy.port", "65536"), ("fcm.proxy.port", "8444x"),
        ("liveActivities.maximumChannels", "10001"), ("liveActivities.lifetime", "9h"),
        ("liveActivities.creationLimit", "later"),
        ("liveActivities.linger", "soon"), ("liveActivities.updateInterval", "fast"),
        ("liveActivities.staleAfter", "-1m"), ("liveActivities.dismissal", "5h"),
        ("fcm.messagesPerMinutePerAccount", "-1"), ("fcm.sendWait", "long"), ("fcm.unregisteredAs", "gone"),
        ("fcm.relay.endpoint", "fcm.example"), ("fcm.relay.endpoint", "http://fcm.example"),
        ("fcm.relay.endpoint", "http://127.0.0.1.example"), ("fcm.relay.endpoint", "http://192.0.2.1"),
        ("fcm.relay.endpoint", "https://fcm.example/v1"), ("fcm.relay.endpoint", "https://fcm.example?a"),
        ("fcm.relay.endpoint", "https://a:b@fcm.example"), ("fcm.relay.endpoint", "https://"),
        ("messages.lifetime", "forever"), ("messages.lifetime", "31d"), ("messages.retention", "-1"),
        ("messages.maximumBytesPerOwner", "64 MiB"),
        ("data.minimumFreeBytes", "-1"), ("backups.keep", "-1"), ("backups.beforeUpgrade", "maybe"),
        ("store.connections", "1"), ("store.notify", "perhaps"), ("store.files", "cloud"), ("store.lease", "2s"),
        ("store.lease", "11m"),
        ("functions.codeagents.maximumAgentsPerServer", "-1"),
        ("functions.codeagents.maximumDevicesPerAgent", "many"),
        ("http.requestTimeout", "soon"), ("http.requestTimeout", "-1s"), ("http.requestTimeout", "1w"),
        ("http.idleTimeout", "900ms"),
        ("http.trustedProxies", "localhost"), ("http.trustedProxies", "10.0.0.0/33"),
        ("functions.codeagents.minimumSecretLength", "0"), ("functions.codeagents.minimumSecretLength", "257"),
        ("functions.codeagents.triggerWait", "2 s"), ("functions.codeagents.triggerWait", "nan"),
        ("functions.codeagents.requestsPerMinutePerSecret", "-1"),
        ("functions.codeagents.requestsPerMinutePerAddress", "1e3"),
        ("functions.codeagents.updatesPerMinutePerSecret", "-1"),
        ("functions.codeagents.updatesPerMinutePerAddress", "many"),
        ("functions.codeagents.newServersPerHourPerAddress", "unlimited"), ("functions.codeagents.servers", "closed"),
        ("functions.codeagents.pairing", "maybe"),
        ("log.level", "loud"), ("log.format", "xml"),
        ("webpush.subject", "ops@gate.example.org"), ("webpush.subject", "mailto:ops@localhost"),
        ("webpush.payload", "json"), ("webpush.navigate", "app.example"), ("webpush.allowedHosts", "a/b"),
        ("receipts.perMinutePerAddress", "many"), ("receipts.deadMansSwitch.device", "my-phone"),
        ("receipts.deadMansSwitch.contact", "/"),
        ("webhooks.events", "everything"), ("webpush.allowedPorts", "0"), ("webpush.connectTo", "fcm.googleapis.com"),
        ("webpush.newRegistrationsPerHourPerAddress", "-1"), ("webpush.allowedOrigins", "*"),
        ("webpush.allowedOrigins", "app.example.com"), ("relay.hosts", "https://push.example.com"),
        ("relay.connectTo", "push.example.com"),
    ]
}
