import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { describe } from 'vitest';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const ARGUMENTS = ['--no-sandbox', '--headless', '--disable-gpu', '--disable-background-networking'];
const isThere = existsSync(CHROMIUM);
if (!isThere && !process.env.CI)
  process.stderr.write(
    `\nNothing is tried in a real browser: there is no ${CHROMIUM}. Install Debian's package chromium, or set CHROMIUM_PATH.\n`,
  );

/** Skips the tests on a machine without Chromium, except in CI, where Chromium must be installed. */
export const describeInChromium = isThere || process.env.CI ? describe : describe.skip;

/** Starts a browser, which the test must close. */
export async function launchChromium(): Promise<Browser> {
  if (!isThere) throw new Error(`There is no ${CHROMIUM}. Install Debian's package chromium, or set CHROMIUM_PATH.`);
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}
