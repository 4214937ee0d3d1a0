import 'graphiql/setup-workers/vite';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import './page.css';

const url = window.location.pathname;
const subscriptionUrl = `${window.location.origin.replace(/^http/, 'ws')}${url}`;

// what stands in the headers editor goes with requests, and into connection_init of sockets
const fetcher = createGraphiQLFetcher({ url, subscriptionUrl });

const defaultHeaders = JSON.stringify({ Authorization: 'Bearer <API key or access token>' }, null, 2);
const defaultQuery = '# Put your key into the headers editor below, then run an operation (Ctrl-Enter).\n\n{\n  __typename\n}\n';

createRoot(document.getElementById('graphiql')).render(createElement(GraphiQL, { fetcher, defaultHeaders, defaultQuery }));
