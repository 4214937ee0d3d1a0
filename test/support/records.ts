import { clock } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { issue } from './certificates.ts';
import {
  EXAMPLE_EMAIL,
  freshEmail,
  freshIssuer,
  NOWHERE,
  newDomain,
  noRecords,
  type RecordKind,
  recordKinds,
  requiredQueries,
} from './record-kinds.ts';

/** The records of one organization, each made when it is first asked for. */
export class Records {
  readonly #made = new Map<string, Promise<string>>();

  constructor(
    readonly tenant: Tenant,
    /** Stands in every record that has a place for text, so that it can be looked for. */
    readonly label: string,
    readonly receiver = NOWHERE,
  ) {}

  id(name: string): Promise<string> {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const making = kindOf(name).make(this);
    this.#made.set(name, making);
    return making;
  }

  /** A record that nothing else here refers to: for operations that end it. */
  fresh(name: string): Promise<string> {
    return kindOf(name).make(this);
  }

  /** The record as its owner reads it, without the request's own members. */
  async read(name: string): Promise<Json> {
    const { readAt } = kindOf(name);
    if (!readAt) return undefined;
    const { status, body } = await this.tenant.rest('GET', readAt.replace('{}', await this.id(name)));
    if (status !== 200) throw new Error(`The owner cannot read its own ${name}: ${status} ${JSON.stringify(body)}`);
    const { metadata: _, ...record } = body;
    return record;
  }

  /** The route's path with its parameters filled in, and the query that it cannot do without. */
  async path(template: string, idOf: (name: string) => Promise<string> = (name) => this.id(name)): Promise<string> {
    let path = template;
    for (const [place, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
      path = path.replace(place, name in noRecords ? (FILLED[name] ?? name) : await idOf(name));
    }
    return requiredQueries[template] ? `${path}?${requiredQueries[template]}` : path;
  }

  /** The example of a body with the records that it names replaced by existing ones, addresses by one that answers, and what can be sent once made anew. */
  async body(example: Json, idOf: (name: string) => Promise<string> = (name) => this.id(name)): Promise<Json> {
    if (Array.isArray(example)) return Promise.all(example.map((item) => this.body(item, idOf)));
    if (typeof example !== 'object' || example === null) return example;
    const members = Object.entries(example).map(async ([name, value]) => {
      if (name in recordKinds) return [name, await idOf(name)];
      if (value === EXAMPLE_EMAIL) return [name, freshEmail()];
      if (name === 'issuer') return [name, freshIssuer()];
      // what the log still keeps
      if (name === 'since') return [name, new Date(clock.now().getTime() - 3_600_000).toISOString()];
      if (name === 'certificate') return [name, (await issue()).pem];
      // each belongs to one connection of one organization
      if (name === 'email_domains') return [name, [newDomain()]];
      return [name, name === 'url' ? this.receiver : await this.body(value, idOf)];
    });
    return Object.fromEntries(await Promise.all(members));
  }

  async create(path: string, body: Json): Promise<string> {
    const answer = await this.tenant.rest('POST', path, { body });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
    const { metadata: _, ...rest } = answer.body;
    const [record] = Object.values(rest).filter((member) => typeof member === 'object') as Json[];
    return record.id;
  }
}

/** Words that path parameters take which name no record. */
const FILLED: Readonly<Record<string, string>> = { category: 'connectivity' };

export function kindOf(name: string): RecordKind {
  const kind = recordKinds[name];
  if (!kind)
    throw new Error(
      `Nothing here knows what record ${name} names. Add how one is made to recordKinds in test/support/record-kinds.ts, or to noRecords why it names none.`,
    );
  return kind;
}

/** Whether a parameter or member names a record. @throws for a name that looks so and is in neither table. */
export function namesRecord(name: string): boolean {
  if (name in recordKinds) return true;
  if (name in noRecords || !/_ids?$/.test(name)) return false;
  return Boolean(kindOf(name));
}
