import ipaddr from 'ipaddr.js';
import { type CountryResponse, open, type Reader } from 'maxmind';
import type { ClientInfo } from '../../../kernel/request.ts';
import { isCountry } from './country.ts';

/** Finds the country of a caller: from a trusted proxy's header, otherwise from a database of IP addresses. */
export class CountryLocator {
  private constructor(
    /** True if a proxy header or a database is configured that gives the country of a caller. */
    readonly isConfigured: boolean,
    private readonly reader: Reader<CountryResponse> | undefined,
  ) {}

  static readonly none = new CountryLocator(false, undefined);

  /**
   * Opens the database. When the file is replaced, which typically happens every week, it is read again.
   * @throws Error if the file is not an MMDB file
   */
  static async open({ header, database }: { header: string | undefined; database: string | undefined }): Promise<CountryLocator> {
    if (!header && !database) return CountryLocator.none;
    const watch = { watchForUpdates: true, watchForUpdatesNonPersistent: true };
    return new CountryLocator(true, database ? await open<CountryResponse>(database, watch) : undefined);
  }

  /**
   * Returns the country of a caller. Returns undefined if the country is unknown, for example for a private address, or
   * if a proxy sends `XX`.
   */
  countryOf({ ip, country }: Pick<ClientInfo, 'ip' | 'country'>): string | undefined {
    if (country !== undefined) return isCountry(country.toUpperCase()) ? country.toUpperCase() : undefined;
    const found = this.#lookUp(ip)?.country?.iso_code;
    return isCountry(found) ? found : undefined;
  }

  #lookUp(ip: string): CountryResponse | null | undefined {
    try {
      // an IPv4-mapped IPv6 address is looked up as IPv4
      return this.reader?.get(ipaddr.process(ip).toString());
    } catch {
      // not an IP address, or an IPv6 address in a database that has only IPv4
      return undefined;
    }
  }
}
