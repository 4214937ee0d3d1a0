import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum ArticleStatus {
  DRAFT = 'draft',
  PUBLISHED = 'published',
  ARCHIVED = 'archived',
}
registerEnumType(ArticleStatus, {
  name: 'ArticleStatus',
  description: 'Readers see what is published; editors (`support:write`) also drafts and what was archived.',
});

export enum ArticleKind {
  ARTICLE = 'article',
  /** The title is the question, and the body is the answer. */
  FAQ = 'faq',
}
registerEnumType(ArticleKind, {
  name: 'ArticleKind',
  description: 'Of an entry of the FAQ the title is the question and the body the answer.',
});

/** An archived article must become a draft again before it can be published. */
export const articleStates = new StateMachine<ArticleStatus>('article', {
  draft: [ArticleStatus.PUBLISHED, ArticleStatus.ARCHIVED],
  published: [ArticleStatus.DRAFT, ArticleStatus.ARCHIVED],
  archived: [ArticleStatus.DRAFT],
});
