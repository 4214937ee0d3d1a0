import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { start } from '../rig.ts';
import { runPlatform, temporaryFolder } from '../support/process.ts';

const SECRET_KEY = 'k'.repeat(32);

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('the platform with --help prints all settings and exits with 0', async () => {
  const { code, stdout, stderr } = await runPlatform(['--help']).exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/--data +DATA_DIR/);
});

test('the platform prints one line for each invalid setting and exits with 1', async () => {
  const { code, stdout, stderr } = await runPlatform(['--port', 'http'], { REDIS_URL: 'localhost' }).exited;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe('PORT must be a whole number from 0 to 65535, not "http".\nREDIS_URL must be a URL such as redis://host:6379.\n');
});

test('the platform with an unknown option exits with 1 and names the option', async () => {
  const { code, stderr } = await runPlatform(['--prot', '1']).exited;
  expect({ code, stderr }).toEqual({ code: 1, stderr: "Unknown option '--prot'. See npm start -- --help.\n" });
});

test('the platform prints one line and exits with 1 if its port is in use', async () => {
  const port = await listening(createServer());
  const { code, stderr, stdout } = await runPlatform(['--port', String(port), '--data', temporaryFolder()]).exited;
  expect({ code, stderr, stdout }).toEqual({
    code: 1,
    stderr: `Port ${port} is in use. Choose another with --port, or --port 0 for a free one.\n`,
    stdout: '',
  });
});

test('the platform prints one line without the password and exits with 1 if the database is unreachable', async () => {
  const server = createServer();
  const port = await listening(server);
  server.close();
  await once(server, 'close');
  const DATABASE_URL = `postgres://user:hunter2@127.0.0.1:${port}/platform`;
  const { code, stderr } = await runPlatform(['--port', '0'], { DATABASE_URL, SECRET_KEY }).exited;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `The database 127.0.0.1:${port}/platform cannot be used: nothing is listening there. Check DATABASE_URL.\n`,
  });
});

test('the platform prints one line and exits with 1 if the data folder is a file', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { code, stderr } = await runPlatform(['--port', '0', '--data', file]).exited;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The data folder .+ cannot be used: .+\.\n$/);
});

test.runIf(existsSync('/proc'))('the platform prints one line and exits with 1 if the data folder cannot be created', async () => {
  const { code, stderr } = await runPlatform(['--port', '0', '--data', '/proc/none/of/this']).exited;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The data folder .+ cannot be used: .+\.\n$/);
});

test('a second platform on the same data folder exits with 1, and the first platform stays ready', async () => {
  const folder = temporaryFolder();
  const first = await start({ DATA_DIR: folder, DATABASE_URL: '' });
  const second = await runPlatform(['--port', '0', '--data', folder]).exited;
  expect(second).toMatchObject({
    code: 1,
    stderr: `The data folder ${folder} is in use by process ${process.pid}. Stop it, or choose another folder with --data.\n`,
  });
  expect((await fetch(`${first.origin}/readyz`)).status).toBe(200);
  await first.close();
});
