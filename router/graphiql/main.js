import 'graphiql/setup-workers/vite';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { buildSchema } from 'graphql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import { EXAMPLES } from './examples.js';
import { withoutHeaders } from './storage.js';
import './page.css';

const url = window.location.pathname;
const subscriptionUrl = `${window.location.origin.replace(/^http/, 'ws')}${url}`;

// sends the content of the headers editor with each request, and in connection_init of each WebSocket
const fetcher = createGraphiQLFetcher({ url, subscriptionUrl });

const defaultHeaders = JSON.stringify({ Authorization: 'Bearer <API key or access token>' }, null, 2);
const defaultQuery =
  '# Put your key into the headers editor below.\n# Ctrl-Enter runs an operation, Ctrl-Space proposes fields.\n\n{\n  __typename\n}\n';
const defaultTabs = EXAMPLES.map((query) => ({ query, headers: defaultHeaders }));
/** Options that keep GraphiQL from storing headers, because the headers editor contains an API key. */
const UNSTORED = { storage: withoutHeaders(window.localStorage), shouldPersistHeaders: false, showPersistHeadersSettings: false };

/**
 * Loads the published schema file, because introspection needs credentials, which a visitor does not have yet.
 * If it is undefined, GraphiQL uses introspection.
 */
async function publishedSchema() {
  const response = await fetch(`${url}/schema.graphql`);
  return response.ok ? buildSchema(await response.text(), { assumeValid: true }) : undefined;
}

const schema = await publishedSchema();
const props = { fetcher, schema, defaultHeaders, defaultQuery, defaultTabs, ...UNSTORED };
createRoot(document.getElementById('graphiql')).render(createElement(GraphiQL, props));
