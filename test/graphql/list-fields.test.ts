import { beforeAll, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { changeTicket, openTicket } from '../ticket.setup.ts';

let platform: Rig;
let tenant: Tenant;
let id: string;

beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
  ({ id } = await openTicket(tenant, { contact: { name: 'Ada', email: 'ada@example.com' }, metadata: { floor: 3 }, severity: 'minor' }));
  await changeTicket(tenant, id, { priority: 'critical', waiting_on_customer: true });
  await openTicket(tenant);
});

/** The columns that the ticket list reads from the database for a selection. */
async function columnsOf(selection: string, fragments = ''): Promise<string[]> {
  const seen = await platform.statements(() => tenant.graphql(`{ tickets { nodes ${selection} } } ${fragments}`));
  const [columns] = seen.flatMap((sql) => /^select (.*) from "support"\."ticket" r .*limit/s.exec(sql)?.[1] ?? []);
  return columns?.replaceAll('"', '').split(', ') ?? seen;
}

test('the ticket list reads only the columns of the selected fields and of the cursor', async () => {
  expect(await columnsOf('{ title }')).toEqual(['r.id', 'r.title', 'r.created_at']);
  expect(await columnsOf('{ __typename name: title ... on Ticket { status } ...more }', 'fragment more on Ticket { createdAt }')).toEqual([
    'r.id',
    'r.title',
    'r.status',
    'r.created_at',
  ]);
});

test('the ticket list reads the columns that a selected computed field declares', async () => {
  const columns = await columnsOf('{ urls { self } assignedTo { name } account { name } }');
  expect(columns.filter((column) => column.startsWith('r.'))).toEqual(['r.id', 'r.customer_id', 'r.agent_id', 'r.created_at']);
  expect(columns).toContain('agent.name');
});

test('the ticket list reads all columns if a selected field does not declare its columns', async () => {
  expect(await columnsOf('{ title attachments { id } }')).toEqual(expect.arrayContaining(['r.description', 'agent.name']));
});

const TYPE = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
const fieldsOf = async (type: string): Promise<Json[]> =>
  (await tenant.graphql(`{ __type(name: "${type}") { fields { name args { name } type { ${TYPE} } } } }`)).data.__type.fields;
const namedOf = (type: Json): Json => (type.ofType ? namedOf(type.ofType) : type);

/** A selection of the field with all its subfields without arguments. Related records are selected by type and id only. */
async function selectionOf({ name, type }: Json): Promise<string> {
  const named = namedOf(type);
  if (named.kind !== 'OBJECT') return name;
  const fields = await fieldsOf(named.name);
  if (fields.some((field) => field.name === 'id')) return `${name} { __typename id }`;
  const within = await Promise.all(fields.filter(({ args }) => args.length === 0).map(selectionOf));
  return `${name} { ${within.join(' ')} }`;
}

test('each ticket field that is selected alone has the same value in the list and on the single ticket', async () => {
  const fields = await fieldsOf('Ticket');
  for (const selection of await Promise.all(fields.map(selectionOf))) {
    const { data, errors } = await platform.clock.standingStill(() =>
      tenant.graphql(`query ($id: ID!) { ticket(id: $id) { ${selection} } tickets(page: { offset: 1 }) { nodes { ${selection} } } }`, {
        id,
      }),
    );
    expect(errors, selection).toBeUndefined();
    expect(data.tickets.nodes, selection).toEqual([data.ticket]);
  }
  expect(fields.length).toBeGreaterThan(30);
});
