import { parseArgs } from 'node:util';
import { ConfigError, type ConfigSource } from '../../kernel/settings/config.ts';
import type { Setting } from '../../kernel/settings/setting.ts';
import { settings } from '../../kernel/settings/settings.ts';
import { CONNECTIONS } from './connections.document.ts';

const table: readonly Setting[] = Object.values(settings);
const isSwitch = ({ fallback }: Setting): boolean => fallback === '0';

export interface Command {
  help: boolean;
  /** The environment variables, overridden by the command-line options. */
  source: ConfigSource;
}

/**
 * Reads the options of the command line, which override the environment.
 * @throws ConfigError for an option that does not exist or has no value
 */
export function readCommand(args: readonly string[], environment: ConfigSource): Command {
  const withOption = table.filter(({ option }) => option);
  const options = Object.fromEntries(
    withOption.map((one) => [one.option, { type: isSwitch(one) ? ('boolean' as const) : ('string' as const) }]),
  );
  const values = parse(args, { ...options, help: { type: 'boolean', short: 'h' } });

  const given = withOption.flatMap(({ option = '', name }) => {
    const value = values[option];
    if (value === undefined) return [];
    return [[name, typeof value === 'boolean' ? (value ? '1' : '0') : value]];
  });
  return { help: values.help === true, source: { ...environment, ...(Object.fromEntries(given) as ConfigSource) } };
}

type Values = Record<string, string | boolean | undefined>;

function parse(args: readonly string[], options: Record<string, { type: 'boolean' | 'string'; short?: string }>): Values {
  try {
    return parseArgs({ args: [...args], options, allowNegative: true }).values as Values;
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error);
    throw new ConfigError([`${reason.replace(/\.$/, '')}. See npm start -- --help.`]);
  }
}

const NAME_WIDTH = 26;

/** Returns the output of `--help`. */
export function helpText(): string {
  const lines = table.map((one) => {
    const option = one.option ? `--${one.option}` : '';
    return `  ${option.padEnd(NAME_WIDTH - 2)}${`${one.name} `.padEnd(NAME_WIDTH)}${one.about}\n${' '.repeat(2 * NAME_WIDTH)}${defaultOf(one)}`;
  });
  return [
    'Starts the platform: npm start -- [options]. Each setting is an environment variable; some are also options.',
    '',
    ...lines,
    '',
  ].join('\n');
}

/** Generates docs/config.md. */
export function configMarkdown(): string {
  const rows = table.map((one) => `| \`${one.name}\` | ${one.option ? `\`--${one.option}\`` : ''} | ${one.about} | ${defaultCell(one)} |`);
  return [
    '# Settings',
    '',
    '<!-- Generated from kernel/settings/ by `npm run schema`. -->',
    '',
    'Settings are environment variables. A setting with an option can also be set by `npm start -- --option value`; the option overrides',
    'the variable. An empty value counts as not set. If settings are invalid, the platform does not start and lists all invalid settings.',
    '',
    '| variable | option | what it does | default |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
    CONNECTIONS,
  ].join('\n');
}

/** Generates .env.example: every setting with its default, commented out. */
export function envExample(): string {
  const entries = table.map((one) => `# ${one.about}\n# ${defaultOf(one)}\n#${one.name}=${one.fallback ?? ''}`);
  return [
    '# Settings of the platform. Copy this file to .env and set what you need.',
    '# docker compose reads the settings that docker-compose.yml names from .env. For npm start: set -a; . ./.env; set +a; npm start',
    '# Generated from kernel/settings/ by `npm run schema`. docs/config.md lists the same settings.',
    ...entries.map((entry) => `\n${entry}`),
    '',
  ].join('\n');
}

const defaultOf = ({ fallback, otherwise }: Setting): string => `default: ${fallback || otherwise || 'none'}`;
const defaultCell = ({ fallback, otherwise }: Setting): string => (fallback ? `\`${fallback}\`` : (otherwise ?? 'none'));
