import { TestClock } from '../../kernel/clock.ts';
import { onRig, start } from '../rig.ts';
import { followPage, testWithShell } from '../support/runnable-page.ts';
import { firstOwner } from './first-owner.ts';

testWithShell('the commands of README.md succeed and print the output that it shows', async () => {
  // a separate platform with the system time, which the commands use
  const platform = await start({}, new TestClock());
  try {
    const { key } = await onRig(platform, () => firstOwner());
    await followPage('README.md', {
      environment: {},
      replacements: { 'ORIGIN=http://127.0.0.1:4000': `ORIGIN=${platform.origin}`, 'sk_live_…': key },
    });
  } finally {
    await platform.close();
  }
});
