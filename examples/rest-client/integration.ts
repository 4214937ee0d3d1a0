import { Api } from './api.ts';

const { ORIGIN = 'http://127.0.0.1:4000', KEY = '' } = process.env;
const RETRIES = 3;
const POLL_MS = 500;

/**
 * Sends a request, and repeats it after status 429 or 503. The header `Retry-After` of these responses says how long to
 * wait.
 */
async function fetchWithRetries(...parameters: Parameters<typeof fetch>): Promise<Response> {
  for (let retry = 0; ; retry++) {
    const response = await fetch(...parameters);
    if (![429, 503].includes(response.status) || retry === RETRIES) return response;
    await pause(1000 * Number(response.headers.get('retry-after') ?? 1));
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const api = new Api({
  baseUrl: `${ORIGIN}/v1`,
  baseApiParams: { headers: { authorization: `Bearer ${KEY}` } },
  customFetch: fetchWithRetries,
});
/**
 * Returns a new idempotency key. The platform executes a POST once for each key, even if the request arrives several
 * times.
 */
const once = () => ({ headers: { 'idempotency-key': crypto.randomUUID() } });

const { data: account } = (await api.accounts.createAccount({ name: 'Hudson Robotics', email: 'it@hudson.example' }, once())).data;

const location = { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' };
const order = { account_id: account.id, service_type: 'fiber', bandwidth: '1000mbps', location } as const;
let { data: service } = (await api.connectivity.orderInternetService(order, once())).data;
while (service.status === 'pending' || service.status === 'provisioning') {
  await pause(POLL_MS);
  service = (await api.services.getService(service.id)).data.data;
}
console.log(`${service.name} is ${service.status}.`);

const newTicket = { title: 'Line is down', description: 'No light on the modem since noon.', service_affected: service.id };
const { ticket } = (await api.support.createTicket(newTicket, once())).data;
console.log(`Opened ${ticket.number}.`);

// reads all pages; new tickets do not change the position of the cursor
let cursor: string | undefined;
do {
  const { tickets, pagination } = (await api.support.listTickets({ limit: 50, cursor })).data;
  for (const { number, title, status } of tickets) console.log(`${number} ${status}: ${title}`);
  cursor = pagination.next_cursor ?? undefined;
} while (cursor);

// this account does not exist; it shows how to read an error
try {
  await api.accounts.getAccount('acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G');
} catch (response) {
  const { code, request_id } = (response as { error: { error: { code: string; request_id: string } } }).error.error;
  console.log(`The platform returned ${code}. The request id is ${request_id}.`);
}
