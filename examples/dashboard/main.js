import { Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-ws';
import { accessToken } from './sign-in.js';

const origin = import.meta.env.VITE_ORIGIN;
const state = document.querySelector('#state');
const list = document.querySelector('#tickets');

const TICKET = gql`
  fragment TicketRow on Ticket { id number title priority status }
`;
const OPEN_TICKETS = gql`
  query { tickets(filter: { status: [OPEN, IN_PROGRESS, ESCALATED] }, page: { limit: 50 }) { nodes { ...TicketRow } } }
  ${TICKET}
`;
const TICKET_UPDATED = gql`
  subscription { ticketUpdated { id ticket { ...TicketRow } } }
  ${TICKET}
`;

/** Adds, changes or removes the row of a ticket. */
function show({ id, number, title, priority, status }, isNew) {
  const row = document.getElementById(id) ?? Object.assign(document.createElement('tr'), { id });
  if (status === 'RESOLVED') return row.remove();
  row.replaceChildren(
    ...[number, title, priority, status].map((text) => Object.assign(document.createElement('td'), { textContent: text })),
  );
  if (!row.isConnected) list[isNew ? 'prepend' : 'append'](row);
}

async function load() {
  const { data, error } = await client.query(OPEN_TICKETS, {}).toPromise();
  if (error) throw error;
  list.replaceChildren();
  for (const ticket of data.tickets.nodes) show(ticket, false);
}

let token = await accessToken();

const socket = createClient({
  url: `${origin.replace('http', 'ws')}/graphql`,
  connectionParams: async () => {
    token = await accessToken();
    return { authorization: `Bearer ${token}` };
  },
  retryAttempts: Number.POSITIVE_INFINITY,
  shouldRetry: () => true,
  on: {
    // loads the list again after each connection, because tickets may have changed while there was no connection
    connected: () =>
      load()
        .then(() => Object.assign(state, { textContent: 'Live' }))
        .catch(({ message }) => Object.assign(state, { textContent: message })),
    closed: () => Object.assign(state, { textContent: 'Connecting …' }),
  },
});

const client = new Client({
  url: `${origin}/graphql`,
  preferGetMethod: false,
  fetchOptions: () => ({ headers: { authorization: `Bearer ${token}` } }),
  exchanges: [
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: ({ query = '', variables }) => ({
        subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink) }),
      }),
    }),
  ],
});

client.subscription(TICKET_UPDATED, {}).subscribe(({ data, error }) => {
  if (error) state.textContent = error.message;
  if (data?.ticketUpdated.ticket) show(data.ticketUpdated.ticket, true);
});
