import PushgateClient
import Testing

@Suite("The way from a notification to a chat")
struct NotificationRouterTests {
    private let one: PushServer
    private let two: PushServer
    private let router: NotificationRouter
    private let projects: [Chat] = [.one("/srv/app"), .one("/srv/web"), .two("/srv/app")]

    init() throws {
        one = try #require(Stage.server("one"))
        two = try #require(Stage.server("two"))
        router = NotificationRouter(servers: [one, two])
    }

    private func payload(_ server: PushServer, _ cwd: String) throws -> PushPayload {
        try #require(
            PushPayload(userInfo: ["type": "reply_finished", "server_key": server.secret.serverKey, "cwd": cwd]))
    }

    private func reply(_ server: PushServer, _ cwd: String) throws -> ReplyFinished {
        guard case .replyFinished(let reply) = try payload(server, cwd) else { throw NoReply() }
        return reply
    }

    private struct NoReply: Error {}

    @Test("leads to the project of that server in that folder")
    func found() throws {
        #expect(router.destination(of: try reply(one, "/srv/app"), projects: projects) == .chat(.one("/srv/app")))
        #expect(router.destination(of: try reply(two, "/srv/app"), projects: projects) == .chat(.two("/srv/app")))
        #expect(router.destination(of: try reply(one, " /srv/app\n"), projects: projects) == .chat(.one("/srv/app")))
    }

    @Test("tells a server that is not here from a project that is not")
    func unknown() throws {
        let stranger = PushServer(id: "three", secret: .random(), gateway: one.gateway)
        #expect(router.destination(of: try reply(stranger, "/srv/app"), projects: projects) == .unknownServer)
        #expect(
            router.destination(of: try reply(two, "/srv/web"), projects: projects)
                == .unknownProject(serverID: "two", cwd: "/srv/web"))
    }

    @Test("takes the folder as it is", arguments: ["/srv/app/", "/srv/App", "/srv/ap", "/srv/app/x", "/srv/ app"])
    func exact(cwd: String) throws {
        #expect(
            router.destination(of: try reply(one, cwd), projects: projects)
                == .unknownProject(serverID: "one", cwd: cwd))
    }

    @Test("finds the project of a server that the app knows twice")
    func twice() throws {
        let again = PushServer(id: "again", secret: one.secret, gateway: one.gateway)
        let router = NotificationRouter(servers: [one, again])
        let project = Chat(serverID: "again", cwd: "/srv/other")
        #expect(
            router.destination(of: try reply(one, "/srv/other"), projects: projects + [project]) == .chat(project))
    }

    @Test("suppresses a banner only in the foreground, in that very chat")
    func suppressed() throws {
        let payload = try payload(one, "/srv/app")
        #expect(router.banner(for: payload, isInForeground: true, openChat: .one("/srv/app")) == .suppress)
        #expect(router.banner(for: payload, isInForeground: false, openChat: .one("/srv/app")) == .show)
        #expect(router.banner(for: payload, isInForeground: true, openChat: nil) == .show)
        #expect(router.banner(for: payload, isInForeground: true, openChat: .one("/srv/web")) == .show)
        #expect(router.banner(for: payload, isInForeground: true, openChat: .two("/srv/app")) == .show)
        #expect(
            router.banner(for: try self.payload(one, "/srv/app/"), isInForeground: true, openChat: .one("/srv/app"))
                == .show)
    }

    @Test("shows what it does not know")
    func shown() {
        let known: Chat = .one("/srv/app")
        #expect(router.banner(for: nil, isInForeground: true, openChat: known) == .show)
        #expect(router.banner(for: .unknown(type: "run_started"), isInForeground: true, openChat: known) == .show)
    }
}
