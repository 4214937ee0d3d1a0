const PREFIX = 'graphiql:';
/** Names of entries with texts that the user typed. They are stored unchanged, because they contain no headers. */
const TEXTS = ['query', 'variables', 'operationName'].map((name) => PREFIX + name);

/**
 * Wraps the browser's storage so that it never contains headers, because users type API keys into the headers editor.
 * GraphiQL would write headers into its history, even with `shouldPersistHeaders: false`.
 * While the page is open, the texts with headers are in memory, so that a query from the history has its headers.
 * Headers that earlier versions of the page have stored are removed.
 */
export function withoutHeaders(storage) {
  const written = new Map();
  const names = () => Object.keys(storage).filter((name) => name.startsWith(PREFIX));
  for (const name of names()) store(storage, name, storage.getItem(name));
  return {
    get length() {
      return names().length;
    },
    getItem: (name) => written.get(name) ?? storage.getItem(name),
    setItem(name, value) {
      store(storage, name, value);
      written.set(name, value);
    },
    removeItem(name) {
      written.delete(name);
      storage.removeItem(name);
    },
    clear() {
      written.clear();
      for (const name of names()) storage.removeItem(name);
    },
  };
}

function store(storage, name, value) {
  if (name === `${PREFIX}headers`) storage.removeItem(name);
  else storage.setItem(name, TEXTS.includes(name) ? value : stripped(value));
}

/** Removes fields named `headers` from JSON. Text that is not JSON is returned unchanged. */
function stripped(text) {
  try {
    return JSON.stringify(JSON.parse(text, (key, value) => (key === 'headers' ? undefined : value)));
  } catch {
    return text;
  }
}
