import { expect, onTestFinished, test, vi } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import { PlatformError } from '../../kernel/errors/errors.ts';
import { createLogger } from '../../kernel/log/log.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { CredentialWatch } from '../../router/credential-watch.ts';

const log = createLogger({ level: 'silent' });
const caller = (number: number): RequestContext => ({
  requestId: `req_${number}`,
  principal: new Principal({
    kind: 'user',
    id: `user_${number}`,
    organizationId: `org_${number}`,
    plan: 'custom',
    grants: ['*:*'],
    sessionId: `sess_${number}`,
    clientId: `client_${number}`,
  }),
  log,
});

/** Callers are rechecked only after a change reported by `tell`. */
function watchTold(): { watch: CredentialWatch<RequestContext>; tell: (subjectId: string) => void } {
  let tell: (subjectId: string) => void = () => undefined;
  const onCredentialChange = (listener: typeof tell): void => {
    tell = listener;
  };
  const watch = new CredentialWatch<RequestContext>({ onCredentialChange, recheckMs: 3_600_000, log });
  onTestFinished(() => watch.close());
  return { watch, tell };
}

const refused = async (): Promise<never> => {
  throw new PlatformError('INVALID_CREDENTIALS', 'They hold no more.');
};

test.each([
  ['a user or key', 'user_1'],
  ['a session', 'sess_1'],
  ['a client', 'client_1'],
  ['an organization', 'org_1'],
  ['an unknown subject', ''],
])('a change of %s closes connections of that caller at once', async (_, subjectId) => {
  const { watch, tell } = watchTold();
  const ended = new Promise<PlatformError>((end) => watch.watch(caller(1), { readmit: refused, end }));
  tell(subjectId);
  expect((await ended).code).toBe('INVALID_CREDENTIALS');
});

test('a connection with other credentials is not rechecked', async () => {
  const { watch, tell } = watchTold();
  const readmit = vi.fn(refused);
  watch.watch(caller(2), { readmit, end: () => undefined });
  const ended = new Promise<PlatformError>((end) => watch.watch(caller(1), { readmit: refused, end }));
  tell('user_1');
  await ended;
  expect(readmit).not.toHaveBeenCalled();
});

test('a connection is closed too if its credentials are valid but no longer allowed from its address or at this time', async () => {
  const { watch, tell } = watchTold();
  const readmit = () => Promise.reject(new PlatformError('ACCESS_RESTRICTED', 'Not at this time.'));
  const ended = new Promise<PlatformError>((end) => watch.watch(caller(1), { readmit, end }));
  tell('user_1');
  expect((await ended).code).toBe('ACCESS_RESTRICTED');
});
