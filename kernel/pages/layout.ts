import { html, Markup } from '../messages/html.ts';

export const STYLESHEET_PATH = '/oauth/style.css';

export interface PageParts {
  title: string;
  body: Markup;
  /** True if the page contains text to read, not only a form. */
  isWide?: boolean;
}

const MARK = html`<svg viewBox="0 0 28 28" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" aria-hidden="true"><circle cx="14" cy="14" r="2.6" fill="currentColor" stroke="none"/><path d="M8.3 19.7a8 8 0 0 1 0-11.4M19.7 8.3a8 8 0 0 1 0 11.4M4.5 23.5a13.4 13.4 0 0 1 0-19M23.5 4.5a13.4 13.4 0 0 1 0 19"/></svg>`;
export const CHECK = html`<svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="m4.5 10.5 3.6 3.6 7.4-8.2"/></svg>`;

/** The logo and the name of the product. */
export const BRAND = html`${MARK}<span>Telecom platform</span>`;

/** Creates the HTML document of a page: head, style sheet, and the given body. It contains no script. */
export const documentPage = ({ title, body, bodyClass }: { title: string; body: Markup; bodyClass?: string }): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Telecom platform</title>
<link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body${bodyClass && html` class="${bodyClass}"`}>
${body}
</body>
</html>
`.text;

/** Creates a page with a single card, which contains a form or a message. */
export const page = ({ title, body, isWide }: PageParts): string =>
  documentPage({
    title,
    body: html`<main${isWide && html` class="wide"`}>
<div class="brand">${BRAND}</div>
<div class="card">${body}</div>
</main>
<footer>Never type your password on a page that you did not expect.</footer>`,
  });

/** Creates an error message that screen readers read aloud immediately. */
export const problem = (text: string | undefined): Markup => (text ? html`<p class="notice" role="alert">${text}</p>` : new Markup(''));
