/// The page's style sheet, for small screens first, in light and dark colours.
enum TryStyle {
    static let text = """
        :root {
          color-scheme: light dark;
          --ground: #f2f3f8; --card: #fff; --ink: #17181c; --soft: #565a66; --line: #858a99; --faint: #f6f7fb;
          --tint: #e2e6fb;
          --accent: #3a4bd6; --on-accent: #fff; --shadow: 0 1px 2px #1a1d2914, 0 12px 32px #1a1d2914;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #0f1117; --card: #1a1d26; --ink: #eceef4; --soft: #a8adbb; --line: #717787; --faint: #21252f;
            --tint: #262c4d;
            --accent: #9aa8ff; --on-accent: #11142b; --shadow: none;
          }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body {
          margin: 0; background: var(--ground); color: var(--ink);
          font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
          overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
        }
        main {
          max-width: 40rem; margin: 0 auto; min-height: 100svh;
          display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; align-content: start;
          padding: max(1.25rem, env(safe-area-inset-top)) 1rem max(1.5rem, env(safe-area-inset-bottom));
        }
        .sign { display: block; }
        .tile { fill: var(--accent); }
        .line { fill: none; stroke: var(--on-accent); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
        .card { background: var(--card); border-radius: 1.25rem; padding: 1.25rem; box-shadow: var(--shadow); }
        h1 { font-size: 1.625rem; line-height: 1.2; letter-spacing: -.015em; margin: 0; }
        h2 { font-size: 1.125rem; line-height: 1.3; margin: 0 0 .5rem; }
        h3 { font-size: 1rem; margin: 0; }
        p, ol { margin: .375rem 0; }
        ol { padding-inline-start: 1.25rem; }
        ul { list-style: none; display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; margin: 0; padding: 0; }
        .hint, .folder, time { color: var(--soft); font-size: .9375rem; }
        .status { margin: 0; padding: .75rem 1.25rem; background: var(--tint); border-radius: 1.25rem; font-weight: 600; }
        .status:empty { display: none; }
        .title { font-weight: 600; margin: 0; }
        .body { margin: 0; white-space: pre-line; }
        form { display: grid; gap: .75rem; }
        label { display: block; font-weight: 600; margin-bottom: .375rem; }
        input {
          font: inherit; color: inherit; width: 100%; min-width: 0; min-height: 3rem; padding: .625rem .875rem;
          background: var(--faint); border: 1px solid var(--line); border-radius: .75rem;
        }
        code, pre { font: .875em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
        pre { margin: .5rem 0; padding: .75rem; background: var(--faint); border-radius: .75rem; white-space: pre-wrap; }
        .command { white-space: pre; overflow-x: auto; }
        time { display: block; margin-top: .375rem; }
        ul + p { margin-top: .75rem; }
        summary { cursor: pointer; color: var(--soft); font-size: .9375rem; }
        button {
          font: inherit; font-weight: 600; min-height: 3rem; padding: .5rem 1.25rem; cursor: pointer;
          border: 1px solid transparent; border-radius: .875rem; background: var(--accent); color: var(--on-accent);
        }
        button.quiet { background: none; color: var(--accent); border-color: var(--line); min-height: 2.75rem; }
        button:disabled { opacity: .7; cursor: progress; }
        .buttons { display: flex; flex-wrap: wrap; gap: .75rem; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        """
}
