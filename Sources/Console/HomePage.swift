import Functions
import HTTPTypes
import Hummingbird

/// The page at `/` for people who open the address in a browser and are not signed in to the console. It explains the
/// program, reveals nothing about this gateway, has no scripts and loads no other resources.
enum HomePage {
    /// Returns the page, after a refused attempt to sign in if there is a problem.
    ///
    /// - Parameters:
    ///   - problem: The reason of a refusal, and what to do.
    ///   - destination: The page that signing in leads to.
    static func response(
        refusing problem: String? = nil, leadingTo destination: ConsoleDestination, status: HTTPResponse.Status = .ok
    ) -> Response {
        response(html(problem, destination).description, status)
    }

    /// The page at an address that has none, for people who open it in a browser.
    static let unknownAddress = response(
        document(
            "Nothing here – Pushgate",
            """
            <h1>Nothing here</h1>
            <p class="lead">This push gateway has no page at this address.</p>
            <p>If you followed a link, part of it may be missing: open the whole link, or ask for it again. The gateway's
            own page is at <a href="/">its address without a path</a>.</p>
            """
        ).description, .notFound)

    private static func response(_ html: String, _ status: HTTPResponse.Status) -> Response {
        var headers = headerFields
        headers[.contentLength] = String(html.utf8.count)
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private static let headerFields: HTTPFields = {
        var fields: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: contentSecurityPolicy,
            .xContentTypeOptions: "nosniff", .cacheControl: "no-store",
        ]
        for (name, value) in [("Referrer-Policy", "same-origin"), ("X-Frame-Options", "DENY")] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }()

    private static func html(_ problem: String?, _ destination: ConsoleDestination) -> HTML {
        document(
            "Pushgate",
            """
            <h1>Pushgate</h1>
            <p class="lead">This is a push gateway. Programs hand it messages, and it delivers them to phones.</p>
            <p>Apps and servers talk to it by themselves.</p>
            <dl>
            <div><dt>You followed a link</dt><dd>Part of it is missing. Open the whole link, or ask for it again.</dd></div>
            <div><dt>You set up an app</dt><dd>Enter this address without a path.</dd></div>
            <div><dt>You run this gateway</dt>
            <dd>Sign in to its console, with the admin token from the data directory.
            <form method="post" action="/console/sign-in">
            <input name="user" value="admin" autocomplete="username" hidden>
            \(destination.isFirstPage ? "" : "<input type=\"hidden\" name=\"next\" value=\"\(destination.path)\">" as HTML)
            <label for="token">Token</label>
            <input id="token" name="token" type="password" required autocomplete="current-password"\
            \(problem.map { _ in " aria-invalid=\"true\" aria-describedby=\"problem\"" as HTML })>
            <button>Sign in</button>
            </form>
            \(problem.map { "<p class=\"problem\" id=\"problem\" role=\"alert\">\($0)</p>" as HTML })
            </dd></div>
            </dl>
            """)
    }

    /// Returns a document with a title, and its content below the sign of the program.
    private static func document(_ title: String, _ content: HTML) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <meta name="color-scheme" content="light dark">
        <meta name="theme-color" content="#f2f3f8" media="(prefers-color-scheme: light)">
        <meta name="theme-color" content="#0f1117" media="(prefers-color-scheme: dark)">
        <title>\(title)</title>
        <link rel="icon" href="data:,">
        <style>\(HTML(verbatim: style))</style>
        </head>
        <body>
        <main>
        <svg viewBox="0 0 48 48" width="56" height="56" aria-hidden="true">
        <rect class="tile" width="48" height="48" rx="12"/>
        <path class="sign" d="M14 34V22a10 10 0 0 1 20 0v12M10 34h28M24 20v9m-4-4 4 4 4-4"/>
        </svg>
        \(content)
        </main>
        </body>
        </html>

        """
    }

    /// The content security policy: it allows only the page's own style, its empty icon, and its form.
    static let contentSecurityPolicy =
        "default-src 'none'; style-src \(HTML.policySource(of: style)); img-src data:; base-uri 'none'; "
        + "form-action 'self'; frame-ancestors 'none'"

    private static let style = """
        :root {
          color-scheme: light dark;
          --ground: #f2f3f8; --card: #fff; --ink: #17181c; --soft: #565a66; --line: #e3e5ee;
          --accent: #3a4bd6; --on-accent: #fff; --wrong: #b3261e;
          --shadow: 0 1px 2px #1a1d2914, 0 12px 32px #1a1d2914;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #0f1117; --card: #1a1d26; --ink: #eceef4; --soft: #a8adbb; --line: #2b303d;
            --accent: #9aa8ff; --on-accent: #11142b; --wrong: #ffb4ab; --shadow: none;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; min-height: 100svh; display: grid; place-items: center; padding: 1.25rem;
          background: var(--ground); color: var(--ink);
          font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
          overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
        }
        main {
          width: 100%; max-width: 34rem; padding: 2.25rem 2rem 1.5rem; background: var(--card);
          border-radius: 1.5rem; box-shadow: var(--shadow);
        }
        svg { display: block; }
        .tile { fill: var(--accent); }
        .sign {
          fill: none; stroke: var(--on-accent); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round;
        }
        h1 { margin: 1.25rem 0 .5rem; font-size: 1.875rem; line-height: 1.2; letter-spacing: -.02em; }
        p { margin: 0; color: var(--soft); }
        .lead { margin-bottom: .625rem; color: var(--ink); font-size: 1.1875rem; }
        dl { margin: 1.5rem 0 0; }
        dl div { padding: .875rem 0; border-top: 1px solid var(--line); }
        dt { font-weight: 600; }
        dd { margin: .125rem 0 0; color: var(--soft); }
        a { color: var(--accent); text-underline-offset: .15em; }
        code { font: .9375em ui-monospace, "SF Mono", Menlo, Consolas, monospace; color: var(--ink); }
        form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin-top: .75rem; }
        label { flex-basis: 100%; font-weight: 600; color: var(--ink); }
        input {
          flex: 1 1 12rem; min-width: 0; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: var(--ink);
          background: var(--ground); border: 1px solid var(--soft); border-radius: .625rem;
        }
        button {
          min-height: 2.75rem; padding: .5rem 1.25rem; font: inherit; font-weight: 600; border: 0; border-radius: .625rem;
          background: var(--accent); color: var(--on-accent); cursor: pointer;
        }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .problem { margin-top: .625rem; color: var(--wrong); font-weight: 600; }
        [aria-invalid=true] { border-color: var(--wrong); }
        @media (max-width: 30rem) { main { padding: 1.75rem 1.375rem 1rem; } }
        """
}
