import { expect, test } from 'vitest';
import { html } from './html.ts';

test('values in an HTML template are escaped in text and attributes', () => {
  const evil = `"><script>alert('x')</script>&`;
  expect(html`<a title="${evil}">${evil}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</a>',
  );
});

test('a nested HTML template is not escaped a second time, and an absent value becomes an empty text', () => {
  const items = ['a', '<b>'].map((name) => html`<li>${name}</li>`);
  expect(html`<ul>${items}</ul>${null}${undefined}${false}${0}`.text).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>0');
});
