import { html, type Markup } from '../messages/html.ts';
import { page } from './layout.ts';

export interface MessageParts {
  title: string;
  text: string;
  /** For whoever is asked for help: the error and the request. */
  reference?: string | undefined;
  more?: Markup | undefined;
}

/** A page that says one thing: what was done, or why it was not. */
export const messagePage = ({ title, text, reference, more }: MessageParts): string =>
  page({
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${more}
${reference ? html`<p class="hint">${reference}</p>` : ''}`,
  });
