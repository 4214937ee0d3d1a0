import { expect, test } from 'vitest';
import { documentOf, paragraphsOf, textOfAdf } from './adf.ts';

const p = (...content: object[]): object => ({ type: 'paragraph', content });
const t = (text: string, ...marks: object[]): object => ({ type: 'text', text, marks });

test('plain text stays the same if it is converted to a Jira document and back', () => {
  const plain = 'One\ntwo\n\nThree *is* {code} & <b>\n\n  four';
  expect(paragraphsOf(plain)).toHaveLength(3);
  expect(textOfAdf(documentOf(...paragraphsOf(plain)))).toBe('One\ntwo\n\nThree *is* {code} & <b>\n\n  four');
});

test.each(['', '\n\n\n', 'a\n\n\n\nb', '\na', 'a\n'])('the Jira document created from the text %j has no empty text nodes', (plain) => {
  expect(JSON.stringify(paragraphsOf(plain))).not.toContain('"text":""');
});

test('a text longer than the limit of Jira is shortened without splitting a character such as an emoji, and ends with an ellipsis', () => {
  const words = JSON.stringify(paragraphsOf('🦊'.repeat(40_000)));
  expect(words.isWellFormed()).toBe(true);
  expect(words).toContain('…');
  expect(words.length).toBeLessThan(62_000);
});

test.each([
  [
    'a mention and an emoji',
    p({ type: 'mention', attrs: { text: '@Ada' } }, t(' '), { type: 'emoji', attrs: { shortName: ':fox:', text: '🦊' } }),
    '@Ada 🦊',
  ],
  ['a link', p(t('here', { type: 'link', attrs: { href: 'https://example.com/a' } })), 'here (https://example.com/a)'],
  ['a link that is its own text', p(t('https://a.example', { type: 'link', attrs: { href: 'https://a.example' } })), 'https://a.example'],
  ['a card', p({ type: 'inlineCard', attrs: { url: 'https://a.example' } }), 'https://a.example'],
  [
    'a list',
    {
      type: 'bulletList',
      content: [
        { type: 'listItem', content: [p(t('one'))] },
        { type: 'listItem', content: [p(t('two'))] },
      ],
    },
    '- one\n- two',
  ],
  ['code', { type: 'codeBlock', content: [t('a = 1\nb = 2')] }, 'a = 1\nb = 2'],
  ['an image', { type: 'mediaSingle', content: [{ type: 'media', attrs: { id: 'x' } }] }, '[attachment]'],
  [
    'a table',
    {
      type: 'table',
      content: [
        {
          type: 'tableRow',
          content: [
            { type: 'tableCell', content: [p(t('a'))] },
            { type: 'tableCell', content: [p(t('b'))] },
          ],
        },
      ],
    },
    'a | b |',
  ],
  ['an unknown node', { type: 'novelty', content: [p(t('inside'))] }, 'inside'],
  ['an unknown node named like an inherited property', { type: 'constructor', content: [p(t('inside'))] }, 'inside'],
  ['a mention without a name', { type: 'mention', attrs: null }, ''],
  ['a text instead of a node', 'text', ''],
  ['a number instead of a text', { type: 'text', text: 7 }, '7'],
])('a Jira document with %s is converted to plain text', (_, node, expected) => {
  expect(textOfAdf({ type: 'doc', version: 1, content: [node] })).toBe(expected);
});

test('text in 10,000 nested nodes of a Jira document is left out of the plain text', () => {
  let node: object = t('deep');
  for (let depth = 0; depth < 10_000; depth += 1) node = { type: 'panel', content: [node] };
  expect(textOfAdf(node)).toBe('');
});
