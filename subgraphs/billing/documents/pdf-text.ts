/**
 * Invisible characters, such as control characters, zero-width joiners and marks that change the direction of text.
 * Direction marks could make a text look like another text.
 */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const SPACE = /[\t\p{Zs}]/gu;
const NOT_ASCII = /[^\n\x20-\x7e]/gu;

/** The smallest units into which a word can be cut: the code of a missing character, or any single character. */
const UNIT = /\[U\+[0-9A-F]{4,6}\]|./gu;

/**
 * Converts text of a user to characters that a font can show.
 * - A character that is not in the font becomes its code, such as [U+4E2D].
 * - All kinds of spaces become plain spaces, and all kinds of line breaks become `\n`.
 * - Characters that have no appearance, such as control characters, are removed.
 */
export function printable(text: string, isInFont: (codePoint: number) => boolean): string {
  const visible = text.replace(LINE_END, '\n').replace(SPACE, ' ').replace(INVISIBLE, '');
  return visible.replace(NOT_ASCII, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return isInFont(codePoint) ? character : `[U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

/**
 * Breaks printable text into lines of at most `width`. Lines break at spaces; a word that is wider than a line breaks
 * between any two characters. Several spaces count as one, and several empty lines as one. Empty text has no lines.
 * `widthOf` returns the width of one character.
 */
export function wrapText(text: string, width: number, widthOf: (character: string) => number): string[] {
  const lines = text.split('\n').flatMap((paragraph) => wrapParagraph(paragraph, width, widthOf));
  const isShown = (line: string, index: number) => line !== '' || (lines[index - 1] ?? '') !== '';
  const shown = lines.filter(isShown);
  return shown.at(-1) === '' ? shown.slice(0, -1) : shown;
}

/** A text and its width. */
interface Measured {
  text: string;
  width: number;
}

function wrapParagraph(paragraph: string, width: number, widthOf: (character: string) => number): string[] {
  const lines: string[] = [];
  const space = widthOf(' ');
  let line: Measured = { text: '', width: 0 };
  const words = paragraph.split(' ').filter((word) => word !== '');
  for (const piece of words.flatMap((word) => piecesOf(word, width, widthOf))) {
    const joined = line.width + space + piece.width;
    if (line.text === '') line = piece;
    else if (joined <= width) line = { text: `${line.text} ${piece.text}`, width: joined };
    else {
      lines.push(line.text);
      line = piece;
    }
  }
  return [...lines, line.text];
}

/**
 * Cuts a word into the longest pieces that fit into a line, so a word that fits is one piece. A single unit that is
 * wider than a line is a piece of its own.
 */
function piecesOf(word: string, width: number, widthOf: (character: string) => number): Measured[] {
  const measured = (text: string): Measured => ({ text, width: [...text].reduce((sum, character) => sum + widthOf(character), 0) });
  const whole = measured(word);
  if (whole.width <= width) return [whole];
  const pieces: Measured[] = [];
  let piece: Measured = { text: '', width: 0 };
  for (const unit of (word.match(UNIT) ?? []).map(measured)) {
    if (piece.text !== '' && piece.width + unit.width > width) {
      pieces.push(piece);
      piece = { text: '', width: 0 };
    }
    piece = { text: piece.text + unit.text, width: piece.width + unit.width };
  }
  return [...pieces, piece];
}
