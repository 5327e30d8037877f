/// The routes of the console.
extension Route {
    private static let form = (name: "Content-Type", value: "application/x-www-form-urlencoded")

    /// Without a session, which a cookie would carry, every page leads to the first.
    static let console = [
        Route("console", "GET", "/console/", expected: [303]),
        Route("console", "POST", "/console/sign-in", [form], ["token=<word>"], expected: [403, 429]),
        Route("console", "GET", "/console/sign-in", expected: [303]),
        Route("console", "POST", "/console/sign-out", [form], ["key=<word>"], expected: [303]),
        Route("console", "GET", "/console/changes", expected: [401]),
        Route("console", "GET", "/console/messages?state=all&source=fcm&before=2030-01-31T12:00:00Z", expected: [303]),
        Route("console", "POST", "/console/messages", [form], ["to=emulated:<n>&body=<word>"], expected: [303]),
        Route("console", "GET", "/console/messages/<word>?page=<n>", expected: [303]),
        Route("console", "POST", "/console/messages/<word>/again", [form], ["key=a"], expected: [303]),
        Route("console", "POST", "/console/messages/<word>/cancel", [form], ["key=a"], expected: [303]),
        Route("console", "GET", "/console/documents?path=servers/<word>&database=a/b", expected: [303]),
        Route("console", "POST", "/console/documents", [form], ["action=delete&path=a/b"], expected: [303]),
        Route("console", "GET", "/console/documents/export?path=servers", expected: [303]),
        Route("console", "GET", "/console/devices?of=devices&after=a/b", expected: [303]),
        Route("console", "POST", "/console/devices", [form], ["path=a/b"], expected: [303]),
        Route("console", "GET", "/console/devices/device?path=servers/<word>", expected: [303]),
        Route("console", "POST", "/console/devices/device", [form], ["path=a/b"], expected: [303]),
        Route("console", "POST", "/console/devices/search", [form], ["of=<word>"], expected: [303]),
        Route("console", "GET", "/console/devices/topics?after=<word>", expected: [303]),
        Route("console", "GET", "/console/devices/topic?name=<word>", expected: [303]),
        Route("console", "POST", "/console/devices/topic", [form], ["name=a&body=b"], expected: [303]),
        Route("console", "GET", "/console/servers?after=<word>", expected: [303]),
        Route("console", "POST", "/console/servers", [form], ["server=a&access=allowed"], expected: [303]),
        Route("console", "GET", "/console/pairing", expected: [303]),
        Route("console", "POST", "/console/pairing", [form], ["server=a&folder=/srv/app"], expected: [303]),
        Route("console", "GET", "/console/keys", expected: [303]),
        Route("console", "POST", "/console/keys", [form], ["kind=account&id=a"], expected: [303]),
        Route("console", "GET", "/console/webhooks", expected: [303]),
        Route("console", "POST", "/console/webhooks", [form], ["action=test&id=a"], expected: [303]),
        Route("console", "GET", "/console/inbox", expected: [303]),
        Route("console", "GET", "/console/<word>/<word>", expected: [303]),
        Route("console", "POST", "/console/inbox", [form], ["action=empty"], expected: [303]),
    ]

    private static let session = [(name: "Cookie", value: "<consoleSession>"), form]

    /// The pages and forms of a user who has signed in. Their changes leave alone what other routes need.
    static let signedIn = [
        Route(
            "signed in", "POST", "/console/sign-in", [form], ["token=<admin>"], expected: [303],
            captures: [("consoleSession", .field("set-cookie"))]),
        Route("signed in", "GET", "/", session, captures: [("consoleKey", .input("key"))]),
        Route("signed in", "GET", "/console/messages?state=rejected&source=fcm&before=2030-01-31T12:00:00Z", session),
        Route("signed in", "GET", "/console/messages?state=<word>&to=<word>", session),
        Route(
            "signed in", "POST", "/console/messages", session,
            [
                "key=<consoleKey>&to=emulated:<n>&title=%3Cb%3E&body=<word>",
                "key=<consoleKey>&to=<hex>&environment=sandbox",
            ],
            expected: [303, 400]),
        Route("signed in", "GET", "/console/messages/<delivery>?page=0", session),
        Route(
            "signed in", "POST", "/console/messages/<delivery>/again", session, ["key=<consoleKey>"],
            expected: [303, 400]),
        Route(
            "signed in", "POST", "/console/messages/<scheduled>/cancel", session, ["key=<consoleKey>"],
            expected: [303, 400, 404]),
        Route("signed in", "GET", "/console/documents?path=humanTasks/<hit>", session),
        Route("signed in", "GET", "/console/documents?path=humanTasks&after=<word>", session, expected: [200, 400]),
        Route(
            "signed in", "POST", "/console/documents", session,
            [
                "key=<consoleKey>&action=create&path=notes/<word>&fields=%7B%22a%22:%7B%22integerValue%22:%22<n>%22%7D%7D",
                "key=<consoleKey>&action=patch&path=notes/<n>&fields=%7B%7D&updateTime=2026-01-31T12:00:00Z",
                "key=<consoleKey>&action=delete&path=notes/<n>",
            ], expected: [303, 400, 404, 409]),
        Route("signed in", "GET", "/console/documents/export?path=notes", session),
        Route("signed in", "GET", "/console/devices?of=devices&after=servers/<word>", session, expected: [200, 400]),
        Route(
            "signed in", "GET", "/console/devices/device?path=registrations/<word>&test=<delivery>", session,
            expected: [200, 400, 404]),
        Route(
            "signed in", "POST", "/console/devices/device", session, ["key=<consoleKey>&path=registrations/<word>"],
            expected: [303, 400, 404]),
        Route(
            "signed in", "POST", "/console/devices/search", session,
            ["key=<consoleKey>&of=<word>", "key=<consoleKey>&of=/srv/<word>"], expected: [200, 303, 400]),
        Route("signed in", "GET", "/console/devices/topics?after=<word>", session),
        Route(
            "signed in", "GET", "/console/devices/topic?name=<word>&after=<word>", session, expected: [200, 400, 404]),
        Route(
            "signed in", "POST", "/console/devices/topic", session, ["key=<consoleKey>&name=<word>&body=<word>"],
            expected: [303, 400]),
        Route(
            "signed in", "POST", "/console/devices", session,
            ["key=<consoleKey>&path=registrations/<word>&of=registrations"],
            expected: [400, 404]),
        Route("signed in", "GET", "/console/servers?after=<word>", session),
        Route(
            "signed in", "POST", "/console/servers", session,
            ["key=<consoleKey>&server=<hex>&access=allowed&name=<word>"],
            expected: [303]),
        Route("signed in", "GET", "/console/pairing", session),
        Route(
            "signed in", "POST", "/console/pairing", session,
            ["key=<consoleKey>&server=<hex>&folder=/srv/<word>&name=%3Cb%3E", "key=<consoleKey>&server=<word>"],
            expected: [200, 400]),
        Route("signed in", "GET", "/console/search?q=<word>", session),
        Route("signed in", "GET", "/console/keys", session),
        Route("signed in", "GET", "/console/keys?of=codeagents&after=<word>", session, expected: [200, 400]),
        Route(
            "signed in", "POST", "/console/keys", session,
            ["key=<consoleKey>&kind=sessions&id=<word>", "key=<consoleKey>&kind=account&id=<word>"], expected: [404]),
        Route(
            "signed in", "POST", "/console/keys", session,
            [
                "key=<consoleKey>&action=make&kind=publish&name=<word>&scope=publish:news",
                "key=<consoleKey>&action=make&kind=publish&name=b&scope=<word>",
                "key=<consoleKey>&action=make&kind=<word>&name=b&scope=read",
                "key=<consoleKey>&action=make&kind=sessions&name=<word>&for-read=1",
            ], expected: [200, 400]),
        Route("signed in", "GET", "/console/webhooks", session),
        Route(
            "signed in", "POST", "/console/webhooks", session,
            [
                "key=<consoleKey>&action=add&url=https://push.invalid/<word>&events=app.held_up",
                "key=<consoleKey>&action=add&url=https://127.0.0.1/", "key=<consoleKey>&action=remove&id=<word>",
                "key=<consoleKey>&action=test&id=<word>",
            ], expected: [200, 400, 404]),
        Route("signed in", "GET", "/console/inbox", session),
        Route(
            "signed in", "POST", "/console/inbox", session,
            ["key=<consoleKey>&action=script&token=<word>&error=UNAVAILABLE&times=<n>"], expected: [303, 400]),
    ]
}
