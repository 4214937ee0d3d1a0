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

/** A developer's machine may have no browser; in CI there must be one. */
export const describeInChromium = isThere || process.env.CI ? describe : describe.skip;

/** Starts a browser; the test closes it. */
export async function launchChromium(): Promise<Browser> {
  if (!isThere) throw new Error(`There is no ${CHROMIUM}. Install Debian's package chromium, or set CHROMIUM_PATH.`);
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}
