import { del, get, type LargeBody, post, put, type Route, view } from '../route.ts';

const articleItem = view(
  'ArticleListItem',
  '{ id kind title summary category tags status version isPlatform publishedAt createdAt updatedAt helpfulness }',
);
const articleRecord = view('ArticleRecord', '{ ...fields related(limit: 5) { id kind title summary category } }');
const hit = view('KnowledgeHit', '{ articleId rank match headline article { kind title summary category tags isPlatform updatedAt } }');
const faq = view('FaqSection', '{ category questions { id question: title answer: body tags updatedAt } }');

const LONG_TEXT: LargeBody = { mebibytes: 1, reason: 'an article has up to 100,000 characters, each of up to six bytes as JSON' };

const example = {
  title: 'Reach the office network from home',
  summary: 'Install the VPN client, sign in, and pick the nearest gateway.',
  body: '## Before you begin\n\nAsk your administrator for an invitation.\n\n## Connect\n\n1. Install the client.\n2. Sign in.',
  category: 'connectivity',
  tags: ['vpn', 'remote work'],
  status: 'published',
};

/** REST routes of the knowledge base and feedback (specification 4.7). */
export const knowledge: readonly Route[] = [
  get('searchKnowledgeBase', '/support/kb', 'articles', {
    summary: 'List and search articles',
    description:
      'Lists the articles of your organization and of the platform. With `q`, the best matches come first. Without `q`, the articles that changed last come first. Callers without `support:write` get published articles only.',
    select: articleItem,
  }),
  post('createArticle', '/support/kb', 'createArticle', {
    summary: 'Create an article',
    largeBody: LONG_TEXT,
    select: articleRecord,
    addition: true,
    example,
  }),
  get('getKnowledgeBaseArticle', '/support/kb/{article_id}', 'article', { summary: 'Get an article', select: articleRecord }),
  put('updateArticle', '/support/kb/{article_id}', 'updateArticle', {
    summary: 'Update, publish or archive an article',
    largeBody: LONG_TEXT,
    description: 'Changes, publishes or archives an article. Omit a field to keep its value. Articles of the platform are read-only (409).',
    select: articleRecord,
    addition: true,
    example: { title: 'Reach the office from anywhere', status: 'published' },
  }),
  del('deleteArticle', '/support/kb/{article_id}', 'deleteArticle', {
    summary: 'Delete an article',
    description: 'Deletes an article and the feedback about it permanently. To only hide an article from readers, archive it.',
    select: articleItem,
    addition: true,
  }),
  get('getFaq', '/support/faq', 'faq', { summary: 'Get the FAQ', select: faq }),
  get('searchKnowledge', '/support/knowledge', 'searchKnowledge', {
    summary: 'Search the knowledge base',
    description:
      'Searches articles and the FAQ by full text, ranked by relevance. `headline` is an excerpt with the found words, as HTML in which `<mark>` is the only markup.',
    select: hit,
  }),
  get('listFeedback', '/support/feedback', 'feedback', { summary: 'List feedback', addition: true }),
  post('submitFeedback', '/support/feedback', 'submitFeedback', {
    summary: 'Create feedback on a ticket, an article or the platform',
    description:
      'Rates a ticket, an article or the platform. With `ticket_id`, you rate the work on a resolved ticket. With `article_id`, you rate an article. If you send neither, you rate the platform. A ticket has one rating, and an article has one rating per reader. A second rating replaces the first.',
    example: { rating: 5, comment: 'Solved within the hour.' },
  }),
];
