import pg from 'pg';

let made = 0;

/** The URL of a database that nobody else uses, on the server that the suites run on, dropped at their end; undefined where that is none. */
export async function ownDatabase(): Promise<string | undefined> {
  const server = process.env.TEST_DATABASE_URL;
  if (!server) return undefined;
  made += 1;
  const url = new URL(server);
  // the suites' teardown drops what begins with the name of a worker's database
  const name = `${url.pathname.slice(1)}_own_${process.pid}_${made}`;
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  url.pathname = `/${name}`;
  return url.href;
}
