import ipaddr from 'ipaddr.js';
import { type CountryResponse, open, type Reader } from 'maxmind';
import type { ClientInfo } from '../../../kernel/request.ts';
import { isCountry } from './country.ts';

/** In which country a caller is: as a trusted proxy says it, else as a database of addresses does. */
export class CountryLocator {
  private constructor(
    /** Whether it can know anything at all. */
    readonly isConfigured: boolean,
    private readonly reader: Reader<CountryResponse> | undefined,
  ) {}

  static readonly none = new CountryLocator(false, undefined);

  /** A file that is replaced while the platform runs, as these are every week, is read again. @throws Error for what is no MMDB file */
  static async open({ header, database }: { header: string | undefined; database: string | undefined }): Promise<CountryLocator> {
    if (!header && !database) return CountryLocator.none;
    const watch = { watchForUpdates: true, watchForUpdatesNonPersistent: true };
    return new CountryLocator(true, database ? await open<CountryResponse>(database, watch) : undefined);
  }

  /** Undefined where nobody knows: a proxy's `XX`, an address of a private network. */
  countryOf({ ip, country }: Pick<ClientInfo, 'ip' | 'country'>): string | undefined {
    if (country !== undefined) return isCountry(country.toUpperCase()) ? country.toUpperCase() : undefined;
    const found = this.#lookUp(ip)?.country?.iso_code;
    return isCountry(found) ? found : undefined;
  }

  #lookUp(ip: string): CountryResponse | null | undefined {
    try {
      // an IPv4 caller over IPv6 is where its IPv4 address is
      return this.reader?.get(ipaddr.process(ip).toString());
    } catch {
      // no address, or an IPv6 one in a database of IPv4 ones
      return undefined;
    }
  }
}
