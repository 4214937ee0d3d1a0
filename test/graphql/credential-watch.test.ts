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

/** Returns a watch that rechecks callers only after a change is reported through the returned function. */
function watchWithReports(): { watch: CredentialWatch<RequestContext>; reportChange: (subjectId: string) => void } {
  let reportChange: (subjectId: string) => void = () => undefined;
  const onCredentialChange = (listener: typeof reportChange): void => {
    reportChange = listener;
  };
  const watch = new CredentialWatch<RequestContext>({ onCredentialChange, recheckMs: 3_600_000, log });
  onTestFinished(() => watch.close());
  return { watch, reportChange };
}

const refused = async (): Promise<never> => {
  throw new PlatformError('INVALID_CREDENTIALS', 'These credentials are no longer valid.');
};

test.each([
  ['a user or key', 'user_1'],
  ['a session', 'sess_1'],
  ['a client', 'client_1'],
  ['an organization', 'org_1'],
  ['an unknown subject', ''],
])('a change of %s closes a connection whose credentials are no longer valid', async (_, subjectId) => {
  const { watch, reportChange } = watchWithReports();
  const ended = new Promise<PlatformError>((end) => watch.watch(caller(1), { readmit: refused, end }));
  reportChange(subjectId);
  expect((await ended).code).toBe('INVALID_CREDENTIALS');
});

test("a change of a user's credentials does not recheck the connections of other callers", async () => {
  const { watch, reportChange } = watchWithReports();
  const readmit = vi.fn(refused);
  watch.watch(caller(2), { readmit, end: () => undefined });
  const ended = new Promise<PlatformError>((end) => watch.watch(caller(1), { readmit: refused, end }));
  reportChange('user_1');
  await ended;
  expect(readmit).not.toHaveBeenCalled();
});

test('a change of credentials closes a connection that the new address or time restrictions do not allow', async () => {
  const { watch, reportChange } = watchWithReports();
  const readmit = () => Promise.reject(new PlatformError('ACCESS_RESTRICTED', 'Not at this time.'));
  const ended = new Promise<PlatformError>((end) => watch.watch(caller(1), { readmit, end }));
  reportChange('user_1');
  expect((await ended).code).toBe('ACCESS_RESTRICTED');
});
