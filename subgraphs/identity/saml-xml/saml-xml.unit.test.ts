import { describe, expect, test } from 'vitest';
import { MalformedXml, parseXml } from './saml-xml.ts';

describe('parsing untrusted XML', () => {
  test.each([
    ['<a/>'],
    ['<?xml version="1.0" encoding="UTF-8"?>\n<a b="1" c=\'2\'>x<d></d ></a>\n'],
    ['<x:a xmlns:x="urn:x"><x:b/>&amp;&#65;&#x41;</x:a>'],
  ])('the XML %s is parsed', async (text) => {
    expect((await parseXml(text)).localName).toBe('a');
  });

  test.each([
    [''],
    ['x'],
    ['<a>'],
    ['<a></b>'],
    ['<a><b></a></b>'],
    ['<a/><b/>'],
    ['x<a/>'],
    ['<a b=1/>'],
    ['<a b="1"c="2"/>'],
    ['<a b="<"/>'],
    ['<a b/>'],
    ['< a/>'],
    ['<a b="1" b="2"/>'],
    ['<x:a/>'],
    ['<a>&x;</a>'],
    ['<a>&</a>'],
    ['<a><!-- --></a>'],
    ['<a><![CDATA[x]]></a>'],
    ['<a><?x?></a>'],
    ['<!DOCTYPE a><a/>'],
    ['<?xml version="1.0" encoding="UTF-16"?><a/>'],
    ['<?xml version="1.0"?><?xml version="1.0"?><a/>'],
    ['<a>\0</a>'],
  ])('the XML %j is refused', async (text) => {
    await expect(parseXml(text).then(() => text)).rejects.toBeInstanceOf(MalformedXml);
  });

  const inside = (count: number, element: (index: number) => string) =>
    `<a>${Array.from({ length: count }, (_, i) => element(i)).join('')}</a>`;

  test.each([
    ['elements', inside(2000, () => '<b/>')],
    ['attributes', inside(1900, () => '<b c="" d="" e="" f="" g=""/>')],
    ['attributes', `<a ${Array.from({ length: 51 }, (_, index) => `b${index}=""`).join(' ')}/>`],
    ['namespaces', inside(51, (index) => `<b xmlns:c="urn:${index}"/>`)],
    ['deeply', '<a>'.repeat(41) + '</a>'.repeat(41)],
  ])('XML beyond a limit is refused with an error that contains the word "%s"', async (what, text) => {
    await expect(parseXml(text)).rejects.toThrow(what);
  });

  test('parseXml accepts a thousand elements, each with two namespace declarations and a type', async () => {
    const text = inside(1000, (index) => `<b xmlns:xs="urn:xs" xmlns:xsi="urn:xsi" xsi:type="xs:string">x${index}="1"</b>`);
    expect((await parseXml(text)).childNodes).toHaveLength(1000);
  });

  test('`comments: "drop"` removes XML comments, but unclosed comments and comments inside a DOCTYPE tag are refused', async () => {
    expect((await parseXml('<!-- x --><a><!----></a>', { comments: 'drop' })).localName).toBe('a');
    await expect(parseXml('<a/><!-- x', { comments: 'drop' })).rejects.toThrow();
    await expect(parseXml('<!<!-- -->DOCTYPE a><a/>', { comments: 'drop' })).rejects.toThrow();
  });
});
