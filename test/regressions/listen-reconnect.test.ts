import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../kernel/database/database.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { eventually } from '../rig.ts';

// the messages of a PostgreSQL server that accepts every login and sends no data
const AUTHENTICATION_OK = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]);
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const QUERY = 0x51;
const LISTENING = Buffer.concat([Buffer.from([0x43, 0, 0, 0, 11]), Buffer.from('LISTEN\0'), READY]);

test('reconnections to a failed database server happen one at a time with pauses', async () => {
  const sockets = new Set<Socket>();
  const attempts: number[] = [];
  let isUp = true;
  const server = createServer((socket) => {
    attempts.push(performance.now());
    socket.on('error', () => undefined);
    if (!isUp) return void socket.resetAndDestroy();
    sockets.add(socket);
    socket.once('data', () => {
      socket.write(Buffer.concat([AUTHENTICATION_OK, READY]));
      socket.once('data', (message) => message[0] === QUERY && socket.write(LISTENING));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  const url = `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`;
  const database = await Database.open({ url }, createLogger({ level: 'silent' }));
  await database.listen('news', () => undefined);
  isUp = false;
  attempts.length = 0;
  for (const socket of sockets) socket.resetAndDestroy();
  await eventually(() => attempts.length >= 4, 20_000);
  const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThan(500);
  await database.close();
});

test('a channel that is added while the connection is lost is listened to after the reconnection', async () => {
  const queries: string[] = [];
  let isLost = false;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(Buffer.concat([AUTHENTICATION_OK, READY]));
      socket.on('data', (message) => {
        if (message[0] !== QUERY) return;
        if (isLost) {
          isLost = false;
          socket.resetAndDestroy();
          return;
        }
        queries.push(message.toString());
        socket.write(LISTENING);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());

  const url = `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`;
  const database = await Database.open({ url }, createLogger({ level: 'silent' }));
  onTestFinished(() => database.close());
  await database.listen('first', () => undefined);
  isLost = true;
  await database.listen('second', () => undefined);
  await eventually(() => queries.some((text) => text.includes('listen "first"') && text.includes('listen "second"')), 20_000);
});
