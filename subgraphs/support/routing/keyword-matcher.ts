/**
 * Scripts that do not separate words with spaces. Each character of these scripts is treated as a word, so that a
 * keyword is found within a sentence.
 */
const UNSPACED = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const WORD = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, 'gu');

/**
 * Splits a text into words, in lower case and Unicode NFKC. Characters that cannot be part of a word separate words.
 */
export const wordsOf = (text: string): string[] => text.normalize('NFKC').toLowerCase().normalize('NFKC').match(WORD) ?? [];

/**
 * A state of the Aho-Corasick automaton. Each state represents a sequence of words with which at least one keyword
 * begins.
 */
interface Node<Owner> {
  next: Map<string, Node<Owner>>;
  /**
   * The state for the longest proper suffix of this state's word sequence, among the suffixes that have a state.
   * Undefined for the root.
   */
  fallback: Node<Owner> | undefined;
  /** Owners of the keyword whose words are equal to the words of this state. */
  owners: Owner[];
}

const node = <Owner>(): Node<Owner> => ({ next: new Map(), fallback: undefined, owners: [] });

/**
 * Finds whole words and phrases in texts with the Aho-Corasick algorithm. The symbols of the algorithm are words. The
 * time grows linearly with the length of the texts and keywords, even for malicious input.
 */
export class KeywordMatcher<Owner> {
  readonly #root = node<Owner>();

  /** Creates a matcher. `keywords` contains pairs of an owner and a keyword. A keyword that contains no word is never found. */
  constructor(keywords: Iterable<readonly [Owner, string]>) {
    for (const [owner, keyword] of keywords) this.#add(owner, wordsOf(keyword));
    this.#link();
  }

  /** Returns the owners of all keywords that occur in at least one of the texts. */
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
   * Sets the fallbacks of all states in breadth-first order. A fallback represents fewer words than its state, so the
   * fallback of the fallback is already set.
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
