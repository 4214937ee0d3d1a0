import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { printable, wrapText } from './pdf-text.ts';

/** Size of A4 and its margin in points (1/72 inch). */
const PAGE = { width: 595.28, height: 841.89, margin: 50 };
const FOOTER_HEIGHT = 25;
const BOTTOM = PAGE.height - PAGE.margin - FOOTER_HEIGHT;

/** Height of a line, as a multiple of its font size. */
const LINE_HEIGHT = 1.35;

/** First and last x coordinate of the content of a page, in points. */
export const CONTENT = { left: PAGE.margin, right: PAGE.width - PAGE.margin };

/** Font weight, size and color of a text. `size` is in points; `color` is hexadecimal, such as #333333. */
export interface TextStyle {
  weight: 'regular' | 'bold';
  size: number;
  color: string;
}

/** Horizontal position of a column, in points from the left edge of the page. */
export interface Column {
  x: number;
  width: number;
  align: 'left' | 'right';
}

/** Texts below each other in a column. Each text is broken into as many lines as it needs. */
export interface Cell {
  column: Column;
  texts: readonly StyledText[];
}

/** A text of any length, with its font weight, size and color. */
export interface StyledText {
  text: string;
  style: TextStyle;
}

/** A cell whose texts are already broken into lines that fit into its column. */
interface WrappedCell {
  column: Column;
  lines: readonly StyledText[];
}

/** Metadata of a PDF file. The same metadata and content always result in the same bytes. */
export interface PdfMetadata {
  title: string;
  author: string;
  /** Language of the text, such as `en`. */
  language: string;
  createdAt: Date;
}

type Pdf = PDFKit.PDFDocument;

/** The part of pdfkit's font API that is missing in its type definitions. A unit test checks that the installed version has it. */
interface FontInUse {
  _font: { font: { hasGlyphForCodePoint(codePoint: number): boolean } };
}

let fontFiles: Record<TextStyle['weight'], Buffer> | undefined;

/** Returns the font files. They are read at their first use and stay in memory (1.3 MB). */
function fonts(): Record<TextStyle['weight'], Buffer> {
  const { resolve } = createRequire(import.meta.url);
  const read = (name: string) => readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`));
  fontFiles ??= { regular: read('DejaVuSansCondensed'), bold: read('DejaVuSansCondensed-Bold') };
  return fontFiles;
}

/**
 * Writes A4 pages of text from top to bottom, and starts further pages when a page is full. In the file, text is in the
 * order in which it was written, so that people can select and copy it.
 */
export class PdfWriter {
  /** Draws the top of each page after the first, such as the head of a table. Null draws nothing. */
  pageTop: (() => void) | null = null;

  /** Start of the next row, in points from the top of the page. */
  private y = PAGE.margin;
  /** Start of the first row of this page, below the content that `pageTop` has drawn. */
  private top = PAGE.margin;
  private readonly widths = { regular: new Map<string, number>(), bold: new Map<string, number>() };

  private constructor(private readonly pdf: Pdf) {}

  /** Starts a file with one empty page. */
  static async create({ title, author, language, createdAt }: PdfMetadata): Promise<PdfWriter> {
    // pdfkit takes 100 ms to load, so only processes that create a PDF load it
    const { default: PDFDocument } = await import('pdfkit');
    const pdf = new PDFDocument({
      size: [PAGE.width, PAGE.height],
      margin: 0,
      // no default font: pdfkit would load Helvetica
      font: '',
      bufferPages: true,
      lang: language,
      displayTitle: true,
      // for newer versions, pdfkit also writes the metadata as XML, and does not escape it: the name of a seller could break it
      pdfVersion: '1.3',
      info: { Title: title, Author: author, CreationDate: createdAt },
    });
    // Fonts are opened for each file. An open font remembers the text of earlier files, which would change the bytes.
    for (const [weight, file] of Object.entries(fonts())) pdf.registerFont(weight, file);
    return new PdfWriter(pdf);
  }

  /**
   * Writes rows of a table. If the rows do not fit on the rest of the page, they start on a new page. Rows that are higher than a page
   * continue on the following pages.
   */
  rows(rows: readonly (readonly Cell[])[]): void {
    const wrapped = rows.map((cells) => cells.map((cell) => this.wrap(cell)));
    const height = wrapped.reduce((sum, cells) => sum + heightOf(cells), 0);
    if (this.y + height > BOTTOM && height <= BOTTOM - this.top) this.addPage();
    for (const cells of wrapped) this.row(cells);
  }

  /** Leaves a vertical space of `height` points empty. */
  skip(height: number): void {
    this.y += height;
  }

  /** Draws a thin horizontal line from the left to the right margin. */
  rule(): void {
    this.pdf.moveTo(CONTENT.left, this.y).lineTo(CONTENT.right, this.y).lineWidth(0.5).strokeColor('#888888').stroke();
  }

  /** Writes the bottom of each page, and returns the bytes of the file. Only the first line of each cell in `pageBottom` is shown. */
  async end(pageBottom: (page: number, pages: number) => Cell[]): Promise<Buffer> {
    const { count } = this.pdf.bufferedPageRange();
    for (let index = 0; index < count; index++) {
      this.pdf.switchToPage(index);
      for (const { column, lines } of pageBottom(index + 1, count).map((cell) => this.wrap(cell))) {
        for (const line of lines.slice(0, 1)) this.drawLine(line, column, BOTTOM + FOOTER_HEIGHT / 2);
      }
    }
    this.pdf.end();
    return buffer(this.pdf);
  }

  private wrap({ column, texts }: Cell): WrappedCell {
    const lines = texts.flatMap(({ text, style }) => {
      const { font } = (this.pdf.font(style.weight) as unknown as FontInUse)._font;
      const shown = printable(text, (codePoint) => font.hasGlyphForCodePoint(codePoint));
      return wrapText(shown, column.width, (character) => this.widthOf(character, style)).map((line) => ({ text: line, style }));
    });
    return { column, lines };
  }

  /** Draws a row, on as many pages as it needs. */
  private row(cells: readonly WrappedCell[]): void {
    let rest = cells;
    for (;;) {
      const drawn = rest.map((cell) => this.drawCell(cell));
      this.y = Math.max(...drawn.map(({ end }) => end));
      rest = drawn.map(({ rest }) => rest);
      if (rest.every(({ lines }) => lines.length === 0)) return;
      this.addPage();
    }
  }

  /** Draws the lines of a cell that fit on the rest of the page. `end` is the y coordinate below them. */
  private drawCell({ column, lines }: WrappedCell): { end: number; rest: WrappedCell } {
    let end = this.y;
    for (const [index, line] of lines.entries()) {
      const next = end + line.style.size * LINE_HEIGHT;
      if (next > BOTTOM) return { end, rest: { column, lines: lines.slice(index) } };
      this.drawLine(line, column, end);
      end = next;
    }
    return { end, rest: { column, lines: [] } };
  }

  private drawLine({ text, style }: StyledText, { x, width, align }: Column, y: number): void {
    this.pdf.font(style.weight).fontSize(style.size).fillColor(style.color);
    const left = align === 'left' ? x : x + width - this.pdf.widthOfString(text);
    this.pdf.text(text, left, y, { lineBreak: false });
  }

  private addPage(): void {
    this.pdf.addPage();
    this.y = PAGE.margin;
    this.pageTop?.();
    this.top = this.y;
  }

  private widthOf(character: string, { weight, size }: TextStyle): number {
    const known = this.widths[weight].get(character);
    if (known !== undefined) return known * size;
    const width = this.pdf.font(weight).fontSize(1).widthOfString(character);
    this.widths[weight].set(character, width);
    return width * size;
  }
}

const heightOf = (cells: readonly WrappedCell[]): number =>
  Math.max(0, ...cells.map(({ lines }) => lines.reduce((height, { style }) => height + style.size * LINE_HEIGHT, 0)));
