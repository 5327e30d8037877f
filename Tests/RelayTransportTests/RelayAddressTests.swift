import JSON
import Messaging
import TestDoubles
import Testing

@testable import RelayTransport

@Suite("Addresses at relays")
struct RelayAddressTests {
    @Test(
        "An address has one spelling",
        arguments: [
            ("relay:Push.Example.com/AbC", "relay:push.example.com/AbC"),
            ("relay:push.example.com:443/a", "relay:push.example.com/a"),
            ("relay:push.example.com:8443/a_-", "relay:push.example.com:8443/a_-"),
            ("relay:[FD00::1]:8443/a", "relay:[fd00::1]:8443/a"), ("relay:192.168.1.5/a", "relay:192.168.1.5/a"),
        ])
    func spelling(text: String, canonical: String) throws {
        #expect(try RelayAddress(text).text == canonical)
    }

    @Test(
        "A text of another form is no address",
        arguments: [
            "", "relay:", "relay:push.example.com", "relay:push.example.com/", "relay:/a", "Relay:push.example.com/a",
            "relay:push.example.com/a.b", "relay:push.example.com/a/b", "relay:user@push.example.com/a",
            "relay:push.example.com:0/a", "relay:2130706433/a", "relay:push example.com/a",
            "https://push.example.com/a",
            "relay:push.example.com/" + String(repeating: "a", count: 129),
        ])
    func otherForms(text: String) {
        #expect(throws: SubscriptionError.self) { try RelayAddress(text) }
    }

    @Test("An address that begins in capitals is refused with its form, and a URL in place of the host with the host's")
    func explanations() throws {
        let phone = try RelayPhone()
        let capitals = phone.address.replacing("relay:", with: "RELAY:")
        #expect(AuthorRelayService.recognizes(RegistrationToken(capitals)))
        let problem = RelayToken.problem(with: RegistrationToken(capitals))
        #expect(problem?.requirement.contains("must have the form relay:HOST/ID") == true)
        let error = #expect(throws: SubscriptionError.self) { try RelayAddress("relay:https://push.example.com/a") }
        #expect(error?.requirement.contains("must have an id") == false)
    }

    @Test("An address is shown without its id, and its secrets not at all")
    func redaction() throws {
        let phone = try RelayPhone()
        let address = try RelayAddress(phone.address)
        let keys = try RelayKeys(try phone.registered().attributes.secrets)
        #expect("\(address) \(String(reflecting: address))".contains("AbCd") == false)
        for secret in keys.secrets.values { #expect(!"\(keys) \(String(reflecting: keys))".contains(secret)) }
        #expect(address.description == "relay:push.example.com/…")
    }

    @Test(
        "An address that a client sends with its secrets becomes a token, the secrets, and a lane of the gateway's own")
    func parts() throws {
        let phone = try RelayPhone()
        let text = try #require(try RelayToken.text(of: phone.json))
        let parts = RelayToken.parts(of: text)
        #expect(parts.token.value == phone.address)
        #expect(parts.attributes.secrets["send_secret"] == phone.sendSecret && parts.attributes.secrets.count == 4)
        #expect(parts.attributes.app.bundleID == "relay")
        #expect(RelayToken.problem(with: text) == nil)
        // The address alone names the device, and nothing can be sent to it.
        let alone = RelayToken.parts(of: RegistrationToken(phone.address))
        #expect(alone.token == parts.token && alone.attributes.secrets.isEmpty)
        #expect(alone.attributes.app == parts.attributes.app)
        #expect(
            RelayToken.problem(with: RegistrationToken(phone.address))?.requirement.contains("collapse_key") == true)
    }

    @Test(
        "Secrets that are missing or of another form are refused by their names, without a word of them",
        arguments: ["send_secret", "p256dh", "auth", "collapse_key"])
    func refusedSecrets(name: String) throws {
        for value in [nil, "", "AAAA", "not base64url!", 5, [:]] as [JSONValue?] {
            var object = try #require(try RelayPhone().json.object)
            object[name] = value
            let error = #expect(throws: SubscriptionError.self) { try RelayToken.text(of: .object(object)) }
            #expect(error?.member == name)
            #expect(error?.requirement.contains("AAAA") == false)
        }
    }

    @Test("A value without an address at a relay is for another push service")
    func otherValues() throws {
        for value in [SampleSubscription.json(), nil, [:], ["address": "emulated:a"], ["address": 5]] as [JSONValue] {
            #expect(try RelayToken.text(of: value) == nil)
        }
    }

    @Test("A text that begins like an address goes to no other service, and none of it is a secret of its address")
    func damaged() throws {
        let text = try #require(try RelayToken.text(of: try RelayPhone().json)).value
        for damaged in [String(text.dropLast(30)), text + ".x", text.replacing("push.", with: "Push."), "relay:"] {
            let token = RegistrationToken(damaged)
            #expect(token.isAtRelay && RelayToken.problem(with: token) != nil, "\(damaged)")
            #expect(RelayToken.parts(of: token).attributes.secrets.isEmpty)
        }
    }
}

@Suite("Relays that addresses may name")
struct RelayHostsTests {
    private func isAllowed(_ server: String, by entries: [String]) throws -> Bool {
        let hosts = RelayHosts(try entries.map { try #require(RelayHosts.Entry($0)) })
        let server = try RelayServer(server[...])
        return (try? hosts.check(server)) != nil
    }

    @Test("Only the relays of the list are allowed, with private addresses and ports of their own")
    func named() throws {
        let list = ["push.example.com", "192.168.1.5:8443", "*.home.example"]
        for server in ["push.example.com", "192.168.1.5:8443", "192.168.1.5", "a.home.example"] {
            #expect(try isAllowed(server, by: list), "\(server)")
        }
        for server in ["other.example.com", "push.example.com:8443", "192.168.1.6", "home.example", "localhost"] {
            #expect(try !isAllowed(server, by: list), "\(server)")
        }
    }

    @Test("Any public host is allowed by a star, and no private one, by the rules for strangers' hosts")
    func any() throws {
        for server in ["push.example.com", "1.1.1.1"] { #expect(try isAllowed(server, by: ["*"]), "\(server)") }
        for server in ["push.example.com:8443", "192.168.1.5", "127.0.0.1", "169.254.169.254", "localhost"] {
            #expect(try !isAllowed(server, by: ["*"]), "\(server)")
        }
        #expect(try isAllowed("192.168.1.5", by: ["*", "192.168.1.5"]))
    }

    @Test("A relay has a lane of its own if the list names each relay, and no other one is in it")
    func lanes() throws {
        func isAlone(_ entries: [String]) throws -> Bool {
            let hosts = RelayHosts(try entries.map { try #require(RelayHosts.Entry($0)) })
            return hosts.isOfOneRelay(RelayToken.lane(of: try RelayServer("push.example.com")))
        }
        #expect(try isAlone(["push.example.com"]) && isAlone(["push.example.com", "push.example.com"]))
        #expect(try !isAlone(["push.example.com", "*"]) && !isAlone(["push.example.com", "*.example.org"]))
        #expect(try !isAlone(["push.example.com", "push.example.com:8443"]) && !isAlone(["relay.example.org"]))
    }

    @Test("A text of another form is no entry", arguments: ["", "a/b", "https://push.example.com", "**", "*."])
    func otherForms(text: String) { #expect(RelayHosts.Entry(text) == nil) }
}
