import { PlatformError } from '../errors/errors.ts';

export const API_VERSION = '1.2.3';

/** All accepted spellings of the supported API version, which specification 9 calls v1.0. */
const SUPPORTED: ReadonlySet<string> = new Set(['1', '1.0', 'v1.0', '1.2', API_VERSION, `v${API_VERSION}`]);

/**
 * Checks the header `API-Version` of a request.
 * @throws PlatformError UNSUPPORTED_VERSION if the version is not supported
 */
export function checkVersion(requested: string | string[] | undefined): void {
  if (requested === undefined || (typeof requested === 'string' && SUPPORTED.has(requested))) return;
  throw new PlatformError('UNSUPPORTED_VERSION', `This API-Version is not supported. Omit the header, or send ${API_VERSION}.`, {
    field: 'API-Version',
    value: String(requested).slice(0, 50),
    supported: [...SUPPORTED],
  });
}
