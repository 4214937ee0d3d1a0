import 'graphiql/setup-workers/vite';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { createElement, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import 'graphiql/style.css';
import { withoutHeaders } from './storage.js';
import './page.css';

const url = window.location.pathname;
const subscriptionUrl = `${window.location.origin.replace(/^http/, 'ws')}${url}`;

// what stands in the headers editor goes with requests, and into connection_init of sockets
const fetcher = createGraphiQLFetcher({ url, subscriptionUrl });

const defaultHeaders = JSON.stringify({ Authorization: 'Bearer <API key or access token>' }, null, 2);
const defaultQuery =
  '# Put your key into the headers editor below.\n# Ctrl-Enter runs an operation, Ctrl-Space proposes fields.\n\n{\n  __typename\n}\n';
/** A key that stands in the headers editor is gone with the page. */
const UNSTORED = { storage: withoutHeaders(window.localStorage), shouldPersistHeaders: false, showPersistHeadersSettings: false };
const TYPING_PAUSE_MS = 500;

/** Who has no key yet may not read the schema: it is read anew, which GraphiQL does for another fetcher, when the headers change. */
function Page() {
  const [current, setCurrent] = useState(() => fetcher);
  const pause = useRef();
  const onEditHeaders = () => {
    clearTimeout(pause.current);
    pause.current = setTimeout(
      () =>
        setCurrent(
          () =>
            (...request) =>
              fetcher(...request),
        ),
      TYPING_PAUSE_MS,
    );
  };
  return createElement(GraphiQL, { fetcher: current, defaultHeaders, defaultQuery, onEditHeaders, ...UNSTORED });
}

createRoot(document.getElementById('graphiql')).render(createElement(Page));
