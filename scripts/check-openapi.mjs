/**
 * Checks schema/openapi.json with the rules of redocly.yaml. A warning fails the check. redocly.yaml lists the disabled
 * rules with reasons.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const DOCUMENT = 'schema/openapi.json';
const LINTER = 'node_modules/@redocly/cli/bin/cli.js';
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const env = { ...process.env, ...QUIET };
const { stdout, stderr, error } = spawnSync(process.execPath, [LINTER, 'lint', DOCUMENT, '--config', 'redocly.yaml', '--format', 'json'], {
  env,
  encoding: 'utf8',
});
const report = parse(stdout);
if (error || !report) {
  console.error(error ?? (stderr || stdout));
  process.exit(1);
}
for (const { ruleId, message, location } of report.problems) {
  console.error(`${DOCUMENT}${location?.[0]?.pointer ?? ''}: ${message} (${ruleId})\n`);
}
const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
const operations = Object.values(paths).reduce((sum, path) => sum + Object.keys(path).length, 0);
console.log(`OpenAPI: ${operations} operations, ${report.problems.length} problems.`);
process.exitCode = report.problems.length > 0 ? 1 : 0;

function parse(text) {
  try {
    return JSON.parse(text.slice(text.indexOf('{')));
  } catch {
    return undefined;
  }
}
