import { expect, test } from 'vitest';
import { configMarkdown, helpText } from '../../apps/platform/command-line.ts';
import { settings } from '../../kernel/settings/settings.ts';

test('docs/config.md says what kernel/settings/ does', async () => {
  await expect(configMarkdown()).toMatchFileSnapshot('../../docs/config.md');
});

test('--help names every setting with its option and default', () => {
  const help = helpText();
  for (const { name } of Object.values(settings)) expect(help).toContain(name);
  expect(help).toMatch(/--port +PORT +.+\n +default: 4000/);
});
