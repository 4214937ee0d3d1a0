const PREFIX = 'graphiql:';
/** What the user typed there is no list of requests: it stays as it is. */
const TEXTS = ['query', 'variables', 'operationName'].map((name) => PREFIX + name);

/**
 * The browser's storage without what stands in headers editors, where keys are: GraphiQL writes it into its history,
 * whatever `shouldPersistHeaders` says. While the page is open the whole text is in memory, so that a query of the
 * history brings its headers back. What earlier versions of the page have stored is cleaned.
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

/** JSON without members called headers; other text as it is. */
function stripped(text) {
  try {
    return JSON.stringify(JSON.parse(text, (key, value) => (key === 'headers' ? undefined : value)));
  } catch {
    return text;
  }
}
