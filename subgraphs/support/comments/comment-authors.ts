import { type DocumentNode, parse } from 'graphql';
import { Principal, type PrincipalData } from '../../../kernel/access/principal.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import { copyRequest, type RequestContext } from '../../../kernel/request.ts';
import { Agent } from '../agents/agent.entity.ts';
import { AuthorType, type CommentAuthor } from '../comment-author.ts';
import { findCustomer } from '../customers.ts';
import { isDesk } from '../visibility.ts';

const USER = parse('query CommentUser($id: ID!) { found: user(id: $id) { name email } }');
/** Queries for the name and e-mail address of callers, by kind of credentials. */
const NAMED: Readonly<Partial<Record<PrincipalData['kind'], DocumentNode>>> = {
  user: USER,
  api_key: parse('query CommentKey($id: ID!) { found: apiKey(id: $id) { name } }'),
  certificate: parse('query CommentCertificate($id: ID!) { found: certificate(id: $id) { name } }'),
  client: parse('query CommentClient($id: ID!) { found: oauthClient(id: $id) { name } }'),
};

interface Named {
  name: string;
  email?: string | null;
}

/** The author of a comment, as stated in a request. */
export interface StatedAuthor {
  type: AuthorType;
  id?: string | null;
  name?: string | null;
}

/**
 * Returns whether the stated author is the caller as a customer: the type is `customer`, and the id is the caller's or
 * omitted.
 */
export const isOwn = ({ type, id }: StatedAuthor, principal: Principal): boolean =>
  type === AuthorType.CUSTOMER && (!id || id === principal.id);

/** Determines the author of a comment. Queries the graph, so it must be called before a transaction begins. */
export class CommentAuthors {
  constructor(private readonly deps: { em: EntityManager; graph: Graph; request: RequestContext }) {}

  /**
   * Returns the stated author, or the caller if no author is stated. A caller that may work on tickets is an agent, and
   * any other caller is a customer.
   * @throws InsufficientPermissions for a customer who states an agent, the system or an id other than the caller's id
   * @throws ResourceNotFound for an agent, user or customer number that the organization does not have
   * @throws InvalidParameters
   */
  async of(stated?: StatedAuthor | null): Promise<CommentAuthor> {
    const { principal } = this.deps.request;
    if (!stated) return this.#caller();
    if (!isOwn(stated, principal)) principal.require('support:write');
    if (principal.kind === 'user') return this.#self(stated);
    if (stated.type === AuthorType.AGENT) return this.#agent(stated.id);
    if (stated.type === AuthorType.CUSTOMER) return this.#customer(stated);
    const { id, name } = await this.#caller();
    return { type: AuthorType.SYSTEM, id: stated.id ?? id, name: stated.name ?? name, email: null };
  }

  async #caller(): Promise<CommentAuthor> {
    const { em, request } = this.deps;
    const { principal } = request;
    // reads with full access, because the caller may not have the permission to read its own name
    const whole = copyRequest(request, { principal: Principal.system('comments', principal.organizationId) });
    const { name, email = null } = (await this.#named(NAMED[principal.kind], principal.id, whole)) ?? { name: principal.id };
    const type = isDesk(principal) ? AuthorType.AGENT : AuthorType.CUSTOMER;
    const agent = type === AuthorType.AGENT && email ? await em.findOne(Agent, { email }) : null;
    return { type, id: agent?.id ?? principal.id, name, email };
  }

  /**
   * Returns the signed-in user as the author.
   * @throws InvalidParameters if another author is stated, because users can comment only in their own name
   */
  async #self({ type, id }: StatedAuthor): Promise<CommentAuthor> {
    const self = await this.#caller();
    if (type === self.type && (!id || id === self.id || id === this.deps.request.principal.id)) return self;
    throw new InvalidParameters([
      { field: 'author', reason: 'must be the calling user, because users comment in their own name. Omit it' },
    ]);
  }

  async #agent(id: string | null | undefined): Promise<CommentAuthor> {
    const agent = orNotFound(await this.deps.em.findOne(Agent, { id: id ?? '' }), 'agent', id ?? '');
    return { type: AuthorType.AGENT, id: agent.id, name: agent.name, email: agent.email };
  }

  async #customer({ id, name }: StatedAuthor): Promise<CommentAuthor> {
    const caller = await this.#caller();
    if (!id || id === caller.id) return { type: AuthorType.CUSTOMER, id: caller.id, name: name ?? caller.name, email: caller.email };
    if (id.startsWith('user_')) {
      const user = orNotFound(await this.#named(USER, id), 'user', id);
      return { type: AuthorType.CUSTOMER, id, name: user.name, email: user.email ?? null };
    }
    const account = await findCustomer(this.deps.graph, this.deps.request, id);
    return { type: AuthorType.CUSTOMER, id, name: name ?? account.name, email: account.email };
  }

  async #named(document: DocumentNode | undefined, id: string, request = this.deps.request): Promise<Named | null> {
    if (!document) return null;
    return (await this.deps.graph.query<{ found: Named | null }>(document, { id }, request)).found;
  }
}
