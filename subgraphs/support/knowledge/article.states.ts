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
  /** The title is the question, the body the answer. */
  FAQ = 'faq',
}
registerEnumType(ArticleKind, {
  name: 'ArticleKind',
  description: 'Of an entry of the FAQ the title is the question and the body the answer.',
});

/** What was taken from readers is looked at again, as a draft, before it comes back to them. */
export const articleStates = new StateMachine<ArticleStatus>('article', {
  draft: [ArticleStatus.PUBLISHED, ArticleStatus.ARCHIVED],
  published: [ArticleStatus.DRAFT, ArticleStatus.ARCHIVED],
  archived: [ArticleStatus.DRAFT],
});
