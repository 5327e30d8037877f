/// The page's style sheet, for small screens first, in light and dark colours.
enum PageStyle {
    static let text = """
        :root {
          color-scheme: light dark;
          --ground: #f2f3f8; --card: #fff; --ink: #17181c; --soft: #565a66; --line: #858a99; --faint: #f6f7fb;
          --accent: #3a4bd6; --on-accent: #fff; --tint: #e9ebfd; --wrong: #b3261e; --wrong-tint: #fdeceb;
          --done: #1a7f4b; --shadow: 0 1px 2px #1a1d2914, 0 12px 32px #1a1d2914;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #0f1117; --card: #1a1d26; --ink: #eceef4; --soft: #a8adbb; --line: #717787; --faint: #21252f;
            --accent: #9aa8ff; --on-accent: #11142b; --tint: #272c48; --wrong: #ffb4ab; --wrong-tint: #3b1f1e;
            --done: #6fd6a0; --shadow: none;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--ground); color: var(--ink);
          font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
          overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
        }
        main {
          max-width: 36rem; margin: 0 auto; min-height: 100svh;
          padding: max(1rem, env(safe-area-inset-top)) 1rem max(1.5rem, env(safe-area-inset-bottom));
        }
        .card { background: var(--card); border-radius: 1.25rem; padding: 1.5rem 1.25rem; box-shadow: var(--shadow); }
        h1 { font-size: 1.75rem; line-height: 1.2; letter-spacing: -.015em; margin: 1.25rem 0 .5rem; }
        .from { display: flex; align-items: center; gap: .75rem; margin: 0; color: var(--soft); }
        .asker { color: var(--ink); font-weight: 600; }
        .via { display: block; font-size: .9375rem; }
        .avatar {
          flex: none; display: grid; place-items: center; width: 2.75rem; height: 2.75rem; border-radius: 50%;
          background: var(--tint); color: var(--accent); font-weight: 700; font-size: 1.125rem;
        }
        .task { margin: 0 0 1.5rem; font-size: 1.1875rem; white-space: pre-line; }
        form { display: grid; gap: 1.375rem; }
        .field, fieldset { display: grid; gap: .5rem; min-width: 0; margin: 0; padding: 0; border: 0; }
        label, legend { font-weight: 600; }
        legend { padding: 0; margin-bottom: .5rem; }
        .optional, .hint, .note { color: var(--soft); font-weight: 400; font-size: .9375rem; }
        .hint, .there, .problem { margin: 0; }
        .there { color: var(--done); font-weight: 600; }
        .there[role=status] { margin-bottom: 1.375rem; }
        input:not([type=radio], [type=checkbox]), textarea {
          font: inherit; color: inherit; width: 100%; min-width: 0; padding: .75rem .875rem; background: var(--faint);
          border: 1px solid var(--line); border-radius: .75rem;
        }
        textarea { resize: vertical; min-height: 3rem; }
        input[type=file] { font-size: .9375rem; padding: 1rem .75rem; border-style: dashed; border-width: 2px; cursor: pointer; }
        input[type=file]::file-selector-button {
          font: inherit; font-weight: 600; color: var(--accent); background: var(--tint); border: 0; cursor: pointer;
          border-radius: .625rem; padding: .625rem 1rem; margin-inline-end: .875rem;
        }
        .option {
          display: flex; align-items: center; gap: .875rem; padding: .8125rem .875rem; font-weight: 400;
          cursor: pointer; background: var(--faint); border: 1px solid var(--line); border-radius: .75rem;
        }
        .option:has(:checked) {
          border-color: var(--accent); background: var(--tint); box-shadow: 0 0 0 1px var(--accent);
        }
        .option input { flex: none; width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--accent); }
        .votes { display: block; color: var(--soft); font-size: .9375rem; }
        .option:has(:disabled) { cursor: not-allowed; border-style: dashed; }
        .names { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: .5rem; }
        .day { display: grid; gap: .375rem; margin-bottom: .5rem; }
        .date { margin: 0; font-weight: 600; font-size: .9375rem; }
        .times { display: grid; grid-template-columns: repeat(auto-fit, minmax(4.25rem, 1fr)); gap: .5rem; }
        .slot { position: relative; display: grid; font-weight: 400; font-size: .9375rem; }
        .slot input {
          position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer;
        }
        .slot span {
          display: grid; grid-auto-flow: column; place-content: center; align-items: center; gap: .25rem;
          min-height: 2.875rem; padding: .25rem; text-align: center; background: var(--faint);
          border: 1px solid var(--line); border-radius: .75rem;
        }
        .slot input:checked + span {
          background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600;
        }
        .slot input:checked + span::before { content: "✓"; }
        .slot input:focus-visible + span { outline: 3px solid var(--accent); outline-offset: 2px; }
        .chosen {
          display: grid; grid-template-columns: repeat(auto-fill, minmax(5rem, 1fr)); gap: .5rem; margin: 0; padding: 0;
          list-style: none;
        }
        .chosen[hidden] { display: none; }
        .chosen li {
          aspect-ratio: 1; overflow: hidden; border-radius: .75rem; background: var(--tint); font-size: .75rem;
          display: grid; place-items: center; padding: 0;
        }
        .chosen img { width: 100%; height: 100%; object-fit: cover; }
        button {
          font: inherit; font-weight: 700; font-size: 1.125rem; min-height: 3.25rem; border: 0; border-radius: .875rem;
          background: var(--accent); color: var(--on-accent); cursor: pointer;
        }
        button:hover { filter: brightness(1.07); }
        button:disabled { opacity: .7; cursor: progress; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .problems {
          margin: 0 0 1.375rem; padding: 1rem 1.125rem; border-radius: .875rem; background: var(--wrong-tint);
          color: var(--wrong); border: 1px solid var(--wrong); outline: 0;
        }
        .problems h2 { margin: 0; font-size: 1.0625rem; }
        .problems ul { margin: .25rem 0 0; padding-inline-start: 1.125rem; }
        .problems a { color: inherit; }
        .problem { color: var(--wrong); font-weight: 600; font-size: .9375rem; }
        [aria-invalid=true] { border-color: var(--wrong) !important; }
        .note { margin: 1rem .5rem 0; text-align: center; }
        .state { text-align: center; padding: 3rem 1.5rem; }
        .state p { margin: 0; color: var(--soft); }
        .state svg { fill: none; stroke: var(--soft); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
        .state svg.done { stroke: var(--done); }
        @media (min-width: 40rem) {
          main { padding-top: 4rem; }
          .card { padding: 2.25rem 2.5rem; }
          .state { padding: 4rem 3rem; }
          .day { grid-template-columns: 9.75rem 1fr; align-items: center; }
        }
        @media (prefers-reduced-motion: no-preference) {
          button, .option { transition: background .15s, border-color .15s, filter .15s; }
        }
        """
}
