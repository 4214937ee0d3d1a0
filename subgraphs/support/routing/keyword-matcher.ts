/** Of scripts that write no spaces between words each character counts as one, so that a keyword is found within a sentence. */
const UNSPACED = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/** The words of a text, without case and in one spelling of each character (NFKC); everything between them only separates. */
export const wordsOf = (text: string): string[] => text.normalize('NFKC').toLowerCase().normalize('NFKC').match(WORD) ?? [];

/** Where a text may be while keywords are looked for: behind the words that lead here. */
interface Node<Owner> {
  next: Map<string, Node<Owner>>;
  /** The longest other beginning of a keyword that ends like this one. Undefined for the root. */
  fallback: Node<Owner> | undefined;
  /** Whose keyword ends here. */
  owners: Owner[];
}

const node = <Owner>(): Node<Owner> => ({ next: new Map(), fallback: undefined, owners: [] });

/**
 * Finds whole words and phrases in texts, after Aho and Corasick with words for letters: the time is that of the texts and the
 * keywords together, however many keywords there are and whatever either holds.
 */
export class KeywordMatcher<Owner> {
  readonly #root = node<Owner>();

  /** Keywords by owner. One without a word in it is never found. */
  constructor(keywords: Iterable<readonly [Owner, string]>) {
    for (const [owner, keyword] of keywords) this.#add(owner, wordsOf(keyword));
    this.#link();
  }

  /** Those of whom a keyword stands in one of the texts. */
  ownersIn(texts: readonly string[]): Set<Owner> {
    const found = new Set<Owner>();
    const seen = new Set<Node<Owner>>([this.#root]);
    for (const text of texts) {
      let at = this.#root;
      for (const word of wordsOf(text)) {
        at = this.#step(at, word);
        for (let ended = at; !seen.has(ended); ended = ended.fallback ?? this.#root) {
          seen.add(ended);
          for (const owner of ended.owners) found.add(owner);
        }
      }
    }
    return found;
  }

  #add(owner: Owner, words: readonly string[]): void {
    if (words.length === 0) return;
    let at = this.#root;
    for (const word of words) {
      const next = at.next.get(word) ?? node<Owner>();
      at.next.set(word, next);
      at = next;
    }
    at.owners.push(owner);
  }

  /** By length, so that a fallback, which is shorter, is known before it is needed. */
  #link(): void {
    const queue = [...this.#root.next.values()];
    for (const first of queue) first.fallback = this.#root;
    for (const at of queue) {
      for (const [word, next] of at.next) {
        next.fallback = this.#step(at.fallback ?? this.#root, word);
        queue.push(next);
      }
    }
  }

  #step(from: Node<Owner>, word: string): Node<Owner> {
    let at: Node<Owner> | undefined = from;
    while (at) {
      const next = at.next.get(word);
      if (next) return next;
      at = at.fallback;
    }
    return this.#root;
  }
}
