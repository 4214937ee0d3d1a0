import { html, type Markup } from '../messages/html.ts';
import { page } from './layout.ts';

export interface MessageParts {
  title: string;
  text: string;
  /** The error and request id, for support. */
  reference?: string | undefined;
  more?: Markup | undefined;
}

/** A page with one message: what was done, or why it failed. */
export const messagePage = ({ title, text, reference, more }: MessageParts): string =>
  page({
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${more}
${reference ? html`<p class="hint">${reference}</p>` : ''}`,
  });
