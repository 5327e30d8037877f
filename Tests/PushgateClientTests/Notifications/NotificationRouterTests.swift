import PushgateClient
import Testing

@Suite("Routing of notifications to chats")
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

    @Test("A notification leads to the project of its server and folder")
    func found() throws {
        #expect(router.destination(of: try reply(one, "/srv/app"), projects: projects) == .chat(.one("/srv/app")))
        #expect(router.destination(of: try reply(two, "/srv/app"), projects: projects) == .chat(.two("/srv/app")))
        #expect(router.destination(of: try reply(one, " /srv/app\n"), projects: projects) == .chat(.one("/srv/app")))
    }

    @Test("A notification of an unknown server differs from one of an unknown project")
    func unknown() throws {
        let stranger = PushServer(id: "three", secret: .random(), gateway: one.gateway)
        #expect(router.destination(of: try reply(stranger, "/srv/app"), projects: projects) == .unknownServer)
        #expect(
            router.destination(of: try reply(two, "/srv/web"), projects: projects)
                == .unknownProject(serverID: "two", cwd: "/srv/web"))
    }

    @Test(
        "A notification's folder is compared exactly",
        arguments: ["/srv/app/", "/srv/App", "/srv/ap", "/srv/app/x", "/srv/ app"])
    func exact(cwd: String) throws {
        #expect(
            router.destination(of: try reply(one, cwd), projects: projects)
                == .unknownProject(serverID: "one", cwd: cwd))
    }

    @Test("A notification of a server that the app knows twice leads to the project of either")
    func twice() throws {
        let again = PushServer(id: "again", secret: one.secret, gateway: one.gateway)
        let router = NotificationRouter(servers: [one, again])
        let project = Chat(serverID: "again", cwd: "/srv/other")
        #expect(
            router.destination(of: try reply(one, "/srv/other"), projects: projects + [project]) == .chat(project))
    }

    @Test("A banner is suppressed only in the foreground, if its chat is open")
    func suppressed() throws {
        let payload = try payload(one, "/srv/app")
        #expect(router.banner(for: payload, isInForeground: true, openChats: [.one("/srv/app")]) == .suppress)
        #expect(router.banner(for: payload, isInForeground: false, openChats: [.one("/srv/app")]) == .show)
        #expect(router.banner(for: payload, isInForeground: true, openChats: []) == .show)
        #expect(router.banner(for: payload, isInForeground: true, openChats: [.one("/srv/web")]) == .show)
        #expect(router.banner(for: payload, isInForeground: true, openChats: [.two("/srv/app")]) == .show)
        #expect(
            router.banner(for: try self.payload(one, "/srv/app/"), isInForeground: true, openChats: [.one("/srv/app")])
                == .show)
    }

    @Test("A banner is suppressed if its chat is open in one of several windows")
    func windows() throws {
        let payload = try payload(one, "/srv/app")
        let windows: [Chat] = [.two("/srv/app"), .one("/srv/app")]
        #expect(router.banner(for: payload, isInForeground: true, openChats: windows) == .suppress)
        #expect(router.banner(for: payload, isInForeground: true, openChats: windows.prefix(1)) == .show)
    }

    @Test("A notification is routed with the servers that are known when it arrives")
    func ofSubscriptions() async throws {
        let stage = try Stage(servers: ["two"])
        let (payload, reply) = (try payload(one, "/srv/app"), try reply(one, "/srv/app"))
        let open: Set<Chat> = [.one("/srv/app")]
        #expect(try await stage.phone.destination(of: reply, projects: projects) == .unknownServer)
        #expect(await stage.phone.banner(for: payload, isInForeground: true, openChats: open) == .show)
        stage.directory.set([one, two])
        #expect(try await stage.phone.destination(of: reply, projects: projects) == .chat(.one("/srv/app")))
        #expect(await stage.phone.banner(for: payload, isInForeground: true, openChats: open) == .suppress)
        #expect(await stage.phone.banner(for: payload, isInForeground: false, openChats: open) == .show)
        stage.directory.set(nil)
        #expect(await stage.phone.banner(for: payload, isInForeground: true, openChats: open) == .show)
        await #expect(throws: PushClientError.serversUnreadable) {
            try await stage.phone.destination(of: reply, projects: projects)
        }
    }

    @Test("A banner of an unknown notification is shown")
    func shown() {
        let known: Chat = .one("/srv/app")
        #expect(router.banner(for: nil, isInForeground: true, openChats: [known]) == .show)
        #expect(router.banner(for: .unknown(type: "run_started"), isInForeground: true, openChats: [known]) == .show)
    }
}
