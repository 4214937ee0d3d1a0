/**
 * The last section of docs/config.md: the number of connections to PostgreSQL, and the requirements for a connection
 * pooler.
 */
export const CONNECTIONS = `## Connections to PostgreSQL

At its start a process logs how many connections it may open, for each database. With the defaults, and all subgraphs in one database:

| connections | by | how many |
| --- | --- | --- |
| transactions and reads | \`DATABASE_URL\` | \`DATABASE_POOL_SIZE\` for each of the five subgraphs: 25 |
| jobs | \`DATABASE_URL\` | 4 |
| notifications and polling | \`DATABASE_DIRECT_URL\` | 1 |
| short reads | \`DATABASE_DIRECT_URL\` | 1 |
| migrations, during the start | \`DATABASE_DIRECT_URL\` | 1 or 2 |

Without a pooler, \`max_connections\` of the server must be larger than (31 + 2) × processes, with those of both releases during an
upgrade, and a few for yourself: 3 processes need 100 and 6 need 200, or a smaller \`DATABASE_POOL_SIZE\`. A request waits 5 seconds for
a connection, then it is refused with 503 and \`Retry-After\`; \`database_pool_waiting\` in the metrics shows it before.

With PgBouncer (\`pool_mode = transaction\`), set \`DATABASE_URL\` to it and \`DATABASE_DIRECT_URL\` to the server. Then:

- \`max_client_conn\` of the pooler ≥ 29 × processes, its \`default_pool_size\` as many connections as the server has cores to spare
  (10 to 40), and \`max_connections\` of the server ≥ \`default_pool_size\` + 4 × processes.
- Nothing that goes through the pooler needs a session: no prepared statement, no \`SET\`, no \`LISTEN\`, no lock of a session, no startup
  \`options\`. Settings belong to the database or the role; \`jit = off\` is set there by the migration ([operations.md](operations.md)).
- Without \`DATABASE_DIRECT_URL\` the start is refused: prepared statements would fail, and session settings would leak to other clients.
- With session pooling, \`DATABASE_DIRECT_URL\` is not needed; the start logs a warning.
`;
