import { expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json } from '../tenant.ts';

const cost = async (query: string, variables = {}) => {
  const tenant = await (await rig()).organization();
  const { errors } = await tenant.graphql(query, variables);
  return errors?.[0]?.extensions.details.reason;
};
const nested = (page: string) => `{ accounts(${page}) { nodes { tickets(limit: 200) { account { services(limit: 200) { id } } } } } }`;

test('a GraphQL operation whose nested lists could have more than 250,000 objects returns an error', async () => {
  expect(await cost(nested('page: { limit: 200 }'))).toMatch(/could have \d+ objects; at most 250000/);
  expect(await cost(nested('page: { limit: 1 }'))).toBeUndefined();
});

test('a page size in a variable counts towards the object limit of a GraphQL operation', async () => {
  const whole = `query ($page: PageInput) ${nested('page: $page')}`;
  expect(await cost(whole, { page: { perPage: 100 } })).toMatch(/at most/);
  expect(await cost(whole, { page: { perPage: 1 } })).toBeUndefined();
  const member = `query ($n: Int) ${nested('page: { limit: $n }')}`;
  expect(await cost(member, { n: 100 })).toMatch(/at most/);
  expect(await cost(member, { n: 1 })).toBeUndefined();
});

test('large text fields count as several objects towards the object limit of a GraphQL operation', async () => {
  const mails = (limit: number, members: string) =>
    `{ ticketNotifications(ticketId: "ticket_none", page: { limit: ${limit} }) { nodes { recipients { ${members} } } } }`;
  expect(await cost(mails(20, 'html'))).toMatch(/could have 5\d{5} objects/);
  expect(await cost(mails(200, 'id status'))).toBeUndefined();
  const descriptions = (times: number) =>
    `{ tickets(page: { limit: 200 }) { nodes { ${Array.from({ length: times }, (_, n) => `d${n}: description`).join(' ')} } } }`;
  expect(await cost(descriptions(1))).toBeUndefined();
  expect(await cost(descriptions(100))).toMatch(/at most/);
});

test('every REST list with per_page=200 stays below the object limit of its GraphQL operation', async () => {
  const tenant = await (await rig()).organization();
  const { body } = await tenant.rest('GET', '/openapi.json');
  const lists = Object.entries<Json>(body.paths).filter(
    ([path, { get }]) => !path.includes('{') && get?.parameters?.some(({ name }: Json) => name === 'per_page'),
  );
  expect(lists.length).toBeGreaterThan(5);
  const responses = await Promise.all(lists.map(([path]) => tenant.rest('GET', `${path}?per_page=200`)));
  expect(responses.map(({ body: { error } }) => JSON.stringify(error ?? null)).filter((error) => error.includes('objects'))).toEqual([]);
});

test('a null character or a lone surrogate in a variable returns an error, and so does a null character in the document', async () => {
  const open = 'mutation ($input: TicketCreateInput!) { createTicket(input: $input) { id } }';
  expect(await cost(open, { input: { title: 'a\u0000b', description: 'x' } })).toMatch(/cannot be stored/);
  expect(await cost(open, { input: { title: 'x', description: 'x', metadata: { deep: ['\ud800'] } } })).toMatch(/cannot be stored/);
  expect(await cost('{ ticket(id: "a\\u0000b") { id } }')).toMatch(/cannot be stored/);
});

test('each run of a partly failed mutation creates the same number of new tickets', async () => {
  const tenant = await (await rig()).organization();
  const input = '{ title: "A", description: "x" }';
  const query = `mutation ($bad: TicketCreateInput!) { a: createTicket(input: ${input}) { id } b: createTicket(input: $bad) { id } c: createTicket(input: ${input}) { id } }`;
  const made: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    await tenant.graphql(query, { bad: { title: '', description: '' } });
    made.push((await tenant.rest('GET', '/support/tickets')).body.pagination.total);
  }
  expect(made).toEqual([made[0], (made[0] ?? 0) * 2, (made[0] ?? 0) * 3]);
});
