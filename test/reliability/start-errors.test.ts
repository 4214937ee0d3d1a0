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

test('--help shows all settings and starts nothing', async () => {
  const { code, stdout, stderr } = await runPlatform(['--help']).exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/--data +DATA_DIR/);
});

test('invalid settings are reported in one line each', async () => {
  const { code, stdout, stderr } = await runPlatform(['--port', 'http'], { REDIS_URL: 'localhost' }).exited;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toBe('PORT must be a whole number from 0 to 65535, not "http".\nREDIS_URL must be a URL such as redis://host:6379.\n');
});

test('an unknown option is named in the error', async () => {
  const { code, stderr } = await runPlatform(['--prot', '1']).exited;
  expect({ code, stderr }).toEqual({ code: 1, stderr: "Unknown option '--prot'. See npm start -- --help.\n" });
});

test('a port that is already in use is reported in one line, and nothing is created', async () => {
  const port = await listening(createServer());
  const { code, stderr, stdout } = await runPlatform(['--port', String(port), '--data', temporaryFolder()]).exited;
  expect({ code, stderr, stdout }).toEqual({
    code: 1,
    stderr: `Port ${port} is in use. Choose another with --port, or --port 0 for a free one.\n`,
    stdout: '',
  });
});

test('an unreachable database is reported in one line without its password', async () => {
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

test('a data folder that is a file is reported in one line', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { code, stderr } = await runPlatform(['--port', '0', '--data', file]).exited;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The data folder .+ cannot be used: .+\.\n$/);
});

test.runIf(existsSync('/proc'))('a data folder that cannot be created is reported in one line without waiting', async () => {
  const { code, stderr } = await runPlatform(['--port', '0', '--data', '/proc/none/of/this']).exited;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The data folder .+ cannot be used: .+\.\n$/);
});

test('a second process on the same data folder is refused, and the first continues', async () => {
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
