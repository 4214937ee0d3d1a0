import { rig } from '../rig.ts';
import { followPage, testWithShell } from '../support/runnable-page.ts';
import { firstOwner } from './first-owner.ts';

testWithShell('the commands of the README succeed and print what it shows', async () => {
  const { origin, clock } = await rig();
  const { key } = await firstOwner();
  await followPage('README.md', {
    environment: {},
    replacements: { 'ORIGIN=http://127.0.0.1:4000': `ORIGIN=${origin}`, 'sk_live_…': key },
    aheadMs: clock.offsetMs,
  });
});
