import type { CompiledRoute } from './compiled-route.ts';
import type { Found, PageInfo } from './graph.ts';

/**
 * Serializes the result of a route to the JSON text from which the ETag is computed.
 * In a response with the general envelope, this text is only the data and the pagination (`"data":…`), because the
 * request id and the time differ in each response. Otherwise, it is the whole body.
 */
export type Represent = (found: Found) => string;

export function compileRepresentation({ route, isPage, isList }: CompiledRoute): Represent {
  const { wrap, bare, list = 'general' } = route;
  if (bare) return ({ data }) => JSON.stringify(data);
  if (isPage && list === 'support')
    return ({ data, page }) => JSON.stringify({ [wrap ?? 'data']: data, pagination: supportPagination(page) });
  if (isPage && list === 'invoices')
    return ({ data, page }) => JSON.stringify({ [wrap ?? 'data']: data, total_count: page?.total, has_more: page?.has_more });
  if (wrap) return ({ data }) => `{${JSON.stringify(wrap)}:${JSON.stringify(data)}}`;
  if (isPage) return ({ data, page }) => `"data":${JSON.stringify(data)},"pagination":${JSON.stringify(page)}`;
  if (isList) return ({ data }) => `"data":${JSON.stringify(data)},"pagination":${JSON.stringify(onlyPage((data as unknown[]).length))}`;
  return ({ data }) => `"data":${JSON.stringify(data)}`;
}

/** Returns the pagination of a list that is not divided into pages: a single page with all `total` items. */
const onlyPage = (total: number): PageInfo => ({
  page: 1,
  per_page: Math.max(1, total),
  total,
  pages: total > 0 ? 1 : 0,
  has_more: false,
  next_cursor: null,
});

const supportPagination = (page: PageInfo | undefined) =>
  page && {
    total: page.total,
    page: page.page,
    limit: page.per_page,
    pages: page.pages,
    has_more: page.has_more,
    next_cursor: page.next_cursor,
  };

/** Returns whether the response has the general envelope of specification 2.1. */
export const hasEnvelope = ({ route: { wrap, bare } }: Pick<CompiledRoute, 'route'>): boolean => !wrap && !bare;
