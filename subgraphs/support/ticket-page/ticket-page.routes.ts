import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parse } from 'graphql';
import { Principal } from '../../../kernel/access/principal.ts';
import { PlatformError, ResourceNotFound } from '../../../kernel/errors/errors.ts';
import type { FileStore } from '../../../kernel/files/files.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { SIGN_OUT_PATH, signInTo } from '../../../kernel/pages/console.ts';
import { cookieIn, cookieLine } from '../../../kernel/pages/cookies.ts';
import {
  acceptPageForms,
  formOf,
  type PageResponse,
  refuseOtherSites,
  sendErrorPage,
  sendPage,
} from '../../../kernel/pages/page-requests.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { isStorable } from '../../../kernel/values/text.ts';
import { sendAttachment } from '../attachments/attachment.routes.ts';
import type { SupportContext } from '../context.ts';
import { LINK_MS, type LinkHolder, type TicketLinks } from '../notifications/ticket-links.ts';
import { ticketPath } from '../tickets/ticket-urls.ts';
import { type ContactParts, ContactVisitor } from './contact-visitor.ts';
import { noAccessPage, REPLY_LENGTH, type TicketPageParts, ticketPage, unsentPage } from './ticket.page.ts';
import type { Visitor } from './ticket-view.ts';
import { UserVisitor } from './user-visitor.ts';

export interface TicketPageRoutes extends ContactParts {
  graph: Graph;
  files: FileStore;
  links: TicketLinks;
  contextOf(request: RequestContext): SupportContext;
  /** Public origin of the platform. */
  origin: string;
}

const PAGE = { config: { access: 'page' }, errorHandler: sendErrorPage } as const;
const STANDING = parse('query TicketPageOrganization { organization { status } }');
const LINK_COOKIE = 'ticket_link';

/**
 * Serves the web page of a ticket (`urls.customer_portal`), to which mails link. Requires that the edge has
 * authenticated the request.
 */
export async function mountTicketPage(app: FastifyInstance, routes: TicketPageRoutes): Promise<void> {
  await app.register((scope, _, done) => {
    acceptPageForms(scope);
    scope.get(ticketPath(':id'), PAGE, async (request, reply) => sendPage(reply, await show(routes, request, reply)));
    scope.post(ticketPath(':id'), PAGE, async (request, reply) => {
      refuseOtherSites(request);
      return sendPage(reply, await take(routes, request));
    });
    scope.get(`${ticketPath(':id')}/attachments/:attachment`, PAGE, async (request, reply) => download(routes, request, reply));
    done();
  });
}

/**
 * Shows the ticket. If the URL contains a `token`, stores the token in a cookie for this page and redirects to the URL
 * without the token. So the URL that the browser shows, and that users share, never contains the token.
 */
async function show(routes: TicketPageRoutes, request: FastifyRequest, reply: FastifyReply): Promise<PageResponse> {
  const { token, before } = request.query as { token?: unknown; before?: unknown };
  const path = ticketPath(idOf(request));
  if (token !== undefined) {
    if (typeof token !== 'string' || !(await holderOf(routes, request, token))) return noAccess(path);
    const isSecure = routes.origin.startsWith('https:');
    reply.header('set-cookie', cookieLine(LINK_COOKIE, token, { path, maxAge: LINK_MS / 1000, isSecure }));
    return { location: path };
  }
  const visitor = await visitorOf(routes, request);
  return visitor ? shown(visitor, path, typeof before === 'string' && isStorable(before) ? { before } : {}) : notShown(request);
}

/**
 * Returns the response for a visitor to whom neither the session nor a link gives access to the ticket.
 * @throws ResourceNotFound for a signed-in user
 */
function notShown(request: FastifyRequest): PageResponse {
  const path = ticketPath(idOf(request));
  if (isSignedIn(request)) throw new ResourceNotFound('ticket', idOf(request));
  return cookieIn(request, LINK_COOKIE) ? noAccess(path) : { location: signInTo(path) };
}

async function download(routes: TicketPageRoutes, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { attachment: id } = request.params as { attachment: string };
  const visitor = await visitorOf(routes, request);
  if (!visitor) return sendPage(reply, notShown(request));
  const attachment = isStorable(id) ? await visitor.attachment(id) : null;
  return sendAttachment(routes.files, orNotFound(attachment, 'attachment', id), request, reply.header('vary', 'Cookie'));
}

async function take(routes: TicketPageRoutes, request: FastifyRequest): Promise<PageResponse> {
  const path = ticketPath(idOf(request));
  const { reply: sent = '' } = formOf(request);
  const content = sent.replaceAll('\r\n', '\n').trim();
  const visitor = await visitorOf(routes, request);
  if (!visitor?.mayReply) return { page: unsentPage(signInTo(path), content), status: 403 };
  const problem = problemWith(content);
  if (problem) return shown(visitor, path, { refused: { reply: content, problem }, status: 400 });
  try {
    await visitor.reply(content);
    return { location: path };
  } catch (error) {
    if (!(error instanceof PlatformError) || error.status >= 500) throw error;
    return shown(visitor, path, { refused: { reply: content, problem: error.message }, status: error.status });
  }
}

function problemWith(content: string): string | undefined {
  if (content === '') return 'Your reply is empty.';
  // counted in UTF-16 units, as browsers do
  if (content.length > REPLY_LENGTH) return `Your reply is longer than ${REPLY_LENGTH} characters.`;
  return isStorable(content) ? undefined : 'Your reply contains characters that cannot be stored.';
}

async function visitorOf(routes: TicketPageRoutes, request: FastifyRequest): Promise<Visitor | undefined> {
  const ticketId = idOf(request);
  const { principal } = request.caller;
  if (isSignedIn(request) && isStorable(ticketId)) {
    const em = organizationEm(routes.orm, principal);
    const user = new UserVisitor({ principal, context: routes.contextOf(request.caller), em, ticketId });
    if (await user.maySee()) return user;
  }
  const token = cookieIn(request, LINK_COOKIE);
  const recipient = token && (await holderOf(routes, request, token));
  return recipient ? new ContactVisitor(routes, recipient) : undefined;
}

/**
 * Returns the recipient that a link token belongs to; undefined if the token is invalid, or the organization is
 * suspended or closed.
 */
async function holderOf(routes: TicketPageRoutes, request: FastifyRequest, token: string): Promise<LinkHolder | undefined> {
  const holder = await routes.links.holderOf(token, idOf(request));
  if (!holder) return undefined;
  const { requestId, log } = request.caller;
  const context = { requestId, log, principal: Principal.system('support.ticket-page', holder.organizationId) };
  const { organization } = await routes.graph.query<{ organization: { status: string } }>(STANDING, {}, context);
  return organization.status === 'ACTIVE' ? holder : undefined;
}

interface Shown {
  /** If set, the page shows the comments before the comment with this id. */
  before?: string;
  refused?: TicketPageParts['refused'];
  status?: number;
}

async function shown(visitor: Visitor, path: string, { before, refused, status = 200 }: Shown): Promise<PageResponse> {
  const parts = { visitor, action: path, signOut: SIGN_OUT_PATH, hasNewer: before !== undefined, refused };
  return { page: ticketPage({ ...(await visitor.view(before)), ...parts }), status };
}

const noAccess = (path: string): PageResponse => ({ page: noAccessPage(signInTo(path)), status: 403 });

const isSignedIn = ({ caller }: FastifyRequest): boolean => caller.principal !== Principal.nobody;

const idOf = ({ params }: FastifyRequest): string => (params as { id: string }).id;
