/// The routes of human tasks, and of the recipient's page.
extension Route {
    private static let agent = [(name: "Authorization", value: "Bearer <mcp>")]
    private static let device = [(name: "X-Device-ID", value: "<device>")]
    private static let photo = "GIF89a\u{1}\u{0}\u{1}\u{0}<word>"
    private static let boundary = "Ffc0d1e2"
    private static let form = [(name: "Content-Type", value: "multipart/form-data; boundary=\(boundary)")]

    private static func multipart(_ parts: (name: String, content: String)...) -> String {
        parts.map { part in
            let file = part.name == "photo" ? "; filename=\"a.gif\"\r\nContent-Type: image/gif" : ""
            return
                "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"\(file)\r\n\r\n\(part.content)\r\n"
        }.joined() + "--\(boundary)--\r\n"
    }

    static let humanTasks = [
        Route(
            "human tasks", "POST", "/api/devices/register", [("X-Forwarded-For", "<address>")],
            [#"{"name":"A phone <n>","vendor_id":"6d2f9c3a-0b1e-4c5d-8e7f-11223344556<n>"}"#], expected: [200, 201],
            captures: [("device", "id"), ("mcp", "mcp_token")]),
        Route("human tasks", "GET", "/api/devices/<device>"),
        Route(
            "human tasks", "POST", "/api/devices/<device>/apns-token", agent, [#"{"token":"emulated:hits-<n>"}"#],
            expected: [200, 403]),
        Route("human tasks", "POST", "/api/devices/<device>/heartbeat", agent, expected: [204, 403]),
        Route(
            "human tasks", "POST", "/api/hits", device,
            [
                #"{"recipient_name":"Sarah","sender_name":"Matt","task_description":"Photos","hit_type":"photo"}"#,
                #"{"recipient_name":"Tom","task_description":"Vote","hit_type":"poll","config":{"options":["Thai","Pizza",{"label":"Soup"}],"multiple":true}}"#,
                #"{"distribution_mode":"open","task_description":"When?","hit_type":"availability","agent_name":"a","group_id":"g","config":{"title":"<word>","days":3,"time_slots":["6 PM","2026-12-02T10:00"],"date_options":["2026-12-03"]}}"#,
                #"{"distribution_mode":"open","task_description":"Which day?","hit_type":"group_poll","config":{"context":"c","date_options":["2026-12-01","2026-12-02"]}}"#,
            ], expected: [201], captures: [("hit", "id")]),
        Route(
            "human tasks", "POST", "/api/hits", device,
            [
                #"{"distribution_mode":"group","task_description":"Which day?","hit_type":"group_poll","config":{"date_options":["2026-12-01"]},"participants":["Tom","Ann"]}"#
            ], expected: [201], captures: [("other", "id")]),
        Route(
            "human tasks", "POST", "/api/hits", device,
            [#"{"distribution_mode":"individual","task_description":"Photos","participants":["Tom <word>","Ann"]}"#],
            expected: [201], captures: [("third", "hits.0.id")]),
        Route("human tasks", "GET", "/api/hits", device),
        Route("human tasks", "GET", "/api/hits?group_id=g", device),
        Route("human tasks", "GET", "/api/hits/<hit>"),
        Route(
            "human tasks", "POST", "/api/hits/<hit>/photos", form,
            [multipart(("photo", photo), ("photo", photo + "2"))],
            expected: [201], captures: [("photo", "photos.0.id")]),
        Route(
            "human tasks", "POST", "/api/hits/<hit>/photos", [("Content-Type", "image/gif")], [photo], expected: [201]),
        Route(
            "human tasks", "POST", "/api/hits/<hit>/upload", form, [multipart(("photo", photo))], expected: [201]),
        Route("human tasks", "POST", "/api/hits/<hit>/upload", [], [photo], expected: [201]),
        Route("human tasks", "GET", "/api/hits/<hit>/photos", device, expected: [200, 404]),
        Route("human tasks", "GET", "/api/hits/<hit>/photos/<photo>", device, expected: [200, 404]),
        Route(
            "human tasks", "POST", "/api/hits/<hit>/respond", [json],
            [#"{"respondent_name":"Tom <word>","response_data":{"choices":["Thai"],"text":"Yes"}}"#], expected: [201]),
        Route("human tasks", "GET", "/api/hits/<hit>/responses", device, expected: [200, 404]),
        Route("human tasks", "DELETE", "/api/hits/<other>", device, expected: [200, 404]),
        Route(
            "human tasks", "POST", "/api/hits/bulk-delete", device,
            [#"{"ids":["<third>"]}"#, #"{"older_than_days":30,"status":"expired"}"#]),
    ]

    /// The routes of the page; the last ones close the task.
    static let page = [
        Route("page", "GET", "/hit/<hit>"), Route("page", "GET", "/hit/<hit>?thanks=1"),
        Route("page", "GET", "/hit/<hit>/answer", expected: [303]), Route("page", "GET", "/hit/none", expected: [404]),
        Route("page", "GET", "/hit", expected: [404]),
        Route(
            "page", "POST", "/hit/<hit>/answer", form,
            [multipart(("name", "Tom <word>"), ("text", "Yes"), ("choice", "0"), ("photo", photo))],
            expected: [303, 400, 409, 410, 422]),
        Route("human tasks", "PATCH", "/api/hits/<hit>/complete", expected: [200, 400]),
    ]
}
