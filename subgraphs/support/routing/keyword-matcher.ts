/**
 * Scripts that do not separate words with spaces. Each of their characters is treated as a word, so that a keyword is
 * found within a sentence.
 */
const UNSPACED = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/** Splits a text into words, in lower case and Unicode NFKC. All other characters are separators. */
export const wordsOf = (text: string): string[] => text.normalize('NFKC').toLowerCase().normalize('NFKC').match(WORD) ?? [];

/** A state of the matcher. Each state stands for a sequence of words with which at least one keyword begins. */
interface Node<Owner> {
  next: Map<string, Node<Owner>>;
  /** The state for the longest proper suffix of this state's words that has a state. Undefined for the root. */
  fallback: Node<Owner> | undefined;
  /** Owners of a keyword that consists of exactly the words of this state. */
  owners: Owner[];
}

const node = <Owner>(): Node<Owner> => ({ next: new Map(), fallback: undefined, owners: [] });

/**
 * Finds whole words and phrases in texts with the Aho-Corasick algorithm, using words as symbols. The time is linear in
 * the length of the texts and keywords, even for malicious input.
 */
export class KeywordMatcher<Owner> {
  readonly #root = node<Owner>();

  /** Takes keywords with their owners. A keyword without any word is never found. */
  constructor(keywords: Iterable<readonly [Owner, string]>) {
    for (const [owner, keyword] of keywords) this.#add(owner, wordsOf(keyword));
    this.#link();
  }

  /** Returns the owners whose keyword occurs in one of the texts. */
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

  /**
   * Sets the fallbacks in breadth-first order, because a fallback stands for fewer words and must have its own fallback
   * first.
   */
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
