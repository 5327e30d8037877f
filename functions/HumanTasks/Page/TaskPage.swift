internal import Cryptography
internal import Foundation
internal import HTTPTypes

/// The page behind a task's link: one document, with its style and a small script inside, that needs nothing else.
struct TaskPage: Sendable {
    var status = HTTPResponse.Status.ok
    let title: String
    /// What is in `main`.
    let content: HTML
    /// What a messenger shows of the link; nil to leave it to the title.
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

    /// The address is a secret: it goes to no other site, into no cache and no index. Nothing is loaded, and nothing runs, but
    /// what is on the page.
    private static let headerFields: HTTPFields = {
        var fields: HTTPFields = [.cacheControl: "no-store", .xContentTypeOptions: "nosniff"]
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src '\(hash(PageStyle.text))'; script-src '\(hash(PageScript.text))'; "
            + "img-src blob: data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        for (name, value) in [
            ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"), ("X-Robots-Tag", "noindex, nofollow"),
        ] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()

    /// CSP Level 3 §2.3.1.
    private static func hash(_ text: String) -> String {
        "sha256-" + Data(SHA256.digest(of: Array(text.utf8))).base64EncodedString()
    }
}
