import PushgateClient
import Testing

@Suite("Push settings in a daemon's environment file")
struct EnablePushTests {
    private let gateway: GatewayURL

    init() throws { gateway = try #require(GatewayURL("https://push.example.com/")) }

    @Test("enablePush adds both keys to a file without them, and changes no other line")
    func added() throws {
        var file = EnvironmentFile("# the daemon\nANTHROPIC_API_KEY='k'\n\nHOST=0.0.0.0")
        let secret = try file.enablePush(gateway: gateway)
        #expect(secret.value.count == 44)
        #expect(
            file.text == """
                # the daemon
                ANTHROPIC_API_KEY='k'

                HOST=0.0.0.0
                CODEAGENTS_PUSH_SECRET=\(secret.value)
                CODEAGENTS_PUSH_GATEWAY_BASE_URL=https://push.example.com

                """)
    }

    @Test("enablePush keeps an existing secret, as other devices have it")
    func kept() throws {
        let old = "export CODEAGENTS_PUSH_SECRET=\"s3cret=\"\r\nCODEAGENTS_PUSH_GATEWAY_BASE_URL=http://old\r\nX=1\r\n"
        var file = EnvironmentFile(old)
        let secret = try file.enablePush(gateway: gateway) { PushSecret.random() }
        #expect(secret == PushSecret("s3cret="))
        #expect(file.text == old.replacing("http://old", with: "https://push.example.com"))
    }

    @Test("enablePush changes nothing the second time")
    func idempotent() throws {
        var file = EnvironmentFile("")
        let secret = try file.enablePush(gateway: gateway)
        var again = file
        #expect(try again.enablePush(gateway: gateway) == secret)
        #expect(again == file)
    }

    @Test("enablePush fills in an empty secret", arguments: ["", "\"\"", "''", "\"  \""])
    func empty(value: String) throws {
        var file = EnvironmentFile("CODEAGENTS_PUSH_SECRET=\(value)\nX=1\n")
        let secret = try file.enablePush(gateway: gateway)
        let kept = try #require(EnvironmentFile(file.text).value(of: EnvironmentFile.secretKey))
        #expect(kept == secret.value)
        #expect(file.text.hasSuffix("\nX=1\nCODEAGENTS_PUSH_GATEWAY_BASE_URL=https://push.example.com\n"))
    }

    @Test("enablePush does not replace a secret that it cannot use")
    func unusable() {
        var file = EnvironmentFile("CODEAGENTS_PUSH_SECRET=two words\n")
        let before = file
        #expect(throws: UnusableSecret.self) { try file.enablePush(gateway: gateway) }
        #expect(file == before)
    }
}
