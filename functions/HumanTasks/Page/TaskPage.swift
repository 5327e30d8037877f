import HTTPTypes

/// The page behind a task's link: one document that contains its style and script and loads nothing else.
struct TaskPage: Sendable {
    var status = HTTPResponse.Status.ok
    let language: PageLanguage
    let title: String
    /// The content of `main`.
    let content: HTML
    /// The text that messengers show for the link; `nil` to use the title.
    var preview: String?

    var response: FunctionResponse {
        var headerFields = Self.headerFields
        headerFields[.contentLanguage] = language.rawValue
        headerFields[.vary] = "Accept-Language"
        return FunctionResponse(status: status, headerFields: headerFields, content: .html(html.description))
    }

    private var html: HTML {
        """
        <!doctype html>
        <html lang="\(language.rawValue)"\(language.isRightToLeft ? " dir=\"rtl\"" as HTML : "")>
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
    static func thanks(_ task: HumanTask, _ words: PageWords) -> TaskPage {
        let text = task.request.asker.map { words(.onItsWay, ["asker": $0]) } ?? words(.onItsWayToSomebody)
        return state(.ok, words, .thankYou, icon: .done, text)
    }

    static func completed(_ words: PageWords) -> TaskPage {
        state(.ok, words, .alreadyDone, icon: .done, words(.alreadyDoneText))
    }

    static func full(_ words: PageWords) -> TaskPage {
        state(.conflict, words, .noMoreAnswers, icon: .clock, words(.noMoreAnswersText))
    }

    static func expired(_ asker: String?, _ words: PageWords) -> TaskPage {
        let text = asker.map { words(.tooLateText, ["asker": $0]) } ?? words(.tooLateTextSomebody)
        return state(.gone, words, .tooLate, icon: .clock, text)
    }

    static func notFound(_ words: PageWords) -> TaskPage {
        state(.notFound, words, .nothingHere, icon: .question, words(.nothingHereText))
    }

    static func unavailable(_ words: PageWords) -> TaskPage {
        state(.serviceUnavailable, words, .notJustNow, icon: .clock, words(.notJustNowText))
    }

    static func failed(_ words: PageWords) -> TaskPage {
        state(.internalServerError, words, .ourMistake, icon: .question, words(.ourMistakeText))
    }

    static func tooMany(_ maximum: Int, _ words: PageWords) -> TaskPage {
        let text = maximum == 1 ? words(.tooManyOne) : words(.tooManyText, ["count": String(maximum)])
        return state(.conflict, words, .tooManyPhotos, icon: .question, text)
    }

    static func tooLarge(_ megabytes: Int, _ words: PageWords) -> TaskPage {
        state(
            .contentTooLarge, words, .tooMuch, icon: .question,
            words(.tooMuchText, ["megabytes": String(megabytes)]))
    }

    static func broken(_ status: HTTPResponse.Status, _ words: PageWords) -> TaskPage {
        state(status, words, .didNotWork, icon: .question, words(.didNotWorkText))
    }

    private static func state(
        _ status: HTTPResponse.Status, _ words: PageWords, _ title: PageWords.Phrase, icon: Icon, _ text: String
    ) -> TaskPage {
        TaskPage(
            status: status, language: words.language, title: words(title),
            content: """
                <div class="card state">
                <svg class="\(icon.rawValue)" viewBox="0 0 48 48" width="64" height="64" aria-hidden="true">\
                \(icon.drawing)</svg>
                <h1 dir="auto">\(words(title))</h1>
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
