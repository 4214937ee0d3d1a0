import type { SecretBox } from '../access/secret-box.ts';
import type { Secrets } from '../access/secrets.ts';
import { HOUR_MS } from '../values/days.ts';

const HOURS = 24;

export interface ReportLinksOptions {
  secrets: Secrets;
  /** Public origin of the platform. */
  origin: string;
  /** Name of the domain. The signatures of a domain are not valid for the reports of another domain. */
  domain: string;
  /** Returns the URL path of a report's file. */
  pathOf(id: string): string;
}

/**
 * Creates signed URLs of report files. A request to a signed URL needs no credentials. Anybody who has a URL can
 * download the file until the URL expires. Each read of a report returns a URL that is valid for at least a day.
 */
export class ReportLinks {
  readonly hours = HOURS;
  readonly #box: SecretBox;

  constructor(private readonly options: ReportLinksOptions) {
    this.#box = options.secrets.box(`${options.domain}.report-download`);
  }

  /**
   * Returns the URL of a report's file. The URL changes only once per hour, so that reading an unchanged report twice
   * returns the same response.
   */
  urlOf({ id }: { id: string }, now: Date): string {
    const { origin, pathOf } = this.options;
    const expires = (Math.ceil(now.getTime() / HOUR_MS) + HOURS) * (HOUR_MS / 1000);
    return `${origin}${pathOf(id)}?expires=${expires}&signature=${this.#box.digest(`${id}.${expires}`)}`;
  }

  /** Returns whether the platform signed the URL and the URL has not expired. */
  isValid(id: string, { expires = '', signature = '' }: { expires?: string; signature?: string }, now: Date): boolean {
    return this.#box.isDigest(signature, `${id}.${expires}`) && Number(expires) * 1000 > now.getTime();
  }
}
