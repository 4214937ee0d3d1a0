import pg from 'pg';
import { monotonicFactory } from 'ulid';

/** Number of days over which the tickets are spread. */
const DAYS = 730;
const DAY_MS = 86_400_000;
const BATCH = 5000;
const AGENTS_EACH = 5;
/** Average number of tickets of a customer that is not in `Parties`. A few of these customers have many more. */
const TICKETS_EACH = 100;

const CATEGORIES = { connectivity: 30, billing: 18, voice: 14, cloud: 12, account: 10, security: 8, general: 5, ai: 3 };
const PRIORITIES = { medium: 45, low: 30, high: 20, critical: 5 };
const TARGETS = { critical: [0.25, 4], high: [1, 8], medium: [4, 24], low: [8, 72] } as const;
const URGENCY = { low: 1, medium: 2, high: 3, critical: 4 };

const WHAT = [
  'Internet',
  'Fiber line',
  'VPN',
  'Phone system',
  'Invoice',
  'Firewall',
  'Router',
  'Backup',
  'Login',
  'Call quality',
  'Storage',
  'Wifi',
];
const WRONG = [
  'is down',
  'is slow',
  'drops every hour',
  'cannot be reached',
  'looks wrong',
  'needs a change',
  'fails after the update',
  'flaps',
];
const WHERE = [
  'at headquarters',
  'in the Denver office',
  'at the warehouse',
  'for all users',
  'on the second floor',
  'since this morning',
  'again',
];
const SENTENCES = [
  'Since the maintenance window nobody can reach the server.',
  'The modem shows no light and was restarted twice.',
  'Packet loss is above five percent on the uplink.',
  'Our customers hear an echo in every second call.',
  'The amount does not match the contract that we signed.',
  'Please send a technician, the cabinet is unlocked.',
  'Monitoring reported high latency towards the data center.',
  'Two users are locked out after too many attempts.',
  'The certificate expires next week and must be renewed.',
  'We moved to a new building and need the line there.',
  'The tunnel comes up but no traffic passes.',
  'Backups stop at ninety percent with a timeout.',
  'The dashboard shows yesterday only.',
  'Voicemail is not forwarded by mail any more.',
  'Upload works, download is below one megabit.',
  'The port was blocked by the new policy.',
];
const SYLLABLES = ['ba', 'ke', 'lo', 'mi', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'da', 'fe'];

/** A deterministic random generator, so that runs can be compared. */
function randomGenerator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An account that has tickets. `customerId` is the customer id that its tickets contain. */
export interface Party {
  id: string;
  customerId: string;
}

/**
 * The accounts that limited callers can access. All other tickets belong to many accounts, most of which have few
 * tickets.
 */
export interface Parties {
  /** Half of all tickets belong to this account. */
  half: Party;
  /** A quarter of all tickets belong to these accounts together. */
  several: readonly Party[];
}

/**
 * Inserts tickets of two years into an organization and reports the progress. The triggers of the ticket tables run as
 * usual.
 */
export async function seedTickets(
  url: string,
  organizationId: string,
  count: number,
  parties: Parties,
  report: (line: string) => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const began = performance.now();
    const desk = new Desk(organizationId, count, parties);
    await insert(client, 'agent', desk.agents);
    // creating the indexes after the inserts is faster, and the resulting indexes are the same
    const indexes = count > BATCH ? await dropTextIndexes(client) : [];
    try {
      await fill(client, desk, count, report);
    } finally {
      for (const [index, statement] of indexes.entries()) {
        report(`index ${index + 1} of ${indexes.length}`);
        await client.query(statement);
      }
    }
    await client.query(
      `insert into "support"."ticket_counter" values ($1, $2) on conflict ("organization_id") do update set "last" = excluded."last"`,
      [organizationId, 1000 + count],
    );
    report('vacuum analyze');
    for (const table of ['ticket', 'ticket_text', 'ticket_tally', 'ticket_account_tally', 'ticket_change', 'feedback', 'agent'])
      await client.query(`vacuum analyze "support"."${table}"`);
    report(`${count} tickets in ${Math.round((performance.now() - began) / 1000)} s`);
  } finally {
    await client.end();
  }
}

async function fill(client: pg.Client, desk: Desk, count: number, report: (line: string) => void): Promise<void> {
  const began = performance.now();
  for (let first = 0; first < count; first += BATCH) {
    const tickets = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => desk.ticket(first + index));
    await client.query('begin');
    await insert(client, 'ticket', tickets);
    await insert(
      client,
      'feedback',
      tickets.flatMap((ticket) => desk.feedback(ticket)),
    );
    await insert(
      client,
      'ticket_change',
      tickets.flatMap((ticket) => desk.reopening(ticket)),
    );
    await client.query('commit');
    const done = first + tickets.length;
    const seconds = (performance.now() - began) / 1000;
    if ((done / BATCH) % 10 === 0 || done === count)
      report(`${done} of ${count} tickets, ${Math.round((100 * done) / count)} %, ${Math.round(done / seconds)} a second`);
  }
}

type Row = Record<string, unknown>;

class Desk {
  readonly agents: Row[];
  readonly #random: () => number;
  readonly #id;
  /**
   * Id generator of tickets. It is separate from `#id`, because the id of a ticket contains the time at which the
   * ticket was opened.
   */
  readonly #ticketId;
  readonly #now = Date.now();
  readonly #others: Party[];

  constructor(
    private readonly organizationId: string,
    private readonly count: number,
    private readonly parties: Parties,
  ) {
    this.#random = randomGenerator(count);
    this.#id = monotonicFactory(this.#random);
    this.#ticketId = monotonicFactory(this.#random);
    this.agents = Object.keys(CATEGORIES).flatMap((category) =>
      Array.from({ length: AGENTS_EACH }, (_, index) => ({
        id: `agent_${this.#id()}`,
        organization_id: organizationId,
        name: `Agent ${index + 1} of ${category}`,
        email: `${category}.${index + 1}@desk.example.com`,
        specialization: category,
        created_at: new Date(this.#now),
      })),
    );
    const others = Math.ceil(count / 4 / TICKETS_EACH);
    this.#others = Array.from({ length: others }, () => ({ id: `acc_${this.#id()}`, customerId: `cust_${this.#id()}` }));
  }

  /** Returns a ticket row. Later months have more tickets than earlier months, as in a growing support organization. */
  ticket(index: number): Row {
    const created = Math.round(this.#now - DAYS * DAY_MS * (1 - (index + 1) / this.count) ** 0.8);
    const ageHours = (this.#now - created) / 3_600_000;
    const category = this.#weighed(CATEGORIES);
    const priority = this.#weighed(PRIORITIES) as keyof typeof TARGETS;
    const [responseHours, resolutionHours] = TARGETS[priority];
    const tookHours = resolutionHours * 0.45 * Math.exp(1.1 * this.#normal());
    const isResolved = tookHours < ageHours && this.#random() > 0.004;
    const { id: accountId, customerId } = this.#party();
    const at = (hours: number) => new Date(created + hours * 3_600_000);
    const respondedHours = Math.min(tookHours, responseHours * 0.5 * Math.exp(0.8 * this.#normal()));
    const isEscalated = this.#random() < 0.06;
    const responded = respondedHours < ageHours ? at(respondedHours) : null;
    const resolved = isResolved ? at(tookHours) : null;
    const isLate = (dueHours: number, hours: number, isDone: boolean) => (isDone ? hours : ageHours) > dueHours;
    return {
      id: `ticket_${this.#ticketId(created)}`,
      organization_id: this.organizationId,
      number: `TKT-${1001 + index}`,
      title: `${this.#one(WHAT)} ${this.#one(WRONG)} ${this.#one(WHERE)}`,
      description: this.#description(),
      status: isResolved ? 'resolved' : isEscalated ? 'escalated' : responded ? 'in_progress' : 'open',
      priority,
      urgency: URGENCY[priority],
      category,
      customer_id: customerId,
      account_id: accountId,
      metadata: {},
      agent_id: this.agents.filter(({ specialization }) => specialization === category)[Math.floor(AGENTS_EACH * this.#random())]?.id,
      response_due: at(responseHours),
      resolution_due: at(resolutionHours),
      sla_terms: {
        tier: 'Custom',
        plan: 'custom',
        response: { minutes: responseHours * 60, calendar: null },
        resolution: { minutes: resolutionHours * 60, calendar: null },
        escalateAfterMinutes: [],
      },
      resolution_elapsed: isResolved ? tookHours * 3_600_000 : 0,
      resolution_since: new Date(created),
      responded_at: responded,
      resolved_at: resolved,
      response_breached_at: isLate(responseHours, respondedHours, Boolean(responded)) ? at(responseHours) : null,
      resolution_breached_at: isLate(resolutionHours, tookHours, isResolved) ? at(resolutionHours) : null,
      escalation_level: isEscalated ? 1 : 0,
      created_at: new Date(created),
      updated_at: resolved ?? responded ?? new Date(created),
    };
  }

  /** Returns a list with one rating for about 20 % of the resolved tickets, and an empty list for all other tickets. */
  feedback({ id, resolved_at: resolvedAt }: Row): Row[] {
    if (!resolvedAt || this.#random() > 0.2) return [];
    const rating = 5 - Math.floor(5 * this.#random() ** 3);
    const author = { author_kind: 'user', author_id: 'user_bench' };
    return [
      {
        id: `fb_${this.#id()}`,
        organization_id: this.organizationId,
        ticket_id: id,
        rating,
        ...author,
        created_at: resolvedAt,
        updated_at: resolvedAt,
      },
    ];
  }

  reopening({ id, resolved_at: resolvedAt }: Row): Row[] {
    if (!resolvedAt || this.#random() > 0.03) return [];
    const what = { member: 'status', from: 'resolved', to: 'open', actor_kind: 'user', actor_id: 'user_bench' };
    return [{ id: `tchg_${this.#id()}`, organization_id: this.organizationId, ticket_id: id, ...what, created_at: resolvedAt }];
  }

  #party(): Party {
    const { half, several } = this.parties;
    const chosen = this.#random();
    if (chosen < 0.5) return half;
    return chosen < 0.75 ? this.#one(several) : (this.#others[Math.floor(this.#others.length * this.#random() ** 2)] as Party);
  }

  #description(): string {
    const sentences = Array.from({ length: 3 + Math.floor(4 * this.#random()) }, () => this.#one(SENTENCES));
    const rare = `${this.#one(SYLLABLES)}${this.#one(SYLLABLES)}${this.#one(SYLLABLES)}`;
    return `${sentences.join(' ')} Circuit ${rare} ${100_000 + Math.floor(900_000 * this.#random())}.`;
  }

  #one<T>(list: readonly T[]): T {
    return list[Math.floor(list.length * this.#random())] as T;
  }

  #weighed<K extends string>(weights: Record<K, number>): K {
    let left = this.#random() * 100;
    const names = Object.keys(weights) as K[];
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    return names[0] as K;
  }

  #normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.#random())) * Math.cos(2 * Math.PI * this.#random());
  }
}

async function insert(client: pg.Client, table: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(rows[0] ?? {}).map((name) => `"${name}"`);
  await client.query(
    `insert into "support"."${table}" (${names.join(', ')}) select ${names.join(', ')} from json_populate_recordset(null::"support"."${table}", $1)`,
    [JSON.stringify(rows)],
  );
}

/** Drops the search indexes and returns the statements that create them again. */
async function dropTextIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = '"support"."ticket_text"'::regclass and not indisprimary`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition);
}
