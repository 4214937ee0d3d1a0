/**
 * The last section of docs/config.md: the number of connections to PostgreSQL, and the requirements for a connection
 * pooler.
 */
export const CONNECTIONS = `## Connections to PostgreSQL

When a process starts, it logs how many connections it may open for each database. With the default settings and all subgraphs in one
database, the numbers are:

| purpose of the connections | setting | number per process |
| --- | --- | --- |
| transactions and reads | \`DATABASE_URL\` | \`DATABASE_POOL_SIZE\` for each of the six subgraphs: 30 |
| jobs | \`DATABASE_URL\` | 4 |
| notifications and polling | \`DATABASE_DIRECT_URL\` | 1 |
| short reads | \`DATABASE_DIRECT_URL\` | 1 |
| migrations, during the start | \`DATABASE_DIRECT_URL\` | 1 or 2 |

Without a pooler, \`max_connections\` of the server must be larger than (31 + 2) × processes. During an upgrade, count the processes of both
releases, and add a few connections for administrators. For example, 3 processes need 100 connections, and 6 processes need 200. With a smaller
\`DATABASE_POOL_SIZE\`, they need fewer. A request waits up to 5 seconds for a connection. Then it is rejected with 503 and \`Retry-After\`. The metric
\`database_pool_waiting\` shows how many requests are waiting.

With PgBouncer (\`pool_mode = transaction\`), set \`DATABASE_URL\` to the URL of PgBouncer and \`DATABASE_DIRECT_URL\` to the URL of the server.
Then:

- \`max_client_conn\` of the pooler must be at least 29 × processes.
- \`default_pool_size\` of the pooler should be between 10 and 40: the number of CPU cores that the server can use for the platform.
- \`max_connections\` of the server must be at least \`default_pool_size\` + 4 × processes.
- The platform sends nothing through the pooler that needs a session: no prepared statements, \`SET\`, \`LISTEN\`, session locks or startup
  \`options\`. Set PostgreSQL parameters for the database or the role. The platform sets \`jit = off\` in this way
  ([operations.md](operations.md#pgbouncer)).
- Without \`DATABASE_DIRECT_URL\`, the platform does not start: prepared statements would fail, and session settings would affect other
  clients.
- With \`pool_mode = session\`, \`DATABASE_DIRECT_URL\` is not needed. Without it, the start logs a warning.
`;
