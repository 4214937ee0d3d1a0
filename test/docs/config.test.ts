import { expect, test } from 'vitest';
import { configMarkdown, envExample, helpText } from '../../apps/platform/command-line.ts';
import type { Setting } from '../../kernel/settings/setting.ts';
import { settings } from '../../kernel/settings/settings.ts';

test('docs/config.md equals the page that is generated from the settings', async () => {
  await expect(configMarkdown()).toMatchFileSnapshot('../../docs/config.md');
});

test('.env.example lists every setting with its default as a comment', async () => {
  await expect(envExample()).toMatchFileSnapshot('../../.env.example');
  const lines = envExample().split('\n');
  for (const { name, fallback } of Object.values<Setting>(settings)) expect(lines).toContain(`#${name}=${fallback ?? ''}`);
  expect(lines.filter((line) => line && !line.startsWith('#'))).toEqual([]);
});

test('--help lists every setting with its option and default', () => {
  const help = helpText();
  for (const { name } of Object.values(settings)) expect(help).toContain(name);
  expect(help).toMatch(/--port +PORT +.+\n +default: 4000/);
});
