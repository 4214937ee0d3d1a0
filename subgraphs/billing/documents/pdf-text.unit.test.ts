import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printable, wrapText } from './pdf-text.ts';

const everything = () => true;
const onlyAscii = (codePoint: number) => codePoint < 0x80;

test('a character that is not in the font is shown by its code', () => {
  expect(printable('a中b', onlyAscii)).toBe('a[U+4E2D]b');
  expect(printable('💩', onlyAscii)).toBe('[U+1F4A9]');
  expect(printable('é', onlyAscii)).toBe('[U+00E9]');
});

test('half of a surrogate pair is shown by its code in a PDF', () => {
  expect(printable('a\ud83d', () => false)).toBe('a[U+D83D]');
});

test.each([
  ['control characters', 'a\u0000\u0007\u001b\u007f\u009fb', 'ab'],
  ['marks that change the direction of text', 'a\u202e\u2066\u200fb', 'ab'],
  ['zero-width characters', 'a\u200b\u200d\ufeff\u00adb', 'ab'],
])('%s are removed from text', (_, text, shown) => {
  expect(printable(text, everything)).toBe(shown);
});

test('all kinds of spaces become plain spaces, and all kinds of line breaks become the same line break', () => {
  expect(printable('a\tb\u00a0c\u2003d\u3000e', everything)).toBe('a b c d e');
  expect(printable('a\r\nb\nc\rd\u2028e\u2029f', everything)).toBe('a\nb\nc\nd\ne\nf');
});

const widthOf = (character: string) => (character === 'w' ? 3 : 1);
const widthOfText = (text: string) => [...text].reduce((sum, character) => sum + widthOf(character), 0);

test('wrapped text breaks at spaces, and each line is as long as possible', () => {
  expect(wrapText('the quick red fox', 9, widthOf)).toEqual(['the quick', 'red fox']);
});

test('a word that is wider than a line breaks between characters', () => {
  expect(wrapText('a 1234567 b', 3, widthOf)).toEqual(['a', '123', '456', '7 b']);
});

test('a surrogate pair and the code of a missing character are not cut', () => {
  expect(wrapText('😀😀😀', 2, widthOf)).toEqual(['😀😀', '😀']);
  expect(wrapText('ab[U+4E2D][U+4E00]', 10, widthOf)).toEqual(['ab[U+4E2D]', '[U+4E00]']);
});

test('a character that is wider than a line is on a separate line', () => {
  expect(wrapText('awwb', 2, widthOf)).toEqual(['a', 'w', 'w', 'b']);
});

test('several empty lines become one, and empty lines at the start and end are not shown', () => {
  expect(wrapText('\n \na\n\n\n \nb\n\n', 9, widthOf)).toEqual(['a', '', 'b']);
  expect(wrapText('', 9, widthOf)).toEqual([]);
  expect(wrapText(' \n ', 9, widthOf)).toEqual([]);
});

/** Returns the shortest list of lines for some words, found by trying every line break. Each word must fit into a line. */
function fewestLines(words: readonly string[], width: number): number {
  const fewest = [0];
  for (let end = 1; end <= words.length; end++) {
    const starts = Array.from({ length: end }, (_, start) => start).filter(
      (start) => widthOfText(words.slice(start, end).join(' ')) <= width,
    );
    fewest.push(1 + Math.min(...starts.map((start) => fewest[start] ?? Number.POSITIVE_INFINITY)));
  }
  return fewest[words.length] ?? 0;
}

test('any words are broken into the smallest possible number of lines, and no word is lost', () => {
  const word = fc.array(fc.constantFrom('w', 'i', 'é', '😀'), { minLength: 1, maxLength: 4 }).map((characters) => characters.join(''));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), fc.integer({ min: 12, max: 40 }), (words, width) => {
      const lines = wrapText(words.join(' '), width, widthOf);
      expect(lines.flatMap((line) => line.split(' '))).toEqual(words);
      expect(lines.filter((line) => widthOfText(line) > width)).toEqual([]);
      expect(lines.length).toBe(fewestLines(words, width));
    }),
  );
});

test('wrapped text of any width contains all characters except spaces', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 1, max: 30 }), (text, width) => {
      const lines = wrapText(text, width, widthOf);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(/[ \n]/g, ''));
      expect(lines.filter((line) => widthOfText(line) > width && [...line].length > 1 && !line.startsWith('[U+'))).toEqual([]);
    }),
  );
});
