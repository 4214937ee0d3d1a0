import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../kernel/values/money.ts';
import type { InvoiceDocument, InvoiceDocumentLine } from './invoice-document.ts';
import { invoicePdf } from './invoice-pdf.ts';

const line = (changes: Partial<InvoiceDocumentLine> = {}): InvoiceDocumentLine => ({
  description: 'Internet access 1 Gbit/s',
  quantity: 2,
  unitPrice: new Decimal('600'),
  amount: new Decimal('1200'),
  periodText: null,
  ...changes,
});

const invoice = (changes: Partial<InvoiceDocument> = {}): InvoiceDocument => ({
  number: 'INV-1042',
  issuedAt: new Date('2026-01-31T10:00:00Z'),
  dueDate: new Date('2026-03-02T10:00:00Z'),
  status: 'overdue',
  currency: 'EUR',
  seller: { name: 'Example Telecom GmbH', address: ['Hafenstraße 12', '20457 Hamburg'], taxId: 'DE123456789', footer: null },
  billTo: { name: 'Ελληνικά Δίκτυα', address: ['11523 Αθήνα'], taxId: null },
  lines: [line()],
  subtotal: new Decimal('1200'),
  taxes: [{ name: 'VAT', rate: new Decimal('20'), taxable: new Decimal('1200'), amount: new Decimal('240'), reason: null }],
  amount: new Decimal('1440'),
  paid: new Decimal('0'),
  creditApplied: new Decimal('0'),
  credited: new Decimal('0'),
  amountDue: new Decimal('1440'),
  notes: null,
  ...changes,
});

const linesOf = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    line({ description: `Line ${index + 1}.`, periodText: index % 2 ? '2026-01-01 to 2026-01-31' : null }),
  );

/** A line of text in a PDF. `left` and `right` are points from the left edge of the page, `y` is points from its bottom edge. */
interface ShownText {
  text: string;
  left: number;
  right: number;
  y: number;
}

/** Reads the objects of a PDF by its cross-reference table. An object consists of a dictionary and an uncompressed stream. */
function objectsOf(pdf: Buffer): Map<string, { dictionary: string; stream: string }> {
  const file = pdf.toString('latin1');
  const table = file.slice(Number(/startxref\n(\d+)\n%%EOF/.exec(file)?.[1]));
  const offsets = [...table.matchAll(/^(\d{10}) 00000 n/gm)].map(([, offset]) => Number(offset));
  return new Map(
    offsets.map((offset) => {
      const [head = '', id = '', dictionary = ''] = /^(\d+) 0 obj\n([\s\S]*?)\n(?:stream\n|endobj)/.exec(file.slice(offset)) ?? [];
      const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1] ?? 0);
      const bytes = pdf.subarray(offset + head.length, offset + head.length + length);
      const stream = dictionary.includes('/FlateDecode') ? inflateSync(bytes) : bytes;
      return [id, { dictionary, stream: stream.toString('latin1') }];
    }),
  );
}

/** Reads the texts of each page of a PDF, in the order in which they are in the file. */
function pagesOf(pdf: Buffer): ShownText[][] {
  const objects = objectsOf(pdf);
  const get = (id: string | undefined) => objects.get(id ?? '') ?? { dictionary: '', stream: '' };
  const reference = (dictionary: string, name: string) => new RegExp(`/${name} \\[?(\\d+) 0 R`).exec(dictionary)?.[1];
  const fontOf = (id: string | undefined) => {
    const { dictionary } = get(id);
    const ranges = get(reference(dictionary, 'ToUnicode')).stream.matchAll(/^<[0-9a-f]+> <[0-9a-f]+> \[(.*)\]$/gm);
    const codes = [...ranges].flatMap(([, entries]) => [...(entries ?? '').matchAll(/<([^>]*)>/g)]);
    const characters = codes.map(([, code]) =>
      Buffer.from((code ?? '').replaceAll(' ', ''), 'hex')
        .swap16()
        .toString('utf16le'),
    );
    const widths =
      /\/W \[0 \[([^\]]*)\]/
        .exec(get(reference(dictionary, 'DescendantFonts')).dictionary)?.[1]
        ?.split(' ')
        .map(Number) ?? [];
    return { characters, widths };
  };
  const pages = [...objects.values()].find(({ dictionary }) => dictionary.includes('/Type /Pages'));
  const kids = [...(/\/Kids \[(.*?)\]/.exec(pages?.dictionary ?? '')?.[1] ?? '').matchAll(/(\d+) 0 R/g)];
  return kids.map(([, id]) => {
    const page = get(id).dictionary;
    const resources = get(reference(page, 'Resources')).dictionary;
    return [...get(reference(page, 'Contents')).stream.matchAll(/BT\n([\s\S]*?)\nET/g)].map(([, block = '']) => {
      const [, name = '', size = ''] = /\/(F\d+) ([\d.]+) Tf/.exec(block) ?? [];
      const { characters, widths } = fontOf(reference(resources, name));
      const [, left, y] = /1 0 0 1 (\S+) (\S+) Tm/.exec(block) ?? [];
      const glyphs = [...block.matchAll(/<([0-9a-f]+)>/g)]
        .flatMap(([, hex]) => hex?.match(/.{4}/g) ?? [])
        .map((hex) => Number.parseInt(hex, 16));
      const width = glyphs.reduce((sum, glyph) => sum + ((widths[glyph] ?? 0) / 1000) * Number(size), 0);
      return { text: glyphs.map((glyph) => characters[glyph]).join(''), left: Number(left), right: Number(left) + width, y: Number(y) };
    });
  });
}

const textsOf = async (document: InvoiceDocument) => pagesOf(await invoicePdf(document)).map((page) => page.map(({ text }) => text));

test('the PDF of an invoice shows seller, customer, lines and sums in reading order', async () => {
  const document = invoice({
    lines: [line({ periodText: '2026-01-01 to 2026-01-31' })],
    taxes: [
      { name: 'VAT', rate: new Decimal('20'), taxable: new Decimal('1200'), amount: new Decimal('240'), reason: null },
      { name: 'VAT', rate: new Decimal('0'), taxable: new Decimal('0'), amount: new Decimal('0'), reason: 'Reverse charge' },
    ],
    credited: new Decimal('40'),
    creditApplied: new Decimal('0.5'),
    paid: new Decimal('1000'),
    amountDue: new Decimal('399.5'),
    notes: 'Thank you.\nSee you.',
  });
  expect(await textsOf(document)).toEqual([
    [
      ...['Example Telecom GmbH', 'Hafenstraße 12', '20457 Hamburg', 'Tax ID: DE123456789', 'Invoice'],
      ...['Bill to', 'Ελληνικά Δίκτυα', '11523 Αθήνα'],
      ...['Invoice number: INV-1042', 'Issued: 2026-01-31', 'Due: 2026-03-02', 'Status: Overdue'],
      ...['Description', 'Quantity', 'Unit price', 'Amount (EUR)'],
      ...['Internet access 1 Gbit/s', '2026-01-01 to 2026-01-31', '2', '600.00', '1,200.00'],
      ...[
        'Subtotal',
        '1,200.00',
        'VAT (20% of 1,200.00)',
        '240.00',
        'VAT (0% of 0.00)',
        'Reverse charge',
        '0.00',
        'Total (EUR)',
        '1,440.00',
      ],
      ...['Credit notes', '-40.00', 'Account credit', '-0.50', 'Paid', '-1,000.00', 'Amount due (EUR)', '399.50'],
      ...['Notes', 'Thank you.', 'See you.', 'Invoice INV-1042', 'Page 1 of 1'],
    ],
  ]);
});

test('the PDF of an invoice leaves out payments, credits, taxes and notes that do not exist', async () => {
  const [page] = await textsOf(invoice({ taxes: [] }));
  expect(page?.slice(-8)).toEqual([
    'Subtotal',
    '1,200.00',
    'Total (EUR)',
    '1,440.00',
    'Amount due (EUR)',
    '1,440.00',
    'Invoice INV-1042',
    'Page 1 of 1',
  ]);
});

test('the same invoice gives the same PDF bytes, also while other PDFs are created', async () => {
  const first = await invoicePdf(invoice({ lines: linesOf(30) }));
  const others = ['Другой текст', 'Άλλο κείμενο'].map((notes) => invoicePdf(invoice({ notes })));
  const [second] = await Promise.all([invoicePdf(invoice({ lines: linesOf(30) })), ...others]);
  expect(second.equals(first)).toBe(true);
});

test('the text of an invoice PDF does not depend on PDFs that were created before', async () => {
  // the character ﬂ and the letters f and l of "flow" have the same glyph: an open font remembers which text it was first
  await invoicePdf(invoice({ notes: 'ﬂ' }));
  expect((await textsOf(invoice({ notes: 'flow' }))).flat()).toContain('flow');
});

test('two invoices that differ in one digit give different PDF bytes', async () => {
  expect((await invoicePdf(invoice())).equals(await invoicePdf(invoice({ amountDue: new Decimal('1440.01') })))).toBe(false);
});

test('the metadata of an invoice PDF has title, author, language and the time of issue', async () => {
  const file = (await invoicePdf(invoice())).toString('latin1');
  for (const part of ['(Invoice INV-1042)', '(Example Telecom GmbH)', '/Lang (en)', '/DisplayDocTitle true', '(D:20260131100000Z)']) {
    expect(file).toContain(part);
  }
});

test('an invoice PDF embeds subsets of its fonts, and no other font', async () => {
  const fonts = [...objectsOf(await invoicePdf(invoice())).values()].filter(({ dictionary }) => dictionary.includes('/BaseFont'));
  expect(fonts.map(({ dictionary }) => /\/BaseFont \/[A-Z]{6}\+(\S+)/.exec(dictionary)?.[1]).sort()).toEqual([
    ...['DejaVuSansCondensed', 'DejaVuSansCondensed', 'DejaVuSansCondensed-Bold', 'DejaVuSansCondensed-Bold'],
  ]);
  expect([...objectsOf(await invoicePdf(invoice())).values()].filter(({ dictionary }) => dictionary.includes('/FontFile2'))).toHaveLength(
    2,
  );
});

test.each([
  [0, 1],
  [1, 1],
  [30, 2],
  [100, 4],
])('an invoice with %i lines has a PDF of %i pages, each with its number and the head of the table', async (count, expected) => {
  const pages = await textsOf(invoice({ lines: linesOf(count) }));
  expect(pages.map((page) => page.at(-1))).toEqual(Array.from({ length: expected }, (_, index) => `Page ${index + 1} of ${expected}`));
  const withLines = pages.filter((page) => page.some((text) => text.startsWith('Line ')));
  expect(withLines.every((page) => page.includes('Unit price'))).toBe(true);
  expect(pages.flat().filter((text) => text.startsWith('Line '))).toEqual(linesOf(count).map(({ description }) => description));
});

test('an invoice PDF with 100 lines has at most 50 KiB', async () => {
  expect((await invoicePdf(invoice({ lines: linesOf(100) }))).length).toBeLessThanOrEqual(50 * 1024);
});

test('the sums of an invoice PDF stay together on one page, without the head of the table if that page has no lines', async () => {
  let pagesWithoutLines = 0;
  for (let count = 15; count < 30; count++) {
    const pages = await textsOf(invoice({ lines: linesOf(count) }));
    const page = pages.find((texts) => texts.includes('Subtotal')) ?? [];
    expect(page).toContain('Amount due (EUR)');
    if (page.some((text) => text.startsWith('Line '))) continue;
    pagesWithoutLines++;
    expect(page).not.toContain('Unit price');
  }
  expect(pagesWithoutLines).toBeGreaterThan(0);
});

test('a line that is higher than a page continues on the next page, with its amounts on the first', async () => {
  const description = Array.from({ length: 1500 }, (_, index) => `word${index}`).join(' ');
  const pages = await textsOf(invoice({ lines: [line({ description })] }));
  expect(pages.length).toBeGreaterThan(2);
  expect(
    pages
      .flat()
      .join(' ')
      .match(/word\d+/g),
  ).toEqual(description.split(' '));
  expect(pages.map((page) => page.includes('600.00'))).toEqual([true, ...pages.slice(1).map(() => false)]);
});

test.each([
  ['an emoji that the font has', '😀', ['😀']],
  ['an emoji that the font does not have', 'a💩b', ['a[U+1F4A9]b']],
  ['Chinese', '中文', ['[U+4E2D][U+6587]']],
  ['HTML', '<script>alert("x")</script> & </Title>', ['<script>alert("x")</script> & </Title>']],
  ['PDF syntax', ') Tj ET endstream endobj (', [') Tj ET endstream endobj (']],
  ['control characters', 'a\u0000\u001b[31mb\u202ec', ['a[31mbc']],
  ['Hebrew, whose letters are drawn from right to left', 'שלום', ['םולש']],
  ['only spaces', ' \n\t ', []],
])('a note in an invoice PDF can be %s', async (_, notes, shown) => {
  const [page = []] = await textsOf(invoice({ notes }));
  expect(page.slice(page.indexOf('Notes') + 1, -2)).toEqual(shown);
});

const HOSTILE: Readonly<Record<string, string>> = {
  '5,000 characters without a space': 'x'.repeat(5_000),
  '5,000 wide characters': 'W'.repeat(5_000),
  '5,000 characters that the font lacks': '中'.repeat(5_000),
  '2,500 lines': 'a\n'.repeat(2_500),
  'emoji of several code points': '👩‍👩‍👧‍👦💩'.repeat(400),
  'right-to-left words': 'שלום עולם '.repeat(500),
  '5,000 marks above one letter': `e${'\u0301'.repeat(4_999)}`,
};

test.each(Object.keys(HOSTILE))('all text of an invoice PDF stays within the margins if every field has %s', async (name) => {
  const text = HOSTILE[name] ?? '';
  const party = { name: text, address: [text], taxId: text, footer: text };
  const pages = pagesOf(await invoicePdf(invoice({ seller: party, billTo: party, lines: [line({ description: text })], notes: text })));
  expect(pages.flat().filter(({ left, right, y }) => left < 49.9 || right > 595.28 - 49 || y < 50 || y > 841.89 - 50)).toEqual([]);
});

test('the largest amounts and quantities of an invoice PDF fit into their columns', async () => {
  const largest = new Decimal('99999999999999.99');
  const document = invoice({
    lines: [line({ quantity: 1_000_000, unitPrice: largest, amount: largest })],
    subtotal: largest,
    amount: largest,
    paid: largest,
  });
  const [page = []] = await textsOf(document);
  expect(page).toContain('1,000,000');
  expect(page.filter((text) => text === '99,999,999,999,999.99')).toHaveLength(4);
  expect(page).toContain('-99,999,999,999,999.99');
});

test('any Latin, Greek, Cyrillic or Chinese text is in the invoice PDF, and each character that the font lacks as its code', async () => {
  const range = (first: number, last: number) => fc.integer({ min: first, max: last }).map((codePoint) => String.fromCodePoint(codePoint));
  const inFont = fc.oneof(
    range(0x21, 0x7e),
    range(0xc0, 0x17f),
    range(0x391, 0x3a1),
    range(0x3b1, 0x3c9),
    range(0x410, 0x44f),
    fc.constant(' '),
  );
  const text = fc.array(fc.oneof(inFont, range(0x4e00, 0x9fff)), { maxLength: 400 }).map((characters) => characters.join(''));
  const coded = (value: string) =>
    value.replace(/[\u4e00-\u9fff]/g, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`);
  await fc.assert(
    fc.asyncProperty(text, async (description) => {
      const pages = await textsOf(invoice({ lines: [line({ description })] }));
      const texts = pages.flat();
      const shown = texts.slice(texts.indexOf('Amount (EUR)') + 1, texts.indexOf('600.00') - 1);
      expect(shown.join('').replaceAll(' ', '')).toBe(coded(description).replaceAll(' ', ''));
    }),
    { numRuns: 30 },
  );
});
