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

/** Creates records of one organization. Each record is created when its id is needed for the first time. */
export class Records {
  readonly #made = new Map<string, Promise<string>>();

  constructor(
    readonly tenant: Tenant,
    /** A text that is part of every record that has a text field, so that tests can search for it. */
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

  /** Creates another record of this kind, for operations that delete it. */
  fresh(name: string): Promise<string> {
    return kindOf(name).make(this);
  }

  /** The record as its owner reads it over REST, without the metadata of the response. */
  async read(name: string): Promise<Json> {
    const { readAt } = kindOf(name);
    if (!readAt) return undefined;
    const { status, body } = await this.tenant.rest('GET', readAt.replace('{}', await this.id(name)));
    if (status !== 200) throw new Error(`The owner cannot read its own ${name}: ${status} ${JSON.stringify(body)}`);
    const { metadata: _, ...record } = body;
    return record;
  }

  /** The path of a route with its parameters filled in and its required query parameters. */
  async path(template: string, idOf: (name: string) => Promise<string> = (name) => this.id(name)): Promise<string> {
    let path = template;
    for (const [place, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
      path = path.replace(place, name in noRecords ? (FILLED[name] ?? name) : await idOf(name));
    }
    return requiredQueries[template] ? `${path}?${requiredQueries[template]}` : path;
  }

  /**
   * The example of a body with values that succeed: ids of existing records, the URL of the receiver, and new values for
   * fields that must be unique.
   */
  async body(example: Json, idOf: (name: string) => Promise<string> = (name) => this.id(name)): Promise<Json> {
    if (Array.isArray(example)) return Promise.all(example.map((item) => this.body(item, idOf)));
    if (typeof example !== 'object' || example === null) return example;
    const members = Object.entries(example).map(async ([name, value]) => {
      if (name in recordKinds) return [name, await idOf(name)];
      if (value === EXAMPLE_EMAIL) return [name, freshEmail()];
      if (name === 'issuer') return [name, freshIssuer()];
      // within the retention period of the event log
      if (name === 'since') return [name, new Date(clock.now().getTime() - 3_600_000).toISOString()];
      // at the platform's time, which tests may have moved
      if (name === 'decommission_date') return [name, new Date(clock.now().getTime() + 86_400_000)];
      if (name === 'certificate') return [name, (await issue()).pem];
      // a domain can belong to only one connection
      if (name === 'email_domains') return [name, [newDomain()]];
      return [name, name === 'url' ? this.receiver : await this.body(value, idOf)];
    });
    return Object.fromEntries(await Promise.all(members));
  }

  async create(path: string, body: Json): Promise<string> {
    const response = await this.tenant.rest('POST', path, { body });
    if (response.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(response.body)}`);
    const { metadata: _, ...rest } = response.body;
    const [record] = Object.values(rest).filter((member) => typeof member === 'object') as Json[];
    return record.id;
  }
}

/** Values of path parameters that are not ids of records. */
const FILLED: Readonly<Record<string, string>> = { category: 'connectivity' };

export function kindOf(name: string): RecordKind {
  const kind = recordKinds[name];
  if (!kind)
    throw new Error(
      `It is unknown which record ${name} refers to. Add it to recordKinds in test/support/record-kinds.ts, or to noRecords with a reason.`,
    );
  return kind;
}

/**
 * True if the name of a parameter or field is the id of a record.
 * @throws if the name looks like an id and is neither in `recordKinds` nor in `noRecords`
 */
export function namesRecord(name: string): boolean {
  if (name in recordKinds) return true;
  if (name in noRecords || !/_ids?$/.test(name)) return false;
  return Boolean(kindOf(name));
}
