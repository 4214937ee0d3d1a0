import { html, type Markup } from '../messages/html.ts';
import { page } from './layout.ts';

export interface MessageParts {
  title: string;
  text: string;
  /** Text by which support can find the error, such as the request id. */
  reference?: string | undefined;
  more?: Markup | undefined;
}

/** Creates a page with one message about a success or failure. */
export const messagePage = ({ title, text, reference, more }: MessageParts): string =>
  page({
    title,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${more}
${reference ? html`<p class="hint">${reference}</p>` : ''}`,
  });
