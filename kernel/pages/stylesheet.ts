/** The style sheet of all pages, light and dark. It is a separate file, because pages allow no inline styles. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --surface: #ffffff; --edge: #d5dbe4; --text: #16202e; --quiet: #566377;
  --accent: #1556c4; --accent-strong: #0f459f; --on-accent: #ffffff; --tint: #eaf1fd;
  --bad: #a3201d; --bad-tint: #fdeeed; --good: #17693a; --good-tint: #eaf7ef;
  --shadow: 0 1px 2px rgb(16 28 48 / 6%), 0 12px 32px rgb(16 28 48 / 8%);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d131c; --surface: #161e2a; --edge: #303c4e; --text: #e8edf5; --quiet: #9fadc0;
    --accent: #7fb0ff; --accent-strong: #a5c8ff; --on-accent: #0b1830; --tint: #1b2a42;
    --bad: #ffaaa5; --bad-tint: #3a1a1c; --good: #8fe0ae; --good-tint: #15301f;
    --shadow: 0 12px 32px rgb(0 0 0 / 40%);
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { font: 100%/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; -webkit-text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; grid-template-rows: 1fr auto; background: var(--ground); color: var(--text); }
main { width: 100%; max-width: 27rem; margin: auto; padding: 1.25rem; }
main.wide { max-width: 44rem; }
.brand { display: flex; align-items: center; gap: .625rem; margin: 0 0 1.25rem .25rem; font-weight: 650; letter-spacing: -.01em; }
.brand svg { width: 1.75rem; height: 1.75rem; color: var(--accent); flex: none; }
.card { background: var(--surface); border: 1px solid var(--edge); border-radius: 1rem; padding: 1.75rem; box-shadow: var(--shadow); }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; letter-spacing: -.015em; text-wrap: balance; overflow-wrap: anywhere; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1.0625rem; line-height: 1.3; }
p { margin: 0 0 1rem; color: var(--quiet); overflow-wrap: anywhere; }
p strong, li strong { color: var(--text); font-weight: 600; }
form { margin: 1.25rem 0 0; display: grid; gap: 1rem; }
.field { display: grid; gap: .375rem; }
label { font-size: .875rem; font-weight: 600; }
.hint { font-size: .8125rem; color: var(--quiet); margin: 0; }
input[type=email], input[type=password], input[type=text], textarea {
  width: 100%; min-height: 2.875rem; padding: .5rem .875rem; font: inherit; color: inherit;
  background: var(--surface); border: 1px solid var(--edge); border-radius: .625rem;
}
input.code { font: 600 1.375rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .14em; text-align: center; text-transform: uppercase; }
textarea { resize: vertical; }
input:focus-visible, textarea:focus-visible, button:focus-visible, a:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
input[aria-invalid=true], textarea[aria-invalid=true] { border-color: var(--bad); }
button {
  min-height: 2.875rem; padding: .5rem 1.125rem; font: inherit; font-weight: 600; border-radius: .625rem; cursor: pointer;
  border: 1px solid transparent; background: var(--accent); color: var(--on-accent);
}
button:hover { background: var(--accent-strong); }
button.second { background: transparent; border-color: var(--edge); color: var(--text); }
button.second:hover { background: var(--tint); }
button.quiet { min-height: 2.25rem; padding: .25rem .75rem; background: transparent; color: var(--quiet); font-weight: 500; justify-self: center; }
button.quiet:hover { background: var(--tint); color: var(--text); }
form.below { margin-top: .5rem; }
.actions { display: grid; gap: .75rem; }
.actions.pair { grid-template-columns: 1fr 1fr; }
a { color: var(--accent); text-underline-offset: .15em; }
.aside { margin: 1.25rem 0 0; font-size: .875rem; text-align: center; }
.notice { margin: 1rem 0 0; padding: .75rem .875rem; border-radius: .625rem; font-size: .9375rem; background: var(--bad-tint); color: var(--bad); }
.notice.good { background: var(--good-tint); color: var(--good); }
.scopes { list-style: none; margin: 1.25rem 0 0; padding: 0; border: 1px solid var(--edge); border-radius: .75rem; }
.scopes li { display: flex; gap: .75rem; align-items: flex-start; padding: .6875rem .875rem; font-size: .9375rem; }
.scopes li + li { border-top: 1px solid var(--edge); }
.scopes svg { width: 1.125rem; height: 1.125rem; margin-top: .1875rem; flex: none; color: var(--good); }
.who { display: flex; justify-content: space-between; gap: 1rem; margin: 1rem 0 0; padding: .625rem .875rem; border-radius: .625rem; background: var(--tint); font-size: .875rem; overflow-wrap: anywhere; }
.who span { color: var(--quiet); }
.facts { display: flex; flex-wrap: wrap; gap: .75rem 2rem; margin: 1rem 0 0; }
.facts dt { font-size: .8125rem; color: var(--quiet); }
.facts dd { margin: 0; font-weight: 600; }
.said { margin: 0; color: var(--text); white-space: pre-wrap; }
.comments { list-style: none; margin: 1rem 0 0; padding: 0; display: grid; gap: 1rem; }
.comments li { padding: .875rem 1rem; border: 1px solid var(--edge); border-radius: .75rem; }
.by { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 1rem; margin: 0 0 .375rem; font-size: .875rem; }
.usercode { display: block; margin: 1.25rem 0 0; padding: .875rem; border-radius: .75rem; background: var(--tint); text-align: center; font: 650 1.625rem/1.2 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .14em; }
.guide { display: block; }
.guide header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .5rem 2rem; padding: .875rem 1.5rem; border-bottom: 1px solid var(--edge); background: var(--surface); }
.guide header .brand { margin: 0; color: var(--text); text-decoration: none; }
.guide header nav { display: flex; gap: 1.5rem; font-size: .9375rem; }
.guide .columns { display: grid; grid-template-columns: 14rem minmax(0, 54rem); gap: 3rem; max-width: 74rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; }
.guide .columns nav { font-size: .9375rem; }
.guide .columns nav p { margin: 0 0 .375rem; font-weight: 650; color: var(--text); }
.guide .columns nav ul { list-style: none; margin: 0 0 1.25rem; padding: 0; }
.guide .columns nav a { display: block; padding: .1875rem .625rem; margin-left: -.625rem; border-radius: .5rem; text-decoration: none; }
.guide .columns nav a[aria-current] { background: var(--tint); font-weight: 600; }
.guide main { max-width: none; margin: 0; padding: 0; min-width: 0; }
.guide main p, .guide main li { color: var(--text); }
.guide main > :is(p, ul, ol) { max-width: 46rem; }
.guide h1 { font-size: 1.875rem; margin: 0 0 1rem; }
.guide h2 { font-size: 1.3125rem; margin: 2.25rem 0 .625rem; }
.guide h3 { font-size: 1.0625rem; margin: 1.75rem 0 .5rem; }
.guide li { margin: .25rem 0; }
.guide code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.guide :not(pre) > code { padding: .0625rem .3125rem; border-radius: .3125rem; background: var(--tint); }
.guide pre { margin: 0 0 1rem; padding: .875rem 1rem; overflow-x: auto; border: 1px solid var(--edge); border-radius: .75rem; background: var(--surface); }
.guide pre code { overflow-wrap: normal; }
.guide pre[data-language=json], .guide pre[data-language=text] { margin-left: 1.25rem; }
.guide .table { overflow-x: auto; margin: 0 0 1rem; }
.guide table { border-collapse: collapse; font-size: .9375rem; }
.guide th, .guide td { padding: .4375rem .75rem .4375rem 0; border-bottom: 1px solid var(--edge); text-align: left; vertical-align: top; }
.guide .skip { position: absolute; left: -999rem; }
.guide .skip:focus { left: 1rem; top: 1rem; padding: .5rem .875rem; background: var(--surface); }
footer { padding: 1rem 1.25rem 1.5rem; text-align: center; font-size: .8125rem; color: var(--quiet); }
@media (max-width: 30rem) { .card { padding: 1.375rem 1.125rem; } .actions.pair { grid-template-columns: 1fr; } .actions.pair button.second { order: 2; } }
@media (max-width: 52rem) { .guide .columns { grid-template-columns: minmax(0, 1fr); gap: 1rem; } .guide .columns nav { order: 1; } }
@media (prefers-reduced-motion: no-preference) { button { transition: background-color .12s; } }
`.trimStart();
