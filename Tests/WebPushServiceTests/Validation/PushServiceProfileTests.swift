import Testing

@testable import WebPushService

@Suite("Profiles of push services")
struct PushServiceProfileTests {
    @Test(
        "A host belongs to the service with its name or the end of its name, and to none otherwise",
        arguments: [
            ("web.push.apple.com", PushServiceProfile.apple), ("api.push.apple.com", .apple),
            ("updates.push.services.mozilla.com", .mozilla), ("fcm.googleapis.com", .google),
            ("FCM.GoogleAPIs.com", .google), ("jmt17.google.com", .google),
            ("wns2-par02p.notify.windows.com", .microsoft), ("ntfy.sh", .standard), ("127.0.0.1", .standard),
            ("push.apple.com.example.net", .standard), ("notpush.apple.com", .standard),
        ])
    func hosts(host: String, profile: PushServiceProfile) {
        #expect(PushServiceProfile(host: host) == profile)
    }

    @Test("An endpoint's path is read as it is written, for each service", arguments: PushServiceProfile.allCases)
    func paths(service: PushServiceProfile) throws {
        let path = EndpointPath.path(service, token: SamplePush.token, isRestricted: true)
        let read = try #require(EndpointPath(path))
        #expect(read.service == service)
        #expect(read.token == SamplePush.token)
    }

    @Test("Older forms of paths name the same subscription")
    func olderPaths() {
        #expect(EndpointPath("/wpush/v1/abc")?.token == "abc")
        #expect(EndpointPath("/wp/abc:def")?.token == "abc:def")
        #expect(EndpointPath("/wp/abc:def")?.service == .google)
    }

    @Test(
        "Another path is no endpoint",
        arguments: ["", "/", "/fcm/send/", "/push/a/b", "/push/a?b", "/favicon.ico", "push/abc", "/w/?token="])
    func noPath(path: String) {
        #expect(EndpointPath(path) == nil)
    }
}
