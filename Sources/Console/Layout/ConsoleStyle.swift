/// The style sheet of the console, for small screens first, in light and dark colours.
enum ConsoleStyle {
    static let text = """
        :root {
          color-scheme: light dark;
          --ground: #f2f3f8; --card: #fff; --ink: #17181c; --soft: #565a66; --line: #dcdfe9; --faint: #f6f7fb;
          --accent: #3a4bd6; --on-accent: #fff; --tint: #e9ebfd;
          --ok: #14693d; --ok-tint: #e3f4ea; --warn: #7a4d00; --warn-tint: #fdf1d8; --wrong: #b3261e; --wrong-tint: #fdeceb;
          --bar-ok: #3aa06a; --bar-wrong: #d6493f; --bar-warn: #d99a2b; --shadow: 0 1px 2px #1a1d2914;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #0f1117; --card: #1a1d26; --ink: #eceef4; --soft: #a8adbb; --line: #2f3442; --faint: #21252f;
            --accent: #9aa8ff; --on-accent: #11142b; --tint: #272c48;
            --ok: #7fdcaa; --ok-tint: #14301f; --warn: #f3c66f; --warn-tint: #372a0f; --wrong: #ffb4ab;
            --wrong-tint: #3b1f1e; --bar-ok: #58bd87; --bar-wrong: #ee7b72; --bar-warn: #e2b058; --shadow: none;
          }
        }
        * { box-sizing: border-box; }
        body {
          margin: 0; background: var(--ground); color: var(--ink);
          font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
          overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
        }
        .skip { position: absolute; left: -100rem; }
        .skip:focus { left: .5rem; top: .5rem; padding: .5rem 1rem; background: var(--card); z-index: 1; }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        header {
          display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; padding: .5rem 1rem;
          background: var(--card); border-bottom: 1px solid var(--line);
        }
        header form { margin: 0 0 0 auto; display: flex; align-items: center; gap: .75rem; }
        header .search { order: 2; flex: 1 0 100%; margin: 0; }
        .brand { display: flex; align-items: center; gap: .5rem; font-weight: 700; color: var(--ink); text-decoration: none; }
        .tile { fill: var(--accent); }
        .sign { fill: none; stroke: var(--on-accent); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
        header nav { display: flex; flex-wrap: wrap; order: 3; flex-basis: 100%; margin: 0 -.5rem -.5rem; }
        header nav a, .tabs a {
          padding: .5rem .5rem; color: var(--soft); text-decoration: none; font-weight: 600; white-space: nowrap;
          border-bottom: 3px solid transparent;
        }
        header nav a:hover, .tabs a:hover { color: var(--ink); }
        [aria-current=page] { color: var(--accent) !important; border-bottom-color: var(--accent) !important; }
        .role { color: var(--soft); font-size: .875rem; }
        .done {
          margin: .75rem max(1rem, calc((100% - 73rem) / 2)) 0; padding: .625rem 1rem; border-radius: .75rem; font-weight: 600;
          color: var(--ok); background: var(--ok-tint);
        }
        main { max-width: 76rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
        h1 { font-size: 1.625rem; line-height: 1.25; letter-spacing: -.015em; margin: .5rem 0 1rem; }
        h2 { font-size: 1.125rem; line-height: 1.3; margin: 1.75rem 0 .625rem; }
        p { margin: .5rem 0; }
        a { color: var(--accent); text-underline-offset: .15em; }
        .lead { font-size: 1.125rem; }
        .detail, .hint { color: var(--soft); font-size: .9375rem; }
        .hint { margin: 0; }
        .back { margin: 0; }
        code, pre { font: .875em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
        pre {
          padding: 1rem; overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .75rem;
          white-space: pre-wrap;
        }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1rem 1.25rem; box-shadow: var(--shadow); }
        .card h2 { margin: 0 0 .5rem; }
        .cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); margin-top: 1rem; }
        .figure { font-size: 2rem; font-weight: 700; line-height: 1.2; margin: 0; }
        .checks { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; list-style: none; padding: 0; margin: 0 0 1rem; }
        .mark {
          display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .875rem; font-weight: 600;
          background: var(--faint); white-space: nowrap;
        }
        .mark.ok { color: var(--ok); background: var(--ok-tint); }
        .mark.warn { color: var(--warn); background: var(--warn-tint); }
        .mark.bad { color: var(--wrong); background: var(--wrong-tint); }
        .problem { color: var(--wrong); font-weight: 600; }
        .problem[role=alert] { margin: 0 0 1rem; padding: .625rem 1rem; border-radius: .75rem; background: var(--wrong-tint); }
        dl { margin: 0; }
        dt { font-weight: 600; margin-top: .5rem; }
        dt:first-child { margin-top: 0; }
        dd { margin: 0; color: var(--soft); }
        dd code { color: var(--ink); }
        .facts { display: grid; gap: 0 1.25rem; }
        main > .facts { margin-bottom: 1rem; }
        figure { margin: 0; }
        .plot { display: grid; grid-template-columns: auto 1fr; gap: .25rem .5rem; }
        .scale { display: flex; flex-direction: column; justify-content: space-between; text-align: end; }
        .scale, .times { color: var(--soft); font-size: .8125rem; line-height: 1; font-variant-numeric: tabular-nums; }
        .times { grid-column: 2; display: flex; overflow: hidden; font-size: .75rem; }
        .times time { flex: 1 1 0; min-width: 0; overflow-wrap: normal; }
        .days time:nth-child(odd) { visibility: hidden; }
        .chart { display: block; width: 100%; height: 8rem; }
        .chart line { stroke: var(--line); stroke-width: 2; vector-effect: non-scaling-stroke; }
        .chart .accepted { fill: var(--bar-ok); }
        .chart .rejected { fill: var(--bar-wrong); }
        .chart .failed { fill: var(--bar-warn); }
        figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-top: .5rem; color: var(--soft); font-size: .9375rem; }
        .key::before { content: ""; display: inline-block; width: .75rem; height: .75rem; border-radius: .1875rem; margin-inline-end: .375rem; }
        .key.accepted::before { background: var(--bar-ok); }
        .key.rejected::before { background: var(--bar-wrong); }
        .key.failed::before { background: var(--bar-warn); }
        table { width: 100%; border-collapse: collapse; }
        table.stack { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; overflow: hidden; display: block; }
        th { text-align: start; white-space: nowrap; font-size: .875rem; color: var(--soft); font-weight: 600; padding: .375rem .5rem .375rem 0; }
        td { padding: .375rem .5rem .375rem 0; vertical-align: top; border-top: 1px solid var(--line); }
        .number { text-align: end; font-variant-numeric: tabular-nums; }
        time { font-variant-numeric: tabular-nums; white-space: nowrap; }
        .word { white-space: nowrap; }
        .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        .stack tbody, .stack tr, .stack td { display: block; }
        .stack tr { padding: .75rem 1.25rem; border-top: 1px solid var(--line); }
        .stack tbody tr:first-child { border-top: 0; }
        .stack td { padding: .0625rem 0; border: 0; }
        .stack td:empty { display: none; }
        .stack td.number { text-align: start; }
        .actions form { display: inline-block; margin: 0; }
        .actions { display: flex !important; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; }
        .list { list-style: none; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
        .list li { border-top: 1px solid var(--line); }
        .list li:first-child { border-top: 0; }
        .list a { display: block; padding: .625rem 1.25rem; }
        .results li { padding: .625rem 1.25rem; }
        .results a { display: inline; padding: 0; }
        .tree { list-style: none; padding: 0; margin: .5rem 0; }
        .tree .tree { padding-inline-start: 1.25rem; margin: 0; border-inline-start: 2px solid var(--line); }
        .tree li { padding: .125rem 0; }
        .tree summary { min-height: 0; }
        .type { color: var(--soft); font-size: .875rem; font-weight: 400; }
        .value { white-space: pre-wrap; }
        .trail { display: flex; flex-wrap: wrap; gap: 0 .375rem; margin: 0 0 1rem; }
        .tabs { display: flex; flex-wrap: wrap; gap: .25rem; margin-bottom: 1rem; border-bottom: 1px solid var(--line); }
        .choice, .pages { display: flex; flex-wrap: wrap; gap: .25rem .5rem; align-items: center; margin: .5rem 0; }
        .choice span { min-width: 4.5rem; color: var(--soft); font-weight: 600; }
        .choice a {
          padding: .25rem .75rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card);
          color: var(--ink); text-decoration: none;
        }
        .choice a[aria-current] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
        .pages { gap: .5rem 1.5rem; margin: 1rem 0; }
        .text { margin: .125rem 0 0; color: var(--soft); font-size: .9375rem; white-space: pre-line; }
        form { margin: 1rem 0; }
        details form { display: grid; gap: .375rem; max-width: 44rem; margin: .5rem 0; }
        details.card { margin: 1rem 0; }
        summary { cursor: pointer; font-weight: 600; min-height: 1.75rem; }
        label { font-weight: 600; margin-top: .375rem; }
        fieldset { border: 1px solid var(--line); border-radius: .625rem; padding: .5rem 1rem; margin: .375rem 0 0; }
        legend { font-weight: 600; }
        .option { display: flex; align-items: center; gap: .5rem; font-weight: 400; min-height: 2.75rem; }
        .option input { width: auto; min-height: 0; }
        .copy { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; }
        .copy code { padding: .5rem .75rem; background: var(--faint); border: 1px solid var(--line); border-radius: .625rem; }
        .filters { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; max-width: none; }
        .filters label:not(.unseen) {
          margin: 0; display: flex; flex: 1 1 11rem; flex-direction: column; gap: .375rem; overflow-wrap: normal;
        }
        .filters > select { flex: 1 1 8rem; }
        ::placeholder { color: var(--soft); opacity: 1; }
        input, textarea, select {
          font: inherit; font-weight: 400; color: inherit; width: 100%; min-width: 0; min-height: 2.75rem; padding: .5rem .75rem;
          background: var(--faint); border: 1px solid var(--soft); border-radius: .625rem;
        }
        .qr { display: block; max-width: 100%; height: auto; background: #fff; fill: #000; border-radius: .625rem; }
        textarea { font: .875em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace; resize: vertical; }
        button {
          font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid transparent;
          border-radius: .625rem; background: var(--accent); color: var(--on-accent); cursor: pointer; justify-self: start;
          margin-top: .375rem;
        }
        button.quiet { background: none; color: var(--accent); border-color: var(--line); margin: 0; padding: .375rem .875rem; }
        button.danger { background: none; color: var(--wrong); border-color: var(--wrong); }
        .buttons { display: flex; gap: .75rem; }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .steps { padding: 0; list-style: none; }
        .steps > li { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: .5rem 1.25rem; margin-bottom: .75rem; }
        .steps ul { list-style: none; padding: 0; margin: .25rem 0; }
        .inbox { list-style: none; padding: 0; display: grid; gap: .75rem; max-width: 30rem; }
        .notification { background: var(--card); border: 1px solid var(--line); border-radius: 1.25rem; padding: .75rem 1rem; box-shadow: var(--shadow); }
        .notification { display: flex; gap: .75rem; align-items: flex-start; }
        .notification > div { flex: 1; min-width: 0; }
        .notification.replaced { border-style: dashed; box-shadow: none; }
        .notification .icon {
          flex: none; width: 2.25rem; height: 2.25rem; border-radius: .5625rem; display: grid; place-items: center;
          background: var(--accent); color: var(--on-accent); font-weight: 700;
        }
        .notification .to { color: var(--soft); font-size: .875rem; }
        .notification p { margin: 0; white-space: pre-line; }
        .notification .app { display: flex; justify-content: space-between; gap: 1rem; color: var(--soft); font-size: .8125rem; }
        .notification .title { font-weight: 600; }
        .notification summary { font-weight: 400; font-size: .875rem; color: var(--soft); }
        @media (min-width: 48rem) {
          header { padding: .375rem 1.5rem; }
          header nav { order: 0; flex-basis: auto; margin: 0 0 -.375rem; }
          header .search { order: 0; flex: 1 1 8rem; max-width: 20rem; margin: 0 0 0 auto; }
          header .search + form { margin-inline-start: 0; }
          header nav a, .tabs a { padding: .625rem; }
          main { padding: 1.5rem 1.5rem 4rem; }
          .days time:nth-child(odd) { visibility: visible; }
          .facts { grid-template-columns: max-content 1fr; }
          .facts dt { margin: 0; }
          table.stack { display: table; border-collapse: separate; border-spacing: 0; }
          .stack thead { position: static; width: auto; height: auto; clip-path: none; display: table-header-group; }
          .stack tbody { display: table-row-group; }
          .stack tr { display: table-row; }
          .stack td { display: table-cell; border-top: 1px solid var(--line); }
          .stack td:empty { display: table-cell; }
          .unit { display: none; }
          .stack th, .stack td { padding: .5rem .75rem; }
          .stack th:first-child, .stack td:first-child { padding-inline-start: 1.25rem; }
          .stack th:last-child, .stack td:last-child { padding-inline-end: 1.25rem; }
          .stack .app { min-width: 7.5rem; }
          .stack td.number { text-align: end; }
          .wide-table { overflow-x: auto; }
          .filters { gap: .5rem 1rem; align-items: center; }
          .filters label:not(.unseen) {
            flex: 0 1 auto; flex-direction: row; align-items: center; gap: .5rem; max-width: 100%;
          }
          .filters select, .filters > select, .filters input { flex: none; width: auto; max-width: 100%; }
          .filters input { width: 18rem; flex-shrink: 1; }
          td.actions { display: table-cell !important; text-align: end; white-space: nowrap; }
          td.actions form { margin-inline-start: .75rem; }
        }
        """
}
