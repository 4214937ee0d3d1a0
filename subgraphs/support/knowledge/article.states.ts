import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum ArticleStatus {
  DRAFT = 'draft',
  PUBLISHED = 'published',
  ARCHIVED = 'archived',
}
registerEnumType(ArticleStatus, {
  name: 'ArticleStatus',
  description: 'Whether readers can see an article. Callers with `support:write` can see all states.',
  valuesConfig: {
    DRAFT: { description: 'Being written. Only editors can see it.' },
    PUBLISHED: { description: 'All readers can see it.' },
    ARCHIVED: { description: 'Withdrawn. Only editors can see it.' },
  },
});

export enum ArticleKind {
  ARTICLE = 'article',
  /** A question of the FAQ: the title is the question, and the body is the answer. */
  FAQ = 'faq',
}
registerEnumType(ArticleKind, {
  name: 'ArticleKind',
  description: 'Kind of knowledge base entry.',
  valuesConfig: {
    ARTICLE: { description: 'An article with title and text.' },
    FAQ: { description: 'A question (the title) with its answer (the body).' },
  },
});

/** State machine of articles. An archived article must become a draft again before it can be published. */
export const articleStates = new StateMachine<ArticleStatus>('article', {
  draft: [ArticleStatus.PUBLISHED, ArticleStatus.ARCHIVED],
  published: [ArticleStatus.DRAFT, ArticleStatus.ARCHIVED],
  archived: [ArticleStatus.DRAFT],
});
