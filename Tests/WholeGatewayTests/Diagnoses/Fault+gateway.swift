import Cryptography
import DocumentStore
import Gateway
import HTTPTypes
import JSON
import TestBasics
import TestDoubles
import TestSupport
import Testing

/// The faults of the gateway's settings, of its machine, and of what was registered.
extension Fault {
    private static let noRoom = ["data.minimumFreeBytes": "9000000000000000000"]

    /// Registers a device, changes its document, and returns its path.
    private static func store(_ fields: Fields, in gateway: RunningGateway) async throws -> DocumentPath {
        try await Daemon(gateway.caller).register("phone", token: .randomToken(), ["apns_environment": "sandbox"])
        let devices = try await gateway.gateway.store.documents(matching: .collectionGroup("devices"))
        let path = try #require(devices.first?.path)
        if !fields.isEmpty { _ = try await gateway.gateway.store.commit([.merge(path, fields)]) }
        return path
    }

    /// Returns a fault of a registered device, at which nothing is sent.
    private static func registered(
        _ name: String, _ cause: String, words: [String], fields: Fields
    ) -> Fault {
        Fault(name, [cause], words: words) { ask in
            try await withSimulator { apns in
                try await withGateway(simulator: apns) { gateway in
                    let path = try await store(fields, in: gateway)
                    try await ask(gateway, path.description)
                }
            }
        }
    }

    /// The faults of the settings, and of the machine.
    static let settings = [
        registered(
            "app without a key", "app-not-configured", words: ["com.stranger.app", "apps"],
            fields: ["bundleId": .string("com.stranger.app")]),
        registered(
            "token of Google without a relay", "service-off", words: ["fcm.relay.serviceAccount"],
            fields: ["fcmToken": .string("cYzq1XkQTkmVsGMv2bQ4Lr:APA91bF"), "transport": .string("fcm")]),
        registered(
            "browser without Web Push", "service-off", words: ["webpush.subject"],
            fields: ["fcmToken": .string("https://web.push.apple.com/Q"), "transport": .string("webpush")]),
        Fault("emulator", ["in-inbox"], words: ["no credentials", "inbox"]) { ask in
            try await withGateway { gateway in
                try await notify(gateway)
                try await ask(gateway, "phone")
            }
        },
        Fault("database full", ["gateway-failing"], words: ["takes no new messages", "data.minimumFreeBytes"]) { ask in
            try await withGateway(noRoom) { gateway in
                let phone = try DocumentPath("servers/a/agents/b/devices/phone")
                _ = try await gateway.gateway.store.commit([.set(phone, ["fcmToken": .string("emulated:phone")])])
                try await ask(gateway, "phone")
            }
        },
        Fault("certificate over", ["certificate-expired"], words: ["certificate", TLSFiles.name, "expired"]) { ask in
            try await withTemporaryDirectory { directory in
                let files = try TLSFiles(in: directory, validity: .seconds(1))
                try await withGateway(files.settings) { gateway in
                    _ = try await store([:], in: gateway)
                    try await eventually("the certificate has ended") {
                        try await gateway.ask("/v1/diagnoses", .post, ["of": "phone"]).body["cause"]
                            != "no-message"
                    }
                    try await ask(gateway, "phone")
                }
            }
        },
    ]

    /// The faults of what was registered, and by whom.
    static let registrations = [
        registered("nothing was sent", "no-message", words: ["No message was accepted"], fields: [:]),
        Fault("other directory", ["no-device"], words: ["/srv/app/", "must be the same"]) { ask in
            try await withGateway { gateway in
                _ = try await store([:], in: gateway)
                try await ask(gateway, "/srv/app/")
            }
        },
        Fault("nobody subscribed", ["no-device"], words: ["No device is subscribed to the agent /srv/app"]) { ask in
            try await withGateway { gateway in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: "emulated:phone")
                try await daemon.unregister("phone")
                let keys = [daemon.secret, "/srv/app"].map { SHA256.hexadecimal(of: $0) }
                let agent = "servers/\(keys[0])/agents/\(keys[1])"
                _ = try await gateway.gateway.store.commit([.merge(DocumentPath(agent), ["cwd": .string("/srv/app")])])
                try await ask(gateway, agent)
            }
        },
        Fault("token that nobody registered", ["not-found"], words: ["No registration has this token"]) { ask in
            try await withSimulator { apns in
                try await withGateway(simulator: apns) { gateway in try await ask(gateway, .randomToken()) }
            }
        },
        Fault("device of another gateway", ["not-found"], words: ["moved from another gateway"]) { ask in
            try await withGateway { gateway in try await ask(gateway, "my-old-phone") }
        },
        Fault("mangled subscription", ["not-found"], words: ["can be no token", "three parts"]) { ask in
            try await withGateway { gateway in try await ask(gateway, "webpush:aHR0cHM6Ly9wdXNo") }
        },
        Fault("removed by the operator", ["registration-gone"], words: ["the app or the operator removed it"]) { ask in
            try await withGateway { gateway in
                let path = try await store([:], in: gateway)
                _ = try await gateway.gateway.store.commit([.delete(path)])
                try await ask(gateway, path.description)
            }
        },
        Fault("removed token of FCM's interface", ["registration-gone"], words: ["This gateway made the token"]) {
            ask in
            try await withGateway { gateway in
                let token = try await gateway.register(.randomToken())
                let registrations = try await gateway.gateway.store.documents(
                    matching: .collection(try CollectionPath("registrations")))
                _ = try await gateway.gateway.store.commit(registrations.map { .delete($0.path) })
                try await ask(gateway, token)
            }
        },
        Fault("server denied", ["no-device"], words: ["may not use the gateway", "pushgate servers allow"]) { ask in
            try await withGateway { gateway in
                let daemon = Daemon(gateway.caller)
                try await daemon.register("phone", token: "emulated:phone")
                let key = SHA256.hexadecimal(of: daemon.secret)
                _ = try await gateway.ask("/v1/servers/\(key)", .put, ["access": "denied"])
                try await ask(gateway, "/srv/app")
            }
        },
    ]
}
