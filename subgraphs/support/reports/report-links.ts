import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Secrets } from '../../../kernel/access/secrets.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import { reportFilePath } from './report-paths.ts';

const HOURS = 24;

/**
 * Addresses of reports' files that need no credentials: who has one may download that file until it expires. Each reading of the
 * report makes one that holds for a day at least.
 */
export class ReportLinks {
  readonly hours = HOURS;
  readonly #box: SecretBox;

  constructor(
    secrets: Secrets,
    private readonly origin: string,
  ) {
    this.#box = secrets.box('support.report-download');
  }

  /** The same for an hour, so that what has not changed reads the same. */
  urlOf({ id }: { id: string }, now: Date): string {
    const expires = (Math.ceil(now.getTime() / HOUR_MS) + HOURS) * (HOUR_MS / 1000);
    return `${this.origin}${reportFilePath(id)}?expires=${expires}&signature=${this.#box.digest(`${id}.${expires}`)}`;
  }

  /** Whether the platform made this address, and it holds still. */
  isValid(id: string, { expires = '', signature = '' }: { expires?: string; signature?: string }, now: Date): boolean {
    return this.#box.isDigest(signature, `${id}.${expires}`) && Number(expires) * 1000 > now.getTime();
  }
}
