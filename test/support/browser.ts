/** A page as a browser without JavaScript shows it. */
export interface Page {
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

/**
 * A browser without JavaScript. It follows links and redirects, submits forms and stores cookies. It does not follow a
 * redirect to another origin.
 */
export class Browser {
  readonly #cookies = new Map<string, { value: string; path: string }>();

  constructor(readonly origin: string) {}

  async open(url: string, init: RequestInit = {}): Promise<Page> {
    const address = new URL(url, this.origin);
    if (address.origin !== this.origin) return { url: address.href, status: 0, headers: new Headers(), text: '' };
    const response = await this.#fetch(address, init);
    const location = response.headers.get('location');
    if (location) return this.open(new URL(location, address).href);
    return { url: address.href, status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Submits the form whose action ends with `actionEnd`, with its hidden fields and the given fields. */
  submit(page: Page, fields: Record<string, string> = {}, actionEnd = ''): Promise<Page> {
    return this.open(...this.#submission(page, fields, actionEnd));
  }

  /** Submits a form like `submit`, and returns the URL of the redirect without following it. */
  async submitOnly(page: Page, fields: Record<string, string> = {}, actionEnd = ''): Promise<string> {
    const [url, init] = this.#submission(page, fields, actionEnd);
    const { status, headers } = await this.#fetch(new URL(url), init);
    const location = headers.get('location');
    if (!location) throw new Error(`The response to the form on ${page.url} is no redirect (${status}).`);
    return new URL(location, url).href;
  }

  #submission(page: Page, fields: Record<string, string>, actionEnd: string): [url: string, init: RequestInit] {
    const forms = [...page.text.matchAll(/<form method="post" action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g)];
    const [, action = '', inside = ''] = forms.find(([, target]) => target?.endsWith(actionEnd)) ?? [];
    if (!action)
      throw new Error(
        `There is no form to ${actionEnd} on ${page.url} (${page.status}): ${page.text.replace(/<[^>]+>/g, ' ').slice(-600)}`,
      );
    const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(([, name, value]) => [name, value]);
    const body = new URLSearchParams({ ...(Object.fromEntries(hidden) as Record<string, string>), ...fields });
    return [new URL(action, page.url).href, { method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin' } }];
  }

  /** Deletes all cookies. */
  forget(): void {
    this.#cookies.clear();
  }

  async #fetch(address: URL, init: RequestInit): Promise<Response> {
    const headers = { ...init.headers, ...this.#cookieHeader(address.pathname) };
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    this.#keep(response.headers);
    return response;
  }

  #cookieHeader(path: string): Record<string, string> {
    const sent = [...this.#cookies].filter(([, cookie]) => path.startsWith(cookie.path));
    return sent.length > 0 ? { cookie: sent.map(([key, { value }]) => `${key.split('|')[0]}=${value}`).join('; ') } : {};
  }

  #keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const at = pair.indexOf('=');
      const path = attributes.find((one) => one.startsWith('path='))?.slice('path='.length) ?? '/';
      this.#cookies.set(`${pair.slice(0, at)}|${path}`, { value: pair.slice(at + 1), path });
    }
  }
}
