import { describe, expect, test } from 'vitest';
import { MalformedXml, parseXml } from './saml.xml.ts';

describe('XML of strangers', () => {
  test.each([
    ['<a/>'],
    ['<?xml version="1.0" encoding="UTF-8"?>\n<a b="1" c=\'2\'>x<d></d ></a>\n'],
    ['<x:a xmlns:x="urn:x"><x:b/>&amp;&#65;&#x41;</x:a>'],
  ])('%s is read', async (text) => {
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
  ])('%j is refused', async (text) => {
    await expect(parseXml(text).then(() => text)).rejects.toBeInstanceOf(MalformedXml);
  });

  test('comments are dropped where they may stand, and hide nothing', async () => {
    expect((await parseXml('<!-- x --><a><!----></a>', { comments: 'drop' })).localName).toBe('a');
    await expect(parseXml('<a/><!-- x', { comments: 'drop' })).rejects.toThrow();
    await expect(parseXml('<!<!-- -->DOCTYPE a><a/>', { comments: 'drop' })).rejects.toThrow();
  });
});
