import type { Orm, Rows } from '../../../kernel/database/database.ts';
import { type Page, type PageInput, SortOrder } from '../../../kernel/graphql/page.ts';
import { pageFrom, type Window } from '../../../kernel/records/pagination.ts';
import { headlineOf, plainQuery, searchQuery, spelled } from '../words.ts';
import type { KnowledgeSearchInput } from './article.inputs.ts';
import type { ArticleStatus } from './article.states.ts';
import { type KnowledgeHit, KnowledgeMatch } from './article.values.ts';
import { HEADLINE_OPTIONS, headlineHtml, headlineText } from './article-headline.ts';

/** Search words and other criteria of an article search. */
export type Wanted = Omit<KnowledgeSearchInput, 'q'> & { q: string; status: readonly ArticleStatus[] };

/**
 * Weights of words for `ts_rank_cd`, in the order D (not used), C (body), B (summary and tags), A (title). A word in
 * the title counts as much as 20 words in the body.
 */
const WEIGHTS = `'{0.01, 0.05, 0.4, 1}'`;
/** Option of `ts_rank_cd`. With it, the rank is divided by 1 plus the logarithm of the text length. */
const BY_LENGTH = 1;

/**
 * Minimum similarity at which two words match. For example, `webhok` and `webhook` have a similarity of 0.71, and
 * `intenret` and `internet` have 0.44. Unrelated words have less than 0.2.
 */
const RESEMBLES = 0.42;
/** Score of a word by the place where it occurs: title (A), summary or tags (B), body (C). */
const PLACES = [
  ['A', 1],
  ['B', 0.9],
  ['C', 0.5],
] as const;
/**
 * Maximum number of search words that are compared by similarity. The number is limited, because each word is compared
 * with every article.
 */
const COMPARED_WORDS = 8;

const ORDER = [
  { field: 'rank', order: SortOrder.DESC },
  { field: 'id', order: SortOrder.ASC },
];
const ORDERED = { rank: { runtimeType: 'number' }, id: { runtimeType: 'string' } };

/**
 * SQL parts of one kind of search: source, condition, rank and headline. The statement that counts the matches consists
 * of `from` and `fits` alone, so these two must use every parameter in `values`. PostgreSQL refuses unused parameters.
 */
interface Reading {
  match: KnowledgeMatch;
  from: string;
  fits: string;
  rank: string;
  headline: string;
  values: unknown[];
}

/**
 * Full-text search over the articles that an organization can read. If the user may not read drafts, the caller of this
 * class must restrict `status`.
 */
export class ArticleSearch {
  readonly #rows: Rows;
  readonly #table: string;

  constructor({ orm, rows }: { orm: Orm; rows: Rows }) {
    this.#rows = rows;
    this.#table = `"${orm.config.getAll().schema}"."article"`;
  }

  /**
   * Searches articles, best match first. If a query without operators matches no article, returns articles with similar
   * words.
   */
  async page(organizationId: string, wanted: Wanted, page: PageInput): Promise<Page<KnowledgeHit>> {
    const byWords = this.#byWords(organizationId, wanted);
    if (await this.#count(byWords)) return this.#page(byWords, page);
    const words = isPlain(wanted.q) ? wordsOf(spelled(wanted.q)) : [];
    return this.#page(words.length > 0 ? this.#bySimilarity(organizationId, wanted, words) : byWords, page);
  }

  /**
   * Returns, for each article in `ids`, the ids of the most similar published articles. Shared tags count most, then a
   * shared category and shared words in the title.
   */
  async related(organizationId: string, ids: readonly string[], limit: number): Promise<string[][]> {
    const found = await this.#rows.query<{ of: string; ids: string[] }>(
      `select k.id as "of", array_agg(r.id order by r.shared desc, r.likeness desc, r.id) as ids
       from unnest($2::text[]) k(id) join ${this.#table} a on a."id" = k.id and ${sees('a')}
       cross join lateral (
         select b."id", s.shared, ts_rank(b."search", s.title) + case when b."category" = a."category" then 0.1 else 0 end as likeness
         from ${this.#table} b
         cross join lateral (
           select (select count(*) from jsonb_array_elements_text(b."tags") t where jsonb_exists(a."tags", t)) as shared,
                  replace(${plainQuery('a."title"')}::text, '&', '|')::tsquery as title
         ) s
         where ${sees('b')} and b."status" = 'published' and b."id" <> a."id"
           and (s.shared > 0 or b."category" = a."category" and b."search" @@ s.title)
         order by s.shared desc, likeness desc, b."id" limit $3
       ) r group by k.id`,
      [organizationId, ids, limit],
    );
    const byId = new Map(found.map((row) => [row.of, row.ids]));
    return ids.map((id) => byId.get(id) ?? []);
  }

  #byWords(organizationId: string, wanted: Wanted): Reading {
    const { values, bind, fits } = conditions(organizationId, wanted);
    const query = searchQuery(bind(spelled(wanted.q)));
    return {
      match: KnowledgeMatch.WORDS,
      from: `${this.#table} a, ${query} query`,
      fits: `${fits} and a."search" @@ query`,
      rank: `ts_rank_cd(${WEIGHTS}, a."search", query, ${BY_LENGTH})::float8`,
      headline: headlineOf(headlineText('a'), query, HEADLINE_OPTIONS),
      values,
    };
  }

  #bySimilarity(organizationId: string, wanted: Wanted, words: readonly string[]): Reading {
    const { values, bind, fits } = conditions(organizationId, wanted);
    const text = `unaccent(a."title" || ' ' || a."summary" || ' ' || a."tags"::text)`;
    // a rare word counts more than a frequent word. A word that no article contains is probably misspelt, so it counts
    // less than the rarest words. Stop words are ignored
    const rarity = `ln(1 + "all" / greatest(1, case held when 0 then sqrt("all") else held end))`;
    const telling = `(select array_agg(word) as words, array_agg(query) as queries, array_agg(${rarity}) as rarities
      from (select count(*)::float8 as "all" from ${this.#table} a where ${fits}) articles
      cross join (select unaccent(word) as word, ${plainQuery('word')} as query from unnest(${bind(words)}::text[]) word) asked
      cross join lateral (select count(*)::float8 as held from ${this.#table} a where ${fits} and a."search" @@ query) holding
      where numnode(query) > 0)`;
    const place = PLACES.map(([weight, score]) => `when a."search" @@ (query::text || ':${weight}')::tsquery then ${score}`).join(' ');
    const score = `(select sum(rarity * case ${place} else likeness end) / sum(rarity) as score
      from unnest(telling.words, telling.queries, telling.rarities) as asked(word, query, rarity)
      cross join lateral (select word_similarity(word, ${text}) as likeness) compared)`;
    return {
      match: KnowledgeMatch.SIMILAR,
      from: `${this.#table} a cross join ${telling} telling cross join lateral ${score} likeness`,
      fits: `${fits} and likeness.score >= ${RESEMBLES}`,
      rank: 'likeness.score::float8',
      headline: `case when a."summary" = '' then a."title" else a."summary" end`,
      values,
    };
  }

  async #count({ from, fits, values }: Reading): Promise<number> {
    const [row] = await this.#rows.query<{ count: number }>(`select count(*)::int as count from ${from} where ${fits}`, values);
    return row?.count ?? 0;
  }

  async #page(reading: Reading, page: PageInput): Promise<Page<KnowledgeHit>> {
    const found = await pageFrom(
      { properties: ORDERED, rows: (_, window) => this.#read(reading, window), total: () => this.#count(reading) },
      ORDER,
      page,
    );
    const nodes = found.nodes.map(({ id, rank, headline }) => ({
      articleId: id,
      rank,
      headline: headlineHtml(headline),
      match: reading.match,
    }));
    return { ...found, nodes };
  }

  /** Reads one page. Computing headlines takes most of the time, so they are computed only for the rows of the page. */
  #read({ from, fits, rank, headline, values }: Reading, { limit, offset, after }: Window) {
    const bound = [...values, limit, offset, ...(after ?? [])];
    const place = (back: number) => `$${values.length + back}`;
    const behind = after ? `where (hit.rank < ${place(3)} or hit.rank = ${place(3)} and hit.id > ${place(4)})` : '';
    return this.#rows.query<{ id: string; rank: number; headline: string }>(
      `select hit.id, hit.rank, ${headline} as headline
       from (select * from (select a."id", ${rank} as rank from ${from} where ${fits}) hit ${behind}
             order by hit.rank desc, hit.id limit ${place(1)} offset ${place(2)}) hit
       join ${this.#table} a on a."id" = hit.id order by hit.rank desc, hit.id`,
      bound,
    );
  }
}

/**
 * Returns an SQL condition for the articles that an organization can read: its own articles and the articles of the
 * platform. `$1` is the id of the organization.
 */
const sees = (alias: string): string => `(${alias}."organization_id" = $1 or ${alias}."organization_id" is null)`;

function conditions(organizationId: string, { category, tag, kind, status }: Wanted) {
  const values: unknown[] = [organizationId];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const all = [
    sees('a'),
    `a."status" = any(${bind(status)}::text[])`,
    category && `a."category" = any(${bind(category)}::text[])`,
    tag && `jsonb_exists_any(a."tags", ${bind(tag)}::text[])`,
    kind && `a."kind" = ${bind(kind)}`,
  ];
  return { values, bind, fits: all.filter(Boolean).join(' and ') };
}

/**
 * Returns whether a query has no operators (quotes or minus signs). Similarity search is used only for queries without
 * operators.
 */
const isPlain = (q: string): boolean => !/"|(^|\s)-/.test(q);

/**
 * Returns the words of a query. Words of one or two letters are left out, because they are similar to too many other
 * words.
 */
const wordsOf = (q: string): string[] => [...new Set(q.toLowerCase().match(/[\p{L}\p{N}]{3,64}/gu) ?? [])].slice(0, COMPARED_WORDS);
