import type { FastifyRequest } from 'fastify';

/** Builds a cookie that scripts cannot read, and that browsers do not send with forms of other sites. */
export const cookieLine = (
  name: string,
  value: string,
  { path, maxAge, isSecure }: { path: string; maxAge: number; isSecure: boolean },
): string => `${name}=${value}; path=${path}; max-age=${maxAge}; httponly; samesite=lax${isSecure ? '; secure' : ''}`;

export function cookieIn({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const pair = headers.cookie?.split(';').find((one) => one.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1);
}
