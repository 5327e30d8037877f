import Testing

@testable import APNsSimulator

@Suite("Filters for notifications")
struct NotificationFilterTests {
    let notification = ReceivedNotification.sample(
        token: "ab", apnsID: "1",
        headers: [("apns-topic", "com.example.app"), ("apns-push-type", "alert"), ("apns-collapse-id", "run")],
        rejection: .unregistered)

    @Test(
        "A notification filter matches a notification that agrees with all its members",
        arguments: [
            NotificationFilter.all, NotificationFilter(token: "ab"), NotificationFilter(token: "AB"),
            NotificationFilter(topic: "com.example.app"), NotificationFilter(pushType: "alert"),
            NotificationFilter(collapseID: "run"), NotificationFilter(apnsID: "1"), NotificationFilter(status: 410),
            NotificationFilter(
                token: "ab", topic: "com.example.app", pushType: "alert", collapseID: "run", apnsID: "1"),
        ])
    func passes(filter: NotificationFilter) {
        #expect(filter.matches(notification))
    }

    @Test(
        "A notification filter rejects a notification that differs in one member",
        arguments: [
            NotificationFilter(token: "cd"), NotificationFilter(topic: "com.example"),
            NotificationFilter(pushType: "voip"), NotificationFilter(collapseID: ""), NotificationFilter(apnsID: "2"),
            NotificationFilter(status: 200), NotificationFilter(token: "ab", status: 200),
        ])
    func holdsBack(filter: NotificationFilter) {
        #expect(!filter.matches(notification))
    }
}
