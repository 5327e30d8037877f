import HTTPTypes

/// The page behind a task's link: one document that contains its style and script and loads nothing else.
struct TaskPage: Sendable {
    var status = HTTPResponse.Status.ok
    let title: String
    /// The content of `main`.
    let content: HTML
    /// The text that messengers show for the link; `nil` to use the title.
    var preview: String?

    var response: FunctionResponse {
        FunctionResponse(status: status, headerFields: Self.headerFields, content: .html(html.description))
    }

    private var html: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex, nofollow">
        <meta name="color-scheme" content="light dark">
        <meta name="theme-color" content="#f2f3f8" media="(prefers-color-scheme: light)">
        <meta name="theme-color" content="#0f1117" media="(prefers-color-scheme: dark)">
        <meta property="og:title" content="\(preview ?? title)">
        <title>\(title)</title>
        <link rel="icon" href="data:,">
        <style>\(HTML(verbatim: PageStyle.text))</style>
        </head>
        <body>
        <main>\(content)</main>
        <script>\(HTML(verbatim: PageScript.text))</script>
        </body>
        </html>

        """
    }

    /// Only the page's own content is loaded and run.
    private static let headerFields = HTTPFields.secretPage(
        policy: "default-src 'none'; style-src \(HTML.policySource(of: PageStyle.text)); "
            + "script-src \(HTML.policySource(of: PageScript.text)); img-src blob: data:; form-action 'self'; "
            + "base-uri 'none'; frame-ancestors 'none'")
}

/// The pages without a form.
extension TaskPage {
    static func thanks(_ task: HumanTask) -> TaskPage {
        let asker = task.request.asker
        return state(
            .ok, title: "Thank you", icon: .done,
            "Your answer is on its way to \(asker ?? "the person who asked"). You can close this page.")
    }

    static let completed = state(
        .ok, title: "Already done", icon: .done,
        "This has been answered already, so there is nothing left to do. Thank you.")

    static let full = state(
        .conflict, title: "No more answers", icon: .clock,
        "This request cannot take more answers. Tell the person who sent you the link.")

    static func expired(_ asker: String?) -> TaskPage {
        state(
            .gone, title: "Too late", icon: .clock,
            "This request can no longer be answered. Ask \(asker ?? "the person who sent it") for a new link if it still matters."
        )
    }

    static let notFound = state(
        .notFound, title: "Nothing here", icon: .question,
        "This link leads nowhere. Perhaps it was not copied whole, or the request was removed: look at the message it "
            + "came in."
    )

    static let unavailable = state(
        .serviceUnavailable, title: "Not just now", icon: .clock,
        "This does not work at the moment. If you sent an answer, it was not taken: go back and try again in a few "
            + "seconds. What you entered should still be there."
    )

    static let failed = state(
        .internalServerError, title: "Our mistake", icon: .question,
        "Something went wrong here, through no fault of yours. Try again later; if it still fails, tell the "
            + "person who sent you the link."
    )

    static func tooMany(_ maximum: Int) -> TaskPage {
        state(
            .conflict, title: "Too many photos", icon: .question,
            "\(maximum == 1 ? "One photo is" : "\(maximum) photos are") the most that can be taken. Go back and choose "
                + "fewer.")
    }

    static func tooLarge(_ megabytes: Int) -> TaskPage {
        state(
            .contentTooLarge, title: "Too much at once", icon: .question,
            "The photos are larger than \(megabytes) MB together. Go back and send fewer at a time, or smaller ones.")
    }

    static func broken(_ status: HTTPResponse.Status) -> TaskPage {
        state(
            status, title: "That did not work", icon: .question,
            "Your answer did not arrive whole. Go back and try again: what you entered should still be there.")
    }

    private static func state(
        _ status: HTTPResponse.Status, title: String, icon: Icon, _ text: String
    ) -> TaskPage {
        TaskPage(
            status: status, title: title,
            content: """
                <div class="card state">
                <svg class="\(icon.rawValue)" viewBox="0 0 48 48" width="64" height="64" aria-hidden="true">\
                \(icon.drawing)</svg>
                <h1 dir="auto">\(title)</h1>
                <p dir="auto">\(text)</p>
                </div>
                """)
    }

    private enum Icon: String {
        case done
        case clock
        case question

        var drawing: HTML {
            switch self {
            case .done: "<circle cx='24' cy='24' r='22'/><path d='M15 24.5l6.5 6.5L34 18'/>"
            case .clock: "<circle cx='24' cy='24' r='22'/><path d='M24 13v11.5l7 4.5'/>"
            case .question:
                "<circle cx='24' cy='24' r='22'/><path d='M18.5 19a5.5 5.5 0 1 1 8 5c-1.7 1-2.5 2-2.5 4M24 33.5v.1'/>"
            }
        }
    }
}
